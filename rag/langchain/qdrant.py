"""Any ``QdrantVectorStore`` as a collection that windows can be read from.

Reads what LangChain stored: ``page_content``, and in the metadata the field or fields that name a
source, the field of the position in it, and, where there are such, offsets and our other fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document

from rag.langchain.joining import fitted
from rag.langchain.points import Fields, Key
from rag.types import Condition, Hit, Mode, Sentence

if TYPE_CHECKING:
    from langchain_qdrant import QdrantVectorStore
    from qdrant_client import models

PAGE = 1000
"""Points fetched in one request."""


@dataclass(slots=True)
class VectorStorePoints:
    """The points of one vector store, read as sentences; remembers the documents they came from."""

    vectorstore: QdrantVectorStore
    fields: Fields
    documents: dict[Key, Document] = field(default_factory=dict)

    def search(
        self,
        query: str,
        *,
        mode: Mode | None,
        top_k: int,
        candidates: int,  # noqa: ARG002  the vector store decides how many each leg fetches
        where: Any,
    ) -> list[Hit | Document]:
        """Search as the vector store does, or by the leg that ``mode`` names."""
        from langchain_qdrant import RetrievalMode

        modes: dict[Mode, RetrievalMode] = {
            "dense": RetrievalMode.DENSE,
            "keyword": RetrievalMode.SPARSE,
            "hybrid": RetrievalMode.HYBRID,
        }
        store = self.vectorstore
        if mode is not None:
            store = copy(store)
            store.retrieval_mode = modes[mode]
        found = store.similarity_search_with_score(query, top_k, filter=where or None)
        leg = {RetrievalMode.DENSE: "dense", RetrievalMode.SPARSE: "keyword"}.get(
            store.retrieval_mode
        )
        hits: list[Hit | Document] = []
        for rank, (document, score) in enumerate(found, 1):
            if self.fields.missing(document.metadata):
                hits.append(document)
                continue
            sentence = self.sentence(document)
            if leg == "dense":
                hits.append(Hit(sentence, rank, dense=score, dense_rank=rank))
            elif leg == "keyword":
                hits.append(Hit(sentence, rank, keyword=score, keyword_rank=rank))
            else:
                hits.append(Hit(sentence, rank, fused=score))
        return hits

    def stored(self, sentence: Sentence) -> Mapping[str, Any] | None:
        """Return the metadata that the sentence was stored with."""
        document = self.documents.get((sentence.source, sentence.index))
        return None if document is None else document.metadata

    def sentence(self, document: Document) -> Sentence:
        """Return the sentence that ``document`` stands for; it must have the needed fields."""
        sentence = self.fields.sentence(document)
        self.documents.setdefault((sentence.source, sentence.index), document)
        return sentence

    def read(self, keys: Iterable[Key]) -> list[Sentence]:
        """Return the sentences ``(source, index)`` that exist, in order; sources must be known."""
        from qdrant_client import models

        wanted: dict[str, set[int]] = {}
        for source, index in keys:
            wanted.setdefault(source, set()).add(index)
        ranges: list[Any] = []
        for source, indices in wanted.items():
            for first, last in _runs(indices):
                bounds = models.Range(gte=first, lte=last)
                within = models.FieldCondition(key=self._key(self.fields.position), range=bounds)
                ranges.append(models.Filter(must=[*self._of_source(source), within]))
        return self.listed(models.Filter(should=ranges)) if ranges else []

    def sentences(self, where: Sequence[Condition] = ()) -> Iterator[Sentence]:
        """Yield all sentences of the sources that ``where``, one ``source in …``, names."""
        from qdrant_client import models

        (condition,) = where
        sources = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        any_of: list[Any] = [models.Filter(must=self._of_source(str(s))) for s in sources]
        yield from fitted(self.listed(models.Filter(should=any_of)))

    def listed(self, where: models.Filter | None) -> list[Sentence]:
        """Return all sentences that fulfil a filter of Qdrant's, in document order."""
        return sorted(self._scrolled(where or None), key=lambda s: (s.source, s.index))

    def vectors(self, keys: Iterable[Key]) -> dict[Key, Any]:
        """Return the dense vectors that are stored with the sentences ``keys``, known ones."""
        ids = {self.documents[key].metadata["_id"]: key for key in keys}
        records = self.vectorstore.client.retrieve(
            self.vectorstore.collection_name, list(ids), with_payload=False, with_vectors=True
        )
        vectors: dict[Key, Any] = {}
        for record in records:
            vector: Any = record.vector
            if isinstance(vector, dict):
                vector = vector.get(self.vectorstore.vector_name)
            vectors[ids[record.id]] = vector
        return vectors

    def _of_source(self, source: str) -> list[Any]:
        from qdrant_client import models

        known = next(d for (name, _), d in self.documents.items() if name == source)
        return [
            models.FieldCondition(
                key=self._key(name), match=models.MatchValue(value=known.metadata[name])
            )
            for name in self.fields.source
        ]

    def _scrolled(self, where: models.Filter | None) -> Iterator[Sentence]:
        store, offset = self.vectorstore, None
        while True:
            records, offset = store.client.scroll(
                store.collection_name, scroll_filter=where, limit=PAGE, offset=offset
            )
            for record in records:
                payload = record.payload or {}
                metadata = payload.get(store.metadata_payload_key) or {}
                if not self.fields.missing(metadata):  # what else there is, is no sentence
                    text = str(payload.get(store.content_payload_key) or "")
                    yield self.sentence(Document(text, metadata={**metadata, "_id": record.id}))
            if offset is None:
                return

    def _key(self, name: str) -> str:
        return f"{self.vectorstore.metadata_payload_key}.{name}"


def _runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last of each run of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs
