"""PDF → text and blocks with their pages, or the reason why there is no text.

    file ─ PDFium → pages of lines ─ pdf_furniture.py → body lines ─ pdf_layout.py → blocks

PDFium repairs what it can of a damaged file; a page that it cannot read makes the whole file
unread, by name. Pages that are pictures are named in a note.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rag.readers import Content, missing
from rag.readers.pdf_furniture import without_furniture
from rag.readers.pdf_layout import Heading, write_blocks
from rag.readers.pdf_lines import PageLines, read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pypdfium2 import PdfDocument

_UNMAPPED = re.compile(r"[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]")
_VISIBLE = re.compile(r"\S")


def read(data: bytes) -> Content:
    """Read a PDF file."""
    if b"%PDF-" not in data[:1024]:
        raise ValueError("is not a PDF file: it does not begin with %PDF")
    try:
        import pypdfium2
    except ImportError:
        raise missing("pypdfium2") from None
    try:
        with pypdfium2.PdfDocument(data) as document:
            pages = [_page(document, number) for number in range(len(document))]
            pictures = [page.number for page in pages if not page.lines and page.pictures]
            outline = _outline(document)
            title = str(document.get_metadata_value("Title"))
    except pypdfium2.PdfiumError as error:
        raise ValueError(_reason(error)) from None
    text = "".join(line.text for page in pages for line in page.lines)
    _check(text, len(pages), len(pictures))
    notes = (f"{_named(pictures)} without text: pictures of text are not read",) if pictures else ()
    return write_blocks(without_furniture(pages), outline, title.strip(), notes)


def _page(document: PdfDocument, number: int) -> PageLines:
    from pypdfium2 import PdfiumError

    try:
        page = document[number]
    except PdfiumError:
        raise ValueError(f"is damaged: its page {number + 1} cannot be read") from None
    lines = read_lines(page, number + 1)
    page.close()
    return lines


def _outline(document: PdfDocument) -> list[Heading]:
    """Return the bookmarks that lead to a page of the document, in order."""
    headings = []
    for bookmark in document.get_toc():
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            headings.append(Heading(page + 1, bookmark.level + 1, bookmark.get_title()))
    return headings


def _check(text: str, pages: int, pictures: int) -> None:
    if not text.strip():
        if pictures:
            raise ValueError(
                f"holds no text: its {pages} pages are pictures, as of a scan. Make them text by "
                "OCR first, as with ocrmypdf"
            )
        raise ValueError("holds no text")
    if len(_UNMAPPED.findall(text)) * 4 > len(_VISIBLE.findall(text)):
        raise ValueError("its fonts do not say what their characters are: run OCR on it first")


def _named(pages: Sequence[int]) -> str:
    numbers = ", ".join(map(str, pages[:10])) + (", …" if len(pages) > 10 else "")
    return f"{'pages' if len(pages) > 1 else 'page'} {numbers}"


def _reason(error: Exception) -> str:
    """Say in words why PDFium does not open a file; 4 is its code for a wrong password."""
    if getattr(error, "err_code", None) == 4:
        return "is encrypted: it asks for a password"
    return "is damaged, or no PDF file"
