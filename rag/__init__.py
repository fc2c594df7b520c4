"""Chat with a folder of documents: find sentences, read their windows, answer, show why.

``import rag`` is cheap; each name below loads its module when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag.assistant import Assistant, open_assistant
    from rag.errors import RagError
    from rag.langchain import SentenceWindowRetriever
    from rag.settings import Settings
    from rag.types import Answer, Citation, Document, Hit, Sentence, Span, Turn, Window

__version__ = "0.1.0"

_HOMES = {
    "Assistant": "rag.assistant",
    "open_assistant": "rag.assistant",
    "RagError": "rag.errors",
    "SentenceWindowRetriever": "rag.langchain",
    "Settings": "rag.settings",
    "Answer": "rag.types",
    "Citation": "rag.types",
    "Document": "rag.types",
    "Hit": "rag.types",
    "Sentence": "rag.types",
    "Span": "rag.types",
    "Turn": "rag.types",
    "Window": "rag.types",
}

__all__ = [
    "Answer", "Assistant", "Citation", "Document", "Hit", "RagError", "Sentence",
    "SentenceWindowRetriever", "Settings", "Span", "Turn", "Window", "open_assistant",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the module that defines ``name``, on first use."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
