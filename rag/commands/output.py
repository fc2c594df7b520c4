"""Answers and passages → the JSON object of the command-line contract.

Knows nothing of how they came about. Offsets are those of the values: code points, half-open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from rag.commands.support_output import SupportRecord, support_records
from rag.types import Answer, Hit, Window

if TYPE_CHECKING:
    from rag.support.verdict import Support


class Scores(TypedDict):
    """A highlight's scores; None where the mode has no such leg, or the leg did not find it."""

    dense: float | None
    keyword: float | None
    fused: float | None


class Ranks(TypedDict):
    """A highlight's places in the two legs, from 1; None likewise."""

    dense: int | None
    keyword: int | None


class HighlightRecord(TypedDict):
    """A found sentence."""

    start: int
    end: int
    rank: int
    terms: list[str]
    scores: Scores
    ranks: Ranks


class PassageRecord(TypedDict):
    """A window."""

    rank: int
    source: str
    title: str
    section: list[str]
    page: int | None
    start: int
    end: int
    text: str
    highlights: list[HighlightRecord]


class LeftOutRecord(TypedDict):
    """A found sentence that stands in no passage: it was not worth sending, or did not fit."""

    source: str
    start: int
    end: int
    text: str
    rank: int


class CitationRecord(TypedDict):
    """A marker of the answer, and the rank of the passage that it names."""

    marker: int
    passage: int


class UsageRecord(TypedDict):
    """Tokens, as the model's server counted them."""

    input_tokens: int
    output_tokens: int


class TimingsRecord(TypedDict):
    """Milliseconds."""

    embed_ms: float
    search_ms: float
    retrieve_ms: float
    first_token_ms: float | None
    total_ms: float
    rewrite_ms: float


class AnswerRecord(TypedDict):
    """The object that ``ask.py --json`` prints."""

    id: str | int | None
    question: str
    query: str
    answer: str
    refused: bool
    refusal: str | None
    answerer: str
    cut: bool
    usage: UsageRecord | None
    notes: list[str]
    citations: list[CitationRecord]
    support: list[SupportRecord]
    passages: list[PassageRecord]
    left_out: list[LeftOutRecord]
    timings: TimingsRecord


def answer_record(
    answer: Answer, row_id: str | int | None = None, support: Sequence[Support] = ()
) -> AnswerRecord:
    """Turn an answer into the contract's object. ``row_id`` is the ``id`` of a ``--batch`` row,
    ``support`` what became of its sentences.
    """
    usage, timings = answer.usage, answer.timings
    return {
        "id": row_id,
        "question": answer.question,
        "query": answer.query,
        "answer": answer.text,
        "refused": answer.refused,
        "refusal": answer.refusal,
        "answerer": answer.answerer,
        "cut": answer.cut,
        "usage": None
        if usage is None
        else {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
        "notes": list(answer.notes),
        "citations": [{"marker": c.marker, "passage": c.passage} for c in answer.citations],
        "support": support_records(support),
        "passages": [passage_record(window) for window in answer.windows],
        "left_out": [_left_out(hit) for hit in answer.left_out],
        "timings": {
            "embed_ms": round(timings.embed, 3),
            "search_ms": round(timings.search, 3),
            "retrieve_ms": round(timings.retrieve, 3),
            "first_token_ms": None
            if timings.first_token is None
            else round(timings.first_token, 3),
            "total_ms": round(timings.total, 3),
            "rewrite_ms": round(timings.rewrite, 3),
        },
    }


def passage_record(window: Window) -> PassageRecord:
    """Turn a window into the contract's passage."""
    return {
        "rank": window.rank,
        "source": window.source,
        "title": window.title,
        "section": list(window.section),
        "page": window.page,
        "start": window.start,
        "end": window.end,
        "text": window.text,
        "highlights": [_highlight(hit) for hit in window.hits],
    }


def _highlight(hit: Hit) -> HighlightRecord:
    return {
        "start": hit.sentence.start,
        "end": hit.sentence.end,
        "rank": hit.rank,
        "terms": list(hit.terms),
        "scores": {"dense": hit.dense, "keyword": hit.keyword, "fused": hit.fused},
        "ranks": {"dense": hit.dense_rank, "keyword": hit.keyword_rank},
    }


def _left_out(hit: Hit) -> LeftOutRecord:
    found = hit.sentence
    return {
        "source": found.source,
        "start": found.start,
        "end": found.end,
        "text": found.text,
        "rank": hit.rank,
    }
