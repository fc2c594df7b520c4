"""What a build starts from: the collection as it is, and whether new vectors go with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rag.building.fingerprint import check_fingerprint, fingerprint
from rag.errors import StoreError, StoreMissing, StoreUnreachable
from rag.settings import Settings
from rag.stores import open_store
from rag.stores.base import CollectionInfo, DocumentRecord, Fingerprint

if TYPE_CHECKING:
    from rag.embeddings import Embeddings


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


def own_folder(settings: Settings) -> Settings:
    """Return settings with the folder that their collection was built from, where they name none.

    What cannot be read is left to the build. Raises :class:`~rag.errors.StoreUnreachable`.
    """
    try:
        info = read_previous(settings).info
    except StoreUnreachable:
        raise
    except StoreError:
        return settings
    return on_own_folder(settings, info) if info else settings


def on_own_folder(settings: Settings, info: CollectionInfo) -> Settings:
    """Return settings with the folder that the collection was built from, where they name none.

    Otherwise an update would take those documents out and put the default folder's in. A folder of
    the default's name that is gone has moved together with the program.
    """
    own, default = Path(info.record.docs), Settings().docs
    moved = own.name == default.name and not own.is_dir()
    if settings.docs != default or moved or own == default.resolve():
        return settings
    return settings.with_(docs=own)


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
