"""Progress on a terminal, and in a log."""

from __future__ import annotations

import io

import pytest

from rag.building.report import Progress
from rag.commands import progress
from rag.commands.progress import ProgressLine


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in seconds, for the test to set."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_terminal_has_one_line_that_goes_away(clock: list[float]) -> None:
    """Each state is written over the last, at most ten times a second, and wiped at the end."""
    stream = Terminal()
    line = ProgressLine(stream)
    line.show(Progress("read", 10, 10))
    line.show(Progress("split", 1, 10))
    clock[0] += 0.2
    line.show(Progress("write", 5, 9))
    line.end()
    read, write = "Reading: 10 of 10 files", "Writing: 5 of about 9 sentences"
    assert stream.getvalue() == f"\r{read}\r{write}\r{' ' * len(write)}\r"


def test_a_terminal_says_how_long_the_rest_takes(clock: list[float]) -> None:
    """After a few seconds of embedding the rest is estimated from what was done."""
    stream = Terminal()
    line = ProgressLine(stream)
    for seconds, done, words in ((10, 50, ", 30 s left"), (50, 60, ", about 2 min left")):
        clock[0] += seconds
        line.show(Progress("embed", done, 200))
        assert stream.getvalue().endswith(f"{done} of about 200 sentences{words}")


def test_a_log_gets_a_line_now_and_then_and_nothing_of_a_quick_build(clock: list[float]) -> None:
    """Without a terminal there is a line every ten seconds, and no control characters."""
    stream = io.StringIO()
    line = ProgressLine(stream)
    for _ in range(25):
        line.show(Progress("split", 3, 9))
        clock[0] += 1
    line.end()
    assert stream.getvalue() == "Splitting: 3 of 9 files\n" * 2
