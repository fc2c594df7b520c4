"""The folder of uploaded files: where it is, and how its files are named as documents.

It stands beside the documents folder, and what it holds is a part of the same collection: the file
``manual.pdf`` in it is the document ``uploads/manual.pdf``. Rules that leave files out of the
documents folder do not count here: who uploads a file wants it read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import SettingsError
from rag.readers.folder_search import File, FolderSearch
from rag.types import Selection, Skipped

if TYPE_CHECKING:
    from collections.abc import Collection

    from rag.settings import Settings

PREFIX = "uploads"
"""The first part of an uploaded document's path."""


def uploads_folder(settings: Settings) -> Path:
    """Return the folder of uploads, which need not exist: by default beside the documents."""
    if settings.uploads is not None:
        return settings.uploads
    docs = settings.docs.resolve()
    return docs.parent / f"{docs.name}-uploads"


def locate(path: str, docs: Path, uploads: Path) -> Path:
    """Return the file of the document ``path``: in the documents folder, or an upload."""
    own = docs / path
    first, _, rest = path.partition("/")
    return own if first != PREFIX or not rest or own.exists() else uploads / rest


def find_uploads(
    settings: Settings, root: Path, taken: Collection[str]
) -> tuple[list[File], list[Skipped]]:
    """Return the uploaded files, and what is not read of them; both empty without the folder.

    ``root`` is the documents folder, ``taken`` the paths of its files: a document comes before an
    upload of the same path. Raises :class:`~rag.errors.SettingsError` when one of the folders lies
    in the other, :class:`~rag.errors.DocumentError` when there are too many files.
    """
    folder = uploads_folder(settings)
    if not folder.is_dir():
        return [], []
    folder = folder.resolve()
    if folder.is_relative_to(root) or root.is_relative_to(folder):
        raise SettingsError(
            f"RAG_UPLOADS is {folder} and the documents folder {root}: neither may be in the other"
        )
    search = FolderSearch(folder, Selection(max_files=max(0, settings.max_files - len(taken))))
    search.walk(folder, PREFIX)
    search.follow_links()
    clash = f"the documents folder has a file {PREFIX}/… of this name"
    skipped = [Skipped(file.path, clash) for file in search.files if file.path in taken]
    return [f for f in search.files if f.path not in taken], [*search.skipped, *skipped]
