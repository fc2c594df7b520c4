"""What must not hold up a page → done beside it, one after the other, in the order it came.

Knows nothing of what is done.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable


class Errands:
    """Runs what it is given in a thread of its own, which ends when nothing is left."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Callable[[], None]] = deque()
        self._running = False

    def add(self, errand: Callable[[], None]) -> None:
        """Run ``errand`` once those before it are done. It must handle the errors it can meet."""
        with self._lock:
            self._waiting.append(errand)
            if self._running:
                return
            self._running = True
        threading.Thread(target=self._run, name="errands", daemon=True).start()

    @property
    def busy(self) -> bool:
        """Whether something is still to be done."""
        with self._lock:
            return self._running

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running = False
                    return
                errand = self._waiting.popleft()
            try:
                errand()
            except BaseException:
                with self._lock:
                    self._running = False  # a fault of the program: whoever comes next starts anew
                raise
