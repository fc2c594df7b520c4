"""What Haystack's and LlamaIndex's parts do, on their own small examples: what ours does there.

CONTRIBUTING's table of peers names these tests, row by row.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_qdrant import QdrantVectorStore

from rag.langchain import SentenceWindowRetriever
from rag.nodes import parse_nodes
from rag.stores.base import Store
from rag.types import Condition
from rag.types import Document as RagDocument
from tests.small_collection import WordEmbeddings, build_small
from tests.test_langchain import LangChainEmbeddings

SUN = "The sun rose early in the morning. It cast a warm glow over the trees. Birds began to sing."
SEVEN = (
    "This is a text with some words. There is a second sentence. And there is also a third "
    "sentence. It also contains a fourth sentence. And a fifth sentence. And a sixth sentence. And "
    "a seventh sentence"
)
SUNS = ["The sun rose early in the morning.", "It cast a warm glow over the trees.", SUN[71:]]
FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH = SENTENCES = [
    f"{part}." for part in SEVEN.split(". ")[:6]
] + ["And a seventh sentence"]
WORDS = "third fourth fifth sun glow birds"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    texts = {"seven.md": SEVEN + "\n", "sun.md": SUN + "\n"}
    metadata: dict[str, Any] = {"seven.md": {"lang": "en"}, "sun.md": {"lang": "de"}}
    store = build_small(tmp_path_factory.mktemp("p"), texts, WordEmbeddings(WORDS), metadata)
    yield store
    store.close()


def retriever(store: Store, **options: Any) -> SentenceWindowRetriever:
    defaults: dict[str, Any] = {"top_k": 1, "mode": "dense"}
    embeddings = WordEmbeddings(WORDS)
    return SentenceWindowRetriever(store=store, embeddings=embeddings, **defaults | options)


def texts(documents: Sequence[Document]) -> list[str]:
    return [document.page_content for document in documents]


# Haystack's SentenceWindowRetriever


def test_window_of_two(store: Store) -> None:
    """Around the fourth of seven sentences, two on each side: the second to the sixth."""
    assert texts(retriever(store, window_size=2).invoke("fourth")) == [" ".join(SENTENCES[1:6])]


def test_window_size_of_a_run(store: Store) -> None:
    """The size given at a call wins over the one given at construction."""
    found = retriever(store, window_size=3).invoke("fourth", window_size=1)
    assert texts(found) == [f"{THIRD} {FOURTH} {FIFTH}"]


def test_window_of_zero(store: Store) -> None:
    """A window of 0 is the sentence alone; below 0 is an error."""
    assert texts(retriever(store, window_size=0).invoke("fourth")) == [FOURTH]
    with pytest.raises(ValueError, match="window_size"):
        retriever(store, window_size=-1)


def test_windows_clipped(store: Store) -> None:
    """A window ends where its document does."""
    assert texts(retriever(store, window_size=4).invoke("third")) == [SEVEN]
    assert texts(retriever(store, window_size=9).invoke("birds")) == [SUN]


def test_context_windows(store: Store) -> None:
    """A text a hit, in the hits' order, what they share in both."""
    found = retriever(store, top_k=2, window_size=1, output="hits").invoke("third fifth")
    windows = {d.metadata["original_text"]: d.page_content for d in found}
    assert windows == {THIRD: f"{SECOND} {THIRD} {FOURTH}", FIFTH: f"{FOURTH} {FIFTH} {SIXTH}"}


def test_context_documents(store: Store) -> None:
    """The neighbours grouped by hit, each group in the document's order."""
    ours = retriever(store, top_k=2, window_size=1)
    found = ours.invoke("third fifth", output="hits", window_size=0)
    groups = [[d.metadata["index"] for d in c.documents] for c in ours.context(found)]
    assert sorted(groups) == [[1, 2, 3], [3, 4, 5]]


def test_overlapping_windows(store: Store) -> None:
    """Windows that touch are one, and nothing is sent twice."""
    (window,) = retriever(store, top_k=2, window_size=1).invoke("third fifth")
    assert window.page_content == " ".join(SENTENCES[1:6])
    assert [h["text"] for h in window.metadata["highlights"]] == [THIRD, FIFTH]


def others(documents: Sequence[Document], **options: Any) -> SentenceWindowRetriever:
    """A retriever over documents that are not ours."""
    vectorstore = QdrantVectorStore.from_documents(
        list(documents), LangChainEmbeddings(), location=":memory:", collection_name="c"
    )
    return SentenceWindowRetriever(vectorstore=vectorstore, **{"top_k": 1} | options)


def test_field_names() -> None:
    """Sources named by one or several fields, positions by any."""
    documents = [
        Document(s, metadata={"file": "a", "part": p, "split_id": i})
        for p in (1, 2) for i, s in enumerate(SENTENCES)
    ]  # fmt: skip
    ours = others(documents, source_fields=("file", "part"), position_field="split_id", top_k=2)
    found = ours.invoke("fourth")
    assert texts(found) == [" ".join(SENTENCES[1:6])] * 2
    assert {d.metadata["part"] for d in found} == {1, 2}


def test_missing_fields() -> None:
    """A document without source or position raises, or goes through as it is."""
    ours = others([Document(FOURTH, metadata={"split_id": 1})], position_field="split_id")
    with pytest.raises(ValueError, match="source, split_id"):
        ours.invoke("fourth")
    assert texts(ours.invoke("fourth", raise_on_missing=False)) == [FOURTH]


def test_overlapping_splits() -> None:
    """With offsets, what two splits share is said once; without, a blank joins them."""
    words = [f"{word} " for word in SEVEN.split(" ")]
    splits = [(start, "".join(words[start : start + 10])) for start in range(0, len(words), 5)]
    documents = [
        Document(text, metadata={
            "source": "a", "index": i, "start": len("".join(words[:first])),
        })
        for i, (first, text) in enumerate(splits)
    ]  # fmt: skip
    (found,) = others(documents, window_size=9).invoke("fourth")
    assert found.page_content.rstrip() == SEVEN
    blind = [Document(s, metadata={"source": "a", "index": i}) for i, s in enumerate(SENTENCES)]
    (found,) = others(blind, window_size=9).invoke("fourth")
    assert found.page_content == SEVEN


def test_async(store: Store) -> None:
    """The same by `ainvoke`."""
    ours = retriever(store)
    assert asyncio.run(ours.ainvoke("fourth")) == ours.invoke("fourth")


# Haystack's AutoMergingRetriever


@pytest.mark.parametrize(
    ("query", "top_k", "expected"),
    [("birds", 1, [SUNS[2]]), ("glow birds", 2, [SUN]), ("sun glow birds", 3, [SUN])],
)
def test_auto_merging(store: Store, query: str, top_k: int, expected: list[str]) -> None:
    """Of the sun's three sentences one is itself; two, more than half, are the whole."""
    ours = retriever(store, window_size=0, merge_threshold=0.5)
    assert texts(ours.invoke(query, top_k=top_k)) == expected


@pytest.mark.parametrize("threshold", [0.0, 1.0, -0.1, 1.1])
def test_merge_threshold(store: Store, threshold: float) -> None:
    """The threshold lies between 0 and 1, both outside."""
    with pytest.raises(ValueError, match="merge_threshold"):
        retriever(store, merge_threshold=threshold)


# Haystack's InMemoryBM25Retriever


def test_keyword_only(store: Store) -> None:
    """Only what shares a term is found, and nothing is embedded."""
    ours = retriever(store, mode="keyword", top_k=9, window_size=0)
    assert texts(ours.invoke("sun")) == [SUNS[0]]
    assert ours.invoke("zebra") == []
    assert ours.embeddings.queries == []


@pytest.mark.parametrize("query", ["", " "])
def test_empty_query(store: Store, query: str) -> None:
    """An empty query is an error, of blanks too."""
    with pytest.raises(Exception, match="The question is empty"):
        retriever(store, mode="keyword").invoke(query)


@pytest.mark.parametrize("top_k", [0, -1])
def test_top_k(store: Store, top_k: int) -> None:
    """top_k is at least 1, at construction and at a call."""
    with pytest.raises(ValueError, match="top_k"):
        retriever(store, top_k=top_k)
    with pytest.raises(ValueError, match="top_k"):
        retriever(store).invoke("sun", top_k=top_k)


@pytest.mark.parametrize("mode", ["keyword", "dense"])
def test_scale_score(store: Store, mode: str) -> None:
    """Scores as they are, or brought into 0 to 1 in the same order."""
    ours = retriever(store, mode=mode, top_k=3, output="hits")
    plain = [d.metadata["score"] for d in ours.invoke("third sentence")]
    scaled = [d.metadata["score"] for d in ours.invoke("third sentence", scale_scores=True)]
    assert plain == sorted(plain, reverse=True)
    assert scaled == sorted(scaled, reverse=True)
    assert 0 <= scaled[-1] <= scaled[0] <= 1


def test_filter_policy(store: Store) -> None:
    """A filter of the call replaces the retriever's, or narrows it down."""
    german, seven = Condition("lang", "=", "de"), Condition("source", "=", "seven.md")
    ours = retriever(store, where=[german], top_k=9)
    assert {d.metadata["source"] for d in ours.invoke("x")} == {"sun.md"}
    assert {d.metadata["source"] for d in ours.invoke("x", where=[seven])} == {"seven.md"}
    assert ours.invoke("x", where=[seven], where_policy="merge") == []


# Haystack's InMemoryEmbeddingRetriever


def test_dense_only(store: Store) -> None:
    """The nearest by cosine."""
    (found,) = retriever(store, output="hits", window_size=0).invoke("glow")
    assert (found.page_content, round(found.metadata["score"], 3)) == (SUNS[1], 1.0)


def test_return_embedding(store: Store) -> None:
    """The vector comes along on request."""
    ours = retriever(store, output="hits")
    assert ours.invoke("glow", return_vectors=True)[0].metadata["vector"] == [0, 0, 0, 0, 1, 0, 0]
    assert "vector" not in ours.invoke("glow")[0].metadata


# Haystack's FilterRetriever


def test_filter_only(store: Store) -> None:
    """Without a query: all that fulfil the filter, in document order; the call's filter wins."""
    ours = retriever(store, where=[Condition("lang", "=", "en")])
    assert texts(ours.invoke("")) == SENTENCES
    assert texts(ours.invoke("", where=[Condition("lang", "=", "de")])) == SUNS


# LlamaIndex's SentenceWindowNodeParser and MetadataReplacementPostProcessor


def test_node_windows() -> None:
    """A node a sentence, with the window as the source has it and the sentence in its metadata."""
    nodes = parse_nodes(RagDocument("a.md", SEVEN, "a", ""), window_size=2)
    assert [node.metadata["original_text"] for node in nodes] == SENTENCES
    assert nodes[3].metadata["window"] == " ".join(SENTENCES[1:6])
    assert nodes[0].metadata["window"] == " ".join(SENTENCES[:3])
    assert SEVEN[nodes[3].start_char_idx : nodes[3].end_char_idx] == FOURTH
    assert nodes[3].text == FOURTH


def test_window_replaces_the_sentence(store: Store) -> None:
    """What is returned is the window, with the sentence kept as `original_text`."""
    (found,) = retriever(store, output="hits", window_size=1).invoke("fourth")
    assert found.page_content == f"{THIRD} {FOURTH} {FIFTH}"
    assert found.metadata["original_text"] == FOURTH


def test_replacement_missing() -> None:
    """A document that has no window keeps its own text."""
    ours = others([Document(FOURTH, metadata={})], raise_on_missing=False, output="hits")
    assert texts(ours.invoke("fourth")) == [FOURTH]
