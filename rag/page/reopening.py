"""A stored conversation → the session of a tab that looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.conversations.conversation import history_of
from rag.page.keeper import Keeper
from rag.page.session import Session
from rag.page.stored import exchange_of, pending_of
from rag.types import EXTRACTIVE

if TYPE_CHECKING:
    from rag.conversations.stored_turn import StoredTurn, Visitor
    from rag.page.keeper import Archive
    from rag.page.library import Library


def reopen(archive: Archive, visitor: Visitor, conversation: str, library: Library) -> Session:
    """Return a session that shows a conversation as it was, and goes on with it.

    A question that is just being answered, asked in another tab or before a reload, is gone on
    with. Raises :class:`~rag.errors.HistoryError`.
    """
    under_way = archive.under_way.get(conversation)
    turns = archive.conversations.turns(conversation, visitor)
    if under_way is not None and conversation not in archive.under_way:
        under_way = None  # it has come to its end meanwhile
        turns = archive.conversations.turns(conversation, visitor)
    keeper = under_way.keeper if under_way else Keeper(archive, visitor, conversation)
    session = Session(keeper=keeper)
    for at, turn in enumerate(turns):
        _show(session, turn, turns[:at], library)
    session.select(session.made)
    if under_way is not None:
        session.go_on(under_way.pending, under_way.live)
    return session


def _show(
    session: Session, turn: StoredTurn, before: tuple[StoredTurn, ...], library: Library
) -> None:
    pending = pending_of(turn)
    exchange = exchange_of(turn, pending, history_of(before), library)
    session.exchanges.append(exchange)
    session.made = turn.number
    session.keeper.known(pending.key, turn)
    answer = exchange.answer
    if not turn.support and answer.text and answer.answerer != EXTRACTIVE and not answer.refused:
        session.keeper.check(pending.key, answer, library.assistant)  # it was not done in time
