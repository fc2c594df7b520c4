"""A question and the turns before it → the query that is searched, standing alone.

A chat model, where there is one, is asked to rewrite the question; without one a rule puts what the
turns before were about behind it. A question that stands alone stays as it is typed, and so does
one that the model does not rewrite well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.followups.leaning import leaning
from rag.followups.phrases import stems
from rag.followups.query import Query
from rag.followups.rewriting import Chat, chat_with, rewrite
from rag.followups.topic import topic
from rag.types import Turn

if TYPE_CHECKING:
    from rag.settings import Settings

FELL_BACK = (
    "The question leans on earlier turns, but the chat model did not rewrite it well or in time:"
    " it was searched as typed."
)
"""What is said of a rewrite that was not used."""

SUBJECT_CHARACTERS = 60
"""How much of the first answer counts as what the conversation began with."""


def standalone(question: str, history: Sequence[Turn], *, chat: Chat | None = None) -> Query:
    """Return the query for ``question``, asked after the turns of ``history``, oldest first.

    A question that stands alone by the rules of leaning.py is the query. One that leans is
    rewritten by ``chat``, and searched as it is typed when that fails; without ``chat`` what the
    turns were about is put behind it.
    """
    if not history or not leaning(question, _subject(history[0])):
        return Query(question)
    if chat is not None:
        text = rewrite(question, history, chat)
        return Query(question, fell_back=FELL_BACK) if text is None else Query(text, "model", text)
    said = stems(question)
    carried = [phrase.text for phrase in topic(history) if not phrase.stems <= said]
    if not carried:
        return Query(question)
    return Query(f"{question} ({', '.join(carried)})", "rule", ", ".join(carried))


def query_for(question: str, history: Sequence[Turn], settings: Settings) -> Query:
    """Return the query for ``question``, made as the settings say (``RAG_FOLLOW_UPS``)."""
    if settings.follow_ups == "off":
        return Query(question)
    chat = chat_with(settings) if settings.follow_ups == "auto" else None
    return standalone(question, history, chat=chat)


def _subject(first: Turn) -> str:
    """Return what a conversation began with: its first question and how its answer began."""
    return f"{first.question} {first.answer[:SUBJECT_CHARACTERS]}"
