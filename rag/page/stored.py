"""Turns of the page ↔ stored turns. Pure but for the lines, which the library looks up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag import errors
from rag.conversations.stored_turn import StoredTurn, TurnSettings
from rag.page.exchange import Exchange, Options, Pending
from rag.types import Answer

if TYPE_CHECKING:
    from rag.errors import RagError
    from rag.page.library import Library
    from rag.types import Turn

FAULT = "fault"
"""The class that stands for a fault of the program."""


def stored_turn(
    pending: Pending, answer: Answer, error: RagError | None, *, failed: bool
) -> StoredTurn:
    """Return what is kept of a turn that is over, however it ended."""
    options = pending.options
    settings = TurnSettings(options.window_size, options.top_k, options.mode, options.where)
    fault = type(error).__name__ if error else FAULT if failed else ""
    said = str(error) if error else FAULT if failed else ""
    return StoredTurn(pending.question, settings, answer, error=said, fault=fault)


def exchange_of(
    turn: StoredTurn, pending: Pending, history: Sequence[Turn], library: Library
) -> Exchange:
    """Return a stored turn as the page shows it; its number is the stored one."""
    answer = turn.answer or Answer(turn.question, turn.question, "", ())
    return Exchange(
        turn.number,
        turn.question,
        answer,
        pending.options,
        tuple(history),
        library.lines(answer.windows),
        _error(turn),
        failed=turn.fault == FAULT,
        key=pending.key,
        thumb=turn.thumb,
        comment=turn.comment,
    )


def pending_of(turn: StoredTurn) -> Pending:
    """Return the question of a stored turn, with what was set when it was asked."""
    settings = turn.settings
    sources = next((c.value for c in settings.where if c.field == "source"), ())
    names = tuple(map(str, sources)) if isinstance(sources, tuple) else (str(sources),)
    options = Options(settings.window_size, settings.top_k, settings.mode, names)
    return Pending(turn.question, options)


def _error(turn: StoredTurn) -> RagError | None:
    if not turn.error or turn.fault == FAULT:
        return None
    kind = getattr(errors, turn.fault, errors.RagError)
    known = isinstance(kind, type) and issubclass(kind, errors.RagError)
    return (kind if known else errors.RagError)(turn.error)
