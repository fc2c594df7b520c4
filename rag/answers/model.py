"""A chat model's deltas → an answer, read by a thread of its own.

So an answer goes on while nobody iterates, and can be stopped from any thread. Knows which passages
are sent again when they were too long; how they are sent is chat_model.py's business.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rag.answers.reasoning import ReasoningSplitter, Split
from rag.answers.stream import AnswerStream
from rag.errors import ModelError, RagError
from rag.prompt import build_messages
from rag.windows import fit_windows

if TYPE_CHECKING:
    from rag.endpoints.chat_connection import ChatConnection
    from rag.endpoints.chat_model import Delta
    from rag.settings import Settings
    from rag.types import Answer, Turn

SHORTER = 4
"""How often passages that are too long are halved: down to a sixteenth of what was found."""

_CUTS = {
    "length": "The answer ran into the length limit (RAG_MAX_ANSWER_TOKENS, or the server's own).",
    "content_filter": "The endpoint's content filter ended the answer.",
}
"""Reasons for ending, as the protocol names them, that leave an answer unfinished."""


def ask_model(
    draft: Answer, history: Sequence[Turn], settings: Settings, system: str | None
) -> AnswerStream:
    """Begin to ask ``settings.chat_model``, and return the answer as it comes.

    ``draft`` is the answer without its text; ``system`` replaces the prompt's persona.
    """
    stopped = threading.Event()
    asked: list[ChatConnection] = []

    def stop() -> None:
        stopped.set()
        for model in asked:
            model.stop()

    def run() -> None:
        try:
            from rag.endpoints.chat_connection import ChatConnection

            model = ChatConnection(settings)
            asked.append(model)
            if not stopped.is_set():
                _read(stream, model, history, settings, system)
        except RagError as error:
            stream.fail(error)
        finally:
            # Nobody must wait for ever, not even after a fault of the program.
            stream.fail(ModelError(f"The answer of {draft.answerer} ended by a fault in rag"))

    stream = AnswerStream(draft, stop)
    threading.Thread(target=run, name="answer", daemon=True).start()
    return stream


def _read(
    stream: AnswerStream,
    model: ChatConnection,
    history: Sequence[Turn],
    settings: Settings,
    system: str | None,
) -> None:
    """Ask, with fewer passages as long as the model finds them too long, and read to the end."""
    from rag.endpoints.faults import TooLong

    windows = stream.windows
    found = sum(len(window.text) for window in windows)
    room, history_room = found, settings.history_characters
    for attempt in range(SHORTER + 1):
        messages = build_messages(
            stream.question, windows, history, system=system, max_history_characters=history_room
        )
        try:
            _copy(stream, model.stream(messages), ReasoningSplitter(settings.reasoning), model.name)
        except TooLong:
            if attempt == SHORTER:
                raise
        else:
            return
        room, history_room = room // 2, history_room // 2
        windows = tuple(fit_windows(windows, max(1, room)))
        sent = sum(len(window.text) for window in windows)
        stream.shorten(
            windows,
            f"The passages were too long for {model.name}: it was sent {sent:,} of {found:,} "
            "characters. RAG_MAX_CONTEXT_CHARACTERS sets what is sent at once.",
        )


def _copy(
    stream: AnswerStream, deltas: Iterator[Delta], splitter: ReasoningSplitter, model: str
) -> None:
    """Read a model's stream to its end, into the answer."""
    finish, usage = "", None
    try:
        for delta in deltas:
            if stream.ended:  # stopped, or long enough
                return
            stream.add(reasoning=delta.reasoning)
            _add(stream, splitter.feed(delta.text))
            finish, usage = delta.finish or finish, delta.usage or usage
    except ModelError as error:
        _add(stream, splitter.finish())
        if not stream.text:
            raise
        stream.finish(cut_reason=str(error), usage=usage)
        return
    _add(stream, splitter.finish())
    if not stream.text and not stream.ended:
        raise ModelError(_empty(stream, model, finish))
    stream.finish(cut_reason=_CUTS.get(finish, ""), usage=usage)


def _add(stream: AnswerStream, split: Split) -> None:
    stream.add(split.text, split.reasoning, recalled=split.recalled)


def _empty(stream: AnswerStream, model: str, finish: str) -> str:
    if stream.reasoning:
        limit = "; its length limit ended it: raise RAG_MAX_ANSWER_TOKENS"
        return f"{model} thought and gave no answer{limit if finish == 'length' else ''}"
    ended = f" (it ended with {finish!r})" if finish else ""
    return f"{model} gave an empty answer{ended}; check RAG_CHAT_MODEL and OPENAI_BASE_URL"
