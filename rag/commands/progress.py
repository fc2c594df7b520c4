"""Progress → one line on a terminal that is written over, or a line now and then in a log."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from rag.building.report import Progress, Step

_WORDS: dict[Step, str] = {
    "read": "Reading: {} of {} files",
    "split": "Splitting: {} of {} files",
    "embed": "Embedding: {} of about {} sentences",
    "write": "Writing: {} of about {} sentences",
}
_TERMINAL_SECONDS, _LOG_SECONDS = 0.1, 10.0  # between two lines


class ProgressLine:
    """Shows how far a build is. On a terminal it also says how long the rest will take."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._began = time.monotonic()
        # A log hears of a build that takes a while, and nothing of one that does not.
        self._shown_at = 0.0 if self._terminal else self._began
        self._width = 0

    def show(self, progress: Progress) -> None:
        """Show ``progress``, unless another was shown just now."""
        now = time.monotonic()
        if now - self._shown_at < (_TERMINAL_SECONDS if self._terminal else _LOG_SECONDS):
            return
        self._shown_at = now
        text = _WORDS[progress.step].format(progress.done, progress.total)
        text += self._rest(progress, now - self._began)
        if self._terminal:
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def end(self) -> None:
        """Take the line away again."""
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0

    def _rest(self, progress: Progress, spent: float) -> str:
        if progress.step != "embed" or not progress.done or spent < 3:
            return ""
        seconds = spent / progress.done * (progress.total - progress.done)
        return (
            f", about {seconds / 60:.0f} min left" if seconds >= 90 else f", {seconds:.0f} s left"
        )


def show_questions(done: int, total: int, failed: int) -> None:
    """Show a bar on stderr; where that is no terminal, only when all are done."""
    ending = "\n" if done == total else "\r"
    if not sys.stderr.isatty() and done != total:
        return
    bar = "█" * (done * 24 // total)
    failures = f", {failed} failed" if failed else ""
    sys.stderr.write(f"{bar:<24} {done}/{total} questions{failures}{ending}")
    sys.stderr.flush()
