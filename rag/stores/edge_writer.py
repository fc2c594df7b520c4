"""Builds of the embedded store: the next generation is the current one plus what changed.

Nothing is copied before the first change, so a build that finds nothing to do costs nothing.
Vectors are looked up in the current generation, which stays open and whole during the build.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import qdrant_edge as engine

from rag.errors import StoreError, StoreMissing
from rag.stores import payload
from rag.stores.base import CollectionInfo, CollectionRecord, DocumentRecord, Point
from rag.stores.copying import remove_tree, require_room
from rag.stores.edge import EdgeStore, open_edge
from rag.stores.edge_building import Building
from rag.stores.edge_shard import (
    count_points,
    create_shard,
    engine_filter,
    engine_point,
    load_to_write,
    translated,
)
from rag.stores.filters import Clause
from rag.stores.generations import LOCK, Generations
from rag.stores.listing import PAGE, pages
from rag.stores.lock import BuilderLock

if TYPE_CHECKING:
    from rag.settings import Settings
    from rag.stores.base import Fingerprint, Vector


class EdgeWriter:
    """A build of the embedded collection. See :class:`~rag.stores.base.Writer`."""

    def __init__(self, settings: Settings, *, full: bool, fingerprint: Fingerprint) -> None:
        self._settings = settings
        self._full = full
        self._dimension = fingerprint.dimension
        self._generations = Generations(settings.qdrant_path / settings.collection)
        self._lock = BuilderLock(self._generations.folder / LOCK)
        self._base: EdgeStore | None = None
        self._documents: dict[str, DocumentRecord] = {}
        self._building: Building | None = None

    def __enter__(self) -> Self:
        """Take the lock, remove what killed builds left, open the current generation."""
        self._generations.current()  # refuses a folder that is not ours before writing into it
        self._lock.acquire()
        try:
            with translated(f"clean {self._generations.folder}"):
                self._generations.remove_others()
            if not self._full:
                self._base = self._open_base()
            if self._base is not None:
                self._documents = {record.path: record for record in self._base.documents()}
        except BaseException:
            self.__exit__()
            raise
        return self

    def _open_base(self) -> EdgeStore | None:
        try:
            return open_edge(self._settings)
        except StoreMissing:
            return None

    def __exit__(self, *exception: object) -> None:
        """Release the lock; drop what was not finished."""
        try:
            if self._base is not None:
                self._base.close()
            if self._building is not None:
                self._building.shard.close()
                remove_tree(self._building.folder)
                self._building = None
        finally:
            self._lock.release()

    @property
    def record(self) -> CollectionRecord | None:
        """What the collection was before this build; None where there is none, or a full build."""
        return None if self._base is None else self._base.info.record

    @property
    def documents(self) -> Mapping[str, DocumentRecord]:
        """The documents of the next state so far, by path."""
        return self._documents

    def vectors(self, digests: Iterable[str]) -> dict[str, Vector]:
        """Return the stored vectors of the embedded texts with these digests, those it has."""
        return {} if self._base is None else self._base.embedded(digests)

    def remove(self, paths: Iterable[str]) -> None:
        """Take documents and their sentences out."""
        known = [path for path in dict.fromkeys(paths) if path in self._documents]
        for start in range(0, len(known), PAGE):
            batch = known[start : start + PAGE]
            sentences = engine_filter([Clause(payload.SOURCE, tuple(batch))])
            records: list[Any] = [payload.document_id(path) for path in batch]
            self._begin().update(engine.UpdateOperation.delete_points_by_filter(sentences))
            self._begin().update(engine.UpdateOperation.delete_points(records))
            for path in batch:
                del self._documents[path]

    def add(self, record: DocumentRecord, points: Iterable[Point]) -> None:
        """Put a document in, in place of one of the same path."""
        self.remove([record.path])
        for page in pages(points, PAGE):
            self._begin().upsert([engine_point(point, record.modified) for point in page])
        document = payload.document_payload(record)
        self._begin().upsert([engine.Point(payload.document_id(record.path), {}, document)])
        self._documents[record.path] = record

    def finish(self, record: CollectionRecord) -> CollectionInfo:
        """Write the generation out, load it once, and make it the current one."""
        name, settings = self._begin().name, self._settings
        documents = len(self._documents)
        sentences = sum(document.sentences for document in self._documents.values())
        info = CollectionInfo(
            settings.collection, str(settings.qdrant_path), name, documents, sentences, record
        )
        self._begin().upsert(
            [engine.Point(payload.COLLECTION_ID, {}, payload.collection_payload(info))]
        )
        self._switch(points=sentences + documents + 1)
        return info

    def _switch(self, points: int) -> None:
        building, folder = self._begin(), self._generations.folder
        building.index()
        with translated(f"write {folder}"):
            building.close()
            if (found := count_points(building.folder)) != points:
                raise StoreError(
                    f"The new generation in {folder} holds {found} points instead of {points}. The "
                    "collection is as it was; run again: python store.py --full"
                )
            self._generations.switch(building.name, points)
            self._building = None
            self._generations.remove_others()

    def _begin(self) -> Building:
        """Return the generation that is being built; make it first if there is none."""
        if self._building is None:
            name, folder = self._generations.new()
            try:
                with translated(f"write {self._generations.folder}"):
                    self._building = Building(name, folder, self._make(folder))
            finally:
                if self._building is None:
                    remove_tree(folder)
        return self._building

    def _make(self, folder: Path) -> engine.EdgeShard:
        if self._base is None:
            require_room(self._generations.folder)
            return create_shard(folder, self._dimension)
        current = self._base.info.generation
        require_room(self._generations.folder, copies_of=self._generations.path(current))
        self._generations.copy(current, folder)
        return load_to_write(folder)
