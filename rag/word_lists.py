"""Words written in a row → a list or a set of them, for the tables of other modules."""

from __future__ import annotations


def word_list(text: str) -> list[str]:
    """Return the words of ``text``, in order."""
    return text.split()


def word_set(text: str) -> frozenset[str]:
    """Return the words of ``text``."""
    return frozenset(text.split())
