"""A collection that was filled in parts → the one that readers open, once every part is done."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rag.errors import StoreError
from rag.stores import payload
from rag.stores.base import CollectionInfo
from rag.stores.filters import Clause
from rag.stores.server import scroll
from rag.stores.server_client import connect
from rag.stores.server_collections import ServerCollections, new_generation
from rag.stores.server_lock import PointLock
from rag.stores.server_parts import require_server
from rag.stores.server_points import record_point
from rag.stores.server_uploads import Uploads
from rag.stores.server_writer import GRACE_SECONDS

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

    from rag.settings import Settings


def switch_parts(settings: Settings, *, grace_seconds: float = GRACE_SECONDS) -> CollectionInfo:
    """Make the collection that was filled in parts the one that readers open.

    Raises :class:`~rag.errors.StoreError`, naming the parts that are missing.
    """
    require_server(settings)
    client = connect(settings)
    collections = ServerCollections(client, settings)
    current = collections.current()
    filled = collections.fillings(current)
    if not filled:
        raise StoreError(
            f"No part of {settings.collection} has been built since the last switch. Run on each "
            "of N machines: python store.py --part K/N"
        )
    complete = {name: _parts(client, name, collections.url) for name in filled}
    missing = {name: _missing(name, parts) for name, parts in complete.items()}
    target = next((name for name in filled if not missing[name]), None)
    if target is None:
        raise StoreError(" ".join(missing.values()))
    lock = PointLock(client, current, collections.url) if current else None
    if lock:
        lock.acquire()
    try:
        info = _switched(client, collections, target, list(complete[target].values()))
        time.sleep(grace_seconds)
        collections.remove_others()
    finally:
        if lock:
            lock.release()
    return info


_Done = tuple[bool, CollectionInfo]


def _parts(client: QdrantClient, physical: str, url: str) -> dict[int, _Done]:
    """Return what the parts say of themselves, by number: done or not, and what they hold."""
    found: dict[int, _Done] = {}
    for record in scroll(client, physical, Clause(payload.RECORD, (payload.PART,)), url):
        said = (record.payload or {})["part"]
        found[said["number"]] = (said["done"], payload.info_of(record.payload, "", url))
    return dict(sorted(found.items()))


def _missing(physical: str, parts: dict[int, _Done]) -> str:
    """Say what keeps a collection from being switched to; nothing if it is whole."""
    of = int(physical.rpartition("-")[2])
    todo = [f"{n}/{of}" for n in range(1, of + 1) if not parts.get(n, (False,))[0]]
    if todo:
        return f"Not done yet: {', '.join(todo)}. Run for each: python store.py --part K/{of}"
    made = {(i.record.fingerprint, i.record.window_size) for _, i in parts.values()}
    if len(made) > 1:
        return (
            f"The {of} parts were built with different models, versions or window sizes. Build "
            f"those again that differ: python store.py --part K/{of}"
        )
    return ""


def _switched(
    client: QdrantClient, collections: ServerCollections, target: str, parts: Iterable[_Done]
) -> CollectionInfo:
    infos = [info for _, info in parts]
    info = CollectionInfo(
        collections.name, collections.url, new_generation(),
        sum(i.documents for i in infos), sum(i.sentences for i in infos), infos[0].record,
    )  # fmt: skip
    uploads = Uploads(client, target, collections.url, workers=1, over=True)
    try:
        uploads.upsert([record_point(payload.COLLECTION_ID, payload.collection_payload(info))])
        uploads.delete(Clause(payload.RECORD, (payload.PART,)))
    finally:
        uploads.close()
    collections.switch(target)
    return info
