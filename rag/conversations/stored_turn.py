"""What is kept of a conversation: its turns, with all that they were made from. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag.support.verdict import Support
from rag.types import Answer, Condition, Mode

Thumb = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks for conversations. ``user`` is the name of the one logged in, None without login.
    ``local`` says that the page can be reached from this machine alone.
    """

    user: str | None = None
    local: bool = False


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """What a question was asked with: sentences on each side, sentences kept, the way to search,
    and the filters.
    """

    window_size: int
    top_k: int
    mode: Mode
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A question and what came of it. ``number`` counts from 1 in its conversation; a turn that is
    not stored yet has 0. ``error`` says why there is no answer, when none began, and ``fault`` is
    the name of its class; ``answer`` is then None, or has no text. ``asked`` is seconds since the
    epoch.
    """

    question: str
    settings: TurnSettings
    answer: Answer | None = None
    support: tuple[Support, ...] = ()
    error: str = ""
    fault: str = ""
    asked: float = 0.0
    number: int = 0
    thumb: Thumb | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A conversation in a list. ``id`` cannot be guessed: whoever knows it has its link. ``owner``
    is None where nobody was logged in; times are seconds since the epoch. ``rated`` counts the
    answers with a thumb up.
    """

    id: str
    title: str
    owner: str | None
    created: float
    changed: float
    turns: int
    rated: int
