"""A build in one thread of the process, which every session of it watches.

A build is no part of a script run: a click does not end it, and a second tab sees the same one.
Does not draw.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.errors import RagError

if TYPE_CHECKING:
    from rag.assistant import Assistant
    from rag.build import BuildReport, Progress
    from rag.settings import Settings

SHARES = {"read": (0.0, 0.05), "split": (0.05, 0.1), "embed": (0.1, 0.95), "write": (0.1, 1.0)}
"""Where each step begins and ends on the bar. Nearly all of a build is spent in ``embed``."""

ESTIMATE_AFTER_SECONDS = 1.0
"""Of embedding; before, its speed is not known."""

NICENESS = 10
"""Of the thread that builds. On two cores the 95th percentile of 20 sessions beside it is 1.6 times
that without a build: bench/soak.py."""


@dataclass(frozen=True, slots=True)
class BuildState:
    """What a builder is doing, or how it ended.

    ``fraction`` (0 to 1) is how much is done, ``progress`` the step under way, ``seconds_left`` an
    estimate, None until there is one. ``failed`` says that it ended without a result though nobody
    stopped it; without an ``error`` that was a fault of the program. ``ended`` counts the builds
    that have ended, well or not.
    """

    running: bool = False
    progress: Progress | None = None
    fraction: float = 0.0
    seconds_left: float | None = None
    report: BuildReport | None = None
    error: RagError | None = None
    failed: bool = False
    ended: int = 0


class Builder:
    """Builds one collection, one build at a time. Its methods are for any thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._state = BuildState()
        self._cancel = threading.Event()
        self._again = False
        self._reader: Assistant | None = None
        self._embedding: tuple[float, int] | None = None
        """When the first sentences of this build had been embedded, and how many."""

    @property
    def state(self) -> BuildState:
        """What is being done, or how the last build ended."""
        with self._lock:
            return self._state

    def serve(self, reader: Assistant) -> None:
        """Let ``reader`` open each collection that is built before the build counts as ended, so
        that no question waits for it.
        """
        self._reader = reader

    def start(self, *, full: bool = False, again: bool = False) -> None:
        """Begin to build, unless a build is running. ``full`` computes every vector again.

        ``again``: one that is running may have missed what has just changed, so another follows.
        """
        with self._lock:
            if self._state.running:
                self._again = self._again or again
                return
            self._begin()
        threading.Thread(target=self._run, args=(full,), name="build", daemon=True).start()

    def cancel(self) -> None:
        """Ask the running build to end. The collection stays as it was."""
        with self._lock:
            self._again = False
            self._cancel.set()

    def _begin(self) -> None:
        self._state = BuildState(running=True, ended=self._state.ended)
        self._cancel = threading.Event()
        self._again, self._embedding = False, None

    def _run(self, full: bool) -> None:
        if sys.platform == "linux":  # where threads have priorities of their own: questions first
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        while self._build(full):
            full = False

    def _build(self, full: bool) -> bool:
        """Build once; return whether another build has been asked for meanwhile, and has begun."""
        from rag.build import BuildCancelled, build

        report: BuildReport | None = None
        error: RagError | None = None
        try:
            report = build(
                self._settings, full=full, progress=self._went_on, cancel=self._cancel.is_set
            )
            if self._reader is not None:
                with suppress(RagError):  # the next question says it
                    self._reader.refresh()
        except BuildCancelled:
            pass
        except RagError as raised:
            error = raised
        finally:
            with self._lock:
                failed = report is None and not self._cancel.is_set()
                self._state = BuildState(
                    report=report, error=error, failed=failed, ended=self._state.ended + 1
                )
                again = self._again and (error is not None or not failed)
                if again:
                    self._begin()
        return again

    def _went_on(self, progress: Progress) -> None:
        first, last = SHARES[progress.step]
        done = min(1.0, progress.done / max(1, progress.total))
        with self._lock:
            # Files are taken in groups, so the steps come round again; the bar never goes back.
            fraction = max(self._state.fraction, first + (last - first) * done)
            left = self._state.seconds_left
            if progress.step == "embed":
                left = self._estimate(progress) if progress.done else left
            self._state = replace(
                self._state, progress=progress, fraction=fraction, seconds_left=left
            )

    def _estimate(self, progress: Progress) -> float | None:
        """Return the seconds that the sentences still to embed take at the speed so far."""
        now = time.monotonic()
        began, before = self._embedding = self._embedding or (now, progress.done)
        done = progress.done - before
        if not done or now - began < ESTIMATE_AFTER_SECONDS:
            return None
        return (progress.total - progress.done) * (now - began) / done
