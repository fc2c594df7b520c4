"""Folders that change → builds, one for each burst of saves. Does not know what a build is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event

_QUIET_MILLISECONDS, _LONGEST_MILLISECONDS = 500, 10_000
"""A burst is over after so long without a change, or when it has lasted so long."""

_TICK_MILLISECONDS = 1000
"""How often to look whether a folder itself was replaced, and whether a build is still due."""


def watch(folders: Sequence[Path], build: Callable[[], bool], stop: Event) -> None:
    """Build, and again after each burst of changes in ``folders``, until ``stop`` is set.

    ``build`` returns whether it is done; if not it is called again after a second. A folder may be
    missing: one that is made, or removed and made again as version control does, is found. Hidden
    files do not count.
    """
    due = True
    while not stop.is_set():
        roots = [folder.resolve() for folder in folders]
        identities = [_identity(root) for root in roots]
        there = [root for root, identity in zip(roots, identities, strict=True) if identity]
        with suppress(FileNotFoundError):  # one was removed at this very moment
            for burst in _bursts(there, stop) if there else ():
                if burst or due:
                    due = not build()
                if burst.intersection(there) or [_identity(root) for root in roots] != identities:
                    break
        if not stop.is_set():  # a folder came or went
            due = True
            stop.wait(_TICK_MILLISECONDS / 1000)


def _bursts(roots: Sequence[Path], stop: Event) -> Iterator[set[Path]]:
    """Yield the paths that changed, burst by burst, and an empty set at each tick without one."""
    from watchfiles import watch as changes

    for burst in changes(
        *roots,
        watch_filter=lambda _, path: _is_visible(roots, Path(path)),
        debounce=_LONGEST_MILLISECONDS,
        step=_QUIET_MILLISECONDS,
        rust_timeout=_TICK_MILLISECONDS,
        yield_on_timeout=True,
        stop_event=stop,
    ):
        yield {Path(path) for _, path in burst}


def _is_visible(roots: Sequence[Path], path: Path) -> bool:
    inside = [path.relative_to(root) for root in roots if path.is_relative_to(root)]
    return not any(part.startswith(".") for each in inside for part in each.parts)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
