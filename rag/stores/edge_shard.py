"""Our values ↔ those of Qdrant's embedded engine, and the loading of its shards.

Raises what the engine raises, a bare ``Exception``: :func:`translated` makes it a named error.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import qdrant_edge as engine

from rag.errors import RagError, StoreError
from rag.stores import payload
from rag.stores.base import DENSE, KEYWORD, Point, SparseVector
from rag.stores.copying import copy_tree, list_files
from rag.stores.filters import Clause

INDEXED_FROM_KILOBYTES = 20_000
"""Dense vectors of one segment from which an index is built: 13,300 of 384 dimensions. Below, a
search compares all: it takes 1 to 3 ms there, misses nothing, and builds take no longer for it. At
20,000 the index is twice as fast."""

NEIGHBOURS, CONSTRUCTION, SEARCHED = 16, 128, 256
"""HNSW's m, ef_construct and hnsw_ef. With them recall@10 on sentence vectors is .99 and more, at
20,000 and at a million. An hnsw_ef of 512 misses half as much and takes one and a half to two times
as long, 128 misses twice as much. See bench/store.py."""

SEGMENT_SENTENCES = 100_000
"""Sentences of one segment, each with an index of its own. Where many sentences are nearly the
same, an index over more of them falls into islands: on 300,000, of which each has 60 near-copies,
recall@10 is .84 in one segment and .999 in three, which take twice as long to search, and no longer
to build."""

FILTERED_EXACTLY_KILOBYTES = 10_000
"""Vectors of the sentences that fulfil a filter up to which these are compared one by one."""


@contextmanager
def translated(action: str) -> Iterator[None]:
    """Turn whatever the engine or the disk raises into :class:`StoreError`, one line.

    ``action`` completes "Cannot …". The engine raises bare ``Exception`` for everything, and a
    panic in it is a ``BaseException``.
    """
    try:
        yield
    except RagError:
        raise
    except Exception as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        if full or "(os error 28)" in str(error):
            raise StoreError(
                f"Cannot {action}: the disk is full. The collection is as it was; free some space "
                "and run again: python store.py"
            ) from error
        raise StoreError(f"Cannot {action}: {_one_line(error)}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise StoreError(f"Cannot {action}: the engine failed: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:500] or type(error).__name__


def create_shard(folder: Path, dimension: int) -> engine.EdgeShard:
    """Make an empty shard for vectors of ``dimension``, with its payload indexes."""
    mapped = engine.Memory.Cached  # read from the files as needed: opening need not load them
    keyword = engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf, memory=mapped)
    config = engine.EdgeConfig(
        vectors={DENSE: engine.EdgeVectorParams(dimension, engine.Distance.Cosine)},
        sparse_vectors={KEYWORD: keyword},
        hnsw_config=engine.HnswIndexConfig(NEIGHBOURS, CONSTRUCTION, FILTERED_EXACTLY_KILOBYTES),
        optimizers=engine.EdgeOptimizersConfig(
            indexing_threshold=INDEXED_FROM_KILOBYTES,
            default_segment_number=2,  # the same on every machine
            max_segment_size=SEGMENT_SENTENCES * dimension * 4 // 1000,  # kilobytes
            deleted_threshold=0.2,
            vacuum_min_vector_number=1000,
        ),
        wal_enabled=False,  # without a log many processes may read, and a build is all or nothing
    )
    shard = engine.EdgeShard.create(str(folder), config)
    for key in payload.KEYWORD_INDEXES:
        index = engine.KeywordIndexParams(memory=mapped)
        shard.update(engine.UpdateOperation.create_field_index(key, index))
    for key in payload.INTEGER_INDEXES:
        numbers = engine.IntegerIndexParams(memory=mapped)
        shard.update(engine.UpdateOperation.create_field_index(key, numbers))
    return shard


def load_to_write(folder: Path) -> engine.EdgeShard:
    """Load a shard to go on building it."""
    return engine.EdgeShard.load(str(folder))


def load_to_read(folder: Path) -> engine.EdgeShard:
    """Load a shard, also from a folder that may only be read.

    The engine opens its files for writing even to read them. Where that is not permitted a private
    copy is loaded; it is removed at once and its space is free again when the shard is closed.
    """
    if _writable(folder):
        return engine.EdgeShard.load(str(folder))
    with TemporaryDirectory(prefix="sentence-window-") as temporary:
        copy = Path(temporary) / "shard"
        copy_tree(folder, copy)
        return engine.EdgeShard.load(str(copy))


def count_points(folder: Path) -> int:
    """Load a shard that was just built, once, and return the number of its points.

    The first load also writes the engine's configuration, which readers may not be able to.
    """
    shard = load_to_write(folder)
    points = shard.info().points_count
    shard.close()
    return points


def _writable(folder: Path) -> bool:
    files = (folder / name for name in list_files(folder))
    return os.access(folder, os.W_OK) and all(os.access(file, os.W_OK) for file in files)


def engine_point(point: Point, modified: float) -> engine.Point:
    """Make the engine's point of a sentence; ``modified`` is its document's."""
    vectors: Any = {DENSE: point.dense.tolist(), KEYWORD: engine_sparse(point.keyword)}
    sentence = point.sentence
    key = payload.sentence_id(sentence.source, sentence.index)
    return engine.Point(key, vectors, payload.sentence_payload(point, modified))


def engine_sparse(vector: SparseVector) -> engine.SparseVector:
    """Make the engine's sparse vector."""
    return engine.SparseVector(list(vector.indices), list(vector.values))


def engine_filter(clauses: Iterable[Clause]) -> engine.Filter:
    """Make the engine's filter of clauses that must all hold."""
    must: list[Any] = []
    must_not: list[Any] = []
    for clause in clauses:
        if clause.at_least is None and clause.at_most is None:
            match: Any = engine.MatchAny(list(clause.any_of))  # type: ignore[arg-type]
            condition = engine.FieldCondition(clause.key, match=match)
        else:
            bounds = engine.RangeFloat(gte=clause.at_least, lte=clause.at_most)
            condition = engine.FieldCondition(clause.key, range=bounds)
        (must_not if clause.negated else must).append(condition)
    return engine.Filter(must=must, must_not=must_not)
