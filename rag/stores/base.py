"""What a store is: its values and its protocols; ``payload.py`` spells its points.

Two stores keep to it, ``edge.py`` (Qdrant's engine in this process) and ``server.py`` (Qdrant by
URL). A collection holds three kinds of points:

* one for each sentence, with the vectors ``dense`` and ``keyword``, its payload in LangChain's
  layout: ``page_content`` is the sentence, ``metadata`` the rest;
* one for each document, without vectors, so that no search finds it: its :class:`DocumentRecord`;
* one for the collection, without vectors: its :class:`CollectionRecord`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, Self

from rag.types import Condition, Document, Metadata, Sentence

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

DENSE, KEYWORD = "dense", "keyword"  # the two vectors of a point


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Weights of terms: ``values[i]`` is that of the term with the 32-bit hash ``indices[i]``."""

    indices: tuple[int, ...] = ()
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What makes stored vectors and offsets comparable with new ones.

    Where two differ in any field the collection must be rebuilt. The window size is no part of it.
    """

    embedding_model: str
    dimension: int
    schema: int
    splitter: str
    tokenizer: str
    prefixes: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """What a collection knows of a document: :class:`~rag.types.Document` without its text."""

    path: str
    title: str
    digest: str
    size: int
    modified: float
    sentences: int
    metadata: Metadata = field(default_factory=dict)

    @classmethod
    def of(cls, document: Document, sentences: int) -> DocumentRecord:
        """Make the record of ``document``, which was split into so many sentences."""
        values = (document.path, document.title, document.digest, document.size, document.modified)
        return cls(*values, sentences, dict(document.metadata))


@dataclass(frozen=True, slots=True)
class CollectionRecord:
    """What a collection knows of itself.

    ``docs`` is an absolute path, ``built`` seconds since the epoch, ``engine`` what wrote it.
    """

    fingerprint: Fingerprint
    docs: str
    window_size: int
    built: float
    engine: str


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """A collection in ``location``, a folder or a URL.

    ``generation`` names its state: two stores of equal generations answer alike.
    """

    collection: str
    location: str
    generation: str
    documents: int
    sentences: int
    record: CollectionRecord


@dataclass(frozen=True, slots=True)
class Point:
    """A sentence with all that is stored beside it.

    ``window`` is the window at build time, for users of LangChain and LlamaIndex. ``embedded`` is
    the digest of the embedded text, by which a later build finds the vector again. ``metadata`` is
    the document's.
    """

    sentence: Sentence
    window: str
    embedded: str
    dense: Vector
    keyword: SparseVector
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence as one leg of a search found it; ``score`` is a cosine or a keyword sum."""

    sentence: Sentence
    score: float


@dataclass(frozen=True, slots=True)
class Legs:
    """The results of both legs, best first. A leg that was not asked is empty."""

    dense: tuple[Scored, ...] = ()
    keyword: tuple[Scored, ...] = ()


class Store(Protocol):
    """A complete collection, open for reading. Safe to use from several threads.

    It stays at the state it was opened with. Its methods raise :class:`~rag.errors.StoreError`.
    """

    @property
    def info(self) -> CollectionInfo:
        """What is open."""

    def search(
        self,
        *,
        dense: Vector | None = None,
        keyword: SparseVector | None = None,
        limit: int,
        where: Sequence[Condition] = (),
    ) -> Legs:
        """Search the given legs, in one round trip. ``limit`` is the most that each returns."""

    def read(self, keys: Iterable[tuple[str, int]]) -> list[Sentence]:
        """Return the sentences ``(source, index)`` that exist, in document order, at once."""

    def vectors(self, keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Vector]:
        """Return the dense vectors of the sentences ``(source, index)`` that exist."""

    def documents(self) -> list[DocumentRecord]:
        """Return every document, ordered by path."""

    def sentences(self, where: Sequence[Condition] = ()) -> Iterator[Sentence]:
        """Yield all sentences that fulfil ``where``, ordered by path and index."""

    def close(self) -> None:
        """Let go of files and connections. Closing twice is allowed."""


class Writer(Protocol):
    """A build of a collection: its next state, which readers see once :meth:`finish` returned.

    Left without :meth:`finish`, the collection is as it was (on a server: as far as it was
    replaced). A second writer at the same time gets :class:`~rag.errors.StoreBusy`.
    """

    def __enter__(self) -> Self:
        """Take the lock."""

    def __exit__(self, *exception: object) -> None:
        """Release the lock; drop what was not finished."""

    @property
    def record(self) -> CollectionRecord | None:
        """What the collection was before this build; None where there is none, or a full build."""

    @property
    def documents(self) -> Mapping[str, DocumentRecord]:
        """The documents that the next state starts from, by path: none in a full build."""

    def vectors(self, digests: Iterable[str]) -> dict[str, Vector]:
        """Return the stored vectors of the embedded texts with these digests, those it has."""

    def remove(self, paths: Iterable[str]) -> None:
        """Take documents and their sentences out."""

    def add(self, record: DocumentRecord, points: Iterable[Point]) -> None:
        """Put a document in, in place of one of the same path, with its ``record.sentences``."""

    def finish(self, record: CollectionRecord) -> CollectionInfo:
        """Make the new state the one that readers open."""
