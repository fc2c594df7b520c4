"""What the LangChain retriever needs of a collection, and how our own stores give it.

``qdrant.py`` does the same for any ``QdrantVectorStore``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from langchain_core.documents import Document

from rag.langchain.joining import UNKNOWN
from rag.retrieval import find_hits
from rag.types import Condition, Hit, Mode, Sentence

if TYPE_CHECKING:
    from rag.embeddings import Embeddings
    from rag.stores.base import Store

Key = tuple[str, int]
"""A sentence's source and index."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of metadata fields.

    ``source`` are those that together name a source, ``position`` the one that counts the texts in
    it (whole numbers, one apart), ``start`` the offset of the text in the source, if there is one.
    """

    source: tuple[str, ...] = ("source",)
    position: str = "index"
    start: str = "start"

    def missing(self, metadata: Mapping[str, Any]) -> list[str]:
        """Return the names of the needed fields that ``metadata`` has not."""
        return [name for name in (*self.source, self.position) if metadata.get(name) is None]

    def sentence(self, document: Document) -> Sentence:
        """Return the sentence that ``document`` stands for; it must have the needed fields."""
        metadata = document.metadata
        start = metadata.get(self.start)
        start = UNKNOWN if start is None else int(start)
        text = document.page_content
        return Sentence(
            source="\0".join(str(metadata[name]) for name in self.source),
            index=int(metadata[self.position]),
            start=start,
            end=UNKNOWN if start == UNKNOWN else start + len(text),
            text=text,
            title=str(metadata.get("title") or ""),
            section=tuple(metadata.get("section") or ()),
            paragraph=int(metadata.get("paragraph") or 0),
            page=metadata.get("page"),
            before=str(metadata.get("before") or ""),
            after=str(metadata.get("after") or ""),
        )


class Points(Protocol):
    """A collection, as the retriever sees it. ``fields`` name what documents must carry."""

    fields: Fields

    def search(
        self, query: str, *, mode: Mode | None, top_k: int, candidates: int, where: Any
    ) -> list[Hit | Document]:
        """Return what was found, best first; a document where it lacks the needed fields."""
        ...

    def listed(self, where: Any) -> list[Sentence]:
        """Return all sentences that fulfil ``where``, in document order."""
        ...

    def read(self, keys: Iterable[Key]) -> list[Sentence]:
        """Return the sentences that exist, in document order."""
        ...

    def sentences(self, where: Sequence[Condition] = ()) -> Iterator[Sentence]:
        """Yield all sentences that fulfil ``where``, in document order."""
        ...

    def sentence(self, document: Document) -> Sentence:
        """Return the sentence that a document with the needed fields stands for."""
        ...

    def stored(self, sentence: Sentence) -> Mapping[str, Any] | None:
        """Return the metadata that a sentence was stored with; None: those of the sentence."""
        ...

    def vectors(self, keys: Iterable[Key]) -> Mapping[Key, Any]:
        """Return the dense vectors of sentences that were found."""
        ...


@dataclass(slots=True)
class StorePoints:
    """One of our stores."""

    store: Store
    embeddings: Embeddings
    fields: Fields

    def search(
        self, query: str, *, mode: Mode | None, top_k: int, candidates: int, where: Any
    ) -> list[Hit | Document]:
        """Search as ``ask.py`` does; hybrid unless ``mode`` says otherwise."""
        found = find_hits(
            self.store, self.embeddings, query,
            mode=mode or "hybrid", top_k=top_k, candidates=candidates, where=where,
        )  # fmt: skip
        return list(found.hits)

    def listed(self, where: Any) -> list[Sentence]:
        """Return all sentences that fulfil the conditions, in document order."""
        return list(self.store.sentences(where))

    def read(self, keys: Iterable[Key]) -> list[Sentence]:
        """Return the sentences that exist, in document order."""
        return self.store.read(keys)

    def sentences(self, where: Sequence[Condition] = ()) -> Iterator[Sentence]:
        """Yield all sentences that fulfil ``where``, in document order."""
        return self.store.sentences(where)

    def sentence(self, document: Document) -> Sentence:
        """Return the sentence that a document with the needed fields stands for."""
        return self.fields.sentence(document)

    def stored(self, sentence: Sentence) -> Mapping[str, Any] | None:  # noqa: ARG002
        """Return None: the sentence knows it all."""
        return None

    def vectors(self, keys: Iterable[Key]) -> Mapping[Key, Any]:
        """Return the stored dense vectors."""
        return self.store.vectors(keys)
