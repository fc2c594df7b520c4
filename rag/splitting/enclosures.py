"""Running text → its quotations and brackets, inside of which a stop ends no sentence.

A quotation of several sentences within a sentence ('She said, "Oh dear! I am late!" and ran.') is
read, found and shown as a whole; one longer than :data:`LONGEST` is split like other text.
"""

from __future__ import annotations

import re
from bisect import bisect_left

LONGEST = 400
"""Characters of the longest quotation kept whole: two or three sentences."""

_ANY = f"{{1,{LONGEST}}}"
_ASIDE = "{1,120}"  # of the longest bracket: one with whole sentences in it is longer

# Each alternative begins with its mark, what must stand before it is looked at behind it: a search
# then jumps from mark to mark.
_PAIRS = re.compile(
    rf"""
      "(?<![\w"'].)(?=\S)[^"]{_ANY}(?<=\S)"(?!\w)
    | '(?<![\w'].)(?=\w)(?:[^'"]|'(?=\w)|(?<=\w)'){_ANY}?
      (?:(?<=[.!?…,])'(?!\w)|(?<=\w)'(?=[,.;:!?)]))
    | ``[^`"]{_ANY}?''
    | “[^“”]{_ANY}”
    | „[^„“”]{_ANY}[“”]
    | ‚[^‚‘’]{_ANY}[‘’]
    | «[^«»]{_ANY}»
    | »(?<!\w.)[^«»]{_ANY}«
    | ‹[^‹›]{_ANY}›
    | \([^()]{_ASIDE}\)
    | \[[^\[\]]{_ANY}\]
    | \{{[^{{}}]{_ASIDE}\}}
    | （[^（）]{_ANY}）
    """,
    re.VERBOSE,
)
_WIDE_PAIRS = re.compile(
    rf"《[^《》]{_ANY}》|（[^（）]{_ANY}）|【[^【】]{_ANY}】|「[^「」]{_ANY}」|『[^『』]{_ANY}』"
    rf"|\([^()]{_ANY}\)"
)


class Enclosures:
    """Where the quotations and brackets of a text stand; looked for when first asked."""

    def __init__(self, text: str, *, wide: bool = False) -> None:
        """``wide`` looks for the marks of Chinese and Japanese, in which quotations are split."""
        self._text = text
        self._pattern = _WIDE_PAIRS if wide else _PAIRS
        self._spans: list[tuple[int, ...]] | None = None

    def covers(self, start: int, end: int) -> bool:
        """Whether ``text[start:end]`` stands inside a pair, before its closing mark."""
        spans = self._found()
        place = bisect_left(spans, (start,)) - 1 if spans else -1
        return place >= 0 and end < spans[place][1]

    def opening(self, end: int) -> int | None:
        """Return where the pair begins that ``text[end - 1]`` closes; None if there is none."""
        spans = self._found()
        place = bisect_left(spans, (end,)) - 1
        return spans[place][0] if place >= 0 and spans[place][1] == end else None

    def _found(self) -> list[tuple[int, ...]]:
        if self._spans is None:
            self._spans = [match.span() for match in self._pattern.finditer(self._text)]
        return self._spans
