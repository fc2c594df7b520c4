"""A follow-up and the turns before it → a question that stands alone, by the chat model.

The model is asked within bounds of time and length, and what it answers is held against the
conversation: a rewrite may bring in what was said before and nothing else.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rag.citations import find_citations
from rag.errors import ModelError, ModelUnreachable, RagError
from rag.followups.phrases import phrases, stems
from rag.prompt import Message, build_rewrite, question_language
from rag.types import Turn

if TYPE_CHECKING:
    from rag.settings import Settings

Chat = Callable[[Sequence[Message]], str]
"""Asks a chat model and returns its whole reply. Raises :class:`~rag.errors.ModelError`."""

PATIENCE_SECONDS = 6.0
"""How long a chat model may take: longer than a search, a rewrite is not worth waiting for."""

LONGEST = 400
"""Characters of a rewrite, and what a model is read to."""
KNOWN_SHARE = 0.5
"""The share of a rewrite's new words that must have been said before."""

_QUOTES = "\"'“”‘’「」『』` "


def rewrite(question: str, history: Sequence[Turn], chat: Chat) -> str | None:
    """Return ``question`` as it stands alone, or None when the model gave nothing that will do:
    it failed, answered, drifted, or changed nothing that matters.
    """
    try:
        reply = chat(build_rewrite(question, history))
    except ModelError:
        return None
    text = reply.strip().strip(_QUOTES)
    return text if is_rewrite(text, question, history) else None


def is_rewrite(text: str, question: str, history: Sequence[Turn]) -> bool:
    """Say whether ``text`` is ``question`` with what it left out, and nothing else.

    It is one line, in the question's language, asks when the question asks, keeps most of its words
    and all of its names, and most of what it adds was said before, all names among it.
    """
    if not text or "\n" in text or len(text) > LONGEST or find_citations(text, 9999):
        return False
    if question_language(text) != question_language(question):
        return False
    if re.search(r"[?？]\s*$", question) and not re.search(r"[?？]\s*$", text):
        return False
    asked, told = stems(question), stems(text)
    said = asked.union(*(stems(f"{turn.question} {turn.answer}") for turn in history))
    new = told - asked
    if not new or len(told & asked) * 2 < len(asked):
        return False
    if len(new & said) < KNOWN_SHARE * len(new):
        return False
    names = {stem for p in phrases(text, names_only=True) for stem in p.stems}
    kept = {stem for p in phrases(question, names_only=True) for stem in p.stems}
    return names <= said | asked and kept <= told


def chat_with(settings: Settings, patience_seconds: float = PATIENCE_SECONDS) -> Chat | None:
    """Return what asks the settings' chat model for a rewrite, or None where there is none.

    A reply takes at most ``patience_seconds``; whoever is slower is left.
    """
    if settings.chat_model is None:
        return None
    return lambda messages: _ask(messages, settings, patience_seconds)


def _ask(messages: Sequence[Message], settings: Settings, patience_seconds: float) -> str:
    """Ask in a thread of its own, so that not even a hanging connection outlasts its time."""
    replies: list[str] = []
    errors: list[RagError] = []
    stops: list[Callable[[], None]] = []
    left = threading.Event()

    def run() -> None:
        from rag.answers.reasoning import ReasoningSplitter
        from rag.endpoints.chat_connection import ChatConnection

        try:
            model = ChatConnection(settings)
            stops.append(model.stop)
            if left.is_set():  # the imports alone took longer: nobody waits for a reply
                return
            splitter, text = ReasoningSplitter(settings.reasoning), ""
            for delta in model.stream(messages):
                split = splitter.feed(delta.text)
                text = ("" if split.recalled else text) + split.text
                if len(text) > 2 * LONGEST:
                    model.stop()
            replies.append(text + splitter.finish().text)
        except RagError as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="rewrite", daemon=True)
    thread.start()
    thread.join(patience_seconds)
    if replies:
        return replies[0]
    left.set()
    for stop in stops:
        stop()
    told = str(errors[0]) if errors else f"no rewrite within {patience_seconds:g} s"
    raise ModelUnreachable(f"{settings.chat_model}: {told}")
