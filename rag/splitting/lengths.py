"""A stretch of text → pieces no longer than a cap, cut where it hurts least.

Knows nothing of sentences: what it cuts has no better place to be cut at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CAP = 800
"""Characters of the longest sentence. The bundled model reads 512 tokens: about 700 Chinese
characters, 2,000 English ones."""

CODE_CAP = 1600
"""Characters of the longest piece of code or HTML."""

_VISIBLE = re.compile(r"\S")
_CLAUSE = re.compile(r"[;；]|[，、,:：](?=\s|[^\x00-\x7f])|[)）\]】」』”](?=[\s，。])")
_SPACE = re.compile(r"\s+")
_LINE = re.compile(r"\n")
_COMBINING = re.compile(
    r"[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31-\u0e3a\u0e47-\u0e4e\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
)


def cut_prose(text: str, start: int, end: int, cap: int) -> Iterator[int]:
    """Yield where the pieces of ``text[start:end]`` begin, none longer than ``cap`` characters.

    Cut after the last clause mark of the second half, else at white space, else anywhere but
    before a combining mark. A piece begins with a visible character, and white space after one
    does not count; nothing is yielded for white space alone.
    """
    yield from _cut(text, start, end, cap, (_CLAUSE, _SPACE))


def cut_lines(text: str, start: int, end: int, cap: int) -> Iterator[int]:
    """Yield where the pieces of ``text[start:end]`` begin, cut at line ends where that can be."""
    yield from _cut(text, start, end, cap, (_LINE, _SPACE))


def _cut(
    text: str, start: int, end: int, cap: int, marks: tuple[re.Pattern[str], ...]
) -> Iterator[int]:
    while first := _VISIBLE.search(text, start, end):
        start = first.start()
        yield start
        if end - start <= cap:
            return
        start = _place(text, start, start + cap, marks)


def _place(text: str, start: int, limit: int, marks: tuple[re.Pattern[str], ...]) -> int:
    """Return where to cut between the middle of ``text[start:limit]`` and ``limit``."""
    middle = (start + limit) // 2
    for pattern in marks:
        places = [match.end() for match in pattern.finditer(text, middle, limit)]
        if places:
            return places[-1]
    cut = limit
    while cut > middle and _COMBINING.match(text, cut):
        cut -= 1
    return cut
