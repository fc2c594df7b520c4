"""One new collection of a server filled by several builds at once, then switched to.

    store.py --part 1/3   …   store.py --part 3/3   on as many machines, in any order
    store.py --switch     once all are done

Each build takes the documents of its part (:mod:`rag.building.parts`) and says in a record of its
own how far it is. Readers have the collection as it was until the switch. All machines find the
same new collection by its name, which follows from the present one's; a part that is built again
goes on where it was.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rag.errors import SettingsError, StoreError
from rag.stores import payload
from rag.stores.base import CollectionInfo, CollectionRecord
from rag.stores.filters import Clause
from rag.stores.server import scroll
from rag.stores.server_client import connect, translated
from rag.stores.server_lock import PointLock
from rag.stores.server_points import record_point
from rag.stores.server_uploads import Uploads
from rag.stores.server_writer import ServerWriter

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

    from rag.building.parts import Part
    from rag.settings import Settings
    from rag.stores.base import Fingerprint


def open_part_writer(
    settings: Settings, part: Part, *, full: bool, fingerprint: Fingerprint
) -> PartWriter:
    """Return the build of one part. Raises :class:`~rag.errors.SettingsError` without a server."""
    require_server(settings)
    return PartWriter(connect(settings), settings, part, full=full, fingerprint=fingerprint)


class PartWriter(ServerWriter):
    """The build of one part. See :class:`~rag.stores.base.Writer`.

    Vectors that the present collection has are taken from there, unless the build is ``full``.
    """

    def __init__(
        self,
        client: QdrantClient,
        settings: Settings,
        part: Part,
        *,
        full: bool,
        fingerprint: Fingerprint,
    ) -> None:
        super().__init__(client, settings, full=full, fingerprint=fingerprint)
        self._part = part
        self._settings = settings
        self._fingerprint = fingerprint
        self._begun: CollectionRecord | None = None

    def __enter__(self) -> Self:
        """Take the part's lock; make the new collection if no other part has."""
        current = self._collections.current()
        url = self._collections.url
        self._aliased = self._target = self._made(current)
        self._lock = PointLock(self._client, self._target, url, part=self._part.number)
        self._lock.acquire()
        try:
            self._uploads = Uploads(
                self._client, self._target, url, workers=self._workers, over=True
            )
            self._continue(current)
        except BaseException:
            self._lock.release()
            raise
        return self

    def _made(self, current: str | None) -> str:
        """Return the name of the new collection, which is there from now on."""
        name = self._collections.filling(current, self._part.of)
        if name in self._collections.fillings(current):
            return name
        try:
            return self._collections.create(self._dimension, name)
        except StoreError:
            if name not in self._collections.fillings(current):
                raise
            return name  # another part was faster

    def _continue(self, current: str | None) -> None:
        """Start from what an earlier build of the part left, where it goes with this one."""
        url = self._collections.url
        clause = Clause(payload.RECORD, (payload.DOCUMENT,))
        records = scroll(self._client, self._target, clause, url)
        documents = (payload.document_of(record.payload) for record in records)
        self._documents = {d.path: d for d in documents if self._part.has(d.path)}
        with translated(f"read {self._target}", url):
            key = str(payload.part_id(self._part.number))
            before = self._client.retrieve(self._target, [key])
        left = payload.info_of(before[0].payload, "", url).record if before else None
        if left and left.fingerprint == self._fingerprint and not self._full:
            self._begun = left
            self._vectors_in = (self._target,)
        else:
            self.remove(list(self._documents))
        present = self._collections.info(current) if current else None
        if present and present.record.fingerprint == self._fingerprint and not self._full:
            self._vectors_in += (str(current),)
        docs = str(self._settings.docs.resolve())
        begun = CollectionRecord(
            self._fingerprint, docs, self._settings.window_size, time.time(), ""
        )
        self._say(self._info(begun), done=False)

    def __exit__(self, *exception: object) -> None:
        """Release the lock; what was written stays for the next build of the part."""
        try:
            self._uploads.close()
        finally:
            self._lock.release()

    @property
    def record(self) -> CollectionRecord | None:
        """What an earlier build of the part was made with; None where there is none."""
        return self._begun

    def finish(self, record: CollectionRecord) -> CollectionInfo:
        """Wait for what is being written, and say that the part is done."""
        self._uploads.wait()
        self._lock.check()
        info = self._info(record)
        self._say(info, done=True)
        return info

    def _info(self, record: CollectionRecord) -> CollectionInfo:
        sentences = sum(document.sentences for document in self._documents.values())
        return CollectionInfo(
            self._collections.name, self._collections.url, f"part {self._part}",
            len(self._documents), sentences, record,
        )  # fmt: skip

    def _say(self, info: CollectionInfo, *, done: bool) -> None:
        said = {"number": self._part.number, "of": self._part.of, "done": done}
        fields = {**payload.collection_payload(info), payload.RECORD: payload.PART, "part": said}
        self._uploads.upsert([record_point(payload.part_id(self._part.number), fields)])


def require_server(settings: Settings) -> None:
    """Raise :class:`~rag.errors.SettingsError` where no server is set."""
    if not settings.qdrant_url:
        raise SettingsError(
            "Parts are built side by side on a server alone: set QDRANT_URL, or build in one go: "
            "python store.py"
        )
