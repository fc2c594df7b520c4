"""A folder → the collection brought up to date, and a :class:`~rag.building.report.BuildReport`.

    files → what changed → Update → switch

Until the last step readers have the collection as it was; on a server an update changes it file by
file. Knows nothing of how a store keeps things, nor how sentences are made.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING

from rag.building.changes import Changes, compare
from rag.building.previous import Previous, expected_fingerprint, read_previous
from rag.building.report import BuildReport, Progress, Seconds, Stopwatch
from rag.building.update import BuildCancelled, Update
from rag.documents import find_documents
from rag.embeddings import open_embeddings
from rag.errors import DocumentsMissing, StoreStale
from rag.stores import open_writer
from rag.stores.base import CollectionInfo, CollectionRecord, DocumentRecord, Fingerprint, Writer

if TYPE_CHECKING:
    from rag.building.parts import Part
    from rag.documents import File
    from rag.settings import Settings

__all__ = ["BuildCancelled", "BuildReport", "Progress", "build", "files_to_write"]


def build(
    settings: Settings,
    *,
    full: bool = False,
    part: Part | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> BuildReport:
    """Bring the collection of ``settings`` up to date with its documents folder.

    ``full`` starts from nothing and embeds all again. ``part`` builds a share of the documents into
    a new collection on a server (:mod:`rag.stores.server_parts`). ``progress`` is told how far it
    is; ``cancel`` is asked between batches, and True ends it with :class:`BuildCancelled`. Raises
    :class:`~rag.errors.RagError`. Whatever happens, readers have the old collection until the new
    one is complete: on a server in full builds and parts alone, others replace it file by file.
    """
    from rag.building.journal import drop_journals, has_journal, open_journal
    from rag.building.vectors import VectorSource

    watch, tell = Stopwatch(), progress or (lambda _: None)
    embeddings = open_embeddings(settings)
    with watch.step("read"):
        previous = Previous() if full or part else read_previous(settings)
        folder = find_documents(settings, previous.documents)
        if part is not None:
            files = tuple(file for file in folder.files if part.has(file.path))
            folder = replace(folder, files=files)
        expected = expected_fingerprint(embeddings, previous)
        found = compare(folder, previous.documents, tell)
    info, update = previous.info, None
    unfinished = has_journal(settings)  # a killed build left things to tidy up
    if not info or found.any or unfinished or not _is_current(info.record, settings, found):
        with (
            open_writer(settings, full=full, fingerprint=expected, part=part) as writer,
            open_journal(settings, expected, full=full, part=part) as journal,
        ):
            if writer.documents != previous.documents:  # another build came between
                previous, info = Previous(info, dict(writer.documents)), None
                found = compare(folder, previous.documents, tell)
            if writer.record and writer.record.fingerprint != expected:
                raise StoreStale("Another build came between. Run again: python store.py")
            update = Update(
                writer, journal, VectorSource(embeddings, writer, journal, expected.dimension),
                window_size=settings.window_size, watch=watch, progress=tell,
                cancel=cancel or (lambda: False), in_place=bool(settings.qdrant_url) and not full,
            )  # fmt: skip
            update.write(files_to_write(settings, found, writer.record))
            may_be_empty = part is not None or not folder.files
            gone = _gone(settings, writer, update, found, may_be_empty=may_be_empty)
            if not info or update.written or gone or not _is_current(info.record, settings, found):
                with watch.step("write"):
                    writer.remove(gone)
                    info = writer.finish(_record(settings, found, expected))
            drop_journals(settings, part)
    return _report(info, found, previous, update, watch.seconds())


def files_to_write(
    settings: Settings, found: Changes, record: CollectionRecord | None
) -> list[File]:
    """Return the files to split again, by path: all, when the stored windows have another size."""
    files = [*found.new, *found.changed]
    if record is None or record.window_size != settings.window_size:
        files += found.unchanged
    return sorted(files, key=lambda file: file.path)


def _is_current(record: CollectionRecord, settings: Settings, found: Changes) -> bool:
    return record.window_size == settings.window_size and record.docs == found.root


def _gone(
    settings: Settings, writer: Writer, update: Update, found: Changes, *, may_be_empty: bool
) -> list[str]:
    """Return the documents to take out. Raises DocumentsMissing when none could be read."""
    there = {file.path for file in found.unchanged} | update.written.keys()
    there -= {skipped.path for skipped in update.skipped}
    if not there and not may_be_empty:
        first = (*update.skipped, *found.skipped)[0]
        raise DocumentsMissing(
            f"No document of {settings.docs} can be read; {first.path}: {first.reason}", first.path
        )
    return [path for path in writer.documents if path not in there]


def _record(settings: Settings, found: Changes, expected: Fingerprint) -> CollectionRecord:
    engine = "qdrant-client" if settings.qdrant_url else "qdrant-edge-py"
    return CollectionRecord(
        fingerprint=expected,
        docs=found.root,
        window_size=settings.window_size,
        built=time.time(),
        engine=f"{engine} {version(engine)}",
    )


def _report(
    info: CollectionInfo,
    found: Changes,
    previous: Previous,
    update: Update | None,
    seconds: Seconds,
) -> BuildReport:
    skipped = [*found.skipped, *(update.skipped if update else ())]
    gone = {each.path for each in skipped}
    sources = {file.path for file in (*found.new, *found.changed, *found.unchanged)} - gone
    added = sum(update.added.values()) if update else 0
    record = previous.info.record if previous.info else None
    notes = list(update.notes) if update else []
    if record and record.docs != found.root:
        notes.append(f"The collection held {record.docs} before; it holds {found.root} now")
    return BuildReport(
        collection=info.collection,
        location=info.location,
        generation=info.generation,
        documents=info.documents,
        sentences=info.sentences,
        added=added,
        reused=info.sentences - added,
        removed=_removed(previous.documents, found, update) if update else 0,
        skipped=tuple(sorted(skipped, key=lambda each: each.path)),
        sources=tuple(sorted(sources)),
        embedding_model=info.record.fingerprint.embedding_model,
        window_size=info.record.window_size,
        seconds=seconds,
        notes=tuple(notes),
    )


def _removed(before: Mapping[str, DocumentRecord], found: Changes, update: Update) -> int:
    """Count the sentences of removed and rewritten documents that are in no document any more.

    A new file that is a copy of a document that stayed has taken its vectors from there.
    """
    kept = {file.path for file in found.unchanged} - update.written.keys()
    kept_digests = {before[path].digest for path in kept}
    old = sum(record.sentences for path, record in before.items() if path not in kept)
    back = sum(
        record.sentences - update.added[path]
        for path, record in update.written.items()
        if path in before or record.digest not in kept_digests
    )
    return max(0, old - back)
