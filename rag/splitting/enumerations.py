"""A paragraph → the markers of lists that run in it: "1. Open the lid 2. Fill in water"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.splitting.markers import BULLETS

_MARKER = re.compile(
    rf"""\s(?=[{BULLETS}(\d]|[a-zA-Z][.)]|[ivx]+[.)])(?:
      (?:[{BULLETS}]\s*)?
      (?P<open>\(?)(?P<label>\d{{1,3}}|[a-zA-Z]|[ivx]{{2,5}})(?P<close>\.\)|\)|\.)(?=\s+\S)
    | [{BULLETS}]\s*
    )""",
    re.VERBOSE,
)
_STOPPED = re.compile(r"[.!?:;。！？：；…][\"'”’»)\]]*\s*\Z")
_UNFINISHED = re.compile(
    r"[.!?。！？]\s|[,，、]\s*\Z|\b(?:and|or|und|oder|et|ou|y|o|e)\s*\Z", re.IGNORECASE
)
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")

_Style = tuple[str, str, str]
"""What the label counts with ("1", "a", "A" or "i"), and what stands before and after it."""


@dataclass(frozen=True, slots=True)
class RunInMarker:
    """A marker, ``text[start:end]``; ``begins`` says that a sentence begins there."""

    start: int
    end: int
    begins: bool


def run_in_markers(text: str) -> list[RunInMarker]:
    """Return the markers of the enumerations that run in the paragraph ``text``, in order.

    An enumeration is two or more markers of one style that count up by one, the first at the start
    of the text or after a stop; between two items there is a stop, or none in the whole item.
    Markers in brackets after a comma ("(1) oil, (2) gas") leave their sentence whole. A bullet
    always begins an item.
    """
    found: dict[int, RunInMarker] = {}
    runs: dict[_Style, tuple[int, RunInMarker]] = {}
    for match in _MARKER.finditer(" " + text):
        marker = RunInMarker(match.start(), match.end() - 1, begins=match.start() > 0)
        if match["label"] is None:
            found[marker.start] = marker
            continue
        for style, number in _readings(match["label"], match["open"], match["close"]):
            count, last = runs.get(style, (0, marker))
            if number == count + 1 and last is not marker and _item_between(text, last, marker):
                first = RunInMarker(last.start, last.end, begins=_stopped(text, last.start))
                found.setdefault(last.start, first)
                found[marker.start] = marker
            elif not _may_begin(text, marker, style, number):
                continue
            runs[style] = (number, marker)
            break
    return sorted(found.values(), key=lambda marker: marker.start)


def _readings(label: str, before: str, after: str) -> list[tuple[_Style, int]]:
    """Return what the label may be: a number, a letter, a Roman numeral; with its style."""
    if label.isdigit():
        return [(("1", before, after), int(label))]
    readings: list[tuple[_Style, int]] = []
    if len(label) == 1:
        readings.append((("a" if label.islower() else "A", before, after), ord(label.lower()) - 96))
    if label in _ROMAN:
        readings.append((("i", before, after), _ROMAN.index(label)))
    return readings


def _may_begin(text: str, marker: RunInMarker, style: _Style, number: int) -> bool:
    """Whether an enumeration may begin here: not with an initial, nor with "see chapter 2."."""
    if not text[: marker.start].strip() if marker.start < 9 else False:
        return True
    first = style[0] != "A" and (number == 1 or style[2] == ")")
    return first and _stopped(text, marker.start)


def _stopped(text: str, end: int) -> bool:
    return _STOPPED.search(text, max(0, end - 9), end) is not None


def _item_between(text: str, last: RunInMarker, marker: RunInMarker) -> bool:
    """Whether what stands between two markers is an item of a list, not half a sentence."""
    if _stopped(text, marker.start):
        return True
    return text[marker.start] != "(" and not _UNFINISHED.search(text, last.end, marker.start)
