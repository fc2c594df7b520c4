"""A walk through a folder: which files are there to be read, and what is not and why.

Every link is followed once, inside the folder alone. Left out in silence is what is hidden, and
what rules leave out. Opens no file but those rules.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from rag.errors import DocumentError
from rag.readers import is_supported, suffix_of
from rag.readers.folder_rules import FolderRules
from rag.types import Selection, Skipped

MAX_FILE_BYTES = 50_000_000
"""Larger files are skipped: a build holds one file's sentences and vectors in memory at a time."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that can be read. ``path`` is relative to the documents folder, with ``/``.

    ``size`` is in bytes, ``modified`` in seconds since the epoch, both as found by the search.
    """

    path: str
    absolute: Path
    size: int
    modified: float


class FolderSearch:
    """A walk through the folder ``root``; links wait until all that is really there was seen."""

    def __init__(self, root: Path, selection: Selection) -> None:
        self.root = root
        self.rules = FolderRules(selection)
        self.files: list[File] = []
        self.skipped: list[Skipped] = []
        self._max_files = selection.max_files
        self._seen: set[Path] = set()
        self._links: list[tuple[str, Path]] = []

    def walk(self, folder: Path, prefix: str) -> None:
        """Take in the files of ``folder``, whose path from the root is ``prefix``."""
        self._seen.add(folder)
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._skip(prefix or ".", explain(error))
            return
        self.rules.enter(folder, prefix)
        for entry in found:
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if entry.name.startswith("."):
                continue
            if not _is_unicode(path):
                self._skip(ascii(path)[1:-1], "its name is not valid Unicode")
            elif entry.is_symlink():
                if self.rules.leave_out(path, folder=Path(entry.path).is_dir()):
                    continue
                self._links.append((path, Path(entry.path)))
            else:
                self._take(path, Path(entry.path))

    def follow_links(self) -> None:
        """Take in what links lead to, inside the root and not seen yet."""
        while self._links:
            path, link = self._links.pop(0)
            try:
                target = link.resolve(strict=True)
            except (OSError, RuntimeError):  # RuntimeError: a link loop, before Python 3.13
                self._skip(path, "is a link that leads nowhere")
                continue
            if not target.is_relative_to(self.root):
                self._skip(path, "is a link that leads out of the folder")
            elif target in self._seen:
                where = target.relative_to(self.root).as_posix()
                self._skip(path, f"is a link to {where}, which is read there")
            else:
                self._take(path, target)

    def _take(self, path: str, target: Path) -> None:
        try:
            status = target.stat()
        except OSError as error:
            self._skip(path, explain(error))
            return
        if self.rules.leave_out(path, folder=stat.S_ISDIR(status.st_mode)):
            return
        if stat.S_ISDIR(status.st_mode):
            if is_supported(path):
                self._skip(path, "is a folder with the name of a file")
            else:
                self.walk(target, path)
        elif not stat.S_ISREG(status.st_mode):
            self._skip(path, "is not a regular file")
        elif not is_supported(path):
            self._skip(path, f"files of type {suffix_of(path) or '(none)'} are not read")
        elif status.st_size > MAX_FILE_BYTES:
            size, most = status.st_size // 1_000_000, MAX_FILE_BYTES // 1_000_000
            self._skip(path, f"is {size} MB long; files over {most} MB are not read")
        else:
            self._seen.add(target)
            if len(self.files) == self._max_files:
                raise DocumentError(
                    f"The folder {self.root} holds more than {self._max_files:,} documents. Leave "
                    "some out (RAG_EXCLUDE, or a file .ragignore), or raise RAG_MAX_FILES",
                    str(self.root),
                )
            self.files.append(File(path, target, status.st_size, status.st_mtime))

    def _skip(self, path: str, reason: str) -> None:
        self.skipped.append(Skipped(path, reason))


def _is_unicode(name: str) -> bool:
    """Whether a file's name can be stored and shown: on Linux it may be any bytes."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def explain(error: OSError) -> str:
    """Say in words for the user why a file could not be opened."""
    return f"cannot be read: {(error.strerror or type(error).__name__).lower()}"
