"""Rated turns → rows of an evaluation set, for ``ask.py --evaluate``. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypedDict

from rag.conversations.stored_turn import StoredTurn
from rag.splitting.languages import detect_language
from rag.types import Window


class EvaluationRow(TypedDict):
    """A rated question, as ``--evaluate`` reads it; offsets count code points of the document."""

    id: str
    question: str
    doc_id: str
    answers: list[str]
    answer_start: list[int]
    answerable: bool
    match: str
    lang: str
    history: list[dict[str, str]]
    also: list[tuple[str, int, str]]
    thumb: str
    comment: str


def evaluation_rows(conversation: str, turns: Sequence[StoredTurn]) -> list[EvaluationRow]:
    """Return a row for each answer with a thumb up: what its sentences rest on is the gold.

    A refusal with a thumb up is a question that the documents do not answer. A thumb down names no
    right place and makes no row.
    """
    rows: list[EvaluationRow] = []
    for at, turn in enumerate(turns):
        if turn.answer is None or turn.thumb != "up":
            continue
        spans = [] if turn.answer.refused else sorted(set(_gold(turn)))
        if not spans and not turn.answer.refused:
            continue
        doc = spans[0][0] if spans else ""
        rows.append({
            "id": f"{conversation}#{turn.number}",
            "question": turn.question,
            "doc_id": doc,
            "answers": [text for source, _, text in spans if source == doc],
            "answer_start": [start for source, start, _ in spans if source == doc],
            "answerable": bool(spans),
            "match": "overlap",
            "lang": detect_language(turn.question),
            "history": list(_history(turns[:at])),
            "also": [span for span in spans if span[0] != doc],
            "thumb": "up",
            "comment": turn.comment,
        })  # fmt: skip
    return rows


def _gold(turn: StoredTurn) -> Iterator[tuple[str, int, str]]:
    """Yield the source sentences that support the answer; without any the found ones it cites."""
    answer = turn.answer
    windows = {window.rank: window for window in answer.windows} if answer else {}
    found = False
    for s in turn.support:
        window = windows.get(s.passage or 0)
        if s.verdict != "supported" or window is None:
            continue
        if s.source_start is not None and s.source_end is not None:
            found = True
            yield _span(window, s.source_start, s.source_end)
    if found or answer is None:
        return
    for passage in {citation.passage for citation in answer.citations}:
        for hit in windows[passage].hits:
            yield _span(windows[passage], hit.sentence.start, hit.sentence.end)


def _span(window: Window, start: int, end: int) -> tuple[str, int, str]:
    text = window.text[start - window.start : end - window.start]
    return window.source.removesuffix(".txt"), start, text


def _history(turns: Sequence[StoredTurn]) -> Iterator[dict[str, str]]:
    for turn in turns:
        if turn.answer and turn.answer.text:
            yield {"role": "user", "text": turn.question}
            yield {"role": "agent", "text": turn.answer.text}
