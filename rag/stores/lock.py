"""The lock between two builds of one embedded collection."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from rag.errors import StoreBusy, StoreError


class BuilderLock:
    """A file that is locked while a build runs, and says by whom and since when.

    The system lets go of it when its process ends, however it ends.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def acquire(self) -> None:
        """Take the lock, making its folder if need be.

        Raises :class:`~rag.errors.StoreBusy` naming the holder, :class:`~rag.errors.StoreError` if
        the folder cannot be written to.
        """
        folder = self._path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = self._path.open("a+", encoding="utf-8")
        except OSError as error:
            raise StoreError(
                f"Cannot write to {folder}: {error.strerror}. Set QDRANT_PATH to a folder that can "
                "be written to."
            ) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.readline().strip() or "by another process"
            file.close()
            raise StoreBusy(
                f"A build of {folder.name} is running, {holder}. It can be asked meanwhile; wait "
                "for the build, or end it."
            ) from None
        self._file = file
        started = time.strftime("%F %T")
        with suppress(OSError):  # on a full disk the lock holds without a name
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()} since {started}\n")
            file.flush()

    def release(self) -> None:
        """Let go of the lock. The file stays, or two builds could lock two files of one name."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
