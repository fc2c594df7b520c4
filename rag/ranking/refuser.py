"""A search and the collection it was made in → whether to refuse.

Knows the store, of which it reads a sample once a generation; the rest is rag.ranking.signals' and
rag.ranking.refusal's.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from rag.ranking.refusal import Signals, refusal
from rag.ranking.signals import measure_signals
from rag.retrieval import clean_query
from rag.splitting.languages import script

if TYPE_CHECKING:
    from rag.retrieval import Retrieved
    from rag.stores.base import DocumentRecord, Store, Vector
    from rag.types import Mode, Refusal

SAMPLE = 256
"""Sentences that stand for the whole collection."""
FEW = 5
"""So many of them at least stand for the part in their script."""
ALL = "all"


@dataclass(frozen=True, slots=True)
class Part:
    """The sentences of a collection in one script: their mean vector, and their share, 0 to 1.

    Cosines across languages are lower, so each part is a collection of its own.
    """

    center: Vector
    share: float


class Refuser:
    """Says of a search whether its question should be refused. Safe to use from several threads.

    ``threshold`` is 0 to 1; 0 never refuses. ``calibrated`` says that the weights are for the
    embeddings in use; with others only the keyword leg is gone by.
    """

    def __init__(self, threshold: float, *, calibrated: bool) -> None:
        self._threshold = threshold
        self._calibrated = calibrated
        self._lock = threading.Lock()
        self._known: tuple[str, dict[str, Part]] | None = None

    def __call__(
        self, store: Store, found: Retrieved, mode: Mode, *, filtered: bool
    ) -> Refusal | None:
        """Return why not to answer from ``found``, searched in ``mode``; None to answer.

        ``filtered`` says that a part of the collection was searched, of which no more is known
        than what was found. Raises :class:`~rag.errors.StoreError`.
        """
        if not self._threshold or not found.hits:
            return None
        return refusal(self.signals(store, found, mode, filtered=filtered), self._threshold)

    def signals(self, store: Store, found: Retrieved, mode: Mode, *, filtered: bool) -> Signals:
        """Return what the search saw; ``found`` has hits. Else as when called."""
        size = store.info.sentences
        part = None
        if self._calibrated and found.legs.dense and found.vector is not None:
            part = self._part_of(store, script(found.legs.dense[0].sentence.text))
        if part is not None:
            size = round(part.share * size)
        if filtered:
            size = min(size, max(len(found.legs.dense), len(found.legs.keyword)))
        return measure_signals(
            clean_query(found.query),
            found.legs,
            found.hits[0],
            mode,
            size=size,
            vector=None if part is None else found.vector,
            center=None if part is None else part.center,
        )

    def _part_of(self, store: Store, wanted: str) -> Part | None:
        """Return the part of the collection in that script, or all of it where that is unknown."""
        generation = store.info.generation
        with self._lock:
            known = self._known
        if known is None or known[0] != generation:
            known = generation, _parts(store)
            with self._lock:
                self._known = known
        return known[1].get(wanted) or known[1].get(ALL)


def _parts(store: Store) -> dict[str, Part]:
    """Read a sample of the collection, and return its parts by script."""
    import numpy as np

    keys = sample_keys(store.documents(), SAMPLE)
    vectors = store.vectors(keys)
    rows: dict[str, list[Vector]] = {}
    for sentence in store.read(keys):
        vector = vectors.get((sentence.source, sentence.index))
        if vector is not None:
            rows.setdefault(ALL, []).append(vector)
            rows.setdefault(script(sentence.text), []).append(vector)
    return {
        name: Part(np.mean(some, axis=0), len(some) / len(rows[ALL]))
        for name, some in rows.items()
        if name == ALL or len(some) >= FEW
    }


def sample_keys(documents: Sequence[DocumentRecord], count: int) -> list[tuple[str, int]]:
    """Return ``(path, index)`` of up to ``count`` sentences, evenly spread over ``documents``."""
    ends = list(accumulate(document.sentences for document in documents))
    total = ends[-1] if ends else 0
    count = min(count, total)
    places = [place * total // count for place in range(count)]
    keys = []
    for place in places:
        at = bisect_right(ends, place)
        keys.append((documents[at].path, place - (ends[at] - documents[at].sentences)))
    return keys
