"""A folder that changes → builds, one for each burst of saves. Does not know what a build is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

_QUIET_MILLISECONDS, _LONGEST_MILLISECONDS = 500, 10_000
"""A burst is over after so long without a change, or when it has lasted so long."""

_TICK_MILLISECONDS = 1000
"""How often to look whether the folder itself was replaced, and whether a build is still due."""


def watch(folder: Path, build: Callable[[], bool], stop: Event) -> None:
    """Build, and again after each burst of changes in ``folder``, until ``stop`` is set.

    ``build`` returns whether it is done; if not it is called again after a second. A folder that is
    removed and made again, as version control does, is found again. Hidden files do not count.
    """
    due = True
    while not stop.is_set():
        root = folder.resolve()
        identity = _identity(root)
        with suppress(FileNotFoundError):  # it was removed at this very moment
            for burst in _bursts(root, stop) if identity else ():
                if burst or due:
                    due = not build()
                if root in burst or _identity(root) != identity:
                    break
        if not stop.is_set():  # the watch ended with the folder
            due = True
            stop.wait(_TICK_MILLISECONDS / 1000)


def _bursts(root: Path, stop: Event) -> Iterator[set[Path]]:
    """Yield the paths that changed, burst by burst, and an empty set at each tick without one."""
    from watchfiles import watch as changes

    for burst in changes(
        root,
        watch_filter=lambda _, path: _is_visible(root, Path(path)),
        debounce=_LONGEST_MILLISECONDS,
        step=_QUIET_MILLISECONDS,
        rust_timeout=_TICK_MILLISECONDS,
        yield_on_timeout=True,
        stop_event=stop,
    ):
        yield {Path(path) for _, path in burst}


def _is_visible(root: Path, path: Path) -> bool:
    if not path.is_relative_to(root):
        return True
    return not any(part.startswith(".") for part in path.relative_to(root).parts)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
