"""What a build starts from: the collection as it is, and whether new vectors go with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.building.fingerprint import check_fingerprint, fingerprint
from rag.errors import StoreMissing
from rag.stores import open_store
from rag.stores.base import CollectionInfo, DocumentRecord, Fingerprint

if TYPE_CHECKING:
    from rag.embeddings import Embeddings
    from rag.settings import Settings


@dataclass(frozen=True, slots=True)
class Previous:
    """What a build starts from: nothing, or a collection and its documents by path."""

    info: CollectionInfo | None = None
    documents: Mapping[str, DocumentRecord] = field(default_factory=dict)


def read_previous(settings: Settings) -> Previous:
    """Read what the collection holds now; empty before the first build.

    Raises :class:`~rag.errors.StoreError` when it cannot be read.
    """
    try:
        store = open_store(settings)
    except StoreMissing:
        return Previous()
    try:
        return Previous(store.info, {record.path: record for record in store.documents()})
    finally:
        store.close()


def expected_fingerprint(embeddings: Embeddings, previous: Previous) -> Fingerprint:
    """Return the fingerprint of the next state.

    Asks an endpoint for its dimension only when there is nothing before. Raises
    :class:`~rag.errors.StoreStale` when what is there does not go with it.
    """
    if previous.info is None:
        return fingerprint(embeddings, embeddings.dimension)
    expected = fingerprint(embeddings, previous.info.record.fingerprint.dimension)
    check_fingerprint(previous.info, expected)
    return expected
