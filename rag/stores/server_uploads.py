"""Documents on their way to a collection on a server: several at once, each step of one in order.

A document is written over the one of the same path: new sentences take the place of old ones, then
what is left over of the old is deleted. Between the first and the last step its record has no
digest and so equals no file: should the build end there, the next one writes the document again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.stores import payload
from rag.stores.filters import Clause
from rag.stores.listing import pages
from rag.stores.server_client import retried, translated
from rag.stores.server_points import client_filter, record_point, sentence_point

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

    from rag.stores.base import DocumentRecord, Point

BATCH = 256
"""Points in one request: about 1.5 MB at 384 dimensions."""


class Uploads:
    """What is being written to the collection ``physical``, by so many threads.

    ``over`` says that there may be older documents of the same paths.
    """

    def __init__(
        self, client: QdrantClient, physical: str, url: str, *, workers: int, over: bool
    ) -> None:
        self._client = client
        self._physical = physical
        self._url = url
        self._workers = workers
        self._over = over
        self._pool = ThreadPoolExecutor(workers, "qdrant-upload")
        self._pending: deque[Future[None]] = deque()

    def submit(self, record: DocumentRecord, points: Iterable[Point]) -> None:
        """Write a document soon. Its errors come up in a later call of :meth:`wait`."""
        self.wait(most=2 * self._workers)
        self._pending.append(self._pool.submit(self._write, record, points))

    def wait(self, *, most: int = 0) -> None:
        """Wait until at most so many documents are on their way."""
        while len(self._pending) > most:
            self._pending.popleft().result()

    def close(self) -> None:
        """Give up what has not been started, and wait for the rest."""
        self._pool.shutdown(cancel_futures=True)

    def _write(self, record: DocumentRecord, points: Iterable[Point]) -> None:
        key = payload.document_id(record.path)
        if self._over:
            unfinished = payload.document_payload(replace(record, digest=""))
            self.upsert([record_point(key, unfinished)])
        for batch in pages(points, BATCH):
            self.upsert([sentence_point(point, record.modified) for point in batch])
        if self._over:
            rest = Clause("metadata.index", at_least=record.sentences)
            self.delete(Clause(payload.SOURCE, (record.path,)), rest)
        self.upsert([record_point(key, payload.document_payload(record))])

    def upsert(self, points: list[models.PointStruct]) -> None:
        """Write points now."""
        with translated(f"write {self._physical}", self._url):
            retried(lambda: self._client.upsert(self._physical, points))

    def delete(self, *clauses: Clause) -> None:
        """Delete the points that fulfil all clauses, now."""
        from qdrant_client import models

        selector = models.FilterSelector(filter=client_filter(clauses))
        with translated(f"write {self._physical}", self._url):
            retried(lambda: self._client.delete(self._physical, points_selector=selector))
