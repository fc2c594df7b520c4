"""Builds of a collection on a server.

A normal build replaces changed files where they are, one by one: new sentences are written over the
old ones, and what is left over of the old is deleted after. A reader may meanwhile see some files
new and some old, never a file missing. A full build fills a new collection and switches the alias.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np

from rag.stores import payload
from rag.stores.base import DENSE, CollectionInfo, CollectionRecord, DocumentRecord, Point
from rag.stores.filters import Clause
from rag.stores.listing import PAGE
from rag.stores.server import scroll
from rag.stores.server_client import connect, retried, translated
from rag.stores.server_collections import ServerCollections, new_generation
from rag.stores.server_lock import PointLock
from rag.stores.server_points import (
    client_filter,
    record_point,
    sentence_point,
)

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

    from rag.settings import Settings
    from rag.stores.base import Fingerprint, Vector

BATCH = 256
"""Points in one request: about 1.5 MB at 384 dimensions."""

WORKERS = 4
"""Documents written at the same time."""

GRACE_SECONDS = 3.0
"""How long the old collection is kept after the switch, for the questions that are being answered
from it."""


def open_server_writer(settings: Settings, *, full: bool, fingerprint: Fingerprint) -> ServerWriter:
    """Return a build on the server of the settings. See :func:`rag.stores.open_writer`."""
    return ServerWriter(connect(settings), settings, full=full, fingerprint=fingerprint)


class ServerWriter:
    """A build of a collection on a server. See :class:`~rag.stores.base.Writer`."""

    def __init__(
        self,
        client: QdrantClient,
        settings: Settings,
        *,
        full: bool,
        fingerprint: Fingerprint,
        workers: int = WORKERS,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._client = client
        self._collections = ServerCollections(client, settings)
        self._url = self._collections.url
        self._full = full
        self._dimension = fingerprint.dimension
        self._grace_seconds = grace_seconds
        self._workers = workers
        self._base: CollectionInfo | None = None
        self._documents: dict[str, DocumentRecord] = {}
        self._pending: deque[Future[None]] = deque()

    def __enter__(self) -> Self:
        """Take the lock; make the collection if there is none."""
        found = self._collections.current()
        self._aliased = self._target = found or self._collections.create(self._dimension)
        if found is None:
            self._collections.switch(self._target)
        self._lock = PointLock(self._client, self._aliased, self._url)
        self._lock.acquire()
        try:
            if found is not None:
                self._begin(found)
            self._pool = ThreadPoolExecutor(self._workers, "qdrant-writer")
        except BaseException:
            self._lock.release()
            raise
        return self

    def _begin(self, found: str) -> None:
        """Go on from the collection that is there; start a new one if that was never finished."""
        self._base = None if self._full else self._collections.info(found)
        if self._base is None:
            self._target = self._collections.create(self._dimension)
            return
        records = scroll(
            self._client, found, Clause(payload.RECORD, (payload.DOCUMENT,)), self._url
        )
        documents = (payload.document_of(record.payload) for record in records)
        self._documents = {document.path: document for document in documents}

    def __exit__(self, *exception: object) -> None:
        """Release the lock; drop a new collection that was not finished."""
        self._pool.shutdown(cancel_futures=True)
        try:
            if self._target != self._aliased:
                self._collections.remove(self._target)
        finally:
            self._lock.release()

    @property
    def record(self) -> CollectionRecord | None:
        """What the collection was before this build; None where there is none, or a full build."""
        return None if self._base is None else self._base.record

    @property
    def documents(self) -> Mapping[str, DocumentRecord]:
        """The documents of the next state so far, by path."""
        return self._documents

    def vectors(self, digests: Iterable[str]) -> dict[str, Vector]:
        """Return the stored vectors of the embedded texts with these digests, those it has."""
        found: dict[str, Vector] = {}
        if self._base is None:
            return found
        wanted, fields = list(dict.fromkeys(digests)), [payload.EMBEDDED]
        for start in range(0, len(wanted), PAGE):
            clause = Clause(payload.EMBEDDED, tuple(wanted[start : start + PAGE]))
            for record in scroll(
                self._client, self._target, clause, self._url, fields=fields, vectors=True
            ):
                vector = record.vector[DENSE] if isinstance(record.vector, dict) else []
                found[payload.embedded_of(record.payload)] = np.asarray(vector, dtype=np.float32)
        return found

    def remove(self, paths: Iterable[str]) -> None:
        """Take documents and their sentences out."""
        self._wait(0)  # a document may be on its way in
        known = [path for path in dict.fromkeys(paths) if path in self._documents]
        for start in range(0, len(known), PAGE):
            batch = known[start : start + PAGE]
            self._delete_points(Clause(payload.SOURCE, tuple(batch)))
            self._delete_points(Clause(payload.DOCUMENT_PATH, tuple(batch)))
            for path in batch:
                del self._documents[path]

    def add(self, record: DocumentRecord, points: Sequence[Point]) -> None:
        """Put a document in, in place of one of the same path.

        It is written while the next ones are prepared; an error comes up in a later call.
        """
        self._lock.check()
        self._wait(2 * self._workers)
        self._documents[record.path] = record
        self._pending.append(self._pool.submit(self._write, record, points))

    def _write(self, record: DocumentRecord, points: Sequence[Point]) -> None:
        key = payload.document_id(record.path)
        if self._base is not None:
            # A record without digest equals no file: should the build end here, the next one will
            # write this document again, or remove it.
            unfinished = payload.document_payload(replace(record, digest=""))
            self._upsert([record_point(key, unfinished)])
        for start in range(0, len(points), BATCH):
            batch = points[start : start + BATCH]
            self._upsert([sentence_point(point, record.modified) for point in batch])
        if self._base is not None:
            rest = Clause("metadata.index", at_least=len(points))
            self._delete_points(Clause(payload.SOURCE, (record.path,)), rest)
        self._upsert([record_point(key, payload.document_payload(record))])

    def finish(self, record: CollectionRecord) -> CollectionInfo:
        """Wait for what is being written, and make the new state the one that readers open."""
        self._wait(0)
        self._lock.check()
        info = CollectionInfo(
            self._collections.name,
            self._url,
            new_generation(),
            len(self._documents),
            sum(document.sentences for document in self._documents.values()),
            record,
        )
        self._upsert([record_point(payload.COLLECTION_ID, payload.collection_payload(info))])
        if self._target != self._aliased:
            self._collections.switch(self._target)
            time.sleep(self._grace_seconds)
            self._target = self._aliased  # it is to be kept
        self._collections.remove_others()
        return info

    def _wait(self, most: int) -> None:
        """Wait until at most so many documents are being written."""
        while len(self._pending) > most:
            self._pending.popleft().result()

    def _upsert(self, points: list[models.PointStruct]) -> None:
        with translated(f"write {self._target}", self._url):
            retried(lambda: self._client.upsert(self._target, points))

    def _delete_points(self, *clauses: Clause) -> None:
        from qdrant_client import models

        selector = models.FilterSelector(filter=client_filter(clauses))
        with translated(f"write {self._target}", self._url):
            retried(lambda: self._client.delete(self._target, points_selector=selector))
