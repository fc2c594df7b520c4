"""Windows → those that fit into a limit, shortened to whole sentences around their hits.

Pure: counts characters, knows neither the model nor its tokens.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rag.types import Window

if TYPE_CHECKING:
    from collections.abc import Sequence


def fit_windows(windows: Sequence[Window], max_characters: int) -> list[Window]:
    """Return the windows that fit into ``max_characters`` together, best first, ranked from 1.

    Windows are taken in rank order. One that does not fit is shortened to whole sentences around
    its best hits; one whose best hit does not fit is left out, and the next is tried. Something is
    always kept: when not even the first window's best sentence fits, that sentence is returned
    whole, over the limit.
    """
    kept: list[Window] = []
    part: Window | None
    room = max_characters
    for window in sorted(windows, key=lambda window: window.rank):
        part = window
        if len(window.text) > room:
            part = _shortened(window, room, at_least_one=not kept)
        if part is not None:
            kept.append(part)
            room -= len(part.text)
    return [replace(window, rank=rank) for rank, window in enumerate(kept, 1)]


def _shortened(window: Window, room: int, *, at_least_one: bool) -> Window | None:
    """Cut ``window`` to sentences that fit: the best hit, then its neighbours as far as they fit.

    The part grows from the best hit to the other hits first, best first, then by turns before
    and after it.
    """
    best = min(window.hits, key=lambda hit: hit.rank).sentence
    first = last = at_best = best.index - window.first
    bounds = window.bounds

    def size(first: int, last: int) -> int:
        return bounds[last][1] - bounds[first][0]

    if size(first, last) > room and not at_least_one:
        return None
    for hit in sorted(window.hits, key=lambda hit: hit.rank):
        at = hit.sentence.index - window.first
        wider = min(first, at), max(last, at)
        if size(*wider) <= room:
            first, last = wider
    while True:
        before, after = (first - 1, last), (first, last + 1)
        turns = (before, after) if last - at_best >= at_best - first else (after, before)
        for wider in turns:
            if wider[0] >= 0 and wider[1] < len(bounds) and size(*wider) <= room:
                first, last = wider
                break
        else:
            return _part(window, first, last)


def _part(window: Window, first: int, last: int) -> Window:
    start, end = window.bounds[first][0], window.bounds[last][1]
    return replace(
        window, start=start, end=end, text=window.text[start - window.start : end - window.start],
        first=window.first + first, last=window.first + last,
        hits=tuple(h for h in window.hits if start <= h.sentence.start and h.sentence.end <= end),
        bounds=window.bounds[first : last + 1],
    )  # fmt: skip
