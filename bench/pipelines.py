"""Whole pipelines over one folder, ours and others, behind one face: build, open, ask.

All have 384-dimensional stand-in vectors, which cost next to nothing, so that what is compared is
the pipelines' own work. Each opens what it has kept on disk in a new process, as a user would.

* ours: the real build and assistant, embedded store;
* tutorial: a regular expression, LlamaIndex's ``SentenceWindowNodeParser``, LangChain's
  ``QdrantVectorStore`` over qdrant-client's local mode, the window in the sentence's place;
* LlamaIndex: the same parser as it comes, its own vector store, kept as JSON;
* Haystack: ``DocumentSplitter``, ``SentenceWindowRetriever``, its store in memory, kept as JSON;
* LangChain: chunks of 512 characters, 64 shared, in FAISS.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from bench.build import StandIn, building
from rag.settings import Settings

TOP_K = 3
STAND_IN = StandIn()


class Pipeline(Protocol):
    """Builds from ``docs`` into ``kept``, or opens ``kept``; finds the passages of a question."""

    def build(self, docs: Path, kept: Path) -> None:
        """Read, split, index and keep."""

    def open(self, kept: Path) -> None:
        """Open what was kept."""

    def ask(self, question: str, source: str | None = None) -> Sequence[str]:
        """Return passages; with ``source`` of that document alone."""


def texts(docs: Path) -> list[tuple[str, str]]:
    """Read the Markdown files below a folder: path and text."""
    files = sorted(docs.rglob("*.md"))
    return [(path.relative_to(docs).as_posix(), path.read_text("utf-8")) for path in files]


def vectors(of: Sequence[str]) -> list[list[float]]:
    """Return the stand-in vectors of texts."""
    return [row.tolist() for _, rows in STAND_IN.embed_passages(list(of)) for row in rows]


class Ours:
    """The product."""

    def build(self, docs: Path, kept: Path) -> None:
        """Build."""
        building.open_embeddings = lambda _: STAND_IN  # type: ignore[assignment]
        building.build(Settings(docs=docs, qdrant_path=kept))

    def open(self, kept: Path) -> None:
        """Open."""
        from rag import assistant, collection

        collection.open_embeddings = lambda _: STAND_IN  # type: ignore[assignment]
        self._assistant = assistant.open_assistant(Settings(qdrant_path=kept, top_k=TOP_K))

    def ask(self, question: str, source: str | None = None) -> list[str]:
        """Ask."""
        from rag.types import Condition

        where = [Condition("source", "=", source)] if source else []
        return [w.text for w in self._assistant.retrieve(question, where=where)]


class Tutorial:
    """LlamaIndex's parser, LangChain's store, Qdrant's local mode."""

    def build(self, docs: Path, kept: Path) -> None:
        """Build."""
        from langchain_core.documents import Document
        from langchain_qdrant import QdrantVectorStore
        from llama_index.core.node_parser import SentenceWindowNodeParser
        from llama_index.core.schema import Document as LlamaDocument

        def cut(text: str) -> list[str]:
            return [piece for piece in re.split(r"(?<=[。！？.\n])", text) if piece.strip()]

        parser = SentenceWindowNodeParser.from_defaults(window_size=2, sentence_splitter=cut)
        given = [LlamaDocument(text=t, metadata={"source": path}) for path, t in texts(docs)]
        nodes = parser.get_nodes_from_documents(given)
        made = [Document(n.text, metadata=dict(n.metadata)) for n in nodes]
        store = QdrantVectorStore.from_documents(
            made, _langchain_embeddings(), path=str(kept), collection_name="window_db"
        )
        store.client.close()

    def open(self, kept: Path) -> None:
        """Open."""
        from langchain_qdrant import QdrantVectorStore

        self._store = QdrantVectorStore.from_existing_collection(
            "window_db", _langchain_embeddings(), path=str(kept)
        )

    def ask(self, question: str, source: str | None = None) -> list[str]:
        """Ask."""
        from qdrant_client import models

        match = models.MatchValue(value=source or "")
        condition = models.FieldCondition(key="metadata.source", match=match)
        wanted = models.Filter(must=[condition]) if source else None
        found = self._store.similarity_search(question, k=TOP_K, filter=wanted)
        return [document.metadata["window"] for document in found]


class LlamaIndex:
    """Its parser, its vector store."""

    def build(self, docs: Path, kept: Path) -> None:
        """Build."""
        from llama_index.core import VectorStoreIndex
        from llama_index.core.node_parser import SentenceWindowNodeParser
        from llama_index.core.schema import Document

        given = [Document(text=text, metadata={"source": path}) for path, text in texts(docs)]
        nodes = SentenceWindowNodeParser.from_defaults().get_nodes_from_documents(given)
        index = VectorStoreIndex(nodes, embed_model=_llama_embeddings())
        index.storage_context.persist(str(kept))

    def open(self, kept: Path) -> None:
        """Open."""
        from llama_index.core import StorageContext, load_index_from_storage

        context = StorageContext.from_defaults(persist_dir=str(kept))
        self._index: Any = load_index_from_storage(context, embed_model=_llama_embeddings())

    def ask(self, question: str, source: str | None = None) -> list[str]:
        """Ask."""
        from llama_index.core.postprocessor import MetadataReplacementPostProcessor
        from llama_index.core.vector_stores import ExactMatchFilter, MetadataFilters

        wanted = [ExactMatchFilter(key="source", value=source)] if source else []
        filters = MetadataFilters(filters=wanted) if wanted else None  # type: ignore[arg-type]
        found = self._index.as_retriever(similarity_top_k=TOP_K, filters=filters).retrieve(question)
        replaced = MetadataReplacementPostProcessor(target_metadata_key="window")
        return [node.node.get_content() for node in replaced.postprocess_nodes(found)]


class Haystack:
    """Its splitter, its store in memory, its window retriever."""

    def build(self, docs: Path, kept: Path) -> None:
        """Build."""
        nltk_data(kept.parent / "nltk")
        from haystack import Document
        from haystack.components.preprocessors import DocumentSplitter
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        splitter = DocumentSplitter(split_by="sentence", split_length=1)
        splitter.warm_up()
        given = [Document(content=text, meta={"source": path}) for path, text in texts(docs)]
        split = splitter.run(documents=given)["documents"]
        made = zip(split, vectors([d.content for d in split]), strict=True)
        split = [replace(document, embedding=vector) for document, vector in made]
        store = InMemoryDocumentStore(embedding_similarity_function="cosine")
        store.write_documents(list({document.id: document for document in split}.values()))
        kept.mkdir(parents=True, exist_ok=True)
        store.save_to_disk(str(kept / "store.json"))

    def open(self, kept: Path) -> None:
        """Open."""
        from haystack.components.retrievers import SentenceWindowRetriever
        from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        store = InMemoryDocumentStore.load_from_disk(str(kept / "store.json"))
        self._nearest = InMemoryEmbeddingRetriever(document_store=store, top_k=TOP_K)
        self._windows = SentenceWindowRetriever(document_store=store)

    def ask(self, question: str, source: str | None = None) -> list[str]:
        """Ask."""
        wanted = {"field": "meta.source", "operator": "==", "value": source} if source else None
        query = vectors([question])[0]
        found = self._nearest.run(query_embedding=query, filters=wanted)["documents"]
        sent: list[str] = self._windows.run(retrieved_documents=found)["context_windows"]
        return sent


class LangChain:
    """Chunks in FAISS."""

    def build(self, docs: Path, kept: Path) -> None:
        """Build."""
        from langchain_community.vectorstores import FAISS
        from langchain_core.documents import Document
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        given = [Document(text, metadata={"source": path}) for path, text in texts(docs)]
        chunks = RecursiveCharacterTextSplitter(chunk_size=512, chunk_overlap=64)
        store = FAISS.from_documents(chunks.split_documents(given), _langchain_embeddings())
        store.save_local(str(kept))

    def open(self, kept: Path) -> None:
        """Open."""
        from langchain_community.vectorstores import FAISS

        self._store = FAISS.load_local(
            str(kept), _langchain_embeddings(), allow_dangerous_deserialization=True
        )

    def ask(self, question: str, source: str | None = None) -> list[str]:
        """Ask."""
        wanted: Any = {"source": source} if source else None
        found = self._store.similarity_search(question, k=TOP_K, filter=wanted, fetch_k=10_000)
        return [document.page_content for document in found]


def nltk_data(copy: Path) -> None:
    """Give Haystack's splitter the data that LlamaIndex brings; nltk refuses hard-linked files."""
    spec = find_spec("llama_index.core")
    assert spec is not None
    assert spec.origin is not None
    if not copy.exists():
        shutil.copytree(Path(spec.origin).parent / "_static" / "nltk_cache", copy)
    os.environ["NLTK_DATA"] = str(copy)


def _langchain_embeddings() -> Any:
    from langchain_core.embeddings import Embeddings

    class OfTexts(Embeddings):
        def embed_documents(self, given: list[str]) -> list[list[float]]:
            return vectors(given)

        def embed_query(self, given: str) -> list[float]:
            return vectors([given])[0]

    return OfTexts()


def _llama_embeddings() -> Any:
    from llama_index.core.embeddings import BaseEmbedding

    class OfTexts(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return vectors([text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return vectors(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return vectors([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return vectors([query])[0]

    return OfTexts()


PIPELINES: dict[str, type[Pipeline]] = {
    "ours": Ours,
    "tutorial": Tutorial,
    "LlamaIndex": LlamaIndex,
    "Haystack": Haystack,
    "LangChain, FAISS": LangChain,
}

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
