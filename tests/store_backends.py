"""The stores under test, behind one small face, and hand-made points to put into them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np

from rag.settings import Settings
from rag.stores import current_generation, open_store, open_writer
from rag.stores.base import (
    CollectionInfo,
    CollectionRecord,
    DocumentRecord,
    Fingerprint,
    Point,
    SparseVector,
    Store,
    Writer,
)
from rag.types import Metadata, Sentence
from tests.local_qdrant import LocalQdrant

FINGERPRINT = Fingerprint("hand-made", 4, 1, "splitter-1", "tokenizer-1", ("query: ", ""))
RECORD = CollectionRecord(FINGERPRINT, "/documents", 2, 1_700_000_000.0, "engine 0")
MODIFIED = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC


class Embedded:
    """Qdrant's engine in this process."""

    def __init__(self, folder: Path, collection: str = "window_db") -> None:
        self.settings = Settings(qdrant_path=folder, collection=collection)

    def open(self) -> Store:
        return open_store(self.settings)

    def writer(self, *, full: bool = False) -> Writer:
        return open_writer(self.settings, full=full, fingerprint=FINGERPRINT)

    def generation(self) -> str | None:
        return current_generation(self.settings)

    def close(self) -> None:
        pass


class Memory:
    """qdrant-client without a server. Its collections live and die with the object."""

    def __init__(self) -> None:
        from qdrant_client import QdrantClient

        self.settings = Settings()
        self.client = QdrantClient(":memory:")

    def open(self) -> Store:
        from rag.stores.server import open_collection

        return open_collection(self.client, self.settings)

    def writer(self, *, full: bool = False) -> Writer:
        from rag.stores.server_writer import ServerWriter

        # Local mode may be used by one thread at a time.
        return ServerWriter(
            self.client, self.settings, full=full, fingerprint=FINGERPRINT, workers=1,
            grace_seconds=0,
        )  # fmt: skip

    def generation(self) -> str | None:
        from rag.stores.server import generation_of

        return generation_of(self.client, self.settings)

    def close(self) -> None:
        self.client.close()


class Http(Memory):
    """The same behind HTTP, by the client that a server is asked with."""

    def __init__(self) -> None:
        from rag.stores.server_client import connect

        self._server = LocalQdrant()
        self._server.__enter__()
        self.settings = Settings(qdrant_url=self._server.url)
        self.client = connect(self.settings)

    def writer(self, *, full: bool = False) -> Writer:
        from rag.stores.server_writer import ServerWriter

        return ServerWriter(
            self.client, self.settings, full=full, fingerprint=FINGERPRINT, grace_seconds=0
        )

    def close(self) -> None:
        super().close()
        self._server.__exit__()


class Server(Memory):
    """A Qdrant server, at QDRANT_TEST_URL; each object uses a collection of its own."""

    def __init__(self) -> None:
        from rag.stores.server_client import connect

        self.settings = Settings(
            qdrant_url=os.environ["QDRANT_TEST_URL"],
            qdrant_api_key=os.environ.get("QDRANT_TEST_API_KEY"),
            collection=f"test-{uuid4().hex[:8]}",
        )
        self.client = connect(self.settings)

    def close(self) -> None:
        for collection in self.client.get_collections().collections:
            if collection.name.startswith(self.settings.collection):
                self.client.delete_collection(collection.name)


Backend = Embedded | Memory


def vector(*values: float) -> np.ndarray:
    """Return a unit vector of four dimensions that points as the values say."""
    full = np.zeros(4, dtype=np.float32)
    full[: len(values)] = values
    return full / np.linalg.norm(full)


def point(
    source: str,
    index: int,
    dense: np.ndarray,
    terms: Mapping[int, float],
    metadata: Metadata = {},  # noqa: B006
) -> Point:
    """Make a point: two sentences a section and paragraph, one a page."""
    text = f"Sentence {index} of {source}."
    start = index * 100
    sentence = Sentence(
        source=source, index=index, start=start, end=start + len(text), text=text,
        title=source.title(), section=("Top", f"Part {index // 2}"), paragraph=index // 2,
        page=index + 1, before=" " if index else "# Top\n", after="",
    )  # fmt: skip
    keyword = SparseVector(tuple(terms), tuple(terms.values()))
    return Point(sentence, f"Window of {text}", digest(source, index), dense, keyword, metadata)


def digest(source: str, index: int) -> str:
    """Return the digest of the embedded text of a hand-made point."""
    return f"digest of {source} {index}"


def document(path: str, sentences: int, metadata: Metadata = {}) -> DocumentRecord:  # noqa: B006
    return DocumentRecord(path, path.title(), f"sha of {path}", 10, MODIFIED, sentences, metadata)


def put(
    writer: Writer,
    path: str,
    vectors: Sequence[np.ndarray],
    metadata: Metadata = {},  # noqa: B006
) -> None:
    """Add a document with one sentence a vector; sentence i holds the terms i + 1 and 100."""
    points = [point(path, i, v, {i + 1: 1.0, 100: 1.0}, metadata) for i, v in enumerate(vectors)]
    writer.add(document(path, len(points), metadata), points)


def build(
    backend: Backend,
    documents: Mapping[str, Sequence[np.ndarray]],
    *,
    full: bool = False,
    remove: Sequence[str] = (),
    metadata: Mapping[str, Metadata] = {},
) -> CollectionInfo:
    """Run one build."""
    with backend.writer(full=full) as writer:
        writer.remove(remove)
        for path, vectors in documents.items():
            put(writer, path, vectors, metadata.get(path, {}))
        return writer.finish(RECORD)


def keys(found) -> list[tuple[str, int]]:
    """Return (source, index) of sentences or scored sentences."""
    sentences = [getattr(item, "sentence", item) for item in found]
    return [(sentence.source, sentence.index) for sentence in sentences]
