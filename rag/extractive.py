"""Windows → an answer made of the found sentences themselves, cited, without a model.

Pure and deterministic. The best found sentences are taken, each with what it needs to be read: the
rest of its list with the lead-in, a table's header. They stand in reading order, in Markdown.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rag.citations import escape_citations
from rag.markers import MARKER
from rag.types import Window

MAX_PARTS = 4
"""The most places that an answer is put together from."""

MAX_CHARACTERS = 400
"""Where an answer ends: some four lines, read at a glance. A Chinese character counts as 2.5, since
the same articles are 2.5 times as long in English."""

_ROW = re.compile(r"\s*\|")
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_Kind = Literal["item", "row", "prose"]
_LEAD_IN = (":", "：")


@dataclass(frozen=True, slots=True)
class _Line:
    """A list item, a table row or a paragraph: sentences ``first`` to ``last``, both inside."""

    kind: _Kind
    first: int
    last: int
    indent: str = ""
    joined: bool = True
    """Whether nothing but white space stands between it and the line before."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Sentences ``first`` to ``last`` of a window, both inside."""

    window: Window
    first: int
    last: int


def extract(windows: Sequence[Window]) -> list[str]:
    """Return the pieces of the answer, one a part; joined they are its text.

    Sentences, list items and rows are whole. Each paragraph, item and row ends with the number of
    its window. Brackets that would read as a citation are escaped. Empty for no windows.
    """
    pieces: list[str] = []
    for part in _in_order(_chosen(windows)):
        pieces.append(("\n\n" if pieces else "") + _written(part))
    return pieces


def _chosen(windows: Sequence[Window]) -> list[_Part]:
    """Take the hits by rank, each with what it needs, as far as there is room; one at least."""
    found = [(hit.rank, hit.sentence.start, window) for window in windows for hit in window.hits]
    chosen: list[_Part] = []
    room = MAX_CHARACTERS
    for _, start, window in sorted(found, key=lambda each: each[0]):
        at = [begin for begin, _ in window.bounds].index(start)
        if any(part.window is window and part.first <= at <= part.last for part in chosen):
            continue
        part = _whole(window, at)
        room -= _width(window, part.first, part.last)
        if chosen and (room < 0 or len(chosen) == MAX_PARTS):
            break
        chosen.append(part)
    return chosen


def _whole(window: Window, at: int) -> _Part:
    """Return sentence ``at``; of a list or its lead-in, with all of it that the window holds."""
    lines = list(_lines(window))
    here = next(i for i, line in enumerate(lines) if line.first <= at <= line.last)
    line = lines[here]
    leads = line.kind == "prose" and at == line.last and _text(window, at).endswith(_LEAD_IN)
    if line.kind == "row":
        return _Part(window, line.first, line.last)
    if line.kind == "prose" and not leads:
        return _Part(window, at, at)
    first, last = here, here
    while lines[first].kind == "item" and lines[first].joined and first > 0:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].kind == "item" and lines[last + 1].joined:
        last += 1
    begin = lines[first].first
    if lines[first].kind != "item":  # the line above the list: its last sentence, if it leads in
        lead = lines[first].last
        led = lines[first].kind == "prose" and _text(window, lead).endswith(_LEAD_IN)
        begin = lead if led else lead + 1
    return _Part(window, begin, lines[last].last)


def _in_order(parts: Sequence[_Part]) -> Iterator[_Part]:
    """Yield the parts in reading order; sentences that follow each other become one part."""
    held: _Part | None = None
    for part in sorted(parts, key=lambda part: (part.window.rank, part.first)):
        if held and held.window is part.window and part.first <= held.last + 1:
            held = _Part(part.window, held.first, max(held.last, part.last))
            continue
        if held:
            yield held
        held = part
    if held:
        yield held


def _written(part: _Part) -> str:
    """Write a part: its lines, cited, a table's header above its rows."""
    window, mark = part.window, f"[{part.window.rank}]"
    lines = [line for line in _lines(window) if line.last >= part.first and line.first <= part.last]
    written, before = "", ""
    for line in lines:
        first, last = max(line.first, part.first), min(line.last, part.last)
        start, end = window.bounds[first][0], window.bounds[last][1]
        text = escape_citations(window.text[start - window.start : end - window.start])
        if line.kind == "row":
            text = f"{text.removesuffix('|').rstrip()} {mark} |"
            if before != "row":
                text = _header(window, first) + text
        elif not (text.endswith(_LEAD_IN) and line is not lines[-1]):
            text += f"{'' if _WIDE.match(text[-1]) else ' '}{mark}"
        if written:
            written += "\n" if line.kind == before != "prose" else "\n\n"
        written += (line.indent if line.kind == "item" else "") + text
        before = line.kind
    return textwrap.dedent(written)


def _header(window: Window, at: int) -> str:
    """Return the header and delimiter rows of the table that sentence ``at`` is a row of."""
    above = window.text[: window.bounds[at][0] - window.start].splitlines()
    table: list[str] = []
    while above and _ROW.match(above[-1]):
        table.insert(0, above.pop())
    ruled = len(table) > 1 and set(table[1]) <= set("|:- \t")
    return f"{table[0].strip()}\n{table[1].strip()}\n" if ruled else ""


def _lines(window: Window) -> Iterator[_Line]:
    """Yield the lines of a window: a hard-wrapped paragraph or item is one line."""
    held: _Line | None = None
    end = window.start
    for at, (start, stop) in enumerate(window.bounds):
        gap = window.text[end - window.start : start - window.start]
        text = _text(window, at)
        kind: _Kind = "prose"
        if _ROW.match(text):
            kind = "row"
        elif MARKER.match(text) and ("\n" in gap or at == 0):
            kind = "item"
        if held and kind == "prose" and not gap.strip() and gap.count("\n") < 2:
            held = replace(held, last=at)
        else:
            if held:
                yield held
            indent = gap.rpartition("\n")[2]
            held = _Line(
                kind,
                at,
                at,
                indent if not indent.strip() else "",
                not gap.strip(),
            )
        end = stop
    if held:
        yield held


def _text(window: Window, at: int) -> str:
    start, end = window.bounds[at]
    return window.text[start - window.start : end - window.start]


def _width(window: Window, first: int, last: int) -> int:
    text = window.text[
        window.bounds[first][0] - window.start : window.bounds[last][1] - window.start
    ]
    return len(text) + int(1.5 * len(_WIDE.findall(text)))
