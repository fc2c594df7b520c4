"""The store on a Qdrant server or cluster: an alias names the collection that answers.

A store resolves the alias once, when it is opened, and asks that collection from then on. Knows how
to read; ``server_writer.py`` knows how to build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rag.errors import StoreError, StoreMissing
from rag.stores import payload
from rag.stores.base import DENSE, KEYWORD, CollectionInfo, DocumentRecord, Legs
from rag.stores.filters import Clause, resolve
from rag.stores.listing import PAGE, best_first, in_document_order, list_sentences
from rag.stores.server_client import connect, not_found, translated
from rag.stores.server_collections import ServerCollections
from rag.stores.server_points import client_filter, client_sparse
from rag.types import Condition, Sentence

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

    from rag.settings import Settings
    from rag.stores.base import SparseVector, Vector


class ServerStore:
    """A collection on a server, open for reading. See :class:`~rag.stores.base.Store`."""

    def __init__(self, client: QdrantClient, physical: str, info: CollectionInfo) -> None:
        self._client = client
        self._physical = physical
        self._info = info
        self._documents: list[DocumentRecord] | None = None

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
        from qdrant_client import models

        clauses = resolve(where, self.documents)
        queries: dict[str, Any] = {}
        if dense is not None:
            queries[DENSE] = dense.tolist()
        if keyword is not None and keyword.indices:
            queries[KEYWORD] = client_sparse(keyword)
        if clauses is None or not queries:
            return Legs()
        wanted = client_filter(clauses) if clauses else None
        requests = [
            models.QueryRequest(
                query=query,
                using=name,
                filter=wanted,
                limit=limit,
                with_payload=list(payload.SENTENCE_FIELDS),
            )
            for name, query in queries.items()
        ]
        with translated(f"search {self._info.collection}", self._info.location):
            found = self._client.query_batch_points(self._physical, requests)
        legs = zip(queries, (response.points for response in found), strict=True)
        return Legs(**{
            name: best_first((payload.sentence_of(p.payload), p.score) for p in points)
            for name, points in legs
        })  # fmt: skip

    def read(self, keys: Iterable[tuple[str, int]]) -> list[Sentence]:
        """Return the sentences ``(source, index)`` that exist, in document order."""
        ids = list({str(payload.sentence_id(source, index)) for source, index in keys})
        with translated(f"read {self._info.collection}", self._info.location):
            records = self._client.retrieve(
                self._physical, ids, with_payload=list(payload.SENTENCE_FIELDS)
            )
        return in_document_order(payload.sentence_of(record.payload) for record in records)

    def vectors(self, keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Vector]:
        """Return the dense vectors of the sentences ``(source, index)`` that exist."""
        import numpy as np

        ids = {str(payload.sentence_id(*key)): key for key in keys}
        with translated(f"read {self._info.collection}", self._info.location):
            records: Any = self._client.retrieve(
                self._physical, list(ids), with_payload=False, with_vectors=[DENSE]
            )
        return {ids[r.id]: np.asarray(r.vector[DENSE], dtype=np.float32) for r in records}

    def documents(self) -> list[DocumentRecord]:
        """Return every document, ordered by path, as they were when first asked for."""
        if self._documents is None:
            records = scroll(
                self._client,
                self._physical,
                Clause(payload.RECORD, (payload.DOCUMENT,)),
                self._info.location,
            )
            documents = (payload.document_of(record.payload) for record in records)
            self._documents = sorted(documents, key=lambda document: document.path)
        return list(self._documents)

    def sentences(self, where: Sequence[Condition] = ()) -> Iterator[Sentence]:
        """Yield all sentences that fulfil ``where``, ordered by path and index."""
        return list_sentences(self.documents(), where, self.read)

    def close(self) -> None:
        """Do nothing: the connection is shared, and kept for the next store."""


def scroll(
    client: QdrantClient,
    physical: str,
    clause: Clause,
    url: str,
    *,
    fields: bool | list[str] = True,
    vectors: bool = False,
) -> Iterator[models.Record]:
    """Yield all points that fulfil ``clause``, in pages, with these payload fields."""
    offset: Any = None
    while True:
        with translated(f"read {physical}", url):
            records, offset = client.scroll(
                physical,
                scroll_filter=client_filter([clause]),
                limit=PAGE,
                offset=offset,
                with_payload=fields,
                with_vectors=[DENSE] if vectors else False,
            )
        yield from records
        if offset is None:
            return


def open_server(settings: Settings) -> ServerStore:
    """Open the collection that the alias names now. See :func:`rag.stores.open_store`."""
    return open_collection(connect(settings), settings)


def open_collection(client: QdrantClient, settings: Settings) -> ServerStore:
    """Open the collection through ``client``."""
    collections = ServerCollections(client, settings)
    physical = collections.current()
    info = None if physical is None else collections.info(physical)
    if physical is None or info is None:
        raise StoreMissing(
            f"No collection {settings.collection} at {collections.url} yet. Run: python store.py"
        )
    return ServerStore(client, physical, info)


def server_generation(settings: Settings) -> str | None:
    """Return the present generation. See :func:`rag.stores.current_generation`."""
    return generation_of(connect(settings), settings)


def generation_of(client: QdrantClient, settings: Settings) -> str | None:
    """Return the present generation as ``client`` sees it, in one round trip."""
    try:
        with translated(f"open {settings.collection}", settings.qdrant_url or ""):
            records = client.retrieve(settings.collection, [str(payload.COLLECTION_ID)])
    except StoreError as error:
        if not_found(error):
            return None
        raise
    return payload.info_of(records[0].payload, "", "").generation if records else None
