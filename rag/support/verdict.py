"""What the check says of a sentence of an answer: a value, which loads none of the check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["supported", "not found in the passages", "not checked"]
Reason = Literal["", "nothing", "number", "unit", "name", "negation"]

NOT_FOUND: Verdict = "not found in the passages"


@dataclass(frozen=True, slots=True)
class Support:
    """What became of the answer's sentence ``start`` to ``end`` (code points of its text).

    ``passage`` is the rank of a window, ``source_start`` to ``source_end`` its sentence in the
    source: the one that supports the answer's, or the nearest where none does; None where there is
    none. ``reason`` says why it was not found: nothing like it, or what differs. ``said`` is what
    the answer has there, ``found`` what the source has, where that is known.
    """

    start: int
    end: int
    verdict: Verdict
    passage: int | None = None
    source: str = ""
    source_start: int | None = None
    source_end: int | None = None
    reason: Reason = ""
    said: str = ""
    found: str = ""
