"""Pages → pages without running heads, feet and page numbers, where it is safe to say so.

Furniture stands at the edge of the page, alike on most pages but for numbers, at the same height.
What stands on one page alone, or amid the text, is kept. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from rag.readers.pdf_lines import Line, PageLines

EDGE = 0.12
EDGE_POINTS = 72.0
"""Furniture stands within this share of the page's height, or an inch, of its top or foot."""

SHARE = 0.4
"""Furniture stands on at least this share of the pages: left and right pages may differ."""

GAP = 1.8
"""Font sizes from a line to the next: more than lines of a text stand apart."""

_NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)


def without_furniture(pages: Sequence[PageLines]) -> list[PageLines]:
    """Return the pages without what repeats on them; a single page is returned as it is."""
    outer = {page.number: _outer(page) for page in pages}
    seen: Counter[tuple[str, int]] = Counter()
    numbered: Counter[int] = Counter()
    for lines in outer.values():
        seen.update({key for line in lines for key in _keys(line)})
        numbered.update({offset for line in lines for offset in _offsets(line)})
    least = max(2, SHARE * len(pages))
    cleaned = []
    for page in pages:
        furniture = {
            line
            for line in outer[page.number]
            if any(seen[key] >= least for key in _keys(line))
            or any(numbered[offset] >= least for offset in _offsets(line))
        }
        kept = tuple(line for line in page.lines if line not in furniture)
        cleaned.append(replace(page, lines=kept))
    return cleaned


def _offsets(line: Line) -> set[int]:
    """Return what a line's outer numbers are above the page's place in the file.

    If most pages agree in it, they are the pages' numbers: ``Chapter 2 · 31`` is furniture on the
    few pages of its chapter too.
    """
    numbers = re.findall(r"^\d{1,4}(?!\S)|(?<!\S)\d{1,4}$", line.text)
    return {int(number) - line.page for number in numbers}


def _outer(page: PageLines) -> list[Line]:
    """Return the lines at the top and the foot that a gap divides from the text."""
    outer: list[Line] = []
    reach = max(EDGE * page.height, EDGE_POINTS)
    ordered = sorted(page.lines, key=lambda line: line.baseline)
    for lines in (ordered, ordered[::-1]):
        edge: list[Line] = []
        for line, following in pairwise(lines):
            if min(line.baseline, page.height - line.baseline) > reach:
                break
            edge.append(line)
            if abs(line.baseline - following.baseline) > GAP * line.size:
                outer += edge
                break
    return outer


def _keys(line: Line) -> list[tuple[str, int]]:
    """Return what two pages' lines have in common if they are the same but for numbers.

    Heights within two points of each other share at least one key.
    """
    text = _NUMBERS.sub("#", " ".join(line.text.split()).casefold())
    place = round(line.baseline / 4)
    return [(text, place), (text, place + (1 if line.baseline / 4 > place else -1))]
