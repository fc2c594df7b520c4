"""Plain text → blocks: paragraphs of wrapped lines, list lines, and short lines that stand alone.

A line break is only a wrapped line's when the line ended for want of room or the next goes on in
lower case (:func:`_wrapped`); any other ends its block. Knows layout, never where a sentence ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rag.splitting.blocks import Block
from rag.splitting.markers import FRESH, MARKER, row_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rag.splitting.blocks import Cut
    from rag.types import SpanKind

_LINE = re.compile(r"[^\n\r\f\x85\u2028\u2029]*(?:\r\n|[\n\r\f\x85\u2028\u2029]|\Z)")
_DOUBLE = re.compile(
    r"[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]"
)
_FIRST = re.compile(r"\s*(\S[^\s\u2e80-\uffff]*)")

_NARROW, _USUAL, _WIDE = 25, 60, 160
"""Columns: nobody wraps narrower than the first or wider than the last; the second and up is what
editors, mails and PDF columns wrap at."""


_JOINED = ("sentence", "item")
_CUTS: dict[SpanKind, Cut] = {"row": "lines"}


def plain_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of ``text`` in order; only white space stands between them."""
    paragraph = 0
    lines: list[tuple[int, int]] = []
    for match in _LINE.finditer(text):
        start, end = match.span()
        if text[start:end].strip():
            lines.append((start, end))
        elif lines:
            yield from _units(text, lines, paragraph)
            paragraph += 1
            lines = []
    if lines:
        yield from _units(text, lines, paragraph)


def _units(text: str, lines: list[tuple[int, int]], paragraph: int) -> Iterator[Block]:
    """Yield the blocks of one paragraph: its lines, joined where they were only wrapped."""
    columns = [_columns(text[start:end].rstrip()) for start, end in lines] if lines[1:] else [0]
    kinds = [_kind(text, start, end) for start, end in lines]
    width = max(columns)
    first = 0
    for place in range(len(lines)):
        following = place + 1
        if following < len(lines) and kinds[place] in _JOINED and kinds[following] == "sentence":
            words = text[slice(*lines[following])]
            if _wrapped(columns[place], width, len(lines), words):
                continue
        start, end, kind = lines[first][0], lines[place][1], kinds[first]
        if kind == "separator":
            yield Block(start, end, kind, "whole", searchable=False, paragraph=paragraph)
        else:
            yield Block(start, end, kind, _CUTS.get(kind, "sentences"), paragraph=paragraph)
        first = following


def _kind(text: str, start: int, end: int) -> SpanKind:
    if MARKER.match(text, start, end):
        return "item"
    return row_kind(text[start:end]) or "sentence"


def _wrapped(columns: int, width: int, lines: int, following: str) -> bool:
    """Whether a line of so many columns only ended for want of room.

    It did when the first word of the ``following`` line would not have fitted into the paragraph's
    ``width``, and that is a width to wrap at: seen on more than two ``lines``, or a usual one. A
    line that goes on in lower case did in any case, unless it is narrower than anyone wraps. What
    only begins a line of its own, such as a key with a colon, never goes on.
    """
    match = _FIRST.match(following)
    word = match.group(1) if match else ""
    if columns < _NARROW or FRESH.match(following):
        return False
    if word[:1].islower():
        return True
    usual = width >= _USUAL or (lines > 2 and width > _NARROW)
    return usual and width <= _WIDE and columns + 1 + _columns(word) > width


def _columns(line: str) -> int:
    """Return the columns of ``line`` on a terminal, where a Chinese character takes two."""
    return len(line) if line.isascii() else len(line) + len(_DOUBLE.findall(line))
