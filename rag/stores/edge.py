"""The embedded store: Qdrant's own engine in this process, on the current generation's folder.

Turns searches into :class:`~rag.stores.base.Legs`. Any number of processes read at once; a store
goes on answering from the generation it opened, also when a build has replaced that. Knows how to
read; ``edge_writer.py`` knows how to build. No other module knows the engine's names.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import qdrant_edge as engine

from rag.errors import RagError, StoreError, StoreMissing
from rag.stores.base import (
    DENSE,
    KEYWORD,
    CollectionInfo,
    DocumentRecord,
    Legs,
    Scored,
    SparseVector,
)
from rag.stores.filters import Clause, resolve, selects, selects_sentence
from rag.stores.generations import Generations, Manifest, copy_tree
from rag.stores.payload import (
    COLLECTION_ID, DOCUMENT, EMBEDDED, RECORD, SENTENCE_FIELDS, collection_of, document_of,
    sentence_id, sentence_of,
)  # fmt: skip
from rag.types import Condition, Sentence

if TYPE_CHECKING:
    from rag.settings import Settings
    from rag.stores.base import Vector

PAGE = 1000
"""Points fetched at once where all are wanted."""

_ATTEMPTS = 20
"""Times a generation is opened before it is called damaged, 50 ms apart when it did not change."""

_FIELDS = engine.PayloadSelector.Include(["page_content", *SENTENCE_FIELDS])


@contextmanager
def translated(action: str) -> Iterator[None]:
    """Turn whatever the engine or the disk raises into :class:`StoreError`, one line.

    The engine raises bare ``Exception``, and a panic in it is a ``BaseException``.
    """
    try:
        yield
    except RagError:
        raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        hint = "the disk is full. Free some space; " if full else f"{error}; "
        raise StoreError(f"Cannot {action}: {hint}the collection is as it was.") from error
    except Exception as error:  # noqa: BLE001  the engine has no exception of its own
        raise StoreError(f"Cannot {action}: {_one_line(error)}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise StoreError(f"Cannot {action}: the engine failed: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:500] or type(error).__name__


class EdgeStore:
    """An open generation. See :class:`~rag.stores.base.Store`."""

    def __init__(self, shard: engine.EdgeShard, info: CollectionInfo) -> None:
        self._shard = shard
        self._info = info
        self._documents: list[DocumentRecord] | None = None

    @property
    def info(self) -> CollectionInfo:
        """What is open."""
        return self._info

    def search(
        self,
        *,
        dense: Vector | None = None,
        keyword: SparseVector | None = None,
        limit: int,
        where: Sequence[Condition] = (),
    ) -> Legs:
        """Search the given legs; ``limit`` is the most that each returns."""
        clauses = resolve(where, self.documents)
        if clauses is None:
            return Legs()
        wanted = _filter(clauses)
        queries: dict[str, engine.Query] = {}
        if dense is not None:
            queries[DENSE] = engine.Query.Nearest(dense, using=DENSE)
        if keyword is not None and keyword.indices:
            sparse = engine.SparseVector(list(keyword.indices), list(keyword.values))
            queries[KEYWORD] = engine.Query.Nearest(sparse, using=KEYWORD)
        with translated(f"search {self._info.collection}"):
            found = self._shard.query_batch(
                engine.QueryBatchRequest(
                    [
                        engine.QueryRequest(limit, query=query, filter=wanted, with_payload=_FIELDS)
                        for query in queries.values()
                    ]
                )
            )
        return Legs(**{name: _scored(points) for name, points in zip(queries, found, strict=True)})

    def read(self, keys: Iterable[tuple[str, int]]) -> list[Sentence]:
        """Return the sentences ``(source, index)`` that exist, in document order."""
        ids = list({sentence_id(source, index): None for source, index in keys})
        with translated(f"read {self._info.collection}"):
            records = self._shard.retrieve(ids, _FIELDS, False)  # type: ignore[arg-type]  # noqa: FBT003
        sentences = [sentence_of(record.payload) for record in records]
        return sorted(sentences, key=lambda sentence: (sentence.source, sentence.index))

    def documents(self) -> list[DocumentRecord]:
        """Return every document, ordered by path."""
        if self._documents is None:
            wanted = _filter((Clause(RECORD, (DOCUMENT,)),))
            records = [document_of(record.payload) for record in self.scroll(wanted, payload=True)]
            self._documents = sorted(records, key=lambda record: record.path)
        return list(self._documents)

    def sentences(self, where: Sequence[Condition] = ()) -> Iterator[Sentence]:
        """Yield all sentences that fulfil ``where``, ordered by path and index."""
        for record in self.documents():
            if selects(where, record):
                for first in range(0, record.sentences, PAGE):
                    last = min(first + PAGE, record.sentences)
                    page = self.read((record.path, index) for index in range(first, last))
                    yield from (s for s in page if selects_sentence(where, s))

    def scroll(
        self, wanted: engine.Filter | None, *, payload: bool | list[str], vectors: bool = False
    ) -> Iterator[Any]:
        """Yield the engine's records of all points that the filter lets through, in pages."""
        offset: Any = None
        while True:
            request = engine.ScrollRequest(
                offset=offset, limit=PAGE, filter=wanted, with_payload=payload,
                with_vector=[DENSE] if vectors else False,
            )  # fmt: skip
            with translated(f"read {self._info.collection}"):
                records, offset = self._shard.scroll(request)
            yield from records
            if offset is None:
                return

    def close(self) -> None:
        """Let go of the generation's files. Closing twice is allowed."""
        with translated(f"close {self._info.collection}"):
            self._shard.close()


def open_edge(settings: Settings) -> EdgeStore:
    """Open the current generation.

    A build may replace and remove it at any moment, so on any failure the pointer is read again.
    Raises :class:`StoreMissing` before the first build, :class:`StoreError` if it is damaged.
    """
    generations = Generations(settings.qdrant_path / settings.collection)
    failed = ""
    for attempt in range(_ATTEMPTS):
        name = generations.current()
        if name is None:
            raise StoreMissing(
                f"No collection {settings.collection} in {settings.qdrant_path} yet. "
                "Run: python store.py"
            )
        if name == failed:
            time.sleep(0.05)
        try:
            return _open(settings, generations, name)
        except StoreError as error:
            reason, failed = str(error), name
            if (
                attempt > 3
                and generations.current() == name
                and not generations.path(name).exists()
            ):
                break
    raise StoreError(
        f"Collection {settings.collection} in {settings.qdrant_path} is damaged: {reason}. "
        "Rebuild it: python store.py --full"
    )


def _open(settings: Settings, generations: Generations, name: str) -> EdgeStore:
    manifest = generations.manifest(name)
    shard = load_shard(generations.path(name), manifest)
    with translated("read the collection's record"):
        records = shard.retrieve([COLLECTION_ID], True, False)
    if not records:
        shard.close()
        raise StoreError("it has no record of itself")
    info = CollectionInfo(
        settings.collection, str(settings.qdrant_path), name, manifest.documents,
        manifest.sentences, collection_of(records[0].payload),
    )  # fmt: skip
    return EdgeStore(shard, info)


def load_shard(folder: Path, manifest: Manifest | None = None) -> engine.EdgeShard:
    """Load the shard in ``folder``; with a manifest, check that it holds as many points.

    The engine opens a shard's files for writing even to read them. Where that is not permitted, a
    private copy is opened; its files live as long as they are open.
    """
    with translated(f"open {folder}"):
        if manifest is None or _writable(folder):
            shard = engine.EdgeShard.load(str(folder))
        else:
            with TemporaryDirectory(prefix="sentence-window-") as temporary:
                copy_tree(folder, Path(temporary) / "shard")
                shard = engine.EdgeShard.load(str(Path(temporary) / "shard"))
        found = shard.info().points_count
    if manifest is not None and found != manifest.points:
        shard.close()
        raise StoreError(f"{folder.name} holds {found} points instead of {manifest.points}")
    return shard


def _writable(folder: Path) -> bool:
    return all(
        os.access(os.path.join(directory, name), os.W_OK)  # noqa: PTH118  opened for every question
        for directory, _, names in os.walk(folder)
        for name in (".", *names)
    )


def _scored(points: Iterable[engine.ScoredPoint]) -> tuple[Scored, ...]:
    return tuple(Scored(sentence_of(point.payload), point.score) for point in points)


def _filter(clauses: Iterable[Clause]) -> engine.Filter | None:
    must: list[Any] = []
    must_not: list[Any] = []
    for clause in clauses:
        if clause.at_least is None and clause.at_most is None:
            match = engine.MatchAny(list(clause.any_of))  # type: ignore[arg-type]
            condition = engine.FieldCondition(clause.key, match=match)
        else:
            bounds = engine.RangeFloat(gte=clause.at_least, lte=clause.at_most)
            condition = engine.FieldCondition(clause.key, range=bounds)
        (must_not if clause.negated else must).append(condition)
    return engine.Filter(must=must, must_not=must_not) if must or must_not else None


def digest_filter(digests: Sequence[str]) -> engine.Filter | None:
    """Let through the sentences whose embedded text has one of these digests."""
    return _filter((Clause(EMBEDDED, tuple(digests)),))


def source_filter(paths: Sequence[str]) -> engine.Filter | None:
    """Let through the sentences of these documents."""
    return _filter((Clause("metadata.source", tuple(paths)),))
