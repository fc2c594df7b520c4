"""A folder that changes → builds, one for each burst of saves. Does not know what a build is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

from rag.folder_rules import IGNORE_FILE

_QUIET_MILLISECONDS, _LONGEST_MILLISECONDS = 500, 10_000
"""A burst is over after so long without a change, or when it has lasted so long."""

_TICK_MILLISECONDS = 1000
"""How often to look whether the folder itself was replaced, and whether a build is still due."""


def watch(folder: Path, build: Callable[[], bool], stop: Event) -> None:
    """Build, and again after each burst of changes in ``folder``, until ``stop`` is set.

    ``build`` returns whether it is done; if not it is called again after a second. A folder that is
    removed and made again, as version control does, is found again. Hidden files do not count.
    """
    from watchfiles import watch as changes

    root = folder.absolute()
    due = True
    while not stop.is_set():
        identity = _identity(root)
        if identity is None:
            stop.wait(_TICK_MILLISECONDS / 1000)
            continue
        for burst in changes(
            root,
            watch_filter=lambda _, path: _is_visible(root, path),
            debounce=_LONGEST_MILLISECONDS,
            step=_QUIET_MILLISECONDS,
            rust_timeout=_TICK_MILLISECONDS,
            yield_on_timeout=True,
            stop_event=stop,
        ):
            if burst or due:
                due = not build()
            if _identity(root) != identity:
                due = True
                break


def _is_visible(root: Path, path: str) -> bool:
    try:
        parts = Path(path).relative_to(root).parts
    except ValueError:
        parts = Path(path).relative_to(root.resolve()).parts
    return not any(part.startswith(".") and part != IGNORE_FILE for part in parts)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
