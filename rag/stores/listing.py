"""What all stores do alike with what they have read: put it in order. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from rag.stores.base import DocumentRecord, Scored
from rag.stores.conditions import selects, selects_sentence
from rag.types import Condition, Sentence

T = TypeVar("T")

PAGE = 1000
"""Points read at once where many are."""


def in_document_order(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Order sentences by path and index."""
    return sorted(sentences, key=lambda sentence: (sentence.source, sentence.index))


def best_first(found: Iterable[tuple[Sentence, float]]) -> tuple[Scored, ...]:
    """Order found sentences by score.

    Equal scores stand by path and index, so that the order is always one.
    """
    ordered = sorted(found, key=lambda pair: (-pair[1], pair[0].source, pair[0].index))
    return tuple(Scored(sentence, score) for sentence, score in ordered)


def pages(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield ``items`` in lists of ``size``, the last as long as what is left."""
    left = iter(items)
    while page := list(islice(left, size)):
        yield page


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
