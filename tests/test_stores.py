"""One suite for every store: what :mod:`rag.stores.base` promises, whatever is behind it."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import numpy as np
import pytest

from rag.errors import StoreBusy, StoreError, StoreMissing
from rag.stores.base import Point, SparseVector, Store
from rag.stores.listing import PAGE
from rag.types import Condition
from tests.store_backends import (
    RECORD,
    Backend,
    Embedded,
    Http,
    Memory,
    Server,
    build,
    digest,
    document,
    keys,
    point,
    put,
    vector,
)

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect")

A, B, C, D = vector(1), vector(0, 1), vector(0, 0, 1), vector(0, 0, 0, 1)


REMOTE = {"memory": Memory, "http": Http, "server": Server}
KINDS = ["embedded", "memory", "http", *(["server"] if "QDRANT_TEST_URL" in os.environ else [])]


def _made(kind: str, folder: Path) -> Backend:
    return Embedded(folder) if kind == "embedded" else REMOTE[kind]()


@pytest.fixture(params=KINDS)
def backend(request, tmp_path):
    backend = _made(request.param, tmp_path / "q")
    yield backend
    backend.close()


@pytest.fixture(params=KINDS, scope="module")
def filtered(request, tmp_path_factory):
    """A store with two documents, one of which has metadata."""
    folder = tmp_path_factory.mktemp("filtered")
    backend = _made(request.param, folder)
    metadata = {"lang": "en", "draft": True, "tags": ("x", "y"), "version": 2}
    metadata["of"] = date(2024, 5, 1)
    build(backend, {"a": [A, B, C], "b": [A, B, C]}, metadata={"a": metadata})
    yield backend.open()
    backend.close()


def test_missing(backend: Backend):
    """Before the first build there is no generation, and opening says what to run."""
    assert backend.generation() is None
    with pytest.raises(StoreMissing, match=r"Run: python store\.py"):
        backend.open()


def test_info(backend: Backend):
    """A store says what it holds, as the build that wrote it did."""
    info = build(backend, {"a.md": [A, B], "b.md": [C]})
    store = backend.open()
    assert store.info == info
    assert (info.documents, info.sentences, info.record) == (2, 3, RECORD)
    assert info.generation == backend.generation()


def test_both_legs(backend: Backend):
    """Both legs are searched at once, each best first, with cosines and keyword sums."""
    build(backend, {"a": [A, vector(1, 1)], "b": [C, D]})
    legs = backend.open().search(dense=A, keyword=SparseVector((2, 100), (1.0, 1.0)), limit=3)
    assert keys(legs.dense)[:2] == [("a", 0), ("a", 1)]
    assert [s.score for s in legs.dense] == pytest.approx([1.0, 2**-0.5, 0.0], abs=1e-5)
    assert set(keys(legs.keyword)[:2]) == {("a", 1), ("b", 1)}
    assert legs.keyword[0].score > legs.keyword[2].score > 0


def test_one_leg(backend: Backend):
    """A leg that is not asked is empty, and so is that of a query without terms."""
    build(backend, {"a": [A, B]})
    store = backend.open()
    assert store.search(dense=A, limit=5).keyword == ()
    assert len(store.search(dense=A, limit=5).dense) == 2
    assert store.search(keyword=SparseVector((1,), (1.0,)), limit=5).dense == ()
    assert store.search(keyword=SparseVector(), limit=5) == store.search(limit=5)


def test_limit(backend: Backend):
    """Each leg returns at most ``limit``, and only what it found."""
    build(backend, {"a": [A, B, C]})
    legs = backend.open().search(dense=A, keyword=SparseVector((2,), (1.0,)), limit=2)
    assert (len(legs.dense), len(legs.keyword)) == (2, 1)


def test_without_terms(backend: Backend):
    """A sentence without terms is stored, and found by its meaning alone."""
    with backend.writer() as writer:
        writer.add(document("a", 1), [point("a", 0, A, {})])
        writer.finish(RECORD)
    legs = backend.open().search(dense=A, keyword=SparseVector((1,), (1.0,)), limit=5)
    assert (keys(legs.dense), legs.keyword) == ([("a", 0)], ())


def test_read(backend: Backend):
    """Sentences come back whole, those that exist, in document order, once each."""
    build(backend, {"b": [A, B], "a": [C]})
    wanted = [("b", 1), ("a", 0), ("b", 0), ("b", 1), ("b", 7), ("nowhere", 0)]
    expected = [point(source, i, A, {}).sentence for source, i in [("a", 0), ("b", 0), ("b", 1)]]
    assert backend.open().read(wanted) == expected


def test_lists_are_whole(backend: Backend):
    """More documents than ten and more sentences than a page are all listed, in order."""
    rng = np.random.default_rng(0)
    sizes = {f"{i:02}.md": 90 + i for i in range(13)}
    documents = {path: [vector(*rng.normal(size=4)) for _ in range(n)] for path, n in sizes.items()}
    build(backend, dict(reversed(documents.items())))
    store = backend.open()
    assert [record.path for record in store.documents()] == sorted(documents)
    assert sum(sizes.values()) > PAGE
    expected = [(path, i) for path in sorted(sizes) for i in range(sizes[path])]
    assert keys(store.sentences()) == expected
    odd = [Condition("source", "in", tuple(sorted(sizes)[1::2])), Condition("page", "<=", 95)]
    assert keys(store.sentences(odd)) == [
        (path, i) for path in sorted(sizes)[1::2] for i in range(min(95, sizes[path]))
    ]


def test_replaced(backend: Backend):
    """A document put in again takes the place of the old one: nothing doubled, nothing orphaned."""
    build(backend, {"a": [A, B, C], "b": [D]})
    info = build(backend, {"a": [B]})
    store = backend.open()
    assert (info.documents, info.sentences) == (2, 2)
    assert keys(store.sentences()) == [("a", 0), ("b", 0)]
    assert sorted(keys(store.search(dense=A, limit=10).dense)) == [("a", 0), ("b", 0)]
    assert keys(store.search(keyword=SparseVector((3,), (1.0,)), limit=10).keyword) == []


def test_removed(backend: Backend):
    """A removed document is gone with its sentences; an unknown one is not missed."""
    build(backend, {"a": [A], "b": [B]})
    info = build(backend, {}, remove=["a", "unknown"])
    store = backend.open()
    assert [record.path for record in store.documents()] == ["b"]
    assert keys(store.search(dense=A, limit=10).dense) == [("b", 0)]
    assert (info.documents, info.sentences) == (1, 1)


def test_full(backend: Backend):
    """A full build starts from nothing: no record, no documents, no vectors to reuse."""
    build(backend, {"a": [A], "b": [B]})
    with backend.writer(full=True) as writer:
        assert (writer.record, dict(writer.documents)) == (None, {})
        assert writer.vectors([digest("a", 0)]) == {}
        put(writer, "c", [C])
        writer.finish(RECORD)
    assert keys(backend.open().sentences()) == [("c", 0)]


def test_start(backend: Backend):
    """A build starts from the record and the documents of the one before."""
    with backend.writer() as writer:
        assert (writer.record, dict(writer.documents)) == (None, {})
    build(backend, {"a": [A], "b": [B]})
    with backend.writer() as writer:
        assert writer.record == RECORD
        assert writer.documents == {"a": document("a", 1), "b": document("b", 1)}


def test_vectors(backend: Backend):
    """Stored vectors are found by the digests of their texts, more than a page of them."""
    rng = np.random.default_rng(1)
    many = [vector(*rng.normal(size=4)) for _ in range(PAGE + 100)]
    build(backend, {"a": many, "b": [A]})
    wanted = [digest("a", i) for i in range(len(many))] + [digest("b", 0), "unknown"]
    with backend.writer() as writer:
        found = writer.vectors(wanted)
    assert set(found) == set(wanted) - {"unknown"}
    assert found[digest("b", 0)].dtype == np.float32
    for i, expected in enumerate(many):
        np.testing.assert_allclose(found[digest("a", i)], expected, atol=1e-6)


def test_busy(backend: Backend):
    """A second build is refused and told who runs the first; after that one it may."""
    build(backend, {"a": [A]})
    with backend.writer():
        with pytest.raises(StoreBusy, match=rf"process {os.getpid()} on .* since "):
            backend.writer().__enter__()
        assert keys(backend.open().sentences()) == [("a", 0)]
    with backend.writer(full=True):
        pass


def test_failed_full_build(backend: Backend):
    """A full build that fails before its end leaves the collection as it was, and no litter."""
    info = build(backend, {"a": [A]})

    def fail() -> None:
        with backend.writer(full=True) as writer:
            put(writer, "b", [B])
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    store = backend.open()
    assert store.info == info
    assert keys(store.sentences()) == [("a", 0)]
    if isinstance(backend, Memory):
        assert len(backend.client.get_collections().collections) == 1


def test_interrupted_replacement():
    """On a server, a build that ends in the middle leaves no document that looks finished."""
    backend = Memory()
    build(backend, {"a": [A, B, C]})
    broken = replace(point("a", 1, A, {}), dense=np.ones(3, dtype=np.float32))

    def fail() -> None:
        with backend.writer() as writer:
            writer.add(document("a", 2), [point("a", 0, A, {}), broken])
            writer.finish(RECORD)

    with pytest.raises(StoreError, match="Cannot write"):
        fail()
    with backend.writer() as writer:
        assert writer.documents["a"].digest == ""
        put(writer, "a", [B])
        writer.finish(RECORD)
    assert keys(backend.open().sentences()) == [("a", 0)]


def test_generations(backend: Backend):
    """Each build makes another generation; a store keeps the one it was opened with."""
    first = build(backend, {"a": [A]})
    store = backend.open()
    second = build(backend, {"b": [B]})
    third = build(backend, {"c": [C]}, full=True)
    assert len({first.generation, second.generation, third.generation}) == 3
    assert backend.generation() == third.generation
    assert store.info == first
    if isinstance(backend, Embedded):
        assert keys(store.sentences()) == [("a", 0)]
        assert keys(store.search(dense=A, limit=9).dense) == [("a", 0)]


def test_metadata(backend: Backend):
    """A document's metadata come back with their types."""
    metadata = {
        "tags": ("x", "y"), "draft": True, "version": 2, "ratio": 0.5, "of": date(2024, 5, 1),
        "at": datetime(2024, 5, 1, 12, 30), "history": (date(2020, 1, 1), date(2021, 1, 1)),
        'odd "name".[0]': "x",
    }  # fmt: skip
    build(backend, {"a": [A]}, metadata={"a": metadata})
    assert backend.open().documents() == [document("a", 1, metadata)]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (("source", "=", "a"), "a0 a1 a2"),
        (("source", "!=", "a"), "b0 b1 b2"),
        (("source", "in", ("a", "z")), "a0 a1 a2"),
        (("source", "not in", ("a", "b")), ""),
        (("source", "in", ()), ""),
        (("source", "not in", ()), "a0 a1 a2 b0 b1 b2"),
        (("source", "contains", "B"), "b0 b1 b2"),
        (("source", ">", "a"), "b0 b1 b2"),
        (("title", "contains", "A"), "a0 a1 a2"),
        (("section", "=", "Part 1"), "a2 b2"),
        (("section", "contains", "Part 0"), "a0 a1 b0 b1"),
        (("section", "not in", ("Part 0",)), "a2 b2"),
        (("page", "=", 2), "a1 b1"),
        (("page", "=", 2.5), ""),
        (("page", "!=", 2), "a0 a2 b0 b2"),
        (("page", ">", 2), "a2 b2"),
        (("page", "<=", 1.5), "a0 b0"),
        (("page", "in", (1, 3)), "a0 a2 b0 b2"),
        (("page", "=", "2"), ""),
        (("page", "<", float("inf")), "a0 a1 a2 b0 b1 b2"),
        (("page", ">=", float("nan")), ""),
        (("page", "in", (10**30, float("nan"), 1)), "a0 b0"),
        (("index", ">=", 2), "a2 b2"),
        (("kind", "=", "sentence"), "a0 a1 a2 b0 b1 b2"),
        (("kind", "!=", "sentence"), ""),
        (("lang", "=", "en"), "a0 a1 a2"),
        (("lang", "!=", "en"), "b0 b1 b2"),
        (("draft", "=", True), "a0 a1 a2"),
        (("draft", "=", 1), ""),
        (("tags", "contains", "y"), "a0 a1 a2"),
        (("version", ">=", 2), "a0 a1 a2"),
        (("of", "<", date(2024, 5, 2)), "a0 a1 a2"),
        (("modified", "=", date(2023, 11, 14)), "a0 a1 a2 b0 b1 b2"),
        (("modified", ">", date(2023, 11, 14)), ""),
        (("nowhere", "=", "x"), ""),
        (("nowhere", "!=", "x"), "a0 a1 a2 b0 b1 b2"),
        (('x" OR metadata.source', "=", "a"), ""),
        (("metadata.source", "=", "a"), ""),
        (("tags[]", "=", "y"), ""),
    ],
)
def test_filters(filtered: Store, condition, expected):
    """A filter lets the same sentences through in both legs and in a listing."""
    store, where = filtered, [Condition(*condition)]
    wanted = [(name[0], int(name[1])) for name in expected.split()]
    legs = store.search(dense=A, keyword=SparseVector((100,), (1.0,)), limit=10, where=where)
    assert sorted(keys(legs.dense)) == wanted
    assert sorted(keys(legs.keyword)) == wanted
    assert keys(store.sentences(where)) == wanted


def test_filters_together(filtered: Store):
    """Of several filters all must hold."""
    where = [Condition("lang", "=", "en"), Condition("page", ">", 1), Condition("page", "<", 3)]
    store = filtered
    assert keys(store.search(dense=A, limit=10, where=where).dense) == [("a", 1)]
    assert keys(store.sentences(where)) == [("a", 1)]


def test_order_of_equals(backend: Backend):
    """Equal scores stand in document order, so that the same question has one answer."""
    build(backend, {"b": [A, A], "a": [A, A]})
    legs = backend.open().search(dense=A, keyword=SparseVector((100,), (1.0,)), limit=10)
    assert keys(legs.dense) == keys(legs.keyword) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]


def test_threads(tmp_path):
    """Several threads search one embedded store at once, and each gets its own answer."""
    rng = np.random.default_rng(2)
    many = [vector(*rng.normal(size=4)) for _ in range(500)]
    backend = Embedded(tmp_path)
    build(backend, {"a": many})
    store = backend.open()

    def search(i: int) -> bool:
        legs = store.search(dense=many[i], keyword=SparseVector((i + 1,), (1.0,)), limit=1)
        around = store.read([("a", i), ("a", i + 1)])
        return keys(legs.keyword) == [("a", i)] and legs.dense[0].score > 0.999 and len(around) == 2

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(search, range(100, 499)))  # term 100 is in every sentence


def test_stores_agree(tmp_path):
    """The embedded engine and qdrant-client find the same in the same legs, also after changes."""
    rng = np.random.default_rng(3)

    def points(path: str, n: int) -> list[Point]:
        return [
            point(path, i, vector(*rng.normal(size=4)), dict(zip(
                rng.choice(50, 6, replace=False).tolist(), rng.uniform(0.5, 2, 6).tolist(),
                strict=True,
            )))
            for i in range(n)
        ]  # fmt: skip

    documents = {f"{i}.md": points(f"{i}.md", 40) for i in range(12)}
    changed = {"3.md": points("3.md", 20), "20.md": points("20.md", 30)}
    stores = []
    for backend in (Embedded(tmp_path), Memory()):
        with backend.writer() as writer:
            for path, its in documents.items():
                writer.add(document(path, len(its)), its)
            writer.finish(RECORD)
        with backend.writer() as writer:
            writer.remove(["5.md"])
            for path, its in changed.items():
                writer.add(document(path, len(its)), its)
            writer.finish(RECORD)
        stores.append(backend.open())
    for _ in range(20):
        dense = vector(*rng.normal(size=4))
        terms = rng.choice(50, 3, replace=False).tolist()
        keyword = SparseVector(tuple(terms), (1.0, 0.5, 1.5))
        ours, theirs = (store.search(dense=dense, keyword=keyword, limit=15) for store in stores)
        for leg in ("dense", "keyword"):
            found, expected = getattr(ours, leg), getattr(theirs, leg)
            assert len(found) == 15
            assert keys(found) == keys(expected)
            assert [s.score for s in found] == pytest.approx([s.score for s in expected], rel=0.01)
