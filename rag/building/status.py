"""A collection → its documents and what has become of their files since. Embeds nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rag.building.changes import Changes, changes
from rag.building.fingerprint import check_fingerprint, fingerprint
from rag.building.previous import read_previous
from rag.embeddings import open_embeddings
from rag.errors import DocumentError, RagError, StoreMissing

if TYPE_CHECKING:
    from rag.settings import Settings
    from rag.stores.base import CollectionInfo, DocumentRecord
    from rag.types import Skipped

Since = Literal["same", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    """A stored document, and whether its file is the ``same`` as when it was read."""

    record: DocumentRecord
    since: Since


@dataclass(frozen=True, slots=True)
class Status:
    """A collection as it is. ``new`` are paths of files that it does not have yet.

    ``notes`` are remarks for the user: that it must be rebuilt, that its windows have another size
    than is set, or that its folder is not there.
    """

    info: CollectionInfo
    documents: tuple[DocumentStatus, ...]
    new: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]

    @property
    def is_current(self) -> bool:
        """Whether a build would find nothing to do."""
        return not self.new and not self.notes and all(d.since == "same" for d in self.documents)


def read_status(settings: Settings, docs: Path | None = None) -> Status:
    """Compare the collection with ``docs``, or with the folder that it was built from.

    Raises :class:`~rag.errors.StoreMissing` before the first build, and other
    :class:`~rag.errors.StoreError`.
    """
    previous = read_previous(settings)
    if previous.info is None:
        raise StoreMissing(
            f"There is no collection {settings.collection} yet. Run: python store.py"
        )
    notes: list[str] = []
    root = docs or Path(previous.info.record.docs)
    found: Changes | None = None
    try:
        found = changes(replace(settings, docs=root), previous.documents)
    except DocumentError as error:
        notes.append(str(error))
    try:
        check_fingerprint(previous.info, fingerprint(open_embeddings(settings)))
    except RagError as error:
        notes.append(str(error))
    stored, size = previous.info.record.window_size, settings.window_size
    if stored != size:
        notes.append(f"Windows of {stored} are stored, {size} is set. Run: python store.py")
    changed = {file.path for file in found.changed} if found else set()
    same = {file.path for file in found.unchanged} if found else set()
    return Status(
        info=previous.info,
        documents=tuple(
            DocumentStatus(
                record, "same" if path in same else "changed" if path in changed else "gone"
            )
            for path, record in sorted(previous.documents.items())
        ),
        new=tuple(file.path for file in found.new) if found else (),
        skipped=found.skipped if found else (),
        notes=tuple(notes),
    )
