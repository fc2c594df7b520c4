"""A question and the turns before it → the query that is searched, standing alone.

A chat model, where there is one, is asked to rewrite the question; without one a rule puts what the
turns before were about behind it. A question that stands alone stays as it is typed, and so does
one that the model does not rewrite well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag.leaning import leaning
from rag.phrases import stems
from rag.rewriting import Chat, rewrite
from rag.topic import topic
from rag.types import Turn

How = Literal["typed", "rule", "model"]

SUBJECT_CHARACTERS = 60
"""How much of the first answer counts as what the conversation began with."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched. ``how`` it came about: as typed, by the rule, by the chat model. ``note``
    is what was added by the rule, or the model's whole question; empty for a question as typed.
    """

    text: str
    how: How = "typed"
    note: str = ""


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
        return Query(question) if text is None else Query(text, "model", text)
    said = stems(question)
    carried = [phrase.text for phrase in topic(history) if not phrase.stems <= said]
    if not carried:
        return Query(question)
    return Query(f"{question} ({', '.join(carried)})", "rule", ", ".join(carried))


def _subject(first: Turn) -> str:
    """Return what a conversation began with: its first question and how its answer began."""
    return f"{first.question} {first.answer[:SUBJECT_CHARACTERS]}"
