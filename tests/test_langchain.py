"""Sentence windows in LangChain, over our collection and over a vector store that others filled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore, RetrievalMode
from langchain_qdrant.sparse_embeddings import SparseEmbeddings, SparseVector
from pydantic import ValidationError
from qdrant_client import models

import rag
from rag.errors import SettingsError
from rag.keywords import passage_vector, query_vector
from rag.langchain import SentenceWindowRetriever
from rag.stores.base import Store
from rag.types import Condition
from tests.small_collection import WordEmbeddings, build_small

SEVEN = (
    "This is a text with some words. There is a second sentence. And there is also a third "
    "sentence. It also contains a fourth sentence. And a fifth sentence. And a sixth sentence. And "
    "a seventh sentence"
)
SENTENCES = [f"{part}." for part in SEVEN.split(". ")]
FOURTH, FIFTH = SENTENCES[3:5]
WORDS = "second third fourth fifth sixth seventh clean pump"
PUMP = "Clean the pump. Pump the water.\n"


class LangChainEmbeddings(Embeddings):
    """The same vectors by LangChain's protocol."""

    def __init__(self) -> None:
        self.words = WordEmbeddings(WORDS)

    def embed_query(self, text: str) -> list[float]:
        return [float(x) for x in self.words.embed_query(text)]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class KeywordEmbeddings(SparseEmbeddings):
    """Our keywords by LangChain's protocol."""

    def embed_query(self, text: str) -> SparseVector:
        vector = query_vector(text)
        return SparseVector(indices=list(vector.indices), values=list(vector.values))

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        vectors = map(passage_vector, texts)
        return [SparseVector(indices=list(v.indices), values=list(v.values)) for v in vectors]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Our own collection of the seven sentences and a second document."""
    folder = tmp_path_factory.mktemp("langchain")
    texts = {"seven.md": SEVEN + "\n", "pump.md": PUMP}
    metadata = {"pump.md": {"lang": "en", "year": 2024}}
    store = build_small(folder, texts, WordEmbeddings(WORDS), metadata)
    yield store
    store.close()


@pytest.fixture
def ours(store: Store) -> SentenceWindowRetriever:
    return SentenceWindowRetriever(store=store, embeddings=WordEmbeddings(WORDS), top_k=1)


def filled(documents: Sequence[Document], **options: Any) -> QdrantVectorStore:
    """A vector store in memory that holds ``documents``."""
    return QdrantVectorStore.from_documents(
        list(documents), LangChainEmbeddings(), location=":memory:", collection_name="other",
        **options,
    )  # fmt: skip


def numbered(texts: Sequence[str], source: str = "a", **more: Any) -> list[Document]:
    """Documents as another program might store them: chunks with a source and a number."""
    return [
        Document(text, metadata={"source": source, "index": i, **more})
        for i, text in enumerate(texts)
    ]


@pytest.fixture
def theirs() -> Iterator[SentenceWindowRetriever]:
    vectorstore = filled(numbered(SENTENCES, lang="en"))
    yield SentenceWindowRetriever(vectorstore=vectorstore, top_k=1)
    vectorstore.client.close()


def texts(documents: Sequence[Document]) -> list[str]:
    return [document.page_content for document in documents]


def test_it_is_exported_lazily() -> None:
    """`rag.SentenceWindowRetriever` is this class."""
    assert rag.SentenceWindowRetriever is SentenceWindowRetriever


def test_windows_of_our_collection(ours: SentenceWindowRetriever) -> None:
    """The window is the source's own text, with the found sentence and the reasons beside it."""
    (window,) = ours.invoke("the fourth")
    assert window.page_content == " ".join(SENTENCES[1:6])
    metadata = window.metadata
    assert (metadata["source"], metadata["first"], metadata["last"]) == ("seven.md", 1, 5)
    assert SEVEN[metadata["start"] : metadata["end"]] == window.page_content
    (highlight,) = metadata["highlights"]
    assert highlight["text"] == SENTENCES[3]
    assert highlight["terms"] == ["fourth"]
    assert highlight["ranks"] == {"dense": 1, "keyword": 1}


@pytest.mark.parametrize("name", ["ours", "theirs"])
def test_the_window_size_of_a_call_wins(name: str, request: pytest.FixtureRequest) -> None:
    """0, 2 and 9 sentences on each side, clipped at the ends; the retriever keeps its own size."""
    retriever = request.getfixturevalue(name)
    sizes = {n: retriever.invoke("fourth", window_size=n)[0].page_content for n in (0, 2, 9)}
    assert sizes[0] == SENTENCES[3]
    assert sizes[2] == " ".join(SENTENCES[1:6])
    assert sizes[9].rstrip(".") == SEVEN
    assert retriever.window_size == 2


@pytest.mark.parametrize("name", ["ours", "theirs"])
def test_async_is_the_same(name: str, request: pytest.FixtureRequest) -> None:
    """`ainvoke` returns what `invoke` returns, with the call's options."""
    retriever = request.getfixturevalue(name)
    found = asyncio.run(retriever.ainvoke("fourth", window_size=1))
    assert texts(found) == texts(retriever.invoke("fourth", window_size=1)) != []


@pytest.mark.parametrize("name", ["ours", "theirs"])
def test_a_document_a_hit(name: str, request: pytest.FixtureRequest) -> None:
    """Unmerged, each hit has its own window, in the hits' order, overlaps included."""
    retriever = request.getfixturevalue(name)
    options = {"mode": "dense", "top_k": 2, "window_size": 1}
    found = retriever.invoke("fifth or fourth", output="hits", **options)
    windows = {d.metadata["original_text"]: d.page_content for d in found}
    assert windows == {s: " ".join(SENTENCES[i - 1 : i + 2]) for i, s in ((3, FOURTH), (4, FIFTH))}
    assert [d.metadata["rank"] for d in found] == [1, 2]
    merged = retriever.invoke("fifth or fourth", **options)
    assert texts(merged) == [" ".join(SENTENCES[2:6])]


@pytest.mark.parametrize("name", ["ours", "theirs"])
def test_neighbours_grouped_and_ordered(name: str, request: pytest.FixtureRequest) -> None:
    """`context` gives each document's neighbours in their order, for documents of any retriever."""
    retriever = request.getfixturevalue(name)
    found = retriever.invoke("sixth", window_size=0, output="hits")
    (context,) = retriever.context(found, window_size=1)
    assert texts(context.documents) == [s.rstrip("") for s in _ends(name, SENTENCES[4:7])]
    assert [d.metadata["index"] for d in context.documents] == [4, 5, 6]
    assert context.text == " ".join(texts(context.documents))


def _ends(name: str, sentences: list[str]) -> list[str]:
    return [*sentences[:-1], "And a seventh sentence" + ("" if name == "ours" else ".")]


def test_overlaps_are_removed_where_offsets_are_known() -> None:
    """Chunks that overlap are joined without repeats; gaps and unknown offsets get a blank."""
    chunks = [("The second part ", 0), ("part overlaps the third", 11), ("third one.", 29)]
    documents = [
        Document(text, metadata={"source": "a", "index": i, "start": start})
        for i, (text, start) in enumerate(chunks)
    ]
    documents.append(Document("After a gap.", metadata={"source": "a", "index": 3, "start": 60}))
    whole = "The second part overlaps the third one. After a gap."
    retriever = SentenceWindowRetriever(vectorstore=filled(documents), top_k=1, window_size=5)
    assert texts(retriever.invoke("third")) == [whole]
    assert texts(retriever.invoke("third", output="hits")) == [whole]
    blind = SentenceWindowRetriever(
        vectorstore=filled(documents), top_k=1, start_field="offset", window_size=5
    )
    repeated = "The second part part overlaps the third third one. After a gap."
    assert texts(blind.invoke("third")) == [repeated]


def test_field_names_and_several_source_fields() -> None:
    """A source may be named by several fields together, and the position by any."""
    documents = [
        Document(f"{word} of {book} {part}.", metadata={"book": book, "part": part, "no": no})
        for book in ("x", "y")
        for part in (1, 2)
        for no, word in enumerate(["First", "Second", "Third"], 5)
    ]
    retriever = SentenceWindowRetriever(
        vectorstore=filled(documents), source_fields=("book", "part"), position_field="no",
        window_size=1, top_k=12, output="hits",
    )  # fmt: skip
    windows = {d.metadata["original_text"]: d.page_content for d in retriever.invoke("second")}
    assert windows["Second of x 2."] == "First of x 2. Second of x 2. Third of x 2."
    assert windows["Third of y 1."] == "Second of y 1. Third of y 1."
    merged = retriever.invoke("second", output="windows")
    assert {(d.metadata["book"], d.metadata["part"]) for d in merged} == {
        ("x", 1), ("x", 2), ("y", 1), ("y", 2),
    }  # fmt: skip


@pytest.mark.parametrize("output", ["windows", "hits"])
def test_missing_metadata_raises_or_passes_through(output: str) -> None:
    """A document without source or position is an error that names the fields, or is left alone."""
    documents = [*numbered(SENTENCES[1:4]), Document("A lone second.", metadata={"source": "b"})]
    retriever = SentenceWindowRetriever(vectorstore=filled(documents), top_k=4, output=output)
    with pytest.raises(ValueError, match="source, index"):
        retriever.invoke("second")
    with pytest.raises(ValueError, match="source, index"):
        retriever.context([documents[-1]])
    lenient = retriever.invoke("second", raise_on_missing=False)
    assert "A lone second." in texts(lenient)
    (context,) = SentenceWindowRetriever(
        vectorstore=retriever.vectorstore, raise_on_missing=False
    ).context([documents[-1]])
    assert (context.text, context.documents) == ("A lone second.", [documents[-1]])


@pytest.mark.parametrize(
    "options",
    [
        {"top_k": 0}, {"top_k": -1}, {"window_size": -1}, {"merge_threshold": 1.0},
        {"mode": "magic"}, {"nonsense": 1},
    ],
)  # fmt: skip
def test_options_out_of_range(ours: SentenceWindowRetriever, options: dict[str, Any]) -> None:
    """A wrong option is a ValueError that names it, at construction and at a call."""
    with pytest.raises(ValueError, match=next(iter(options))):
        ours.invoke("second", **options)
    if "nonsense" not in options:
        with pytest.raises(ValidationError, match=next(iter(options))):
            SentenceWindowRetriever(store=ours.store, embeddings=ours.embeddings, **options)


def test_one_collection(store: Store) -> None:
    """Neither a store nor a vector store, or both, is an error."""
    with pytest.raises(ValueError, match="either store"):
        SentenceWindowRetriever()
    with pytest.raises(ValueError, match="either store"):
        SentenceWindowRetriever(store=store, vectorstore=object())


@pytest.mark.parametrize("mode", ["dense", "keyword", "hybrid"])
def test_scaled_scores(ours: SentenceWindowRetriever, mode: str) -> None:
    """Scores can be brought into 0 to 1; their order stays."""
    options = {"mode": mode, "top_k": 5, "output": "hits"}
    plain = [d.metadata["score"] for d in ours.invoke("second pump", **options)]
    scaled = [d.metadata["score"] for d in ours.invoke("second pump", scale_scores=True, **options)]
    assert plain == sorted(plain, reverse=True)
    assert scaled == sorted(scaled, reverse=True)
    assert all(0 <= score <= 1 for score in scaled)
    if mode == "dense":
        assert scaled[0] == pytest.approx((1 + plain[0]) / 2)


@pytest.mark.parametrize("name", ["ours", "theirs"])
def test_vectors_on_request(name: str, request: pytest.FixtureRequest) -> None:
    """The stored dense vector comes along when asked for."""
    retriever = request.getfixturevalue(name)
    (found,) = retriever.invoke("sixth", output="hits", return_vectors=True)
    assert found.metadata["vector"] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert "vector" not in retriever.invoke("sixth", output="hits")[0].metadata


def test_filters_replaced_or_merged(ours: SentenceWindowRetriever) -> None:
    """A call's filter replaces the retriever's, or must hold beside it."""
    pump, first = Condition("source", "=", "pump.md"), Condition("index", "=", 0)
    limited = ours.model_copy(update={"where": [pump], "top_k": 9, "window_size": 0})
    assert {d.metadata["source"] for d in limited.invoke("second")} == {"pump.md"}
    replaced = limited.invoke("second", where=[first])
    assert {d.metadata["source"] for d in replaced} == {"pump.md", "seven.md"}
    merged = limited.invoke("second", where=[first], where_policy="merge")
    assert texts(merged) == ["Clean the pump."]


def test_filters_of_qdrant(theirs: SentenceWindowRetriever) -> None:
    """Over a vector store filters are Qdrant's, replaced or merged alike."""

    def equal(name: str, value: str | int) -> models.Filter:
        match = models.MatchValue(value=value)
        return models.Filter(must=[models.FieldCondition(key=f"metadata.{name}", match=match)])

    limited = theirs.model_copy(update={"where": equal("index", 2), "top_k": 9, "window_size": 0})
    assert texts(limited.invoke("sixth")) == [SENTENCES[2]]
    assert len(limited.invoke("sixth", where=equal("lang", "en"), output="hits")) == 7
    merged = limited.invoke("sixth", where=equal("lang", "en"), where_policy="merge")
    assert texts(merged) == [SENTENCES[2]]
    assert limited.invoke("sixth", where=equal("lang", "de"), where_policy="merge") == []
    assert texts(limited.invoke("")) == [SENTENCES[2]]


def test_filter_only(ours: SentenceWindowRetriever) -> None:
    """An empty query with a filter lists what fulfils it, in document order; without, an error."""
    listed = ours.invoke("", where=[Condition("year", ">", 2020)])
    assert texts(listed) == ["Clean the pump.", "Pump the water."]
    with pytest.raises(SettingsError, match="empty"):
        ours.invoke("")


@pytest.mark.parametrize(("mode", "score"), [("dense", "dense"), ("keyword", "keyword")])
def test_one_leg_alone(ours: SentenceWindowRetriever, mode: str, score: str) -> None:
    """Keyword-only and dense-only retrieval, by an option."""
    (found,) = ours.invoke("sixth", mode=mode, output="hits")
    assert found.metadata["original_text"] == SENTENCES[5]
    assert {k for k, v in found.metadata["scores"].items() if v is not None} == {score}


@pytest.mark.parametrize("mode", [None, "dense", "keyword", "hybrid"])
def test_modes_of_a_vector_store(mode: str | None) -> None:
    """A vector store made for both legs can be searched by either, or as it was made."""
    vectorstore = filled(
        numbered(SENTENCES),
        sparse_embedding=KeywordEmbeddings(),
        retrieval_mode=RetrievalMode.HYBRID,
        vector_name="dense",
        sparse_vector_name="keyword",
    )
    retriever = SentenceWindowRetriever(vectorstore=vectorstore, top_k=1, mode=mode, output="hits")
    (found,) = retriever.invoke("sixth")
    assert found.metadata["original_text"] == SENTENCES[5]
    leg = {"dense": "dense", "keyword": "keyword"}.get(mode or "", "fused")
    assert {k for k, v in found.metadata["scores"].items() if v is not None} == {leg}
    assert vectorstore.retrieval_mode == RetrievalMode.HYBRID


@pytest.mark.parametrize("kind", ["ours", "theirs"])
def test_auto_merging(store: Store, kind: str) -> None:
    """When more than the threshold of a paragraph is found, the paragraph is the window."""
    retriever = SentenceWindowRetriever(store=store, embeddings=WordEmbeddings(WORDS))
    if kind == "theirs":
        vectorstore = filled(numbered(SENTENCES, "seven.md", paragraph=0))
        retriever = SentenceWindowRetriever(vectorstore=vectorstore)
    options: dict[str, Any] = {"mode": "dense", "window_size": 0, "merge_threshold": 0.5}
    query = "second fourth sixth seventh"
    (whole,) = retriever.invoke(query, top_k=4, **options)
    assert whole.page_content.rstrip(".") == SEVEN
    assert [h["index"] for h in whole.metadata["highlights"]] == [1, 3, 5, 6]
    parts = retriever.invoke(query, top_k=3, **options)
    assert len(texts(parts)) >= 2
    assert len(retriever.invoke(query, top_k=4, max_characters=100, **options)) == 3


def test_open_by_settings(built_samples: Path, sample_settings: rag.Settings) -> None:
    """`open` takes collection and defaults from the settings."""
    retriever = SentenceWindowRetriever.open(sample_settings, window_size=0)
    assert (retriever.top_k, retriever.window_size) == (sample_settings.top_k, 0)
    assert retriever.invoke("kettle")
