"""One answer while it comes: pieces of text from whoever makes it → all who read it.

Knows neither models nor prompts. Safe to use from several threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, cast

from rag.citations import find_citations
from rag.errors import RagError
from rag.prompt import is_not_found
from rag.types import Answer, Window

MAX_CHARACTERS = 200_000
"""Where an answer, thinking included, is cut: a model in a loop must not fill the memory."""

STOPPED = "Stopped."


class AnswerStream:
    """An answer that is being made.

    Iterate for its pieces of text, from the beginning, as often as wanted; an iteration begun late
    gets what came before at once. ``answer`` waits for the end. Both raise the
    :class:`~rag.errors.RagError` that kept an answer from beginning; one that broke off later is an
    answer with ``cut`` set. Leaving a ``with`` block stops it.
    """

    def __init__(self, draft: Answer, stop: Callable[[], None] | None = None) -> None:
        """Begin with ``draft``: an answer without its text. ``stop`` makes its maker give up."""
        self._changed = threading.Condition()
        self._draft = draft
        self._notes = draft.notes
        self._stop = stop
        self._began = time.perf_counter()
        self._pieces: list[str] = []
        self._thoughts: list[str] = []
        self._recalls = 0
        self._size = 0
        self._answer: Answer | None = None
        self._error: RagError | None = None

    def __enter__(self) -> Self:
        """Return the stream itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop, unless it has ended."""
        self.close()

    def __iter__(self) -> Iterator[str]:
        """Yield the pieces of the answer's text, without what the model thinks."""
        at, recalls = 0, 0
        while True:
            with self._changed:
                while not self._more(at, recalls) and not self.ended:
                    self._changed.wait()
                if recalls != self._recalls:
                    at, recalls = 0, self._recalls
                new = self._pieces[at:]
                if not new:
                    if self._error is not None:
                        raise self._error
                    return
            at += len(new)
            yield "".join(new)

    def _more(self, at: int, recalls: int) -> bool:
        return len(self._pieces) > (at if recalls == self._recalls else 0)

    @property
    def question(self) -> str:
        """What the user asked."""
        return self._draft.question

    @property
    def query(self) -> str:
        """What was searched."""
        return self._draft.query

    @property
    def windows(self) -> tuple[Window, ...]:
        """The passages that the answer rests on. Fewer, once the model found them too long."""
        return self._draft.windows

    @property
    def text(self) -> str:
        """The answer's text so far."""
        with self._changed:
            return "".join(self._pieces)

    @property
    def reasoning(self) -> str:
        """What the model has thought so far, where it shows that."""
        with self._changed:
            return "".join(self._thoughts)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self._answer is not None or self._error is not None

    def wait(self) -> None:
        """Return once nothing more will come."""
        with self._changed:
            self._changed.wait_for(lambda: self.ended)

    @property
    def answer(self) -> Answer:
        """The whole answer; waits for it. Raises :class:`~rag.errors.RagError` if none began."""
        self.wait()
        if self._error is not None:
            raise self._error
        return cast("Answer", self._answer)

    def close(self) -> None:
        """Stop: what came stays, marked as cut. Closing an ended answer changes nothing."""
        self.finish(cut_reason=STOPPED)
        if self._stop is not None:
            self._stop()

    # What follows is for the maker of the answer.

    def shorten(self, windows: tuple[Window, ...], note: str) -> None:
        """Go on with fewer windows than found; ``note`` says so, in place of an earlier one."""
        with self._changed:
            self._draft = replace(self._draft, windows=windows, notes=(*self._notes, note))

    def add(self, text: str = "", reasoning: str = "", *, recalled: bool = False) -> None:
        """Add what came. ``recalled``: the text so far was reasoning."""
        with self._changed:
            if self.ended or not (text or reasoning or recalled):
                return
            if recalled:
                self._thoughts += self._pieces
                self._pieces = []
                self._recalls += 1
            if reasoning:
                self._thoughts.append(reasoning)
            if text:
                self._pieces.append(text)
            if self._draft.timings.first_token is None and self._pieces:
                timings = replace(self._draft.timings, first_token=self._elapsed())
                self._draft = replace(self._draft, timings=timings)
            self._size += len(text) + len(reasoning)
            self._changed.notify_all()
        if self._size > MAX_CHARACTERS:
            self.finish(cut_reason=f"The answer was longer than {MAX_CHARACTERS:,} characters.")

    def finish(self, *, cut_reason: str = "", **changes: Any) -> None:
        """End with what came. The text tells whether it is a refusal, unless ``changes`` do."""
        with self._changed:
            if self.ended:
                return
            text = "".join(self._pieces).rstrip()
            citations = find_citations(text, len(self._draft.windows))
            if "refusal" not in changes and not citations and is_not_found(text):
                changes["refusal"] = "not-found"
            self._answer = replace(
                self._draft,
                text=text,
                citations=citations,
                reasoning="".join(self._thoughts).strip(),
                cut=bool(cut_reason),
                cut_reason=cut_reason,
                timings=replace(self._draft.timings, total=self._elapsed()),
                **changes,
            )
            self._changed.notify_all()

    def fail(self, error: RagError) -> None:
        """End without an answer."""
        with self._changed:
            if not self.ended:
                self._error = error
                self._changed.notify_all()

    def _elapsed(self) -> float:
        """Return milliseconds since the question, the time to find the windows included."""
        before = self._draft.timings.rewrite + self._draft.timings.retrieve
        return before + (time.perf_counter() - self._began) * 1000
