"""Lines of a PDF's pages → paragraphs, which may run on over a page's end.

Lines of a paragraph have one font size, stand a line apart, and each but the last is full: the next
one's first word did not fit. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from rag.readers.pdf_joints import EASTERN
from rag.readers.pdf_lines import Line, PageLines

SAME_SIZE = 0.06
"""Share by which the sizes of two lines of a paragraph may differ."""

SMALL = 0.93
"""Times the body's size: print no larger, at the foot of a page, is a note."""

ALMOST = 0.6
"""Share of the column's width. A line so long, before a small letter, may go on."""

_LEADER = re.compile(r" … \S{1,9}$")
"""The end of a line in a table of contents."""

_ITEM = re.compile(
    r"[-–—•·‣⁃◦▪●○■□✓➢*] |\(?(?:\d{1,3}|[a-zA-Z])[.)] |[(（]?[\d一二三四五六七八九十]{1,3}[)）、．]"
)
_NOTE = re.compile(r"[⁰¹²³⁴-⁹*†‡]")
_ENDED = re.compile(r"[.!?。！？:：;；…][\"'”’)）」』]*$")
_FIRST_WORD = re.compile(rf"[{EASTERN}][，。、；：！？）」』”]*|\S+?(?=[\s{EASTERN}]|$)")

Kind = Literal["text", "item", "row", "note"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together; a row is one line."""

    lines: tuple[Line, ...]
    kind: Kind

    @property
    def first(self) -> Line:
        """Its first line."""
        return self.lines[0]

    @property
    def last(self) -> Line:
        """Its last line."""
        return self.lines[-1]


def find_paragraphs(
    pages: Sequence[PageLines], body: float, stands_alone: Callable[[Line], bool]
) -> list[Paragraph]:
    """Return the paragraphs in order.

    ``body`` is the size of the text's print, in points. Lines that ``stands_alone`` says so of are
    a paragraph each. Notes follow their page's text; where that runs on over the page's end, they
    come before the paragraph that does.
    """
    paragraphs: list[Paragraph] = []
    notes: list[Paragraph] = []
    rules = _Rules(pages, stands_alone)
    for page in pages:
        lines, note_lines = _without_notes(page.lines, body)
        own = rules.grouped(lines)
        if paragraphs and own and rules.runs_on(paragraphs[-1], own[0]):
            last = paragraphs.pop()
            paragraphs += [*notes, Paragraph((*last.lines, *own.pop(0).lines), last.kind)]
        else:
            paragraphs += notes
        paragraphs += own
        notes = [_note(each) for each in rules.grouped(note_lines)]
    return paragraphs + notes


class _Rules:
    """What makes a line go on with the paragraph before it, in one document."""

    def __init__(self, pages: Sequence[PageLines], stands_alone: Callable[[Line], bool]) -> None:
        self._pitch = _usual_pitch(pages)
        self._edges = {line: _edge(line, page.lines) for page in pages for line in page.lines}
        self._stands_alone = stands_alone

    def grouped(self, lines: Sequence[Line]) -> list[Paragraph]:
        """Return the paragraphs of a page's lines."""
        groups: list[list[Line]] = []
        for line in lines:
            if groups and self._goes_on(groups[-1], line):
                groups[-1].append(line)
            else:
                groups.append([line])
        return [Paragraph(tuple(group), _kind(group[0])) for group in groups]

    def runs_on(self, paragraph: Paragraph, following: Paragraph) -> bool:
        """Whether a paragraph goes on at the top of the next page or column."""
        line, after = paragraph.last, following.first
        return (
            paragraph.kind in ("text", "item")
            and following.kind == "text"
            and self._alike(line, after)
            and (line.hyphenated or (self._is_full(line, after) and not _ENDED.search(line.text)))
        )

    def _goes_on(self, lines: list[Line], line: Line) -> bool:
        first, last = lines[0], lines[-1]
        if _kind(line) != "text" or not self._alike(last, line):
            return False
        gap = last.baseline - line.baseline
        if gap < 0:  # the top of the next column
            return self.runs_on(Paragraph(tuple(lines), _kind(first)), Paragraph((line,), "text"))
        if gap > 1.3 * self._pitch * last.size:
            return False
        if _kind(first) == "item":
            indented = line.left < first.left - 0.5 * line.size  # out of the item
        else:
            indented = line.left > last.left + 0.7 * line.size  # the next one's first line
        return last.hyphenated or (not indented and self._is_full(last, line))

    def _alike(self, line: Line, following: Line) -> bool:
        return (
            not line.cells
            and abs(line.size - following.size) <= SAME_SIZE * line.size
            and not self._stands_alone(line)
            and not self._stands_alone(following)
        )

    def _is_full(self, line: Line, following: Line) -> bool:
        """Whether there was no room in ``line`` for a blank and the first word of the next.

        Or it is not much shorter, and its sentence plainly goes on: ragged print does so.
        """
        if _LEADER.search(line.text):
            return False
        width = self._edges[line] - line.left
        if following.text[0].islower() and line.right - line.left > ALMOST * width:
            return not _ENDED.search(line.text)
        word = _FIRST_WORD.match(following.text)
        length = len(word.group() if word else following.text) + following.text[0].isascii()
        width = length / len(following.text) * (following.right - following.left)
        return line.right + width + 0.25 * line.size > self._edges[line]


def _note(paragraph: Paragraph) -> Paragraph:
    """Make a note of a paragraph, with a blank behind its number."""
    first, *rest = paragraph.lines
    text = re.sub(r"^(\d{1,3})(?=[^\W\d])", r"\1 ", first.text)
    return Paragraph((replace(first, text=text), *rest), "note")


def _kind(line: Line) -> Kind:
    return "row" if line.cells else "item" if _ITEM.match(line.text) else "text"


def _without_notes(lines: Sequence[Line], body: float) -> tuple[Sequence[Line], Sequence[Line]]:
    """Divide a page's lines into its text and the notes at its foot."""
    for place, line in enumerate(lines):
        marked = _NOTE.match(line.text) or (line.size <= SMALL * body and line.text[0].isdigit())
        rest = lines[place:]
        if (
            place
            and marked
            and line.baseline < min(before.baseline for before in lines[:place])
            and all(abs(other.size - line.size) <= SAME_SIZE * line.size for other in rest)
        ):
            return lines[:place], rest
    return lines, ()


def _edge(line: Line, lines: Sequence[Line]) -> float:
    """Return where the column ends to the right in which ``line`` stands."""
    peers = [
        other.right
        for other in lines
        if not other.cells
        and abs(other.left - line.left) < 4 * line.size
        and abs(other.size - line.size) <= SAME_SIZE * line.size
    ]
    # In justified print most lines end there; wider ones, as of a summary above two columns, do not
    # count. In ragged print the longest line is the nearest to it.
    rights = Counter(round(right / line.size) for right in peers or [line.right])
    place, count = rights.most_common(1)[0]
    if count > 0.6 * len(peers) > 2:
        return (place + 0.5) * line.size
    return max(peers, default=line.right)


def _usual_pitch(pages: Sequence[PageLines]) -> float:
    """Return the distance of two lines of a paragraph, in font sizes."""
    pairs = [pair for page in pages for pair in pairwise(page.lines)]
    ratios = [(a.baseline - b.baseline) / max(a.size, 1.0) for a, b in pairs if a.size == b.size]
    pitches = Counter(round(ratio, 1) for ratio in ratios if 0.9 < ratio < 2.6)
    return pitches.most_common(1)[0][0] if pitches else 1.2
