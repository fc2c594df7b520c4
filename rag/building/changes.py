"""A folder's files against a collection's documents: what is new, changed, gone.

Files are compared by the digest of their bytes, never by their dates: it is exact, and cheap beside
everything else (about a second a gigabyte). Reads files; knows nothing of sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rag.building.report import Progress
from rag.documents import File, Folder, digest_file, find_documents
from rag.errors import DocumentError
from rag.settings import Settings
from rag.stores.base import DocumentRecord
from rag.types import Skipped


@dataclass(frozen=True, slots=True)
class Changes:
    """What a build has to do. ``gone`` are paths of documents that are no longer there.

    ``root`` is the documents folder, absolute. Files that cannot be read are in ``skipped`` and,
    if the collection has them, in ``gone``: a build from nothing would not have them either.
    """

    root: str
    new: tuple[File, ...]
    changed: tuple[File, ...]
    unchanged: tuple[File, ...]
    gone: tuple[str, ...]
    skipped: tuple[Skipped, ...]

    @property
    def any(self) -> bool:
        """Whether the folder differs from the collection."""
        return bool(self.new or self.changed or self.gone)


def changes(settings: Settings, records: Mapping[str, DocumentRecord]) -> Changes:
    """Compare the documents folder of ``settings`` with ``records``, by path.

    Raises :class:`~rag.errors.DocumentError` when there are no documents at all.
    """
    return compare(find_documents(settings, records), records)


def compare(
    folder: Folder,
    records: Mapping[str, DocumentRecord],
    progress: Callable[[Progress], None] | None = None,
) -> Changes:
    """Compare the files of ``folder`` with ``records``, by path. ``progress`` hears of each."""
    new: list[File] = []
    changed: list[File] = []
    unchanged: list[File] = []
    skipped = list(folder.skipped)
    for number, file in enumerate(folder.files, start=1):
        if progress:
            progress(Progress("read", number, len(folder.files)))
        record = records.get(file.path)
        try:
            if record is None:
                new.append(file)
            elif record.size == file.size and record.digest == digest_file(file):
                unchanged.append(file)
            else:
                changed.append(file)
        except DocumentError as error:
            skipped.append(Skipped(error.path, str(error)))
    there = {file.path for file in (*new, *changed, *unchanged)}
    return Changes(
        root=str(folder.root),
        new=tuple(new),
        changed=tuple(changed),
        unchanged=tuple(unchanged),
        gone=tuple(path for path in records if path not in there),
        skipped=tuple(sorted(skipped, key=lambda each: each.path)),
    )
