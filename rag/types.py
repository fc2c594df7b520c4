"""The values that flow between the modules, in the order in which they flow.

    Document → Span → Sentence → Hit → Window → Citation, Answer → Turn

All are frozen and slotted; none knows where it came from or where it goes. Offsets are half-open
and count code points of a document's decoded, newline-normalised text, so that
``document.text[x.start:x.end]`` is what ``x`` stands for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rag.document_types import (
    Document,
    Metadata,
    Page,
    Scalar,
    Selection,
    Sentence,
    Skipped,
    Span,
    SpanKind,
)

__all__ = [
    "EXTRACTIVE", "Answer", "Citation", "Condition", "Document", "FollowUps", "Hit", "Metadata",
    "Mode", "Operator", "Page", "ReasoningMode", "Refusal", "Scalar", "Selection", "Sentence",
    "Skipped", "Span", "SpanKind", "Timings", "Turn", "Usage", "Window",
]  # fmt: skip

EXTRACTIVE = "extractive"
"""The answerer of an answer that is made of found sentences."""

Mode = Literal["dense", "keyword", "hybrid"]
Refusal = Literal["off-topic", "not-found", "filter"]
ReasoningMode = Literal["auto", "unopened", "text"]
FollowUps = Literal["auto", "rule", "off"]


Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in", "contains"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter on a field of the sentences' metadata; several must all hold.

    ``value`` is a tuple for ``in`` and ``not in``, a scalar otherwise. A sentence that lacks the
    field fulfils ``!=`` and ``not in`` alone.
    """

    field: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A found sentence, and why it was found.

    ``rank`` is its place among the hits, from 1. ``dense`` is a cosine (-1 to 1), ``keyword`` a
    BM25-like sum (0 and up), ``fused`` (0 to 1) orders the hits of one query and is no similarity.
    A score or rank is None where the mode has no such leg or the leg did not find the sentence.
    ``terms`` are the question's terms that the sentence holds, as the sentence spells them.
    ``reranked`` is the score of a reranking model, in its own measure, if there is one. ``share``
    (0 to 1) is what its score is of the best candidate's, None where that cannot be said.
    """

    sentence: Sentence
    rank: int
    dense: float | None = None
    keyword: float | None = None
    fused: float | None = None
    dense_rank: int | None = None
    keyword_rank: int | None = None
    terms: tuple[str, ...] = ()
    reranked: float | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A passage: consecutive sentences of one file with at least one hit among them.

    ``text == source_text[start:end]``. ``rank`` counts the windows from 1, by their best hit.
    ``first`` and ``last`` are the indices of its first and last sentence, both inside.
    ``hits`` are in document order. ``bounds`` are the offsets of each of its sentences in the
    source, by which it can be shortened to whole sentences.
    """

    rank: int
    source: str
    start: int
    end: int
    text: str
    first: int
    last: int
    hits: tuple[Hit, ...]
    title: str = ""
    section: tuple[str, ...] = ()
    page: int | None = None
    bounds: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in an answer that points at a passage.

    ``marker`` is the number as written, ``passage`` the ``rank`` of the window it names; both from
    1. ``start`` and ``end`` are offsets of the whole marker in the answer's text.
    """

    marker: int
    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens counted by the model's server, as it reports them."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds. ``first_token`` is None until there is a first piece of text. ``rewrite`` is
    what making a follow-up stand alone took, before the search.
    """

    embed: float = 0.0
    search: float = 0.0
    retrieve: float = 0.0
    first_token: float | None = None
    total: float = 0.0
    rewrite: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer, with all that it was made from.

    ``query`` is what was searched, ``question`` what the user typed. ``windows`` are the passages
    the answer rests on, in rank order: the same that were sent to the model. ``answerer`` is
    ``extractive`` or the chat model's name. ``cut`` says that the text ended before its end: the
    stream broke, was stopped, or ran into the length limit; ``cut_reason`` says which, in words.
    ``left_out`` are the found sentences, best first, that stand in none of the windows: they were
    not worth sending, or did not fit.
    ``refusal`` is None, or why the documents were found not to hold the answer. ``notes`` are
    remarks for the user, such as that fewer passages fitted than were found.
    """

    question: str
    query: str
    text: str
    windows: tuple[Window, ...]
    citations: tuple[Citation, ...] = ()
    answerer: str = EXTRACTIVE
    refusal: Refusal | None = None
    cut: bool = False
    cut_reason: str = ""
    usage: Usage | None = None
    reasoning: str = ""
    notes: tuple[str, ...] = ()
    timings: Timings = field(default_factory=Timings)
    left_out: tuple[Hit, ...] = ()

    @property
    def rewritten(self) -> bool:
        """Whether the query is another than the question, a long question's beginning aside."""
        return not " ".join(self.question.split()).startswith(" ".join(self.query.split()))

    @property
    def refused(self) -> bool:
        """Whether the documents were found not to hold the answer."""
        return self.refusal is not None


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer, as the next question of a conversation sees them."""

    question: str
    answer: str
