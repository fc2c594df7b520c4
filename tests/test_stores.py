"""One suite for every store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

import numpy as np
import pytest

from rag.errors import StoreBusy, StoreMissing
from rag.settings import Settings
from rag.stores import current_generation, open_store, open_writer
from rag.stores.base import CollectionRecord, DocumentRecord, Fingerprint, Point, SparseVector
from rag.types import Condition, Sentence

FINGERPRINT = Fingerprint("hand-made", 4, 1, "splitter-1", "tokenizer-1", ("query: ", ""))
RECORD = CollectionRecord(FINGERPRINT, "/documents", 2, 1_700_000_000.0, "engine 0")


def vector(*values: float) -> np.ndarray:
    full = np.array([*values, *[0.0] * (4 - len(values))], dtype=np.float32)
    return full / np.linalg.norm(full)


def point(source: str, index: int, dense: np.ndarray, terms: Sequence[int], **fields) -> Point:
    text = f"{source} {index}"
    sentence = Sentence(
        source=source, index=index, start=index * 20, end=index * 20 + len(text), text=text,
        title=source.title(), section=("Top", f"Part {index // 2}"), paragraph=index // 2,
        page=index + 1, before="\n" if index else "", after="end\n",
    )  # fmt: skip
    keyword = SparseVector(tuple(terms), tuple(1.0 for _ in terms))
    return Point(
        sentence, f"window of {text}", f"digest {source} {index}", dense, keyword, **fields
    )


def document(path: str, sentences: int, **metadata) -> DocumentRecord:
    return DocumentRecord(path, path.title(), f"d-{path}", 10, 1_700_000_000.0, sentences, metadata)


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(qdrant_path=tmp_path / "q")


def build(settings, documents, *, full=False, removed=()):
    with open_writer(settings, full=full, fingerprint=FINGERPRINT) as writer:
        writer.remove(removed)
        for path, vectors in documents.items():
            points = [point(path, i, v, [i + 1, 100]) for i, v in enumerate(vectors)]
            writer.add(document(path, len(points)), points)
        return writer.finish(RECORD)


def test_search(settings):
    """Both legs find in one call, best first, and read() gives neighbours in order."""
    with pytest.raises(StoreMissing, match=r"Run: python store\.py"):
        open_store(settings)
    info = build(settings, {"b": [vector(1), vector(1, 1)], "a": [vector(0, 1), vector(0, 0, 1)]})
    assert current_generation(settings) == info.generation
    store = open_store(settings)
    assert store.info == info
    legs = store.search(dense=vector(1), keyword=SparseVector((2,), (1.0,)), limit=2)
    assert [(s.sentence.source, s.sentence.index) for s in legs.dense] == [("b", 0), ("b", 1)]
    assert legs.dense[0].score == pytest.approx(1.0)
    assert {(s.sentence.source, s.sentence.index) for s in legs.keyword} == {("a", 1), ("b", 1)}
    assert store.read([("b", 1), ("a", 0), ("a", 9)]) == [
        point("a", 0, vector(1), []).sentence,
        point("b", 1, vector(1), []).sentence,
    ]
    assert [d.path for d in store.documents()] == ["a", "b"]
    assert [(s.source, s.index) for s in store.sentences()] == [
        ("a", 0),
        ("a", 1),
        ("b", 0),
        ("b", 1),
    ]
    build(settings, {"c": [vector(0, 0, 0, 1)]}, removed=["b"])
    assert [d.path for d in open_store(settings).documents()] == ["a", "c"]
    assert [d.path for d in store.documents()] == ["a", "b"]
    with open_writer(settings, fingerprint=FINGERPRINT) as writer:
        assert set(writer.vectors(["digest a 0", "nope"])) == {"digest a 0"}
        with pytest.raises(StoreBusy), open_writer(settings, fingerprint=FINGERPRINT):
            pass
    build(settings, {"z": [vector(1)]}, full=True)
    assert [d.path for d in open_store(settings).documents()] == ["z"]
    assert len(list((settings.qdrant_path / settings.collection).iterdir())) == 3
