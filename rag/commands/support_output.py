"""What the support check found → a field of the JSON contract, and remarks for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypedDict

from rag.support.verdict import NOT_FOUND, Reason, Support

_DIFFERS: dict[Reason, str] = {
    "number": "another number", "unit": "another unit", "name": "another name",
    "negation": "denied in one of the two",
}  # fmt: skip


class SupportRecord(TypedDict):
    """What became of the answer's sentence ``start`` to ``end`` (code points of its text).

    ``source_start`` to ``source_end`` is a sentence of passage ``passage``, as offsets in the
    source: the one that supports it, or the nearest.
    """

    start: int
    end: int
    verdict: str
    passage: int | None
    source_start: int | None
    source_end: int | None
    reason: str
    said: str
    found: str


def support_records(supports: Sequence[Support]) -> list[SupportRecord]:
    """Turn the check of an answer into the contract's list, a record a sentence."""
    return [
        {
            "start": s.start, "end": s.end, "verdict": s.verdict, "passage": s.passage,
            "source_start": s.source_start, "source_end": s.source_end, "reason": s.reason,
            "said": s.said, "found": s.found,
        }
        for s in supports
    ]  # fmt: skip


def support_remarks(text: str, supports: Sequence[Support]) -> Iterator[str]:
    """Yield a line for each sentence of the answer ``text`` that the passages do not have."""
    for s in supports:
        if s.verdict == NOT_FOUND:
            said = " ".join(text[s.start : s.end].split())
            yield f"{NOT_FOUND}: {said}{_why(s)}"


def _why(support: Support) -> str:
    if support.reason not in _DIFFERS:
        return ""
    values = f": {support.said}" if support.said else ""
    if support.found:
        values += f"; passage {support.passage} has {support.found}"
    return f" ({_DIFFERS[support.reason]}{values})"
