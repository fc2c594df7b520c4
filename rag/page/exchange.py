"""A question with what was set when it was asked, and the answer it got.

Values only: an :class:`Exchange` holds all that is needed to show it again exactly as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from rag.page.cards import Lines
from rag.types import Answer, Condition, Hit, Mode, Turn

if TYPE_CHECKING:
    from rag.conversations.stored_turn import Thumb
    from rag.errors import RagError

_KEYS = count(1)


@dataclass(frozen=True, slots=True)
class Options:
    """How to search: what the sidebar is set to. ``sources`` empty means all documents."""

    window_size: int
    top_k: int
    mode: Mode
    sources: tuple[str, ...] = ()

    @property
    def where(self) -> tuple[Condition, ...]:
        """The filter on the documents' paths."""
        return (Condition("source", "in", self.sources),) if self.sources else ()

    def resized(self, window_size: int) -> Options:
        """Return the same at another window size."""
        return replace(self, window_size=window_size)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer, with all that is needed to show it again exactly as it was.

    ``number`` counts the exchanges of a session from 1. ``history`` is what the model was told of
    the turns before. ``error`` is what kept the answer from beginning; ``failed`` says that it was
    a fault of the program. ``key`` is that of the :class:`Pending` it was. ``thumb`` and
    ``comment`` are what the visitor thinks of the answer.
    """

    number: int
    question: str
    answer: Answer
    options: Options
    history: tuple[Turn, ...] = ()
    lines: Mapping[tuple[str, int, int], Lines] = field(default_factory=dict)
    error: RagError | None = None
    failed: bool = False
    key: int = 0
    thumb: Thumb | None = None
    comment: str = ""

    @property
    def cited(self) -> frozenset[int]:
        """The passages that the answer cites."""
        return frozenset(citation.passage for citation in self.answer.citations)

    @property
    def hits(self) -> list[Hit]:
        """The found sentences, best first."""
        hits = [hit for window in self.answer.windows for hit in window.hits]
        return sorted(hits, key=lambda hit: hit.rank)


@dataclass(frozen=True, slots=True)
class Pending:
    """A question to be answered, with what was set when it was asked. With ``hits``, found by
    ``query``, nothing is searched. ``key`` tells the turns of a process apart, whatever tab and
    conversation they are in.
    """

    question: str
    options: Options
    hits: tuple[Hit, ...] | None = None
    query: str | None = None
    key: int = field(default_factory=_KEYS.__next__, compare=False)


@dataclass(frozen=True, slots=True)
class Focus:
    """The passage that a click asked for, and the sentence of its source, if one was meant: offsets
    ``start`` to ``end``. ``click`` tells two clicks apart.
    """

    passage: int
    click: int
    start: int = 0
    end: int = 0
