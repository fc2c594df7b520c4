"""What other pipelines would send for a question, over the same documents with the same vectors.

Each pipeline cuts and puts windows together by its own library; which of its sentences are nearest
is worked out here, by cosine, as each of them does. Passages are judged by where they stand.

* tutorial: a regular expression that cuts at Chinese stops and line ends, a window of 2, by
  LlamaIndex's ``SentenceWindowNodeParser``, the window sent in the sentence's place;
* LlamaIndex: the same parser as it comes (nltk's sentences, a window of 3);
* Haystack: ``DocumentSplitter`` by sentence and ``SentenceWindowRetriever`` as they come (nltk's
  sentences, a window of 3), found by embedding or by ``InMemoryBM25Retriever``;
* chunks: 512 characters, 64 of them shared with the chunk before.

Haystack comes with ``pip install -e '.[bench]'``. Its splitter wants nltk's data; LlamaIndex brings
it along, and a copy is made, because nltk refuses hard-linked files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from evaluation_sets import OUT, CachedEmbeddings, EvaluationSet

from bench.pipelines import nltk_data
from rag.types import Document

TOP_K = 3
"""Sentences found by each of them."""


@dataclass(frozen=True)
class Passage:
    """What is sent for one found sentence. ``characters`` are those sent, blanks of joining too."""

    source: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Unit:
    """A sentence or chunk as a pipeline cuts it, and what is sent where it is found."""

    embedded: str
    passage: Passage


Find = Callable[[str], Sequence[Passage]]
"""A question → passages, best first."""


def peers(questions: EvaluationSet, embeddings: CachedEmbeddings) -> Iterator[tuple[str, Find]]:
    """Yield the pipelines by name, ready to be asked."""
    nltk_data(OUT / "nltk")
    yield "tutorial", _by_vector(_tutorial(questions.documents), embeddings)
    yield "LlamaIndex", _by_vector(_llama_index(questions.documents), embeddings)
    yield from _haystack(questions.documents, embeddings)
    yield "chunks", _by_vector(_chunks(questions.documents), embeddings)


def _by_vector(units: Sequence[Unit], embeddings: CachedEmbeddings) -> Find:
    matrix = embeddings.passages([unit.embedded for unit in units])

    def find(question: str) -> list[Passage]:
        scores = matrix @ embeddings.embed_query(question)
        return [units[i].passage for i in np.argsort(-scores, kind="stable")[:TOP_K]]

    return find


def _tutorial(documents: Sequence[Document]) -> list[Unit]:
    def cut(text: str) -> list[str]:
        return [piece for piece in re.split(r"(?<=[。！？\n])", text) if piece.strip()]

    return _windows(documents, 2, cut)


def _llama_index(documents: Sequence[Document]) -> list[Unit]:
    return _windows(documents, 3, None)


def _windows(
    documents: Sequence[Document], size: int, cut: Callable[[str], list[str]] | None
) -> list[Unit]:
    from llama_index.core.node_parser import SentenceWindowNodeParser
    from llama_index.core.schema import Document as LlamaDocument
    from llama_index.core.schema import MetadataMode

    splitter = {} if cut is None else {"sentence_splitter": cut}
    parser = SentenceWindowNodeParser.from_defaults(window_size=size, **splitter)
    units = []
    for document in documents:
        nodes = parser.get_nodes_from_documents([LlamaDocument(text=document.text)])
        texts = [node.metadata["original_text"] for node in nodes]
        places = _places(document.text, texts)
        for at, node in enumerate(nodes):
            start = places[max(0, at - size)][0]
            end = places[min(len(nodes) - 1, at + size)][1]
            passage = Passage(document.path, start, end, node.metadata["window"])
            units.append(Unit(node.get_content(MetadataMode.EMBED).strip(), passage))
    return [unit for unit in units if unit.embedded]


def _places(text: str, pieces: Sequence[str]) -> list[tuple[int, int]]:
    """Return where consecutive pieces stand in a text."""
    places, end = [], 0
    for piece in pieces:
        start = text.index(piece, end)
        end = start + len(piece)
        places.append((start, end))
    return places


def _haystack(
    documents: Sequence[Document], embeddings: CachedEmbeddings
) -> Iterator[tuple[str, Find]]:
    from haystack import Document as HaystackDocument
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.components.retrievers import InMemoryBM25Retriever, SentenceWindowRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    splitter = DocumentSplitter(split_by="sentence", split_length=1)
    splitter.warm_up()
    given = [HaystackDocument(content=d.text, meta={"path": d.path}) for d in documents]
    found = splitter.run(documents=given)["documents"]
    split = list({document.id: document for document in found if document.content.strip()}.values())
    store = InMemoryDocumentStore()
    store.write_documents(split)
    window = SentenceWindowRetriever(document_store=store)
    matrix = embeddings.passages([document.content.strip() for document in split])

    def passages(hits: Sequence[HaystackDocument]) -> Iterator[Passage]:
        for hit in hits:
            sent = window.run(retrieved_documents=[hit])
            inside = sent["context_documents"]
            starts = [each.meta["split_idx_start"] for each in inside]
            ends = [each.meta["split_idx_start"] + len(each.content) for each in inside]
            yield Passage(hit.meta["path"], min(starts), max(ends), sent["context_windows"][0])

    def by_vector(question: str) -> list[Passage]:
        scores = matrix @ embeddings.embed_query(question)
        return list(passages([split[i] for i in np.argsort(-scores, kind="stable")[:TOP_K]]))

    ranked = InMemoryBM25Retriever(document_store=store, top_k=TOP_K)
    yield "Haystack, embedding", by_vector
    yield "Haystack, BM25", lambda q: list(passages(ranked.run(query=q)["documents"]))


def _chunks(documents: Sequence[Document], size: int = 512, shared: int = 64) -> list[Unit]:
    units = []
    for document in documents:
        for start in range(0, max(1, len(document.text) - shared), size - shared):
            text = document.text[start : start + size]
            if text.strip():
                passage = Passage(document.path, start, start + len(text), text)
                units.append(Unit(text.strip(), passage))
    return units
