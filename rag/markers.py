"""Marks of lists and tables: markers at the start of a line or run in ("1. Open 2. Fill"), pipes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.types import SpanKind

_BULLETS = "•⁃‣◦▪●○■□✓✔➢►"
MARKER = re.compile(
    rf"""[ \t]*(?:
      [-*+–—·{_BULLETS}](?=[ \t\u3000])
    | [{_BULLETS}]
    | (?:[-*{_BULLETS}][ \t]*)?\(?(?:\d{{1,3}}|[a-zA-Z]|[ivxIVX]{{1,5}})(?:\.\)|[.)])(?=[ \t\u3000])
    | [(（][\d一二三四五六七八九十]{{1,3}}[)）]
    | [\d一二三四五六七八九十]{{1,3}}、
    | [①-⑳]
    )[ \t\u3000]*""",
    re.VERBOSE,
)
"""A list marker at the start of a line, with the white space around it."""

_ROW = re.compile(r"[ \t>]*\|.*\|[ \t]*")
_SEPARATOR = re.compile(r"[ \t>]*\|[ \t|:+-]*\|[ \t]*")

_RUN_IN = re.compile(
    rf"""(?:(?<=\s)|\A)(?P<bullet>[{_BULLETS}]\s*)?
    (?:(?P<open>\(?)(?P<label>\d{{1,3}}|[a-zA-Z]|[ivx]{{2,5}})(?P<close>\.\)|\)|\.)(?=\s+\S)
      |(?<=[{_BULLETS}])|(?<=[{_BULLETS}]\s))""",
    re.VERBOSE,
)
_STOPPED = re.compile(r"[.!?:;。！？：；…][\"'”’»)\]]*\s*\Z")
_ROMAN = {
    "i": 1,
    "ii": 2,
    "iii": 3,
    "iv": 4,
    "v": 5,
    "vi": 6,
    "vii": 7,
    "viii": 8,
    "ix": 9,
    "x": 10,
}


def row_kind(line: str) -> SpanKind | None:
    """Return whether ``line`` is a table's row or the separator under its header, by its pipes."""
    line = line.rstrip("\r\n")
    if "|" not in line or not _ROW.fullmatch(line):
        return None
    return "separator" if _SEPARATOR.fullmatch(line) and "-" in line else "row"


@dataclass(frozen=True, slots=True)
class RunInMarker:
    """A marker inside a paragraph, ``text[start:end]``; ``begins`` says that an item begins there."""

    start: int
    end: int
    begins: bool


def run_in_markers(text: str) -> list[RunInMarker]:
    """Return the markers of the enumerations that run in the paragraph ``text``.

    An enumeration is two or more markers of one style that count up by one, the first at the start
    of the text or after a stop; between two items there is a stop, or none in the whole item.
    Markers in brackets after a comma ("(1) oil, (2) gas") leave their sentence whole.
    """
    found: dict[int, RunInMarker] = {}
    runs: dict[tuple[str, str, str], tuple[int, re.Match[str]]] = {}
    for match in _RUN_IN.finditer(text):
        if match["label"] is None:
            if match["bullet"]:
                found[match.start()] = RunInMarker(*match.span(), begins=match.start() > 0)
            continue
        for style, number in _readings(match):
            last = runs.get(style)
            if last and number == last[0] + 1 and _item_between(text, last[1], match):
                first = last[1]
                if first.start() not in found:
                    stopped = bool(_STOPPED.search(text, max(0, first.start() - 9), first.start()))
                    found[first.start()] = RunInMarker(*first.span(), begins=stopped)
                found[match.start()] = RunInMarker(*match.span(), begins=True)
                runs[style] = (number, match)
                break
            if _may_begin(text, match, number, style):
                runs[style] = (number, match)
    return sorted(found.values(), key=lambda marker: marker.start)


def _readings(match: re.Match[str]) -> list[tuple[tuple[str, str, str], int]]:
    """Return what the label may be: a number, a letter, a Roman numeral; with its style."""
    label, frame = match["label"], (match["open"], match["close"])
    if label.isdigit():
        return [(("1", *frame), int(label))]
    readings = []
    if len(label) == 1:
        readings.append((("a" if label.islower() else "A", *frame), ord(label)))
    if label in _ROMAN:
        readings.append((("i", *frame), _ROMAN[label]))
    return readings


def _may_begin(text: str, match: re.Match[str], number: int, style: tuple[str, str, str]) -> bool:
    """Whether an enumeration may begin with ``match``: not an initial, not "chapter 2."."""
    at_start = not text[: match.start()].strip() if match.start() < 9 else False
    if at_start:
        return True
    stopped = _STOPPED.search(text, max(0, match.start() - 9), match.start()) is not None
    first = number in (1, ord("a")) or style[2] == ")"
    return stopped and first and style[0] != "A"


def _item_between(text: str, last: re.Match[str], match: re.Match[str]) -> bool:
    """Whether what stands between two markers is an item of a list, not half a sentence."""
    item = text[last.end() : match.start()]
    if _STOPPED.search(item[-9:]):
        return True
    bare = not re.search(r"[.!?。！？]\s|[,，、]\s*\Z|\b(?:and|or|und|oder|et|ou|y|o)\s*\Z", item)
    return bare and not match["open"]
