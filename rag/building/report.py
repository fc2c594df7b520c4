"""What a build says about itself: while it runs, and when it is done. Values only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from rag.types import Skipped

Step = Literal["read", "split", "embed", "write"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is.

    ``done`` and ``total`` count files in the steps ``read`` and ``split``, sentences in ``embed``
    and ``write``. The total of sentences is estimated from the files' sizes until the last file is
    split.
    """

    step: Step
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Seconds:
    """What the steps of a build took. ``read`` includes finding out what changed."""

    read: float = 0.0
    split: float = 0.0
    embed: float = 0.0
    write: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did. ``documents`` and ``sentences`` are what the collection holds now.

    ``added`` sentences were embedded now, ``reused`` ones have a vector from before, ``removed``
    ones are gone. ``sources`` are the documents' paths. ``notes`` are remarks for the user.
    """

    collection: str
    location: str
    generation: str
    documents: int
    sentences: int
    added: int
    reused: int
    removed: int
    skipped: tuple[Skipped, ...]
    sources: tuple[str, ...]
    embedding_model: str
    window_size: int
    seconds: Seconds
    notes: tuple[str, ...] = ()


class Stopwatch:
    """Adds up what the steps of a build take, in seconds."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._spent: dict[Step, float] = {}

    @contextmanager
    def step(self, step: Step) -> Iterator[None]:
        """Count the time inside for ``step``."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._spent[step] = self._spent.get(step, 0.0) + time.perf_counter() - began

    def seconds(self) -> Seconds:
        """Return what was counted so far."""
        spent = self._spent
        return Seconds(
            read=spent.get("read", 0.0),
            split=spent.get("split", 0.0),
            embed=spent.get("embed", 0.0),
            write=spent.get("write", 0.0),
            total=time.perf_counter() - self._began,
        )
