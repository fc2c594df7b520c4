"""Plain text → blocks: paragraphs of wrapped lines, list lines, and short lines that stand alone.

Knows layout only: blank lines, line lengths and list markers, never where a sentence ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rag.blocks import Block
from rag.markers import MARKER

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_STOPPED = re.compile(r"[。！？!?…：；][\"'”’」』）)\]】》]*\s*$")

_NARROW = 40
"""A line shorter than this is not one that was wrapped for want of room."""


def plain_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of ``text`` in order; only white space stands between them."""
    paragraph = -1
    lines: list[tuple[int, int]] = []
    for match in _LINE.finditer(text):
        start, end = match.span()
        if text[start:end].strip():
            lines.append((start, end))
            continue
        if lines:
            paragraph += 1
            yield from _units(text, lines, paragraph)
            lines = []
    if lines:
        yield from _units(text, lines, paragraph + 1)


def _units(text: str, lines: list[tuple[int, int]], paragraph: int) -> Iterator[Block]:
    """Yield the blocks of one paragraph: its lines, joined where they were only wrapped."""
    width = max(len(text[start:end].rstrip()) for start, end in lines)
    first = lines[0][0]
    item = MARKER.match(text, *lines[0]) is not None
    for (start, end), (after, after_end) in zip(lines, lines[1:], strict=False):
        next_item = MARKER.match(text, after, after_end) is not None
        if next_item or not _wrapped(text[start:end], text[after:after_end], width):
            yield Block(first, end, "item" if item else "sentence", paragraph=paragraph)
            first, item = after, next_item
    yield Block(first, lines[-1][1], "item" if item else "sentence", paragraph=paragraph)


def _wrapped(line: str, following: str, width: int) -> bool:
    """Whether ``line`` ended for want of room: the next line's first word did not fit into it."""
    line = line.rstrip()
    if len(line) < _NARROW or _STOPPED.search(line):
        return False
    word = following.split(None, 1)[0]
    return len(line) + 1 + len(word) > width
