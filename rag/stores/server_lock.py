"""The lock between two builds of one collection on a server: a point in that collection.

A builder that holds it says so again every few seconds; one that died stops saying it, and the lock
is free a minute later. The clocks of the builders' machines must agree to some seconds.
"""

from __future__ import annotations

import os
import socket
import time
from threading import Event, Thread
from typing import TYPE_CHECKING
from uuid import uuid4

from rag.errors import StoreBusy, StoreError
from rag.stores.payload import LOCK, RECORD, lock_id
from rag.stores.server_client import not_found, translated
from rag.stores.server_points import record_point

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

EXPIRES_SECONDS = 60.0
"""How long a lock holds after its builder last gave a sign."""


class PointLock:
    """The lock of the collection ``physical``, or of ``part``, one of several filled at once."""

    def __init__(
        self, client: QdrantClient, physical: str, url: str, *, part: int | None = None
    ) -> None:
        self._id = lock_id(part)
        self._client = client
        self._physical = physical
        self._url = url
        self._owner = uuid4().hex
        self._since = time.strftime("%F %T")
        self._stop = Event()
        self._lost = ""
        self._renewed = time.monotonic()
        self._thread = Thread(target=self._renew_until_stopped, name="builder-lock", daemon=True)

    def acquire(self) -> None:
        """Take the lock. Raises :class:`StoreBusy` naming who holds it."""
        holder = self._write()
        if holder:
            raise StoreBusy(
                f"A build of {self._physical} is running, {holder}. It can be asked meanwhile; "
                f"wait for the build, or end it: {EXPIRES_SECONDS:.0f} seconds later the lock is "
                "free."
            )
        self._thread.start()

    def check(self) -> None:
        """Raise :class:`StoreBusy` if the lock was lost, as after a long sleep of the machine."""
        if self._lost:
            raise StoreBusy(
                f"The build lost its lock on {self._physical} ({self._lost}). Run again: "
                "python store.py"
            )

    def release(self) -> None:
        """Let go of the lock."""
        from qdrant_client import models

        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        mine = models.Filter(must=[models.HasIdCondition(has_id=[str(self._id)]), self._is_mine()])
        try:
            with translated(f"unlock {self._physical}", self._url):
                selector = models.FilterSelector(filter=mine)
                self._client.delete(self._physical, points_selector=selector)
        except StoreError as error:
            if not not_found(error):  # a full build removes the collection that held its lock
                raise

    def _write(self) -> str:
        """Write the lock if it is free or ours. Return who else holds it, or nothing."""
        from qdrant_client import models

        now = time.time()
        fields = {
            RECORD: LOCK,
            "owner": self._owner,
            "holder": f"process {os.getpid()} on {socket.gethostname()} since {self._since}",
            "expires": now + EXPIRES_SECONDS,
        }
        expired = models.FieldCondition(key="expires", range=models.Range(lt=now))
        with translated(f"lock {self._physical}", self._url):
            # The server compares and writes in one step: a point that does not fulfil the filter
            # stays as it is, one that does not exist is made.
            self._client.upsert(
                self._physical,
                [record_point(self._id, fields)],
                update_filter=models.Filter(should=[self._is_mine(), expired]),
                ordering=models.WriteOrdering.STRONG,
            )
            found = self._client.retrieve(self._physical, [str(self._id)])
        held = found[0].payload or {} if found else {}
        return "" if held.get("owner") == self._owner else str(held.get("holder", "by another"))

    def _is_mine(self) -> models.FieldCondition:
        from qdrant_client import models

        return models.FieldCondition(key="owner", match=models.MatchValue(value=self._owner))

    def renew(self) -> None:
        """Say that the builder is alive. Where that cannot be said for long, the lock is lost."""
        try:
            self._lost = self._write()
            self._renewed = time.monotonic()
        except StoreError as error:
            if time.monotonic() - self._renewed > EXPIRES_SECONDS:
                self._lost = str(error)

    def _renew_until_stopped(self) -> None:
        while not self._lost and not self._stop.wait(EXPIRES_SECONDS / 4):
            self.renew()
