"""An answer's text → its citations, bounds-checked, and the pieces a view draws it from.

Pure. Knows how markers are spelled, not what the passages say. A marker that points at no passage
is plain text, and so is anything in code, a Markdown link, a footnote or an array index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.types import Citation

_NUMBER = r"[0-9０-９]{1,4}"
_DASH = r"[-–—~～至]"
_MARKER = re.compile(
    rf"""(?<!\\)[\[［【]\s*
    (?P<body>{_NUMBER}(?:\s*(?:[,，、;；]|{_DASH}|and|和|与)\s*{_NUMBER})*)
    \s*(?:†[^\]］】\n]*)?[\]］】]""",
    re.VERBOSE,
)
_ITEM = re.compile(rf"(?P<first>{_NUMBER})(?:\s*{_DASH}\s*(?P<last>{_NUMBER}))?")

_FENCE = re.compile(r"^[ ]{0,3}(?:>[ ]?)*(?P<fence>`{3,}|~{3,})", re.MULTILINE)
_TICKS = re.compile(r"`+")

_LINK = re.compile(
    r"""\((?:[a-z]+:|www\.|[/#.])[^\s()]*\)  # a link with an address or a path,
    | \([!-'*-~]+\.[a-z]{2,5}\)              # or a file's name;
    | :[ \t]*(?:https?:|<)                   # a link's definition""",
    re.VERBOSE,
)
"""What makes a marker before it a part of a Markdown link."""

_VARIABLE = re.compile(
    r"(?<![A-Za-z0-9_.])(?P<number>[0-9][ ]?)?(?P<name>[A-Za-z_][A-Za-z0-9_.]*)$"
)
_USE = re.compile(r"[ ]?=[^=\n]|\.[a-z_]|\[0\]")
"""Before an index, and after it: ``= 5``, ``.name``, a second index."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of an answer: plain text, or a marker.

    ``passages`` are the ranks of the windows that a marker names, in its order; empty for plain
    text. The texts of all segments, joined, are the answer.
    """

    text: str
    passages: tuple[int, ...] = ()


def find_citations(text: str, passages: int) -> tuple[Citation, ...]:
    """Return the citations in ``text`` that name one of ``passages`` windows, as they come.

    ``[1]``, ``[1][2]``, ``[1, 2]``, ``[1-3]``, ``［1］`` and ``【1】`` are markers. A marker of
    several numbers gives a citation for each, all with the marker's offsets.
    """
    return tuple(
        Citation(number, number, marker.start(), marker.end())
        for marker in _markers(text)
        for numbers, _, _ in _items(marker, passages)
        for number in numbers
    )


def split_citations(text: str, passages: int) -> list[Segment]:
    """Cut ``text`` into plain pieces and markers, in order.

    A marker all of whose numbers name one of ``passages`` windows is one segment. Of one that is
    partly wrong (``[1, 9]`` of 3) only the right numbers are markers; the rest is plain text.
    """
    segments: list[Segment] = []
    at = 0
    for marker in _markers(text):
        items = list(_items(marker, passages))
        named = tuple(dict.fromkeys(n for numbers, _, _ in items for n in numbers))
        cuts = [(named, *marker.span())] if all(numbers for numbers, _, _ in items) else items
        for numbers, start, end in cuts:
            if numbers:
                segments += [Segment(text[at:start]), Segment(text[start:end], numbers)]
                at = end
    segments.append(Segment(text[at:]))
    return [segment for segment in segments if segment.text]


def strip_citations(text: str) -> str:
    """Return ``text`` without its markers, whatever they point at, and the blanks before them."""
    kept, at = [], 0
    for marker in _markers(text):
        kept.append(text[at : marker.start()].rstrip(" "))
        at = marker.end()
    return "".join([*kept, text[at:]])


def escape_citations(text: str) -> str:
    """Return ``text`` with a backslash before each marker: in Markdown it shows as it stands, and
    it is no citation any more. For text copied from a document, whose ``[2]`` means something else.
    """
    kept, at = [], 0
    for marker in _markers(text):
        kept.append(text[at : marker.start()] + "\\")
        at = marker.start()
    return "".join([*kept, text[at:]])


def _items(marker: re.Match[str], passages: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Yield the numbers of each item of a marker, none when it is out of bounds, and its place."""
    base = marker.start("body")
    for item in _ITEM.finditer(marker["body"]):
        first = int(item["first"])
        last = int(item["last"] or first)
        numbers = range(first, last + 1) if 1 <= first <= last <= passages else ()
        yield tuple(numbers), base + item.start(), base + item.end()


def _markers(text: str) -> Iterator[re.Match[str]]:
    code = _code(text)
    for marker in _MARKER.finditer(text):
        while code and code[0][1] <= marker.start():
            code.pop(0)
        in_code = bool(code) and code[0][0] < marker.end()
        if not in_code and not _LINK.match(text, marker.end()) and not _is_index(text, marker):
            yield marker


def _is_index(text: str, marker: re.Match[str]) -> bool:
    """Say whether ``marker`` is an array index: ``a[1]``, ``row_2[1]``, ``items[1] = 5``.

    ``boil it[1].`` is a citation and far more common, so a word alone makes no index: it must look
    like a variable, or the marker be assigned to or called on. ``5 m[1]`` cites a length.
    """
    before = _VARIABLE.search(text[max(0, marker.start() - 40) : marker.start()])
    if before is None or text[marker.start()] != "[":
        return False
    if "_" in before["name"] or _USE.match(text, marker.end()):
        return True
    return len(before["name"]) == 1 and before["name"].islower() and not before["number"]


def _code(text: str) -> list[tuple[int, int]]:
    """Return the places of fences and code spans, in order. An open fence runs to the end."""
    found: list[tuple[int, int]] = []
    at = 0
    while opening := _FENCE.search(text, at):
        found += _spans(text, at, opening.start())
        fence = opening["fence"]
        closing = re.compile(
            rf"^[ ]{{0,3}}(?:>[ ]?)*{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE
        ).search(text, opening.end())
        at = closing.end() if closing else len(text)
        found.append((opening.start(), at))
    return found + _spans(text, at, len(text))


def _spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the code spans in ``text[start:end]``: a run of backticks up to the next equal run."""
    found = []
    opening = _TICKS.search(text, start, end)
    while opening:
        close = next(
            (t for t in _TICKS.finditer(text, opening.end(), end) if len(t[0]) == len(opening[0])),
            None,
        )
        if close:
            found.append((opening.start(), close.end()))
        opening = _TICKS.search(text, (close or opening).end(), end)
    return found
