"""What is searched for a question, and how it came about. A value, and light to import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

How = Literal["typed", "rule", "model"]


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched. ``how`` it came about: as typed, by the rule, by the chat model. ``note``
    is what was added by the rule, or the model's whole question; empty for a question as typed.
    ``fell_back`` says that the model was asked and the question is searched as typed all the same.
    """

    text: str
    how: How = "typed"
    note: str = ""
    fell_back: str = ""
