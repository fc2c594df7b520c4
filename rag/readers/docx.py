"""DOCX → text and blocks: what Word shows, by :mod:`mammoth` as HTML and then as HTML is read.

Headings, lists, tables, text boxes, foot- and endnotes, tracked insertions are read; pictures,
comments, deleted text, running heads and feet are left out. DOCX has no pages: Word makes them when
it shows the text.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from typing import TYPE_CHECKING, Any
from xml.parsers.expat import ExpatError

from rag.readers import Content, missing
from rag.readers.html import read_html

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_XML_BYTES = 64_000_000
"""Bytes of all XML parts, unpacked. A thousand pages have some 20 MB; a ZIP bomb has more."""

_STYLES = """
p[style-name='Title'] => title:fresh
p[style-name='Heading 7'] => h6:fresh
p[style-name='Heading 8'] => h6:fresh
p[style-name='Heading 9'] => h6:fresh
p[style-name='Quote'] => blockquote:fresh
p[style-name='Intense Quote'] => blockquote:fresh
"""

_NOTE_MARKS = re.compile(
    r'<sup><a href="#(?:foot|end)note-\d+"[^>]*>\[\d+\]</a></sup>'
    r'|<a href="#(?:foot|end)note-ref-\d+">↑</a>'
)
"""The links between a note and its place in the text; the notes themselves stand at the end."""

_UNKNOWN = re.compile(rb"(</?)(?:w:(fldSimple|dir|bdo)|m:(\w+))\b")
"""Elements whose text mammoth would leave out: fields, text against the line, formulas."""

_FAULTS = (
    ExpatError, KeyError, NotImplementedError, OSError, ValueError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
_OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def read(data: bytes) -> Content:
    """Read a Word document."""
    try:
        import mammoth
    except ImportError:
        raise missing("mammoth") from None
    parts = _parts(data)
    try:
        result = mammoth.convert_to_html(
            _known_parts(data, parts),
            style_map=_STYLES,
            include_embedded_style_map=False,
            convert_image=_no_image,
        )
    except _FAULTS as error:
        detail = " ".join(str(error).split()).partition(". ")[0]
        raise ValueError(f"is damaged, or no Word document: {detail}") from None
    return read_html("<body>" + _NOTE_MARKS.sub("", result.value))


def _no_image(_: Any) -> Sequence[object]:
    return ()


def _parts(data: bytes) -> list[zipfile.ZipInfo]:
    """Return the XML parts; refuse what is no DOCX, or unpacks into more than MAX_XML_BYTES.

    The sizes that the archive declares can be trusted: no more is ever unpacked.
    """
    if data.startswith(_OLD_WORD):
        raise ValueError("is encrypted, or an old .doc file: save it as .docx without a password")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = {part.filename: part for part in archive.infolist()}  # the last of a name is it
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        raise ValueError("is not a DOCX file, or damaged: it is no ZIP archive") from None
    parts = [part for name, part in found.items() if name.endswith((".xml", ".rels"))]
    if any(part.flag_bits & 1 for part in parts):
        raise ValueError("is encrypted: it asks for a password")
    size = sum(part.file_size for part in parts)
    if size > MAX_XML_BYTES:
        most = MAX_XML_BYTES // 1_000_000
        raise ValueError(f"unpacks into {size // 1_000_000} MB; files over {most} MB are not read")
    if "[Content_Types].xml" not in found:
        raise ValueError("is a ZIP archive, not a DOCX file")
    return parts


def _known_parts(data: bytes, parts: Sequence[zipfile.ZipInfo]) -> io.BytesIO:
    """Return an archive of the XML parts alone, with all elements that hold text known."""
    copy = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(copy, "w") as target:
        for part in parts:
            target.writestr(part.filename, _UNKNOWN.sub(_known, archive.read(part)))
    return copy


def _known(match: re.Match[bytes]) -> bytes:
    """Rename an element to one that mammoth reads: a formula's runs and texts, or what is in it."""
    name = {b"r": b"w:r", b"t": b"w:t"}.get(match[3], b"w:smartTag")
    return match[1] + name
