"""Hits and their neighbours → windows: merged, ranked, and shortened to what may be sent.

Pure: reads nothing, knows neither the store nor the question. A window's text is put together from
its sentences and the text between them, so it is the source's own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.types import Hit, Sentence, Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


def window_keys(hits: Sequence[Hit], window_size: int) -> list[tuple[str, int]]:
    """Return the ``(source, index)`` of every sentence within ``window_size`` of a hit.

    Each once, in the hits' order, the hit's own included. Indices after a file's end may be among
    them: a store skips what does not exist.
    """
    keys: dict[tuple[str, int], None] = {}
    for hit in hits:
        index = hit.sentence.index
        for near in range(max(0, index - window_size), index + window_size + 1):
            keys[hit.sentence.source, near] = None
    return list(keys)


def merge_windows(
    hits: Sequence[Hit], neighbours: Iterable[Sentence], window_size: int
) -> list[Window]:
    """Return the windows around ``hits``, best first; no sentence stands in two of them.

    ``neighbours`` are the sentences of :func:`window_keys`, in any order. Windows of one file
    that overlap or touch become one; windows of different files never do. A window ends at its
    file's first and last sentence, and before a sentence that is not among ``neighbours``. Two
    hits on the same sentence count once, by the better rank. Section, page and title of a window
    are those of its best hit.
    """
    best = _best_hits(hits)
    sentences: dict[str, dict[int, Sentence]] = defaultdict(dict)
    for sentence in [*neighbours, *(hit.sentence for hit in best)]:
        sentences[sentence.source][sentence.index] = sentence
    marked: dict[str, list[Hit]] = defaultdict(list)
    for hit in best:
        marked[hit.sentence.source].append(hit)
    windows = []
    for source, found in marked.items():
        for group, first, last in _ranges(found, sentences[source], window_size):
            best_hit = min(group, key=lambda hit: hit.rank)
            inside = [sentences[source][i] for i in range(first, last + 1)]
            windows.append(_window(best_hit.rank, best_hit.sentence, inside, group))
    return _ranked(windows)


def list_windows(sentences: Iterable[Sentence]) -> Iterator[Window]:
    """Yield each run of neighbouring sentences as a window without hits, ranked as they come.

    ``sentences`` are in document order, as what a filter lets through is; section, page and title
    are those of a window's first sentence.
    """
    run: list[Sentence] = []
    rank = 0
    for sentence in sentences:
        if run and (sentence.source, sentence.index) != (run[-1].source, run[-1].index + 1):
            rank += 1
            yield _window(rank, run[0], run)
            run = []
        run.append(sentence)
    if run:
        yield _window(rank + 1, run[0], run)


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


def _best_hits(hits: Iterable[Hit]) -> list[Hit]:
    """Keep one hit a sentence, in an order that does not depend on the order given."""
    best: dict[tuple[str, int], Hit] = {}
    for hit in sorted(hits, key=lambda hit: (hit.rank, hit.sentence.source, hit.sentence.index)):
        best.setdefault((hit.sentence.source, hit.sentence.index), hit)
    return list(best.values())


def _ranges(
    hits: Iterable[Hit], sentences: Mapping[int, Sentence], window_size: int
) -> list[tuple[list[Hit], int, int]]:
    """Return the joined ranges of indices in one file, both ends inside, with their hits."""
    ranges: list[tuple[list[Hit], int, int]] = []
    for hit in sorted(hits, key=lambda hit: hit.sentence.index):
        first = last = hit.sentence.index
        while first > hit.sentence.index - window_size and first - 1 in sentences:
            first -= 1
        while last < hit.sentence.index + window_size and last + 1 in sentences:
            last += 1
        if ranges and first <= ranges[-1][2] + 1:
            group, start, end = ranges[-1]
            ranges[-1] = ([*group, hit], start, max(end, last))
        else:
            ranges.append(([hit], first, last))
    return ranges


def _window(
    rank: int, named: Sentence, sentences: Sequence[Sentence], hits: Sequence[Hit] = ()
) -> Window:
    """Make the window of consecutive ``sentences``; title, section and page are ``named``'s."""
    first, last = sentences[0], sentences[-1]
    text = first.text + "".join(s.before + s.text for s in sentences[1:])
    return Window(
        rank=rank, source=first.source, start=first.start, end=last.end, text=text,
        first=first.index, last=last.index, hits=tuple(hits), title=named.title,
        section=named.section, page=named.page,
        bounds=tuple((s.start, s.end) for s in sentences),
    )  # fmt: skip


def _ranked(windows: Iterable[Window]) -> list[Window]:
    ordered = sorted(windows, key=lambda window: (window.rank, window.source, window.first))
    return [replace(window, rank=rank) for rank, window in enumerate(ordered, 1)]


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
