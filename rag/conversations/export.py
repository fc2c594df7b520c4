"""A stored conversation → Markdown or JSON. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TypedDict

from rag.commands.output import AnswerRecord, answer_record
from rag.conversations.stored_turn import ConversationInfo, StoredTurn

_LINE_END = re.compile(r"\r\n?|\n")
"""As Markdown has it: a carriage return alone ends a line, and a quotation."""


class TurnRecord(TypedDict):
    """One turn. ``answer`` is the object of ``ask.py --json``, None where none began."""

    number: int
    asked: str
    question: str
    error: str
    window_size: int
    top_k: int
    mode: str
    filters: list[str]
    answer: AnswerRecord | None
    thumb: str | None
    comment: str


def export_json(info: ConversationInfo, turns: Sequence[StoredTurn]) -> str:
    """Return the conversation as one JSON object, with everything but the links to it."""
    return json.dumps(
        {
            "title": info.title,
            "created": _time(info.created),
            "changed": _time(info.changed),
            "turns": [_record(turn) for turn in turns],
        },
        ensure_ascii=False,
        indent=2,
    )


def export_markdown(info: ConversationInfo, turns: Sequence[StoredTurn]) -> str:
    """Return the conversation for reading: questions, answers, and the passages that they cite.

    What was typed and what documents say is quoted or fenced, so that it cannot pass for another
    part of the conversation.
    """
    parts = [f"# {_line(info.title) or 'Conversation'}", _time(info.created)]
    for turn in turns:
        parts += [f"## {turn.number}. {_line(turn.question)}", *_written(turn)]
    return "\n\n".join(parts) + "\n"


def _record(turn: StoredTurn) -> TurnRecord:
    settings = turn.settings
    record = answer_record(turn.answer, support=turn.support) if turn.answer else None
    return {
        "number": turn.number,
        "asked": _time(turn.asked),
        "question": turn.question,
        "error": turn.error,
        "window_size": settings.window_size,
        "top_k": settings.top_k,
        "mode": settings.mode,
        "filters": [f"{c.field} {c.operator} {c.value}" for c in settings.where],
        "answer": record,
        "thumb": turn.thumb,
        "comment": turn.comment,
    }


def _written(turn: StoredTurn) -> Iterator[str]:
    answer = turn.answer
    if answer is None or turn.error:
        yield f"*No answer: {_line(turn.error)}*"
        return
    if answer.query != turn.question:
        yield f"*Searched: {_line(answer.query)}*"
    yield "\n".join(f"> {_harmless(line)}".rstrip() for line in _LINE_END.split(answer.text))
    if answer.cut:
        yield f"*Cut: {_line(answer.cut_reason)}*"
    cited = {citation.passage for citation in answer.citations}
    for window in answer.windows:
        if window.rank in cited:
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", window.text)), default=0))
            place = f"**[{window.rank}]** {_line(window.source)}:{window.start}-{window.end}"
            yield f"{place}\n\n{fence}\n{window.text}\n{fence}"
    if turn.thumb or turn.comment:
        yield f"*Rated {turn.thumb or 'without a thumb'}*" + (
            f": {_line(turn.comment)}" if turn.comment else ""
        )


def _harmless(text: str) -> str:
    """Return Markdown in which HTML, links and images show as text, and nothing is fetched.

    Behind an odd number of backslashes a sign is text already; one more would bring it back.
    """
    text = re.sub(r"(?<=\])[(:]", r"\\\g<0>", text)
    return re.sub(r"(?<!\\)((?:\\\\)*)(<|!(?=\[))", r"\1\\\2", text)


def _line(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
