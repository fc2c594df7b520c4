"""One visitor's conversation: what was asked, what is being answered, and what is looked at.

Kept in Streamlit's session state, one a browser tab. Knows the assistant, not how anything looks.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rag.page.exchange import Exchange, Focus, Pending
from rag.page.keeper import Keeper
from rag.page.live import LiveAnswer
from rag.page.stored import stored_turn
from rag.types import Answer, Turn

if TYPE_CHECKING:
    from rag.answering import AnswerStream
    from rag.conversations.stored_turn import Thumb
    from rag.page.library import Library
    from rag.support.verdict import Support


@dataclass(slots=True)
class Session:
    """A conversation.

    ``made`` counts its exchanges, those that were dropped too. ``selected`` is the exchange whose
    passages are looked at, None for the one under way. ``shown_size`` is the window size at which
    they are looked at, when it is not the one of the answer; ``all_found`` says that those left out
    of the answer are looked at too. ``opened`` is the document looked at, as ``(path, start of the
    passage)``; ``prompt_of`` the exchange whose prompt is. ``drawn`` counts the characters of the
    answer on screen; ``look`` numbers the drawings that ask for another, ``looked_at`` is the last
    one that the browser has answered; ``page`` numbers those of the whole page. ``typed`` are
    questions that no drawing has seen yet.
    """

    exchanges: list[Exchange] = field(default_factory=list)
    live: LiveAnswer | None = None
    pending: Pending | None = None
    typed: list[str] = field(default_factory=list)
    waiting: list[Pending] = field(default_factory=list)
    selected: int | None = None
    shown_size: int | None = None
    all_found: bool = False
    opened: tuple[str, int] | None = None
    focus: Focus | None = None
    prompt_of: int | None = None
    made: int = 0
    drawn: int = 0
    look: int = 0
    looked_at: int = 0
    page: int = 0
    keeper: Keeper = field(default_factory=Keeper)
    _look_began: float = 0.0
    _clicks: int = 0

    def ask(self, library: Library, pending: Pending) -> None:
        """Answer a question, once the one under way is answered."""
        if self.live is not None:
            self.waiting.append(pending)
            return
        history = self.history
        assistant = library.assistant

        def ask() -> AnswerStream:
            options = pending.options
            return assistant.ask(
                pending.question, history,
                window_size=options.window_size, top_k=options.top_k, mode=options.mode,
                where=options.where, hits=pending.hits, query=pending.query,
            )  # fmt: skip

        keeper = self.keeper

        def ended(live: LiveAnswer) -> None:
            turn = stored_turn(pending, *live.result(), failed=live.failed)
            keeper.keep(pending.key, turn, assistant)

        live = LiveAnswer(pending.question, ask, ended)
        keeper.begin(pending, live)
        live.start()
        self.go_on(pending, live)

    def go_on(self, pending: Pending, live: LiveAnswer) -> None:
        """Look at a question that is being answered."""
        self.pending, self.live = pending, live
        self.drawn = 0
        self._look_at(None)

    def finish(self, library: Library) -> None:
        """Put the answer that is done into the conversation, and ask what waits."""
        if self.live is None or self.pending is None:
            return
        answer, error = self.live.result()
        self.made += 1
        self.exchanges.append(
            Exchange(
                self.made,
                self.pending.question,
                answer,
                self.pending.options,
                self.history,
                library.lines(answer.windows),
                error,
                failed=self.live.failed,
                key=self.pending.key,
            )
        )
        self.live = self.pending = None
        if self.selected is None:
            self._look_at(self.made)
        if self.waiting:
            self.ask(library, self.waiting.pop(0))

    def support(self, exchange: Exchange) -> tuple[Support, ...] | None:
        """Return what became of an answer's sentences; None while they are being checked."""
        found = self.keeper.support(exchange.key)
        return found if found is not None or self.keeper.busy else ()

    def look_again(self, patience_seconds: float) -> None:
        """Let this drawing ask for another, if the browser has seen the last that did.

        So there is one question for the next drawing at a time, however many drawings there are.
        After ``patience_seconds`` without an answer it is asked again.
        """
        now = time.monotonic()
        if self.looked_at >= self.look or now - self._look_began > patience_seconds:
            self.look, self._look_began = self.look + 1, now

    @property
    def history(self) -> tuple[Turn, ...]:
        """The turns that the next question follows."""
        told = [(e.question, e.answer.text) for e in self.exchanges]
        return tuple(Turn(question, text) for question, text in told if text)

    @property
    def shown(self) -> Exchange | None:
        """The exchange whose passages are looked at; that of the question under way, once its
        passages are found, unless another is selected.
        """
        if self.selected is not None or self.live is None or self.pending is None:
            return self.find(self.selected)
        windows = self.live.windows
        if windows is None:
            return None
        answer = Answer(self.live.question, self.live.query, "", windows)
        return Exchange(0, self.live.question, answer, self.pending.options)

    def find(self, number: int | None) -> Exchange | None:
        """Return the exchange of that number."""
        return next((e for e in self.exchanges if e.number == number), None)

    def select(self, number: int, passage: int | None = None, start: int = 0, end: int = 0) -> None:
        """Look at the passages of an exchange, at one of them if it is named, and at a sentence of
        its source, if its offsets are.
        """
        under_way = self.live is not None and number == self.made + 1
        if under_way or self.find(number):
            self._look_at(None if under_way else number)
            if passage:
                self._clicks += 1
                self.focus = Focus(passage, self._clicks, start, end)

    def resize(self, window_size: int) -> None:
        """Look at the selected passages at another window size."""
        shown = self.shown
        other = shown is not None and shown.options.window_size != window_size
        self.shown_size = window_size if other else None

    def drop_from(self, number: int) -> Exchange | None:
        """Take an exchange, and all that came after it, out of the conversation; return it."""
        dropped = self.find(number)
        if dropped is None or self.live is not None:
            return None
        self.keeper.drop([e.key for e in self.exchanges if e.number >= number])
        self.exchanges = [e for e in self.exchanges if e.number < number]
        self._look_at(self.exchanges[-1].number if self.exchanges else None)
        return dropped

    def renewed(self) -> Session:
        """Stop what is under way and return the session of a new conversation."""
        if self.live is not None:
            self.live.stop()
        return Session(made=self.made, keeper=Keeper(self.keeper.archive, self.keeper.visitor))

    def rate(self, number: int, thumb: Thumb | None, comment: str) -> None:
        """Keep what the visitor thinks of an answer."""
        if rated := self.find(number):
            new = replace(rated, thumb=thumb, comment=comment)
            self.exchanges = [new if e is rated else e for e in self.exchanges]
            self.keeper.rate(rated.key, thumb, comment)

    def _look_at(self, number: int | None) -> None:
        self.selected = number
        self.shown_size = self.opened = self.focus = None
        self.all_found = False
