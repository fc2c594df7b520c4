"""A question under way, from which any script run can draw what has come so far.

Streamlit ends a script run whenever something is clicked, so the answer depends on none: its
passages are found in a thread, and the stream that it then becomes fills itself. Does not draw.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rag.errors import RagError
from rag.types import Answer, Window

if TYPE_CHECKING:
    from rag.answering import AnswerStream

STEP_SECONDS = 0.01
"""How often a waiting run looks: it must not take the time of the thread that makes the answer."""


class LiveAnswer:
    """An answer that is being made. Its methods are for any thread."""

    def __init__(
        self,
        question: str,
        ask: Callable[[], AnswerStream],
        ended: Callable[[LiveAnswer], None] | None = None,
    ) -> None:
        """Answer ``question``, once it is started, by calling ``ask`` in a thread; ``ended`` is
        called there once nothing more will come, whether or not anybody looks.
        """
        self.question = question
        self._ask = ask
        self._ended = ended
        self._lock = threading.Lock()
        self._result: tuple[Answer, RagError | None] | None = None
        self._stream: AnswerStream | None = None
        self._error: RagError | None = None
        self._stopped = False
        self._searched = threading.Event()

    def start(self) -> None:
        """Begin. Not a part of making it: it may end at once, so who waits for that comes first."""
        threading.Thread(target=self._search, name="question", daemon=True).start()

    @property
    def windows(self) -> tuple[Window, ...] | None:
        """The passages; None until they are found."""
        return None if self._stream is None else self._stream.windows

    @property
    def query(self) -> str:
        """What was searched; the question until that is known."""
        return self.question if self._stream is None else self._stream.query

    @property
    def text(self) -> str:
        """The answer's text so far."""
        return "" if self._stream is None else self._stream.text

    @property
    def reasoning(self) -> str:
        """What the model has thought so far, where it shows that."""
        return "" if self._stream is None else self._stream.reasoning

    @property
    def done(self) -> bool:
        """Whether nothing more will come."""
        if self._stream is None:
            return self._stopped or self._searched.is_set()
        return self._stream.ended

    def wait_for_windows(self, timeout_seconds: float) -> None:
        """Return once the passages are found, or after ``timeout_seconds``."""
        self._searched.wait(timeout_seconds)

    def wait_for_news(self, seen: int, timeout_seconds: float) -> None:
        """Return once there are more than ``seen`` characters, or it is done, or the passages are
        found, or after ``timeout_seconds``.
        """
        until = time.monotonic() + timeout_seconds
        searching = self._stream is None
        while time.monotonic() < until:
            size = len(self.text) + len(self.reasoning)
            if size > seen or self.done or (searching and self._stream is not None):
                return
            time.sleep(STEP_SECONDS)

    def stop(self) -> None:
        """Let it end here, with what came."""
        self._stopped = True
        if self._stream is not None:
            self._stream.close()

    def result(self) -> tuple[Answer, RagError | None]:
        """Return the answer once it is done, and the error where there is none.

        With an error, or when it was stopped before anything was found, the answer is empty.
        """
        with self._lock:
            if self._result is None:
                self._result = self._read()
            return self._result

    def _read(self) -> tuple[Answer, RagError | None]:
        none = Answer(self.question, self.question, "", self.windows or (), cut=True)
        if self._stream is None:
            return none, self._error
        try:
            return self._stream.answer, None
        except RagError as error:
            return none, error

    @property
    def failed(self) -> bool:
        """Whether a fault of the program kept an answer from beginning; the terminal says which."""
        return self.done and self._stream is None and self._error is None and not self._stopped

    def _search(self) -> None:
        try:
            self._find()
        finally:
            if self._ended is not None:
                self._ended(self)

    def _find(self) -> None:
        try:
            stream = self._ask()
            self._stream = stream
            if self._stopped:
                stream.close()
        except RagError as error:
            self._error = error
        finally:
            self._searched.set()
        if self._stream is not None:
            self._stream.wait()
