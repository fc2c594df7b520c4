"""The gold of a question, what was found for it and what would be sent → its scores. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rag.evaluation.gold import Gold, Place, stands
from rag.types import Refusal, Window

DEPTHS = (1, 3, 5)
"""The k of hit@k."""
DEEPEST = 10
"""How many found sentences count for the reciprocal rank."""

Group = Literal["answerable", "absent", "unanswered", "unanswerable"]
"""What a question is: it has an answer; it is on a document that the collection does not hold; its
document does not answer it; nothing does, and no document is named."""


class Piece(Protocol):
    """A stretch of a document: a sentence or a window."""

    @property
    def source(self) -> str:
        """The document's path."""
        ...

    @property
    def start(self) -> int:
        """Where it begins."""
        ...

    @property
    def end(self) -> int:
        """Where it ends."""
        ...

    @property
    def text(self) -> str:
        """Its text."""
        ...


@dataclass(frozen=True, slots=True)
class Score:
    """What came of one gold. Times are milliseconds.

    ``sentence_rank`` is that of the first found sentence that finds the answer, up to
    :data:`DEEPEST`; ``window_depth`` the smallest of :data:`DEPTHS` so that the windows of as many
    sentences do. ``coverage``, 0 to 1, is the share of the answer's characters in the passages
    sent, ``characters`` their length.
    """

    id: str | int | None
    group: Group
    sentence_rank: int | None = None
    window_depth: int | None = None
    coverage: float = 0.0
    characters: int = 0
    refusal: Refusal | None = None
    embed_ms: float = 0.0
    search_ms: float = 0.0
    total_ms: float = 0.0


def group_of(gold: Gold) -> Group:
    """Return what the question is."""
    if gold.absent:
        return "absent"
    if gold.answerable:
        return "answerable"
    return "unanswered" if gold.document else "unanswerable"


def finds(gold: Gold, piece: Piece) -> bool:
    """Whether ``piece`` holds an answer, or touches evidence where the set lists evidence."""
    if not gold.places:
        return any(_says(gold, piece, text) for text in gold.texts)
    if gold.match == "any":
        return any(
            piece.source == p.source and piece.start <= p.start and p.end <= piece.end
            for p in gold.places
        )
    return any(_shared(piece, place) for place in gold.places)


def first_rank(gold: Gold, pieces: Sequence[Piece]) -> int | None:
    """Return the place, from 1, of the first piece that finds the answer."""
    return next((rank for rank, piece in enumerate(pieces, 1) if finds(gold, piece)), None)


def coverage(gold: Gold, windows: Sequence[Window]) -> float:
    """Return the share of the answer's characters in ``windows``, 0 to 1.

    Of alternatives the one that is covered best counts, of evidence all of it. An answer without a
    known place is covered where its text is.
    """
    if gold.places:
        wanted = [place.end - place.start for place in gold.places]
        held = [sum(_shared(w, place) for w in windows) for place in gold.places]
    else:
        wanted = [len(text) for text in gold.texts]
        held = [
            len(text) if any(stands(text).search(w.text) for w in windows) else 0
            for text in gold.texts
        ]
    if gold.match == "any":
        return max((h / w for h, w in zip(held, wanted, strict=True) if w), default=0.0)
    return sum(held) / sum(wanted) if sum(wanted) else 0.0


def _says(gold: Gold, piece: Piece, text: str) -> bool:
    if stands(text).search(piece.text):
        return True
    return gold.match != "any" and stands(piece.text).search(text) is not None


def _shared(piece: Piece, place: Place) -> int:
    """Return how many characters of ``place`` stand in ``piece``."""
    if piece.source != place.source:
        return 0
    return max(0, min(piece.end, place.end) - max(piece.start, place.start))
