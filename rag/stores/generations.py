"""The folder of an embedded collection: its generations, the pointer to the current one, the lock.

    <collection>/current              the name of the current generation, one line
    <collection>/builder.lock         locked while a build runs; says by whom, since when
    <collection>/<generation>/        a finished shard and its manifest
    <collection>/<generation>.new/    one that is being built, or was when its build was killed
    <collection>/<generation>.old/    one that is being removed

Nothing points by an absolute path, so the folder can be moved. Knows files and folders, no engine.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import socket
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from secrets import token_hex
from typing import IO

from rag.errors import StoreBusy, StoreError

_NAME = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}")
_POINTER, _LOCK, _MANIFEST = "current", "builder.lock", "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a finished generation holds, written when all else is on disk.

    ``points`` is the number of points: a shard that lost files opens with fewer, in silence.
    """

    points: int
    documents: int
    sentences: int


class Generations:
    """The generations of one collection, under ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def current(self) -> str | None:
        """Return the name of the current generation; None if none was ever finished.

        Raises :class:`StoreError` if the folder belongs to something else.
        """
        try:
            name = (self.folder / _POINTER).read_text().strip()
        except FileNotFoundError:
            self._check_ours()
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"Cannot read {self.folder / _POINTER}: {error}") from None
        if not _NAME.fullmatch(name):
            raise StoreError(
                f"{self.folder / _POINTER} names no generation ({name[:40]!r}): this folder was not "
                "written by Sentence Window Chat, or was damaged. Rebuild it: python store.py --full"
            )
        return name

    def _check_ours(self) -> None:
        """Refuse a folder that something else fills: ours holds the lock file from the start."""
        if (self.folder.parent / "meta.json").is_file() and (
            self.folder.parent / "collection"
        ).is_dir():
            raise StoreError(
                f"{self.folder.parent} is a local-mode folder of qdrant-client, which only one "
                "process can use. Set QDRANT_PATH to another folder."
            )
        if self.folder.exists() and not (self.folder / _LOCK).exists():
            if not self.folder.is_dir() or any(self.folder.iterdir()):
                raise StoreError(
                    f"{self.folder} was not written by Sentence Window Chat. Set RAG_COLLECTION or "
                    "QDRANT_PATH to another name, or remove it."
                )

    def path(self, name: str) -> Path:
        """Return the folder of a finished generation."""
        return self.folder / name

    def manifest(self, name: str) -> Manifest:
        """Read a generation's manifest. Raises :class:`StoreError` if it has none."""
        try:
            return Manifest(**json.loads((self.path(name) / _MANIFEST).read_text()))
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(f"generation {name} has no readable manifest: {error}") from None

    def new(self) -> tuple[str, Path]:
        """Return a new generation's name, and the folder, not yet made, in which to build it."""
        name = time.strftime("%Y%m%dT%H%M%S", time.gmtime()) + "-" + token_hex(4)
        return name, self.folder / f"{name}.new"

    def copy(self, name: str, target: Path) -> None:
        """Copy a generation, without its manifest, into a folder to build on."""
        copy_tree(self.path(name), target, skip=_MANIFEST)

    def switch(self, name: str, manifest: Manifest) -> None:
        """Finish the generation built in ``<name>.new`` and make it the current one, at once."""
        built = self.folder / f"{name}.new"
        _write(built / _MANIFEST, json.dumps(asdict(manifest)))
        _sync_tree(built)
        built.rename(self.path(name))
        temporary = self.folder / f"{name}.pointer"
        _write(temporary, name + "\n")
        temporary.replace(self.folder / _POINTER)
        _sync(self.folder)

    def remove_others(self) -> None:
        """Remove all generations but the current one, and what killed builds left.

        A generation is renamed before it is removed: whoever opens it meanwhile fails as a whole,
        and whoever has it open goes on reading. Call it with the lock held. What is not ours stays.
        """
        current = self.current()
        for entry in self.folder.iterdir():
            name, _, suffix = entry.name.partition(".")
            if not _NAME.fullmatch(name) or entry.name == current:
                continue
            if suffix == "pointer":
                entry.unlink(missing_ok=True)
            elif suffix in ("", "new", "old") and entry.is_dir():
                old = entry.with_name(f"{name}.old")
                if suffix != "old":
                    entry.rename(old)
                shutil.rmtree(old, ignore_errors=True)


class BuilderLock:
    """Keeps two builds of one collection apart. The system releases it when its process ends."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _LOCK
        self._file: IO[str] | None = None

    def acquire(self) -> None:
        """Take the lock. Raises :class:`StoreBusy` naming the holder, or :class:`StoreError`."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._path.open("a+")
        except OSError as error:
            raise StoreError(f"Cannot write to {self._path.parent}: {error.strerror}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "another process"
            file.close()
            raise StoreBusy(
                f"Another build of {self._path.parent.name} is running: {holder}. Wait for it, or "
                "end it; the collection can be asked meanwhile."
            ) from None
        file.seek(0)
        file.truncate()
        file.write(
            f"process {os.getpid()} on {socket.gethostname()} since {time.strftime('%F %T %z')}\n"
        )
        file.flush()
        self._file = file

    def release(self) -> None:
        """Release the lock; the file stays, so that nobody locks a file that is no more."""
        if self._file is not None:
            with suppress(OSError):
                self._file.truncate(0)
            self._file.close()
            self._file = None


def _write(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_tree(folder: Path) -> None:
    for directory, _, names in os.walk(folder):
        for name in names:
            _sync(Path(directory) / name)
        _sync(Path(directory))


def copy_tree(source: Path, target: Path, skip: str = "") -> None:
    """Copy a folder, holes and all, without the files named ``skip``."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(skip), copy_function=_copy_sparse)


def _copy_sparse(source: str, target: str) -> str:
    """Copy a file with its holes: the engine's files are made large and filled later."""
    with Path(source).open("rb") as old, Path(target).open("wb") as new:
        size = os.fstat(old.fileno()).st_size
        os.ftruncate(new.fileno(), size)
        start = 0
        while start < size:
            try:
                start = os.lseek(old.fileno(), start, os.SEEK_DATA)
            except OSError:  # ENXIO: nothing but a hole up to the end
                break
            end = os.lseek(old.fileno(), start, os.SEEK_HOLE)
            old.seek(start)
            new.seek(start)
            remaining = end - start
            while remaining:
                piece = old.read(min(remaining, 1 << 20))
                new.write(piece)
                remaining -= len(piece)
            start = end
    return target
