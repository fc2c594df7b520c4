"""Windows → an answer made of the found sentences themselves, cited, without a model.

Pure and deterministic. The best found sentences are taken, those not far behind the first, each
with what it needs to be read: the other steps and the lead-in of a list, a table's header. They
stand in reading order, in Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import groupby

from rag.answers.lines import Line, delimiter, gap, sentence_text, window_lines
from rag.citations import escape_citations
from rag.types import Window

MAX_HITS = 4
"""The most found sentences that an answer is put together from."""

MIN_SHARE = 0.8
"""What of the best sentence's score another must have, 0 to 1. Chosen on a half of XQuAD's articles
(``bench/extractive.py``). To ask more or less of sentences with a number, beside the first, or with
further words of the question was tried too: at equal length it gained less than a point."""

STEP_SHARE = 0.6
"""The same for a step of a numbered list: each says but a part of what the list says."""

MAX_CHARACTERS = 600
"""Where an answer ends: some six lines, read at a glance. A Chinese character counts as 2.5, since
the same articles are 2.5 times as long in English."""

_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


def extract(windows: Sequence[Window]) -> list[str]:
    """Return the pieces of the answer, a line each; joined they are its text.

    Sentences, list items and rows are whole. Each line ends with the number of its window, but for
    a lone lead-in of a list. Brackets that would read as a citation are escaped. Empty for no
    windows.
    """
    lines = {window.rank: window_lines(window) for window in windows}
    chosen = _chosen(windows, lines)
    pieces: list[str] = []
    for window in sorted(windows, key=lambda window: window.rank):
        block = None
        for line in lines[window.rank]:
            for first, last in _runs(line, chosen[window.rank]):
                same = line.block == block and line.kind != "prose"
                # A lead-in claims nothing; after other sentences of its paragraph it is cited too.
                alone = first == last and _leads(window, last)
                leads = alone and _follows(lines[window.rank], last + 1, chosen[window.rank])
                text = _written(window, line, first, last, cited=not leads)
                if not same and line.header is not None:
                    text = _under_header(window, line, text)
                pieces.append(("\n" if same else "\n\n" if pieces else "") + text)
                block = line.block
    return pieces


def _chosen(windows: Sequence[Window], lines: Mapping[int, Sequence[Line]]) -> dict[int, set[int]]:
    """Take the hits by rank, each with what it needs, as far as there is room; one at least.

    Returns, by the window's rank, the places of its sentences. A table's header is no answer.
    """
    chosen: dict[int, set[int]] = {window.rank: set() for window in windows}
    room, taken = MAX_CHARACTERS, 0
    for window, place, share in _found(windows):
        if taken and share < (STEP_SHARE if _is_step(lines[window.rank], place) else MIN_SHARE):
            continue
        already = chosen[window.rank]
        needed = set(_needed(window, lines[window.rank], place)) - already
        room -= sum(_width(sentence_text(window, each)) for each in needed)
        if taken and (room < 0 or taken == MAX_HITS):
            break
        already |= needed
        taken += bool(needed)
    for window, place, _ in _found(windows)[: not taken]:
        chosen[window.rank] = {place}
    return chosen


def _found(windows: Sequence[Window]) -> list[tuple[Window, int, float]]:
    """Return each hit's window, place in it and share of the best score, by the hits' ranks."""
    found = [(window, hit) for window in windows for hit in window.hits]
    return [
        (
            window,
            [first for first, _ in window.bounds].index(hit.sentence.start),
            1.0 if hit.share is None else hit.share,
        )
        for window, hit in sorted(found, key=lambda each: each[1].rank)
    ]


def _needed(window: Window, lines: Sequence[Line], place: int) -> set[int]:
    """Return the places of a found sentence and of what it cannot be read without.

    A lead-in needs its list or table, a step the other steps, any item the lead-in; a row comes
    whole. A table's header needs nothing: it answers nothing.
    """
    here = next(i for i, line in enumerate(lines) if line.first <= place <= line.last)
    line = lines[here]
    if line.kind == "row":
        return set() if line.header == line.first else {*range(line.first, line.last + 1)}
    block = line.block
    if line.kind == "prose":
        follows = lines[here + 1] if here + 1 < len(lines) else line
        if place != line.last or follows.kind == "prose" or not _leads(window, place):
            return {place}
        block = follows.block
    led = [each for each in lines if each.block == block]
    start = led[0].first
    if line.kind == "item" and not line.step:
        led = [line]
    needed = {p for each in led for p in range(each.first, each.last + 1) if p != each.header}
    if start and _leads(window, start - 1):
        needed.add(start - 1)
    return needed


def _is_step(lines: Sequence[Line], place: int) -> bool:
    return any(line.step for line in lines if line.first <= place <= line.last)


def _leads(window: Window, place: int) -> bool:
    """Say whether the sentence at ``place`` leads in to what stands right after it."""
    return sentence_text(window, place).endswith((":", "：")) and not gap(window, place + 1).strip()


def _follows(lines: Sequence[Line], place: int, places: Set[int]) -> bool:
    """Say whether anything of the list that begins at ``place`` is among ``places``."""
    block = next((line.block for line in lines if line.first == place), None)
    return any(line.block == block and line.first in places for line in lines)


def _runs(line: Line, places: Set[int]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of ``line`` that are among ``places``, both ends inside."""
    inside = [place for place in range(line.first, line.last + 1) if place in places]
    for _, run in groupby(enumerate(inside), key=lambda each: each[1] - each[0]):
        stretch = [place for _, place in run]
        yield stretch[0], stretch[-1]


def _written(window: Window, line: Line, first: int, last: int, *, cited: bool) -> str:
    """Write a stretch of a line with its citation; a row of an unknown table as its cells."""
    start, end = window.bounds[first][0], window.bounds[last][1]
    text = escape_citations(window.text[start - window.start : end - window.start])
    mark = f"[{window.rank}]"
    if line.kind == "row" and line.header is not None:
        return f"{text.removesuffix('|').rstrip()} {mark} |"
    if line.kind == "row":
        text = " · ".join(filter(None, map(str.strip, text.split("|"))))
    if not cited:
        return text
    return f"{line.indent}{text}{'' if _WIDE.match(text[-1]) else ' '}{mark}"


def _under_header(window: Window, line: Line, row: str) -> str:
    """Write ``row`` as the first of its table; the header's own row has nothing under it."""
    place = line.first if line.header is None else line.header
    header = row if place == line.first else escape_citations(sentence_text(window, place))
    table = f"{header}\n{delimiter(window, place)}"
    return table if place == line.first else f"{table}\n{row}"


def _width(text: str) -> int:
    return len(text) + int(1.5 * len(_WIDE.findall(text)))
