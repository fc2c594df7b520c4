"""The folder of an embedded collection: its generations, and the pointer to the current one.

    <collection>/current              the name of the current generation, one line
    <collection>/builder.lock         locked while a build runs
    <collection>/<generation>/        a finished shard and its manifest
    <collection>/<generation>.new/    one that is being built, or was when its build was killed
    <collection>/<generation>.old/    one that is being removed

Nothing points by an absolute path, so the folder can be moved. Knows files and folders, no engine.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from secrets import token_hex

from rag.errors import StoreError
from rag.stores.copying import copy_tree, list_files, remove_tree, sync, sync_tree, write_synced

LOCK = "builder.lock"
"""File that locks a collection's folder. It is the first thing made there."""

_NAME = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}")
_POINTER, _MANIFEST = "current", "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a finished generation holds, written when all else is on the disk.

    ``points`` counts sentences, documents and the collection's record. ``files`` are the paths in
    the generation's folder: a shard that lost some opens in silence, with points or vectors less.
    """

    points: int
    files: tuple[str, ...]


class Generations:
    """The generations of one collection, under ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def current(self) -> str | None:
        """Return the name of the current generation; None if none was ever finished.

        Raises :class:`StoreError` if the folder belongs to something else.
        """
        pointer = self.folder / _POINTER
        try:
            name = pointer.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            self._check_ours()
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"Cannot read {pointer}: {error}") from None
        if not _NAME.fullmatch(name):
            raise StoreError(
                f"{pointer} holds {name[:40]!r}, which names no generation: {self.folder} was "
                "damaged, or written by something else. Remove it, or set QDRANT_PATH to another."
            )
        return name

    def _check_ours(self) -> None:
        """Refuse a folder that something else fills."""
        parent = self.folder.parent
        if (parent / "meta.json").is_file() and (parent / "collection").is_dir():
            raise StoreError(
                f"{parent} was written by qdrant-client's local mode, which is another format. "
                "Set QDRANT_PATH to another folder."
            )
        try:
            names = {path.name for path in self.folder.iterdir()}
        except FileNotFoundError:
            return
        except OSError:
            names = {""}  # no folder
        # Looked at once: a builder that begins at this moment puts its lock there before all else.
        if names and LOCK not in names:
            raise StoreError(
                f"{self.folder} was written by something else. Set RAG_COLLECTION to another name "
                "or QDRANT_PATH to another folder."
            )

    def path(self, name: str) -> Path:
        """Return the folder of a finished generation."""
        return self.folder / name

    def manifest(self, name: str) -> Manifest:
        """Read a generation's manifest. Raises :class:`StoreError` if any file is missing."""
        try:
            text = (self.path(name) / _MANIFEST).read_text(encoding="utf-8")
            manifest = Manifest(**json.loads(text))
            missing = set(manifest.files) - set(list_files(self.path(name)))
        except (OSError, ValueError, TypeError) as error:  # or it is just being removed
            raise StoreError(f"its files cannot be read ({error})") from None
        if missing:
            raise StoreError(f"{len(missing)} of its {len(manifest.files)} files are missing")
        return manifest

    def new(self) -> tuple[str, Path]:
        """Return a new generation's name, and the folder, not yet made, in which to build it."""
        name = time.strftime("%Y%m%dT%H%M%S", time.gmtime()) + "-" + token_hex(4)
        return name, self.folder / f"{name}.new"

    def copy(self, name: str, target: Path) -> None:
        """Copy a generation, without its manifest, into a folder to build on."""
        copy_tree(self.path(name), target, without=_MANIFEST)

    def switch(self, name: str, points: int) -> None:
        """Finish the generation built in ``<name>.new``, and make it the current one at once.

        All of it is on the disk before the pointer changes.
        """
        built = self.folder / f"{name}.new"
        manifest = Manifest(points, tuple(list_files(built)))
        write_synced(built / _MANIFEST, json.dumps(asdict(manifest)))
        sync_tree(built)
        built.rename(self.path(name))
        pointer = self.folder / f"{name}.pointer"
        write_synced(pointer, name + "\n")
        sync(self.folder)
        pointer.replace(self.folder / _POINTER)
        sync(self.folder)

    def remove_others(self) -> None:
        """Remove all generations but the current one, and what killed builds left.

        A generation is renamed before it is removed: who opens it meanwhile fails as a whole, who
        has it open goes on reading. What is not ours stays. To be called with the lock held.
        """
        current = self.current()
        for entry in list(self.folder.iterdir()):
            name, _, suffix = entry.name.partition(".")
            if not _NAME.fullmatch(name) or entry.name == current:
                continue
            if suffix == "pointer":
                entry.unlink(missing_ok=True)
            elif suffix == "old":
                remove_tree(entry)
            elif suffix in ("", "new"):
                old = self.folder / f"{name}.old"
                remove_tree(old)  # both are there when a reader made the first anew, see below
                with suppress(FileNotFoundError):  # a reader was faster
                    if not old.exists():
                        remove_tree(entry.rename(old))

    def remove_remains(self, name: str) -> None:
        """Remove what is left of a generation that could not be opened, if it is not the current.

        The engine makes the folders that it misses: a reader that comes too late makes anew what a
        build has just removed.
        """
        if self.current() != name:
            remove_tree(self.path(name))
