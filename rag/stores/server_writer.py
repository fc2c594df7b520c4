"""Builds of a collection on a server.

A normal build replaces changed documents where they are, one by one: a reader may meanwhile see
some new and some old, never one missing. A full build fills a new collection and then switches the
alias to it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from itertools import product
from typing import TYPE_CHECKING, Self

import numpy as np

from rag.stores import payload
from rag.stores.base import DENSE, CollectionInfo, CollectionRecord, DocumentRecord, Point
from rag.stores.filters import Clause
from rag.stores.listing import PAGE, pages
from rag.stores.server import scroll
from rag.stores.server_client import connect
from rag.stores.server_collections import ServerCollections, new_generation
from rag.stores.server_lock import PointLock
from rag.stores.server_points import record_point
from rag.stores.server_uploads import Uploads

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

    from rag.settings import Settings
    from rag.stores.base import Fingerprint, Vector

WORKERS = 4
"""Documents written at the same time."""

GRACE_SECONDS = 3.0
"""How long the old collection is kept after a switch, for questions being answered from it."""


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
        self._full = full
        self._dimension = fingerprint.dimension
        self._workers = workers
        self._grace_seconds = grace_seconds
        self._base: CollectionInfo | None = None
        self._vectors_in: tuple[str, ...] = ()
        self._documents: dict[str, DocumentRecord] = {}

    def __enter__(self) -> Self:
        """Take the lock; make the collection if there is none."""
        found = self._collections.current()
        self._aliased = self._target = found or self._collections.create(self._dimension)
        if found is None:
            self._collections.switch(self._target)
        self._lock = PointLock(self._client, self._aliased, self._collections.url)
        self._lock.acquire()
        try:
            if found is not None:
                self._start_from(found)
        except BaseException:
            self._lock.release()
            raise
        self._uploads = Uploads(
            self._client,
            self._target,
            self._collections.url,
            workers=self._workers,
            over=self._base is not None,
        )
        return self

    def _start_from(self, found: str) -> None:
        """Go on from the collection that is there; start a new one if that was never finished."""
        self._base = None if self._full else self._collections.info(found)
        if self._base is None:
            self._target = self._collections.create(self._dimension)
            return
        self._vectors_in = (found,)
        clause = Clause(payload.RECORD, (payload.DOCUMENT,))
        records = scroll(self._client, found, clause, self._collections.url)
        documents = (payload.document_of(record.payload) for record in records)
        self._documents = {document.path: document for document in documents}

    def __exit__(self, *exception: object) -> None:
        """Release the lock; drop a new collection that was not finished."""
        with ExitStack() as last_to_first:  # all of it, also if Ctrl-C comes in between
            last_to_first.callback(self._lock.release)
            if self._target != self._aliased:
                last_to_first.callback(self._collections.remove, self._target)
            last_to_first.callback(self._uploads.close)

    @property
    def record(self) -> CollectionRecord | None:
        """What the collection was before this build; None where there is none, or a full build."""
        return None if self._base is None else self._base.record

    @property
    def documents(self) -> Mapping[str, DocumentRecord]:
        """The documents of the next state so far, by path."""
        return self._documents

    def vectors(self, digests: Iterable[str]) -> dict[str, Vector]:
        """Return the stored vectors of the embedded texts with these digests, those it has.

        Documents that this build removed or replaced have none any more.
        """
        found: dict[str, Vector] = {}
        wanted, url = list(dict.fromkeys(digests)), self._collections.url
        for physical, batch in product(self._vectors_in, pages(wanted, PAGE)):
            clause = Clause(payload.EMBEDDED, tuple(batch))
            for record in scroll(
                self._client, physical, clause, url, fields=[payload.EMBEDDED], vectors=True
            ):
                vector = record.vector[DENSE] if isinstance(record.vector, dict) else []
                found[payload.embedded_of(record.payload)] = np.asarray(vector, dtype=np.float32)
        return found

    def remove(self, paths: Iterable[str]) -> None:
        """Take documents and their sentences out."""
        self._uploads.wait()  # one of them may be on its way in
        known = [path for path in dict.fromkeys(paths) if path in self._documents]
        for start in range(0, len(known), PAGE):
            batch = tuple(known[start : start + PAGE])
            self._uploads.delete(Clause(payload.SOURCE, batch))
            self._uploads.delete(Clause(payload.DOCUMENT_PATH, batch))
            for path in batch:
                del self._documents[path]

    def add(self, record: DocumentRecord, points: Iterable[Point]) -> None:
        """Put a document in, in place of one of the same path.

        It is written while the next ones are prepared; an error may come up in a later call.
        """
        self._lock.check()
        self._uploads.submit(record, points)
        self._documents[record.path] = record

    def finish(self, record: CollectionRecord) -> CollectionInfo:
        """Wait for what is being written, and make the new state the one that readers open."""
        self._uploads.wait()
        self._lock.check()
        documents = len(self._documents)
        sentences = sum(document.sentences for document in self._documents.values())
        name, url = self._collections.name, self._collections.url
        info = CollectionInfo(name, url, new_generation(), documents, sentences, record)
        self._uploads.upsert(
            [record_point(payload.COLLECTION_ID, payload.collection_payload(info))]
        )
        if self._target != self._aliased:
            self._collections.switch(self._target)
            time.sleep(self._grace_seconds)
            self._target = self._aliased  # the new collection is not to be dropped at the end
        self._collections.remove_others()
        return info
