"""Small real collections of hand-written texts, with embeddings whose cosines one can work out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rag.keywords import TOKENIZER, passage_vector
from rag.nodes import parse_sentences
from rag.settings import Settings
from rag.stores import open_store, open_writer
from rag.stores.base import CollectionRecord, DocumentRecord, Fingerprint, Point, Store
from rag.types import Document, Metadata

MODIFIED = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC

Vectors = npt.NDArray[np.float32]


class WordEmbeddings:
    """A dimension for each word of a vocabulary, and one for all other texts.

    A text's vector says which words it holds, at unit norm: two texts with one word each have the
    cosine 1 or 0, one word of two 0.707. Remembers the queries it was asked.
    """

    model = "words"
    prefixes = ("", "")

    def __init__(self, vocabulary: str) -> None:
        self.vocabulary = vocabulary.split()
        self.dimension = self.known_dimension = len(self.vocabulary) + 1
        self.queries: list[str] = []

    def embed_query(self, text: str) -> Vectors:
        self.queries.append(text)
        return self._vector(text)

    def embed_passages(self, texts: Sequence[str]) -> Iterator[tuple[int, Vectors]]:
        yield 0, np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vectors:
        words = set(re.findall(r"\w+", text.lower()))
        held = [float(word in words) for word in self.vocabulary]
        vector = np.array([*held, 0.0 if any(held) else 1.0], np.float32)
        return vector / np.linalg.norm(vector)


def build_small(
    folder: Path,
    texts: Mapping[str, str],
    embeddings: WordEmbeddings,
    metadata: Mapping[str, Metadata] | None = None,
) -> Store:
    """Build an embedded collection of Markdown ``texts`` by path, and open it."""
    settings = Settings(qdrant_path=folder / "qdrant")
    fingerprint = Fingerprint("words", embeddings.dimension, 1, "", TOKENIZER)
    with open_writer(settings, full=True, fingerprint=fingerprint) as writer:
        for path, text in texts.items():
            document = Document(
                path, text, path.partition(".")[0], "", len(text), MODIFIED, markdown=True,
                metadata=(metadata or {}).get(path, {}),
            )  # fmt: skip
            parsed = parse_sentences(document, window_size=2)
            vectors = next(embeddings.embed_passages([p.sentence.text for p in parsed]))[1]
            points = [
                Point(
                    p.sentence, p.window, hashlib.sha256(p.embedded_text.encode()).hexdigest(),
                    vector, passage_vector(p.sentence.text), document.metadata,
                )
                for p, vector in zip(parsed, vectors, strict=True)
            ]  # fmt: skip
            writer.add(DocumentRecord.of(document, len(points)), points)
        writer.finish(CollectionRecord(fingerprint, "/documents", 2, MODIFIED, "engine"))
    return open_store(settings)


def is_held(path: Path) -> bool:
    """Whether this process has files below ``path`` mapped, as an open embedded store has."""
    return f"{path}/" in Path("/proc/self/maps").read_text("utf-8")
