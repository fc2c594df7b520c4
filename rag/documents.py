"""A folder → its files, and a file → a :class:`~rag.types.Document`.

What cannot be read is named with the reason, never passed over: only hidden files and folders are.
Knows nothing of sentences or of the collection.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from rag.errors import DocumentError, DocumentsMissing
from rag.readers import READERS, read_content
from rag.readers.folder_search import MAX_FILE_BYTES, File, FolderSearch, explain
from rag.splitting.languages import detect_language
from rag.types import Document, Selection, Skipped
from rag.upload_folder import PREFIX, find_uploads, uploads_folder

if TYPE_CHECKING:
    from collections.abc import Collection

    from rag.settings import Settings

__all__ = [
    "File", "Folder", "digest_file", "find_documents", "find_files", "read_document", "title_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of a documents folder, ordered by path, and what is not read of it."""

    root: Path
    files: tuple[File, ...]
    skipped: tuple[Skipped, ...]


def find_documents(settings: Settings, stored: Collection[str] = ()) -> Folder:
    """Find the documents that ``settings`` name, uploads too; see :func:`find_files`.

    The documents folder may be empty or missing where there are uploads, or where there were: when
    ``stored``, the paths that the collection has, are uploads alone, the last of them was removed.
    Otherwise raises :class:`~rag.errors.DocumentsMissing`, also when the collection has documents
    of that folder: it may only be away, as a drive is that is not mounted.
    """
    selection = Selection(settings.include or "", settings.exclude or "", settings.max_files)
    own, nothing = _look(settings.docs, selection)
    uploads, skipped = find_uploads(settings, own.root, {file.path for file in own.files})
    if nothing:
        kept = any(not path.startswith(f"{PREFIX}/") for path in stored)
        removed = stored and uploads_folder(settings).is_dir()
        if uploads and kept:
            nothing += ". To keep the uploads alone: python store.py --full"
        if kept or not (uploads or removed):
            raise DocumentsMissing(nothing, str(settings.docs))
    return Folder(
        own.root,
        tuple(sorted([*own.files, *uploads], key=lambda file: file.path)),
        tuple(sorted([*own.skipped, *skipped], key=lambda each: each.path)),
    )


def find_files(folder: Path, selection: Selection | None = None) -> Folder:
    """Find the documents in ``folder`` and its subfolders.

    Hidden files and folders are left out, and what ``selection`` and ``.ragignore`` files leave
    out. A file that two paths lead to is read once. Raises :class:`~rag.errors.DocumentsMissing`
    when there is no such folder, when it is empty and when no file of it is of a type that is read,
    and another :class:`~rag.errors.DocumentError` when it is a file, and when it has too many.
    """
    found, nothing = _look(folder, selection or Selection())
    if nothing:
        raise DocumentsMissing(nothing, str(folder))
    return found


def _look(folder: Path, selection: Selection) -> tuple[Folder, str]:
    """Return what there is in ``folder``, and if that is no document, why and what to do."""
    name = f"The documents folder {folder}"
    if folder.is_file():
        raise DocumentError(
            f"{name} is a file, not a folder. Name yours: python store.py FOLDER", str(folder)
        )
    if not folder.is_dir():
        why = f"{name} does not exist. Name yours: python store.py FOLDER"
        return Folder(folder.resolve(), (), ()), why
    search = FolderSearch(folder.resolve(), selection)
    search.walk(search.root, "")
    search.follow_links()
    found = Folder(
        search.root,
        tuple(sorted(search.files, key=lambda file: file.path)),
        tuple(sorted(search.skipped, key=lambda skipped: skipped.path)),
    )
    return found, "" if search.files else _nothing(folder, search)


def digest_file(file: File) -> str:
    """Return the hex SHA-256 of the file's bytes; raises :class:`~rag.errors.DocumentError`."""
    try:
        with file.absolute.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DocumentError(explain(error), file.path) from None


def read_document(file: File) -> Document:
    """Read ``file`` once, whole; raises :class:`~rag.errors.DocumentError` with the reason.

    The digest is that of the bytes that were read. A file that is written meanwhile is read again,
    then given up: half of it may be old and half new. The metadata are the file's own, and
    ``language``, an ISO 639-1 code by its first lines, where the file does not say it.
    """
    try:
        data, status = _bytes(file)
        if not data:
            raise DocumentError("holds no text: it is empty", file.path)
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
        metadata={"language": detect_language(content.text), **content.metadata},
        pages=content.pages,
        blocks=content.blocks,
        notes=content.notes,
    )


def _bytes(file: File) -> tuple[bytes, os.stat_result]:
    """Return a file's bytes, and its state after they were read."""
    for _ in range(3):
        with file.absolute.open("rb") as stream:
            before = os.fstat(stream.fileno())
            data = stream.read(MAX_FILE_BYTES + 1)
            after = os.fstat(stream.fileno())
        if len(data) > MAX_FILE_BYTES:
            raise ValueError(f"has grown over {MAX_FILE_BYTES // 1_000_000} MB")
        if (before.st_mtime_ns, len(data)) == (after.st_mtime_ns, after.st_size):
            return data, after
        time.sleep(0.1)
    raise ValueError("is being written: build again when that is done")


def title_of(path: str) -> str:
    """Make a title of a file's name: ``user_guide-k1.md`` → ``user guide k1``.

    A separator between digits stays: ``2024-05-01``.
    """
    stem = PurePosixPath(path).stem
    return re.sub(r"(?<!\d)[-_]+|[-_]+(?!\d)", " ", stem).strip() or stem


def _nothing(folder: Path, search: FolderSearch) -> str:
    kinds, skipped, left_out = " ".join(READERS), search.skipped, search.rules.left_out
    if not skipped and not left_out:
        return (
            f"The documents folder {folder} is empty. Put files there ({kinds}), "
            f"then run: python store.py {folder}"
        )
    reasons = [f"{each.path}: {each.reason}" for each in skipped[:3]]
    if len(skipped) > 3:
        reasons[-1] += f" and {len(skipped) - 3} more"
    if left_out:
        reasons.append(f"{left_out} left out by RAG_INCLUDE, RAG_EXCLUDE or .ragignore")
    return (
        f"The documents folder {folder} holds nothing that can be read ({kinds}). "
        f"Skipped: {'; '.join(reasons)}. Add documents, then run: python store.py {folder}"
    )
