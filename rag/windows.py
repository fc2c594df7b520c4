"""Hits and their neighbours → windows: merged and ranked.

Pure: reads nothing, knows neither the store nor the question. A window's text is put together from
its sentences and the text between them, so it is the source's own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.fitting import fit_windows
from rag.types import Hit, Sentence, Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["fit_windows", "list_windows", "merge_windows", "moved", "window_keys"]


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
    hits: Sequence[Hit],
    neighbours: Iterable[Sentence],
    window_size: int,
    *,
    within_section: bool = False,
) -> list[Window]:
    """Return the windows around ``hits``, best first; no sentence stands in two of them.

    ``neighbours`` are the sentences of :func:`window_keys`, in any order. Windows of one file
    that overlap or touch become one; windows of different files never do. A window ends at its
    file's first and last sentence, and before a sentence that is not among ``neighbours``. Where
    another sentence stands in a hit's place the document was built anew since: of it the found
    sentences stand alone. With ``within_section`` a window also ends at a heading. Two hits on the
    same sentence count once, by the better rank. Section, page and title of a window are those of
    its best hit.
    """
    best = _best_hits(hits)
    sentences: dict[str, dict[int, Sentence]] = defaultdict(dict)
    for sentence in neighbours:
        sentences[sentence.source][sentence.index] = sentence
    for source in {hit.sentence.source for hit in best if moved(hit, sentences)}:
        del sentences[source]
    for hit in best:
        sentences[hit.sentence.source][hit.sentence.index] = hit.sentence
    marked: dict[str, list[Hit]] = defaultdict(list)
    for hit in best:
        marked[hit.sentence.source].append(hit)
    windows = []
    for source, found in marked.items():
        for group, first, last in _ranges(found, sentences[source], window_size, within_section):
            best_hit = min(group, key=lambda hit: hit.rank)
            inside = [sentences[source][i] for i in range(first, last + 1)]
            windows.append(_window(best_hit.rank, best_hit.sentence, inside, group))
    return _ranked(windows)


def moved(hit: Hit, sentences: Mapping[str, Mapping[int, Sentence]]) -> bool:
    """Say whether ``sentences``, by source and index, lack a hit's or have another in its place."""
    found = hit.sentence
    now = sentences.get(found.source, {}).get(found.index)
    if now is None:
        return bool(sentences.get(found.source))
    return (now.start, now.text) != (found.start, found.text)


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


def _best_hits(hits: Iterable[Hit]) -> list[Hit]:
    """Keep one hit a sentence, in an order that does not depend on the order given."""
    best: dict[tuple[str, int], Hit] = {}
    for hit in sorted(hits, key=lambda hit: (hit.rank, hit.sentence.source, hit.sentence.index)):
        best.setdefault((hit.sentence.source, hit.sentence.index), hit)
    return list(best.values())


def _ranges(
    hits: Iterable[Hit],
    sentences: Mapping[int, Sentence],
    window_size: int,
    within_section: bool,
) -> list[tuple[list[Hit], int, int]]:
    """Return the joined ranges of indices in one file, both ends inside, with their hits."""

    def goes_on(place: int, beside: int) -> bool:
        """Whether a window may reach from the sentence at ``beside`` to the one at ``place``."""
        if place not in sentences:
            return False
        return not within_section or sentences[place].section == sentences[beside].section

    ranges: list[tuple[list[Hit], int, int]] = []
    for hit in sorted(hits, key=lambda hit: hit.sentence.index):
        first = last = hit.sentence.index
        while first > hit.sentence.index - window_size and goes_on(first - 1, first):
            first -= 1
        while last < hit.sentence.index + window_size and goes_on(last + 1, last):
            last += 1
        group, start, end = ranges[-1] if ranges else ([], 0, -2)
        if first <= end or (first == end + 1 and goes_on(first, end)):
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
