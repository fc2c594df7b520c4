"""Turns that are over → stored, and their sentences checked, beside the page.

A file that is locked, full or read-only takes no answer from the screen: what went wrong is kept
as ``problem``, for the page to say. Draws nothing.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.conversations.stored_turn import Visitor
from rag.errors import HistoryError, ModelError
from rag.page.errands import Errands

if TYPE_CHECKING:
    from rag.assistant import Assistant
    from rag.conversations.conversation import Conversations
    from rag.conversations.stored_turn import StoredTurn, Thumb
    from rag.page.exchange import Pending
    from rag.page.live import LiveAnswer
    from rag.support.verdict import Support
    from rag.types import Answer


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A question of a stored conversation that is being answered, by whichever tab."""

    pending: Pending
    live: LiveAnswer
    keeper: Keeper


@dataclass(slots=True)
class Archive:
    """The stored conversations, and what is being answered in them by this process."""

    conversations: Conversations
    under_way: dict[str, UnderWay] = field(default_factory=dict)


class Keeper:
    """Keeps the turns of one conversation. Its methods are for any thread, and return at once.

    ``key`` is a turn's own number in this process, see :class:`~rag.page.exchange.Pending`.
    """

    def __init__(
        self,
        archive: Archive | None = None,
        visitor: Visitor | None = None,
        conversation: str | None = None,
    ) -> None:
        """Go on with ``conversation``, or begin one. Without ``archive`` nothing is stored."""
        self.archive = archive
        self.visitor = visitor or Visitor()
        self.conversation = conversation
        self.problem: HistoryError | None = None
        self._support: dict[int, tuple[Support, ...]] = {}
        self._stored: dict[int, int] = {}
        self._dropped: list[int] = []
        self._awaited: set[int] = set()
        self._lock = threading.Lock()
        self._errands = Errands()

    @property
    def busy(self) -> bool:
        """Whether a turn is being answered, or still to be stored or checked."""
        with self._lock:
            return bool(self._awaited) or self._errands.busy

    def support(self, key: int) -> tuple[Support, ...] | None:
        """Return what became of the sentences of a turn; None until they are checked."""
        with self._lock:
            return self._support.get(key)

    def known(self, key: int, turn: StoredTurn) -> None:
        """Take over a turn that was read from the archive."""
        with self._lock:
            self._stored[key] = turn.number
            self._support[key] = turn.support

    def begin(self, pending: Pending, live: LiveAnswer) -> None:
        """Say that a question is being answered, so that another tab can go on with it."""
        with self._lock:
            self._awaited.add(pending.key)
        if self.archive is not None:
            self._errands.add(lambda: self._begin(pending, live))

    def keep(self, key: int, turn: StoredTurn, assistant: Assistant) -> None:
        """Store a turn that is over, in place of those dropped before it, and check it."""
        self._errands.add(lambda: self._keep(key, turn))
        if turn.answer is not None:
            self.check(key, turn.answer, assistant)
        with self._lock:
            self._awaited.discard(key)

    def check(self, key: int, answer: Answer, assistant: Assistant) -> None:
        """Check the sentences of a turn's answer."""
        self._errands.add(lambda: self._check(key, answer, assistant))

    def drop(self, keys: list[int]) -> None:
        """Forget these turns once the next one is there: until then nothing is lost."""
        with self._lock:
            self._dropped += keys

    def rate(self, key: int, thumb: Thumb | None, comment: str) -> None:
        """Store what was thought of an answer."""
        self._errands.add(lambda: self._rate(key, thumb, comment))

    def _begin(self, pending: Pending, live: LiveAnswer) -> None:
        archive = self.archive
        if archive is None:
            return
        try:
            if self.conversation is None:
                self.conversation = archive.conversations.start(self.visitor)
        except HistoryError as error:
            self.problem = error
        else:
            archive.under_way[self.conversation] = UnderWay(pending, live, self)

    def _keep(self, key: int, turn: StoredTurn) -> None:
        archive = self.archive
        if archive is None:
            return
        with self._lock:
            first = min((self._stored[k] for k in self._dropped if k in self._stored), default=None)
            self._dropped = []
        store = archive.conversations
        try:
            if self.conversation is None:
                self.conversation = store.start(self.visitor)
            if first is not None:
                store.drop_turns(self.conversation, self.visitor, first)
            number = store.add_turn(self.conversation, self.visitor, turn).number
        except HistoryError as error:
            self.problem = error
        else:
            self.problem = None
            with self._lock:
                self._stored[key] = number
        finally:
            archive.under_way.pop(self.conversation or "", None)

    def _check(self, key: int, answer: Answer, assistant: Assistant) -> None:
        try:
            support = assistant.support(answer)
        except ModelError:
            support = ()
        with self._lock:
            self._support[key] = support
            number = self._stored.get(key)
        if support and number and self.archive is not None and self.conversation is not None:
            try:
                self.archive.conversations.set_support(
                    self.conversation, self.visitor, number, support
                )
            except HistoryError as error:
                self.problem = error

    def _rate(self, key: int, thumb: Thumb | None, comment: str) -> None:
        with self._lock:
            number = self._stored.get(key)
        if not number or self.archive is None or self.conversation is None:
            return
        try:
            self.archive.conversations.rate(self.conversation, self.visitor, number, thumb, comment)
        except HistoryError as error:
            self.problem = error
