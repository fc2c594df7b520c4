"""A folder → its files, and a file → a :class:`~rag.types.Document`.

What cannot be read is named with the reason, never passed over: only hidden files and folders are.
Knows nothing of sentences or of the collection.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rag.errors import DocumentError
from rag.readers import READERS, is_supported, read_content, suffix_of
from rag.types import Document, Skipped

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


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of a documents folder, ordered by path, and what is not read of it."""

    root: Path
    files: tuple[File, ...]
    skipped: tuple[Skipped, ...]


def find_files(folder: Path) -> Folder:
    """Find the documents in ``folder`` and its subfolders.

    Hidden files and folders are left out. A file that two paths lead to is read once. Raises
    :class:`~rag.errors.DocumentError` when there is no such folder, when it is empty, and when no
    file of it is of a type that is read.
    """
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.is_file() else "does not exist"
        raise DocumentError(
            f"The documents folder {folder} {what}. Name yours: python store.py FOLDER", str(folder)
        )
    search = _Search(folder.resolve())
    search.walk(search.root, "")
    search.follow_links()
    if not search.files:
        raise DocumentError(_nothing(folder, search.skipped), str(folder))
    return Folder(
        search.root,
        tuple(sorted(search.files, key=lambda file: file.path)),
        tuple(sorted(search.skipped, key=lambda skipped: skipped.path)),
    )


def digest_file(file: File) -> str:
    """Return the hex SHA-256 of the file's bytes; raises :class:`~rag.errors.DocumentError`."""
    try:
        with file.absolute.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DocumentError(_reason(error), file.path) from None


def read_document(file: File) -> Document:
    """Read ``file`` once, whole; raises :class:`~rag.errors.DocumentError` with the reason.

    The digest is that of the bytes that were read, whatever happens to the file meanwhile.
    """
    try:
        with file.absolute.open("rb") as stream:
            data, status = stream.read(), os.fstat(stream.fileno())
        content = read_content(file.path, data)
    except OSError as error:
        raise DocumentError(_reason(error), file.path) from None
    except ValueError as error:
        raise DocumentError(str(error), file.path) from None
    if not content.text.strip():
        raise DocumentError("holds no text", file.path)
    return Document(
        path=file.path,
        text=content.text,
        title=content.title or title_of(file.path),
        digest=hashlib.sha256(data).hexdigest(),
        size=len(data),
        modified=status.st_mtime,
        markdown=content.markdown,
        metadata=content.metadata,
        pages=content.pages,
    )


def title_of(path: str) -> str:
    """Make a title of a file's name: ``user_guide-k1.md`` → ``user guide k1``.

    A separator between digits stays: ``2024-05-01``.
    """
    stem = PurePosixPath(path).stem
    return re.sub(r"(?<!\d)[-_]+|[-_]+(?!\d)", " ", stem).strip() or stem


class _Search:
    """A walk through the folder ``root``; links wait until all that is really there was seen."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: list[File] = []
        self.skipped: list[Skipped] = []
        self._seen: set[Path] = set()
        self._links: list[tuple[str, Path]] = []

    def walk(self, folder: Path, prefix: str) -> None:
        """Take in the files of ``folder``, whose path from the root is ``prefix``."""
        self._seen.add(folder)
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._skip(prefix or ".", _reason(error))
            return
        for entry in found:
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if entry.name.startswith("."):
                continue
            if not _is_unicode(path):
                self._skip(ascii(path)[1:-1], "its name is not valid Unicode")
            elif entry.is_symlink():
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
            self._skip(path, _reason(error))
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


def _reason(error: OSError) -> str:
    return f"cannot be read: {(error.strerror or type(error).__name__).lower()}"


def _nothing(folder: Path, skipped: list[Skipped]) -> str:
    kinds = " ".join(READERS)
    if not skipped:
        return (
            f"The documents folder {folder} is empty. Put files there ({kinds}), "
            f"then run: python store.py {folder}"
        )
    named = "; ".join(f"{each.path}: {each.reason}" for each in skipped[:3])
    more = f" and {len(skipped) - 3} more" if len(skipped) > 3 else ""
    return (
        f"The documents folder {folder} holds nothing that can be read ({kinds}). "
        f"Skipped: {named}{more}. Add documents, then run: python store.py {folder}"
    )
