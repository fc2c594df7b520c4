"""A build in one thread of the process, which every session of it watches.

A build is no part of a script run: a click does not end it, and a second tab sees the same one.
Does not draw.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.errors import RagError

if TYPE_CHECKING:
    from rag.build import BuildReport, Progress
    from rag.settings import Settings

SHARES = {"read": (0.0, 0.05), "split": (0.05, 0.1), "embed": (0.1, 0.95), "write": (0.1, 1.0)}
"""Where each step begins and ends on the bar. Nearly all of a build is spent in ``embed``."""


@dataclass(frozen=True, slots=True)
class BuildState:
    """What a builder is doing, or how it ended.

    ``fraction`` (0 to 1) is how much is done, ``progress`` the step under way. ``failed`` says that
    it ended without a result though nobody stopped it; without an ``error`` that was a fault of the
    program. ``ended`` counts the builds that have ended, well or not.
    """

    running: bool = False
    progress: Progress | None = None
    fraction: float = 0.0
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

    @property
    def state(self) -> BuildState:
        """What is being done, or how the last build ended."""
        with self._lock:
            return self._state

    def start(self, *, full: bool = False) -> None:
        """Begin to build, unless a build is running. ``full`` computes every vector again."""
        with self._lock:
            if self._state.running:
                return
            self._state = BuildState(running=True, ended=self._state.ended)
            self._cancel = threading.Event()
        threading.Thread(target=self._run, args=(full,), name="build", daemon=True).start()

    def cancel(self) -> None:
        """Ask the running build to end. The collection stays as it was."""
        self._cancel.set()

    def _run(self, full: bool) -> None:
        from rag.build import BuildCancelled, build

        report: BuildReport | None = None
        error: RagError | None = None
        try:
            report = build(
                self._settings, full=full, progress=self._went_on, cancel=self._cancel.is_set
            )
        except BuildCancelled:
            pass
        except RagError as raised:
            error = raised
        finally:
            with self._lock:
                self._state = BuildState(
                    report=report,
                    error=error,
                    failed=report is None and not self._cancel.is_set(),
                    ended=self._state.ended + 1,
                )

    def _went_on(self, progress: Progress) -> None:
        first, last = SHARES[progress.step]
        done = min(1.0, progress.done / max(1, progress.total))
        with self._lock:
            # Files are taken in groups, so the steps come round again; the bar never goes back.
            fraction = max(self._state.fraction, first + (last - first) * done)
            self._state = replace(self._state, progress=progress, fraction=fraction)
