"""Texts → batches for an embeddings endpoint; its answer → vectors in the batch's order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openai.types import CreateEmbeddingResponse

    from rag.embeddings import Matrix

BATCH_TEXTS, BATCH_CHARACTERS = 64, 40_000
"""Most texts and characters of a request, one text at least. OpenAI takes 2,048 and some 300,000
tokens, others much less: a batch that is refused is halved, and so are those after it."""


def batches_of(texts: Sequence[str], most: int) -> Iterator[tuple[int, list[str]]]:
    """Cut ``texts`` into batches of at most ``most``; with each comes the index of its first."""
    first, characters = 0, 0
    for place, text in enumerate(texts):
        full = place - first == most or characters + len(text) > BATCH_CHARACTERS
        if full and place > first:
            yield first, list(texts[first:place])
            first, characters = place, 0
        characters += len(text)
    if first < len(texts):
        yield first, list(texts[first:])


def vectors_of(answer: CreateEmbeddingResponse, count: int) -> Matrix:
    """Return the ``count`` vectors of an answer, by the indices that it gives.

    The answer was not checked by anyone: a server may have sent anything. ValueError says what.
    """
    import numpy as np

    try:
        data = sorted(answer.data, key=lambda each: each.index or 0)
        places = {each.index for each in data}
        vectors = np.array([each.embedding for each in data], dtype=np.float32)
    except (AttributeError, TypeError, ValueError):
        raise ValueError("no vectors of one length; check the base URL") from None
    if len(data) != count:
        raise ValueError(f"{len(data)} vectors for {count} texts")
    if places not in ({None}, set(range(count))):
        raise ValueError("vectors that do not say which texts are theirs")
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise ValueError("vectors without numbers")
    return vectors
