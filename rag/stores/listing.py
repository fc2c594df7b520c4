"""What all stores do alike with what they have read: put it in order. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rag.stores.base import DocumentRecord, Scored
from rag.stores.conditions import selects, selects_sentence
from rag.stores.payload import sentence_of
from rag.types import Condition, Sentence

PAGE = 1000
"""Points read at once where many are."""


def in_document_order(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Order sentences by path and index."""
    return sorted(sentences, key=lambda sentence: (sentence.source, sentence.index))


def best_first(found: Iterable[tuple[Mapping[str, Any] | None, float]]) -> tuple[Scored, ...]:
    """Read payloads and scores, and order them by score.

    Equal scores stand by path and index, so that the order is always one.
    """
    scored = (Scored(sentence_of(payload), score) for payload, score in found)
    return tuple(sorted(scored, key=lambda s: (-s.score, s.sentence.source, s.sentence.index)))


def list_sentences(
    documents: Iterable[DocumentRecord],
    where: Sequence[Condition],
    read: Callable[[Iterable[tuple[str, int]]], list[Sentence]],
) -> Iterator[Sentence]:
    """Yield the sentences of ``documents`` that fulfil ``where``, reading them in pages."""
    keys: list[tuple[str, int]] = []
    for document in documents:
        if not selects(where, document):
            continue
        keys.extend((document.path, index) for index in range(document.sentences))
        while len(keys) >= PAGE:
            yield from (s for s in read(keys[:PAGE]) if selects_sentence(where, s))
            del keys[:PAGE]
    if keys:
        yield from (s for s in read(keys) if selects_sentence(where, s))
