"""Question and windows → a streamed answer: by a chat model, or from the found sentences.

Chooses between the two and a refusal. Knows nothing of how the windows were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.answers.extractive import extract
from rag.answers.model import ask_model
from rag.answers.stream import AnswerStream
from rag.errors import SettingsError
from rag.prompt import NOT_FOUND, Language, question_language
from rag.types import Answer, Hit, Refusal, Timings, Turn, Window

if TYPE_CHECKING:
    from rag.settings import Settings

__all__ = ["REFUSALS", "AnswerStream", "answer", "preload", "system_prompt"]

REFUSALS: dict[Language, dict[Refusal, str]] = {
    "en": {
        "not-found": NOT_FOUND["en"],
        "off-topic": "The documents are about something else.",
        "filter": "No document passes the filter.",
    },
    "zh": {
        "not-found": NOT_FOUND["zh"],
        "off-topic": "文档讲的是别的内容。",
        "filter": "没有符合筛选条件的文档。",
    },
}
"""What is answered when no model is asked, in the question's language."""


def answer(
    question: str,
    query: str,
    windows: Sequence[Window],
    *,
    history: Sequence[Turn] = (),
    settings: Settings,
    timings: Timings | None = None,
    notes: Sequence[str] = (),
    refusal: Refusal | None = None,
    left_out: Sequence[Hit] = (),
) -> AnswerStream:
    """Answer ``question`` from ``windows``, ranked from 1, and return the answer as it comes.

    With ``settings.chat_model`` the model is asked, without one the found sentences are the answer.
    With a ``refusal``, or without windows, nothing is asked; only whether what is near is the
    answer ("not-found") a model that reads the passages judges itself. ``query`` is what was
    searched, ``timings`` what that took; ``notes`` and ``left_out`` are passed on. Raises
    :class:`~rag.errors.SettingsError` when the prompt file cannot be read.
    """
    draft = Answer(
        question,
        query,
        "",
        tuple(windows),
        notes=tuple(notes),
        timings=timings or Timings(),
        left_out=tuple(left_out),
    )
    if refusal == "not-found" and settings.chat_model is not None:
        refusal = None
    if refusal is None and not windows:
        refusal = "not-found"
    if refusal is not None:
        stream = AnswerStream(draft)
        stream.add(REFUSALS[question_language(question)][refusal])
        stream.finish(refusal=refusal)
        return stream
    if settings.chat_model is None:
        stream = AnswerStream(draft)
        for piece in extract(windows):
            stream.add(piece)
        stream.finish(refusal=None)
        return stream
    draft = replace(draft, answerer=settings.chat_model)
    return ask_model(draft, history, settings, system_prompt(settings))


def preload() -> None:
    """Import what asking a chat model takes: seconds, better spent before the first question."""
    import rag.endpoints.chat_connection  # noqa: F401
    from rag.endpoints.chat_model import warm_up

    warm_up()


def system_prompt(settings: Settings) -> str | None:
    """Return the text of the prompt file; None where none is set.

    Raises :class:`~rag.errors.SettingsError` when it cannot be read.
    """
    if settings.prompt_file is None:
        return None
    try:
        return settings.prompt_file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"Cannot read RAG_PROMPT_FILE {settings.prompt_file}: {error}"
        ) from None
