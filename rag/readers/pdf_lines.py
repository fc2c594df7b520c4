"""A PDF page → its lines of text with where they stand, by PDFium.

Lengths are in points (1/72 inch) from the lower left corner. Asks PDFium a few questions a line
rather than some a character, which would take ten times as long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING

from rag.readers.pdf_glyphs import GLYPHS, utf16_units, whole_characters

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

_LINE = re.compile(r"[^\r\n\ufffe]+")
_HYPHEN = "\ufffe"
"""What PDFium puts for a hyphen at a line's end, and the line end."""

_MARK = re.compile(r"(?:[-–—•·‣⁃◦▪●○■□✓➢*\uf0b7\uf0a7]|\(?\w{1,3}[.)])$")
_DIGITS = re.compile(r"\d{1,3}(?!\d)")
_LEADER = re.compile(r"(?:\s?\.){5,}\s?")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_STOP = re.compile(r"[.!?。！？；;:：”\"’)）]$")
COLUMN = 1.8
"""Font sizes. A gap this wide in a line is between a table's columns."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line. ``size`` is the font's; ``hyphenated`` lines lost the hyphen at their end.

    ``cells`` is empty, or the columns' texts of a line that is a table's row.
    """

    page: int
    text: str
    left: float
    right: float
    baseline: float
    size: float
    hyphenated: bool = False
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageLines:
    """A page: its number from 1, its height, its lines, and whether there are pictures on it."""

    number: int
    height: float
    lines: tuple[Line, ...]
    pictures: bool = False


def read_lines(page: PdfPage, number: int) -> PageLines:
    """Read the lines of a page, in the order of the file."""
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    text_page = page.get_textpage()
    text = utf16_units(text_page.get_text_range(errors="replace"))
    lines: list[Line] = []
    for match in _LINE.finditer(text):
        if match.group().strip():
            line = _line(text_page, text, match, number)
            if lines and _goes_on(lines[-1], line):
                lines[-1] = _joined(lines[-1], line, match.group())
            else:
                lines.append(line)
    text_page.close()
    pictures = not lines and any(page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE], max_depth=3))
    return PageLines(number, page.get_height(), tuple(lines), pictures)


def _line(page: PdfTextPage, text: str, match: re.Match[str], number: int) -> Line:
    raw = match.group()
    start = match.start() + len(raw) - len(raw.lstrip())
    end = match.start() + len(raw.rstrip())
    first, last = _index(page, start), _index(page, end - 1)
    left = _font(page, first)[0]
    # Its ends may be raised, or in the smaller print of code.
    samples = [_font(page, index) for index in (first, (first + last) // 2, last)]
    size, baseline = max((size, y) for _, y, size in samples)
    found = raw.strip()
    for digits in reversed(list(_DIGITS.finditer(found))):
        before = found[: digits.start()]
        place = _index(page, start + digits.start())
        if _may_be_raised(before) and _is_raised(page, place, baseline, size):
            # m² is not m2; behind a sentence it is the mark of a note.
            raised = "" if _STOP.search(before) else digits.group().translate(_RAISED)
            found = before + raised + found[digits.end() :]
    rects = _rects(page, first, last - first + 1)
    right = max((rect[2] for rect in rects), default=left)
    return Line(
        number,
        _LEADER.sub(" … ", whole_characters(found.translate(GLYPHS))),
        left,
        right,
        baseline,
        size,
        hyphenated=text[match.end() : match.end() + 1] == _HYPHEN,
        cells=_cells(page, rects, size),
    )


def _index(page: PdfTextPage, offset: int) -> int:
    """Return the index that PDFium gives the character at ``offset``."""
    from pypdfium2.raw import FPDFText_GetCharIndexFromTextIndex as char_index

    return max(0, int(char_index(page, offset)))


def _font(page: PdfTextPage, index: int) -> tuple[float, float, float]:
    """Return a character's origin (x, y) and its size as it appears on the page."""
    from ctypes import c_double

    from pypdfium2 import raw

    x, y, matrix = c_double(), c_double(), raw.FS_MATRIX()
    raw.FPDFText_GetCharOrigin(page, index, x, y)
    raw.FPDFText_GetMatrix(page, index, matrix)
    scale = hypot(matrix.c, matrix.d) or 1.0
    size = raw.FPDFText_GetFontSize(page, index) * scale
    return x.value, y.value, max(size, 0.01)  # hidden text has none


def _rects(page: PdfTextPage, first: int, count: int) -> list[tuple[float, float, float, float]]:
    """Return the boxes (left, bottom, right, top) of a line's runs of text, left to right."""
    runs = page.count_rects(first, count)
    return sorted(page.get_rect(index) for index in range(runs))


def _cells(
    page: PdfTextPage, rects: list[tuple[float, float, float, float]], size: float
) -> tuple[str, ...]:
    """Return the texts between a line's gaps, if it is a table's row."""
    columns: list[list[tuple[float, float, float, float]]] = []
    for rect in rects:
        if not columns or rect[0] - max(r[2] for r in columns[-1]) > COLUMN * size:
            columns.append([])
        columns[-1].append(rect)
    if len(columns) < 2:
        return ()
    cells = []
    for column in columns:
        lefts, bottoms, rights, tops = zip(*column, strict=True)
        text = page.get_text_bounded(min(lefts), min(bottoms), max(rights), max(tops))
        cells.append(" ".join(text.translate(GLYPHS).split()))
    if len(cells) == 2 and _MARK.match(cells[0]):  # an item behind its mark
        return ()
    return tuple(cells)


def _may_be_raised(before: str) -> bool:
    return _STOP.search(before) is not None or before[-1:] not in (" ", ",", "-")


def _is_raised(page: PdfTextPage, index: int, baseline: float, size: float) -> bool:
    _, y, own = _font(page, index)
    return own < 0.85 * size and y > baseline + 0.15 * size


def _goes_on(line: Line, following: Line) -> bool:
    """Whether two pieces are of one line, which a raised character tore apart."""
    return (
        abs(line.baseline - following.baseline) < 0.4 * line.size
        and following.left >= line.right - 0.2 * line.size
        and following.left - line.right < line.size
    )


def _joined(line: Line, following: Line, raw: str) -> Line:
    blank = " " if raw[0].isspace() else ""
    return replace(
        line,
        text=line.text + blank + following.text,
        right=following.right,
        hyphenated=following.hyphenated,
        cells=(),
    )
