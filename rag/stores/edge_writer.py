"""Builds of the embedded store: the next generation, from the current one plus what changed.

Until the first change nothing is copied, so that a build that finds nothing to do costs nothing.
Vectors are looked up in the current generation, which stays open and whole during the build.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import qdrant_edge as engine

from rag.errors import StoreError, StoreMissing
from rag.stores.base import DENSE, KEYWORD, CollectionInfo, CollectionRecord, DocumentRecord, Point
from rag.stores.edge import (
    PAGE,
    EdgeStore,
    digest_filter,
    load_shard,
    open_edge,
    source_filter,
    translated,
)
from rag.stores.generations import BuilderLock, Generations, Manifest
from rag.stores.payload import (
    COLLECTION_ID, EMBEDDED, RECORD, SECTION, SOURCE, collection_payload, document_id,
    document_payload, point_payload, sentence_id,
)  # fmt: skip
from rag.stores.payload import PAGE as PAGE_FIELD

if TYPE_CHECKING:
    from rag.settings import Settings
    from rag.stores.base import Fingerprint, Vector

_ROOM_BYTES = 64 << 20
"""Free space below which nothing is written: the engine's files grow by pages of up to 32 MB, and a
write to a mapped file on a full disk ends the process."""


class EdgeWriter:
    """A build of the embedded collection. See :class:`~rag.stores.base.Writer`."""

    def __init__(self, settings: Settings, *, full: bool, fingerprint: Fingerprint) -> None:
        self._settings = settings
        self._full = full
        self._dimension = fingerprint.dimension
        self._generations = Generations(settings.qdrant_path / settings.collection)
        self._lock = BuilderLock(self._generations.folder)
        self._base: EdgeStore | None = None
        self._documents: dict[str, DocumentRecord] = {}
        self._building: tuple[str, Path, engine.EdgeShard] | None = None

    def __enter__(self) -> Self:
        """Take the lock, remove what killed builds left, open the current generation."""
        self._generations.current()  # refuses a folder that is not ours before writing into it
        self._lock.acquire()
        try:
            with translated(f"clean {self._generations.folder}"):
                self._generations.remove_others()
            if not self._full:
                self._open_base()
        except BaseException:
            self._lock.release()
            raise
        return self

    def _open_base(self) -> None:
        try:
            self._base = open_edge(self._settings)
        except StoreMissing:
            return
        self._documents = {record.path: record for record in self._base.documents()}

    def __exit__(self, *exception: object) -> None:
        """Release the lock; drop what was not finished."""
        try:
            if self._base is not None:
                self._base.close()
            if self._building is not None:
                _, folder, shard = self._building
                self._building = None
                shard.close()
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            self._lock.release()

    @property
    def record(self) -> CollectionRecord | None:
        """What the collection was before this build; None where there is none, or a full build."""
        return self._base.info.record if self._base else None

    @property
    def documents(self) -> Mapping[str, DocumentRecord]:
        """The documents of the next state so far, by path."""
        return self._documents

    def vectors(self, digests: Iterable[str]) -> dict[str, Vector]:
        """Return the stored vectors of the embedded texts with these digests, those it has."""
        if self._base is None:
            return {}
        found: dict[str, Vector] = {}
        wanted = list(dict.fromkeys(digests))
        for start in range(0, len(wanted), PAGE):
            records = self._base.scroll(
                digest_filter(wanted[start : start + PAGE]), payload=[EMBEDDED], vectors=True
            )
            for record in records:
                vector = np.asarray(record.vector[DENSE], dtype=np.float32)
                found[record.payload["metadata"]["embedded"]] = vector
        return found

    def remove(self, paths: Iterable[str]) -> None:
        """Take documents and their sentences out."""
        known = [path for path in paths if path in self._documents]
        for start in range(0, len(known), PAGE):
            batch = known[start : start + PAGE]
            sentences = source_filter(batch)
            assert sentences is not None  # noqa: S101  there are paths in it
            self._update(
                engine.UpdateOperation.delete_points_by_filter(sentences),
                engine.UpdateOperation.delete_points([document_id(path) for path in batch]),
            )
            for path in batch:
                del self._documents[path]

    def add(self, record: DocumentRecord, points: Sequence[Point]) -> None:
        """Put a document in, in place of one of the same path."""
        self.remove([record.path])
        for start in range(0, len(points), PAGE):
            batch = [_sentence_point(p, record.modified) for p in points[start : start + PAGE]]
            self._update(engine.UpdateOperation.upsert_points(batch))
        document = engine.Point(document_id(record.path), {}, document_payload(record))
        self._update(engine.UpdateOperation.upsert_points([document]))
        self._documents[record.path] = record

    def finish(self, record: CollectionRecord) -> CollectionInfo:
        """Write the generation out, load it once, and make it the current one."""
        collection = engine.Point(COLLECTION_ID, {}, collection_payload(record))
        self._update(engine.UpdateOperation.upsert_points([collection]))
        assert self._building is not None  # noqa: S101  made by the update
        name, folder, shard = self._building
        sentences = sum(document.sentences for document in self._documents.values())
        manifest = Manifest(sentences + len(self._documents) + 1, len(self._documents), sentences)
        with translated(f"write {self._generations.folder}"):
            shard.optimize()
            shard.flush()
            shard.close()
            load_shard(folder, manifest).close()  # the first load writes the engine's configuration
            self._generations.switch(name, manifest)
            self._building = None
            self._generations.remove_others()
        return CollectionInfo(
            self._settings.collection, str(self._settings.qdrant_path), name, manifest.documents,
            manifest.sentences, record,
        )  # fmt: skip

    def _update(self, *operations: engine.UpdateOperation) -> None:
        with translated(f"write {self._generations.folder}"):
            if self._building is None:
                self._building = self._begin()
            free = shutil.disk_usage(self._generations.folder).free
            if free < _ROOM_BYTES:
                raise StoreError(
                    f"The disk of {self._generations.folder} is full: {free >> 20} MB free, "
                    f"{_ROOM_BYTES >> 20} MB wanted. The collection is as it was; free some space "
                    "and run again: python store.py"
                )
            for operation in operations:
                self._building[2].update(operation)

    def _begin(self) -> tuple[str, Path, engine.EdgeShard]:
        name, folder = self._generations.new()
        if self._base is not None:
            self._generations.copy(self._base.info.generation, folder)
            return name, folder, load_shard(folder)
        shard = engine.EdgeShard.create(str(folder), _config(self._dimension))
        for key in (SOURCE, EMBEDDED, SECTION, RECORD):
            index: Any = engine.KeywordIndexParams()
            shard.update(engine.UpdateOperation.create_field_index(key, index))
        shard.update(
            engine.UpdateOperation.create_field_index(PAGE_FIELD, engine.IntegerIndexParams())
        )
        return name, folder, shard


def _config(dimension: int) -> engine.EdgeConfig:
    return engine.EdgeConfig(
        vectors={DENSE: engine.EdgeVectorParams(dimension, engine.Distance.Cosine)},
        sparse_vectors={KEYWORD: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf)},
        wal_enabled=False,  # what is not finished is dropped, and without a log many may read
    )


def _sentence_point(point: Point, modified: float) -> engine.Point:
    sentence = point.sentence
    keyword = engine.SparseVector(list(point.keyword.indices), list(point.keyword.values))
    vectors: Any = {DENSE: point.dense, KEYWORD: keyword}
    payload = point_payload(point, modified)
    return engine.Point(sentence_id(sentence.source, sentence.index), vectors, payload)
