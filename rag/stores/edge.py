"""The embedded store: Qdrant's own engine in this process, on the current generation's folder.

Turns searches into :class:`~rag.stores.base.Legs`. Any number of processes read at once; a store
goes on answering from the generation it opened, also when a build has replaced and removed it.
Knows how to read; ``edge_writer.py`` knows how to build.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
import qdrant_edge as engine

from rag.errors import StoreError, StoreMissing, StoreStale
from rag.stores import payload
from rag.stores.base import DENSE, KEYWORD, CollectionInfo, DocumentRecord, Legs
from rag.stores.edge_shard import SEARCHED, engine_filter, engine_sparse, load_to_read, translated
from rag.stores.filters import Clause, resolve
from rag.stores.generations import Generations
from rag.stores.listing import PAGE, best_first, in_document_order, list_sentences, pages
from rag.types import Condition, Sentence

if TYPE_CHECKING:
    from rag.settings import Settings
    from rag.stores.base import SparseVector, Vector

_ATTEMPTS = 3
"""Times that one generation is opened, 50 ms apart, before it counts as damaged."""

_KEPT = 10_000
"""Sentences that are kept once read, about 1 kB each: a dense search whose 60 are known takes .4 ms
of 2,000 sentences, and 1.4 where they are read: bench/store.py."""


class EdgeStore:
    """An open generation. See :class:`~rag.stores.base.Store`."""

    def __init__(self, shard: engine.EdgeShard, info: CollectionInfo) -> None:
        self._shard = shard
        self._info = info
        self._documents: list[DocumentRecord] | None = None
        self._sentences: dict[UUID, Sentence] = {}

    @property
    def info(self) -> CollectionInfo:
        """What is open."""
        return self._info

    def search(
        self,
        *,
        dense: Vector | None = None,
        keyword: SparseVector | None = None,
        limit: int,
        where: Sequence[Condition] = (),
    ) -> Legs:
        """Search the given legs; ``limit`` is the most that each returns."""
        clauses = resolve(where, self.documents)
        if clauses is None:
            return Legs()
        queries: dict[str, engine.Query] = {}
        with translated(f"search {self._info.collection}"):
            if dense is not None:
                queries[DENSE] = engine.Query.Nearest(dense, using=DENSE)  # type: ignore[arg-type]
            if keyword is not None and keyword.indices:
                queries[KEYWORD] = engine.Query.Nearest(engine_sparse(keyword), using=KEYWORD)
            wanted = engine_filter(clauses) if clauses else None
            params = engine.SearchParams(hnsw_ef=max(SEARCHED, limit))
            requests = [
                engine.QueryRequest(limit, query=query, filter=wanted, params=params)
                for query in queries.values()
            ]
            found = self._shard.query_batch(engine.QueryBatchRequest(requests))
            hits: Any = [[(point.id, point.score) for point in points] for points in found]
        # Read once for both legs, which is half the time of having each leg bring payloads.
        sentences = self._read({id_ for leg in hits for id_, _ in leg})
        legs = zip(queries, hits, strict=True)
        return Legs(**{n: best_first((sentences[i], s) for i, s in leg) for n, leg in legs})

    def read(self, keys: Iterable[tuple[str, int]]) -> list[Sentence]:
        """Return the sentences ``(source, index)`` that exist, in document order."""
        ids = {payload.sentence_id(source, index) for source, index in keys}
        return in_document_order(self._read(ids).values())

    def _read(self, ids: Iterable[UUID]) -> dict[UUID, Sentence]:
        """Return the sentences with these ids that exist, each read from disk once."""
        found = {id_: self._sentences.get(id_) for id_ in ids}
        missing: Any = [id_ for id_, sentence in found.items() if sentence is None]
        with translated(f"read {self._info.collection}"):
            records: Any = self._shard.retrieve(missing, True, False) if missing else ()
        new = {record.id: payload.sentence_of(record.payload) for record in records}
        if len(self._sentences) + len(new) > _KEPT:
            self._sentences = {}
        self._sentences.update(new)  # a generation never changes
        return {id_: sentence for id_, sentence in (found | new).items() if sentence is not None}

    def vectors(self, keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Vector]:
        """Return the dense vectors of the sentences ``(source, index)`` that exist."""
        ids: dict[Any, tuple[str, int]] = {payload.sentence_id(*key): key for key in keys}
        with translated(f"read {self._info.collection}"):
            records: Any = self._shard.retrieve(list(ids), False, [DENSE])
        return {ids[r.id]: np.asarray(r.vector[DENSE], dtype=np.float32) for r in records}

    def embedded(self, digests: Iterable[str]) -> dict[str, Vector]:
        """Return the dense vectors of the embedded texts with these digests, those it has."""
        found: dict[str, Vector] = {}
        for page in pages(dict.fromkeys(digests), PAGE):
            clause = Clause(payload.EMBEDDED, tuple(page))
            for record in self.scroll(clause, fields=[payload.EMBEDDED], vectors=True):
                vector: Any = record.vector
                digest = payload.embedded_of(record.payload)
                found[digest] = np.asarray(vector[DENSE], dtype=np.float32)
        return found

    def documents(self) -> list[DocumentRecord]:
        """Return every document, ordered by path."""
        if self._documents is None:  # a generation never changes
            records = self.scroll(Clause(payload.RECORD, (payload.DOCUMENT,)), fields=True)
            documents = [payload.document_of(record.payload) for record in records]
            self._documents = sorted(documents, key=lambda document: document.path)
        return list(self._documents)

    def sentences(self, where: Sequence[Condition] = ()) -> Iterator[Sentence]:
        """Yield all sentences that fulfil ``where``, ordered by path and index."""
        return list_sentences(self.documents(), where, self.read)

    def scroll(
        self, clause: Clause, *, fields: bool | list[str], vectors: bool = False
    ) -> Iterator[engine.Record]:
        """Yield all points that fulfil ``clause``, in pages, with these payload fields."""
        offset: Any = None
        while True:
            request = engine.ScrollRequest(
                offset, PAGE, engine_filter([clause]), fields, [DENSE] if vectors else False
            )
            with translated(f"read {self._info.collection}"):
                records, offset = self._shard.scroll(request)
            yield from records
            if offset is None:
                return

    def close(self) -> None:
        """Let go of the generation's files. Closing twice is allowed."""
        with translated(f"close {self._info.collection}"):
            self._shard.close()


def open_edge(settings: Settings) -> EdgeStore:
    """Open the current generation.

    A build may replace and remove it at any moment: on any failure the pointer is read again.
    Raises :class:`StoreMissing` before the first build, :class:`StoreStale` if another version
    wrote it, :class:`StoreError` if it is damaged.
    """
    generations = Generations(settings.qdrant_path / settings.collection)
    place = f"{settings.collection} in {settings.qdrant_path}"
    attempts: dict[str, int] = {}
    while (name := generations.current()) is not None:
        try:
            store = _open(settings, generations, name)
            if generations.current() == name:
                return store
            store.close()  # it was replaced meanwhile
        except StoreStale:
            if generations.current() == name:
                raise
        except StoreError as error:
            attempts[name] = attempts.get(name, 0) + 1
            if attempts[name] == _ATTEMPTS:
                raise StoreError(
                    f"Collection {place} is damaged: {error}. Rebuild it: python store.py --full"
                ) from error
        generations.remove_remains(name)
        time.sleep(0.05 * (attempts.get(name, 0) > 1))
    raise StoreMissing(f"No collection {place} yet. Run: python store.py")


def _open(settings: Settings, generations: Generations, name: str) -> EdgeStore:
    manifest = generations.manifest(name)
    with translated(f"open generation {name}"):
        shard = load_to_read(generations.path(name))
        try:
            return EdgeStore(shard, _info(shard, manifest.points, settings))
        except BaseException:
            shard.close()
            raise


def _info(shard: engine.EdgeShard, points: int, settings: Settings) -> CollectionInfo:
    found = shard.info().points_count
    records = shard.retrieve([payload.COLLECTION_ID], True, False)
    if found != points or not records:
        raise StoreError(f"it holds {found} points instead of {points}")
    return payload.info_of(records[0].payload, settings.collection, str(settings.qdrant_path))
