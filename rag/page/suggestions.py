"""The documents that are loaded → questions to begin with.

Pure. The project's own sample documents have questions written for them; others are asked about by
their titles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.page.strings import Strings
    from rag.stores.base import DocumentRecord

SAMPLE = "kettle-k1.md"
"""A file by which the sample documents are known, wherever their folder is."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question, and the label that shows it: Streamlit reads a label as Markdown."""

    text: str
    label: str


def suggest(documents: Sequence[DocumentRecord], words: Strings) -> list[Suggestion]:
    """Return up to three questions that the documents can answer."""
    if any(record.path.rpartition("/")[2] == SAMPLE for record in documents):
        texts = list(words.suggestions)
    else:
        largest = sorted(documents, key=lambda record: -record.sentences)[:3]
        texts = [words.suggest_title.format(title=record.title) for record in largest]
    return [Suggestion(text, escaped(text)) for text in texts]


def escaped(text: str) -> str:
    """Return ``text`` as Markdown that shows it unchanged."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
