"""A folder → its files, and a file → a :class:`~rag.types.Document`.

What cannot be read is named with the reason, never passed over: only hidden files and folders are.
Knows nothing of sentences or of the collection.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rag.errors import DocumentError
from rag.folder_search import File, FolderSearch, explain
from rag.readers import READERS, read_content
from rag.types import Document, Skipped

__all__ = ["File", "Folder", "digest_file", "find_files", "read_document", "title_of"]


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
    search = FolderSearch(folder.resolve())
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
        raise DocumentError(explain(error), file.path) from None


def read_document(file: File) -> Document:
    """Read ``file`` once, whole; raises :class:`~rag.errors.DocumentError` with the reason.

    The digest is that of the bytes that were read, whatever happens to the file meanwhile.
    """
    try:
        with file.absolute.open("rb") as stream:
            data, status = stream.read(), os.fstat(stream.fileno())
        content = read_content(file.path, data)
    except OSError as error:
        raise DocumentError(explain(error), file.path) from None
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
