"""Real sentences with their vectors, and as many jittered copies of them as a size asks for.

Random vectors mislead: they have no neighbours, and an index built for neighbours finds few of
them. So the copies are real vectors, each moved a quarter of its length in a random direction.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluation_sets import CachedEmbeddings, Vectors, read_set

from rag.keywords import passage_vector, query_vector
from rag.stores.base import DocumentRecord, Point, SparseVector

JITTER = 0.25
"""Length of what is added to a vector of length 1 to make a copy of it."""


@dataclass(frozen=True)
class Query:
    """A question, as both legs search it."""

    dense: Vectors
    keyword: SparseVector


@dataclass(frozen=True)
class Corpus:
    """Documents with their points, the first time round real ones; and real questions."""

    documents: tuple[tuple[DocumentRecord, tuple[Point, ...]], ...]
    queries: tuple[Query, ...]

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return len(self.queries[0].dense)

    def take(self, size: int) -> Iterator[tuple[DocumentRecord, list[Point]]]:
        """Yield documents with ``size`` sentences in all, the same ones each time."""
        rng = np.random.default_rng(0)
        left, copy = size, 0
        while left:
            for record, points in self.documents:
                path = f"{copy:03}/{record.path}"
                some = [_copy(p, path, copy, rng) for p in points[:left]]
                yield replace(record, path=path, sentences=len(some)), some
                left -= len(some)
                if not left:
                    return
            copy += 1


def _copy(point: Point, path: str, copy: int, rng: np.random.Generator) -> Point:
    dense = point.dense
    if copy:
        noise = rng.normal(size=len(dense)).astype(np.float32)
        dense = dense + noise * np.float32(JITTER / np.linalg.norm(noise))
        dense /= np.linalg.norm(dense)
    sentence = replace(point.sentence, source=path)
    digest = hashlib.sha256(f"{copy} {point.embedded}".encode()).hexdigest()
    return replace(point, sentence=sentence, dense=dense, embedded=digest)


def read_corpus(folders: Sequence[Path]) -> Corpus:
    """Read evaluation sets; vectors that are not in ``bench/out/`` yet are made (minutes)."""
    documents: list[tuple[DocumentRecord, tuple[Point, ...]]] = []
    queries: list[Query] = []
    for folder in folders:
        sample, embeddings = read_set(folder), CachedEmbeddings(folder.name)
        vectors = embeddings.passages([s.embedded_text for s in sample.sentences])
        by_path: dict[str, list[Point]] = {}
        for parsed, dense in zip(sample.sentences, vectors, strict=True):
            digest = hashlib.sha256(parsed.embedded_text.encode()).hexdigest()
            keyword = passage_vector(parsed.embedded_text)
            made = Point(parsed.sentence, parsed.window, digest, dense, keyword)
            by_path.setdefault(parsed.sentence.source, []).append(made)
        for document in sample.documents:
            points = by_path.get(document.path, [])
            record = DocumentRecord.of(document, len(points))
            path = f"{folder.name}/{document.path}"  # sets share names
            documents.append((replace(record, path=path), tuple(points)))
        texts = [question.text for question in sample.questions[:100]]
        rows = embeddings.queries(texts)
        queries += [Query(row, query_vector(text)) for row, text in zip(rows, texts, strict=True)]
    return Corpus(tuple(documents), tuple(queries))
