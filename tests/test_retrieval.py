"""From a query to ranked hits and their windows, over a real small collection."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rag.errors import SettingsError
from rag.ranking.fusion import rank_hits
from rag.retrieval import LONGEST_QUERY, Retrieved, retrieve, windows_of
from rag.stores.base import Legs, Scored, Store
from rag.types import Condition, Mode, Sentence
from tests.small_collection import WordEmbeddings, build_small

TEXTS = {
    "kettle.md": "Boil the water. Clean the kettle. E07 means overheating. Wait here. Go on.\n",
    "pump.md": "The pump moves water. The pump is loud. Clean the pump monthly.\n",
    "zh.md": "首次使用前请清洗水壶。加水至最高水位线。煮沸后倒掉。\n",
}


@pytest.fixture(scope="module")
def embeddings() -> WordEmbeddings:
    """Embeddings that know five words."""
    return WordEmbeddings("water kettle clean pump wait")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, embeddings: WordEmbeddings) -> Iterator[Store]:
    """The three documents, built once."""
    store = build_small(tmp_path_factory.mktemp("small"), TEXTS, embeddings)
    yield store
    store.close()


def ask(
    store: Store,
    embeddings: WordEmbeddings,
    query: str,
    mode: Mode = "hybrid",
    *,
    top_k: int = 3,
    window_size: int = 1,
    where: Sequence[Condition] = (),
) -> Retrieved:
    return retrieve(
        store, embeddings, query, mode=mode, top_k=top_k, window_size=window_size, candidates=20,
        where=where,
    )  # fmt: skip


def texts(found: Retrieved) -> list[str]:
    return [hit.sentence.text for hit in found.hits]


def test_dense_scores_are_cosines(store: Store, embeddings: WordEmbeddings) -> None:
    """A dense hit carries the cosine and its rank, and nothing of the keyword leg."""
    found = ask(store, embeddings, "clean kettle", "dense")
    best, second = found.hits[:2]
    assert best.sentence.text == "Clean the kettle."
    assert best.dense == pytest.approx(1.0, abs=1e-6)
    assert second.dense == pytest.approx(0.5, abs=1e-6)  # one word of two on each side
    assert (best.dense_rank, second.dense_rank) == (1, 2)
    assert {(h.keyword, h.keyword_rank, h.fused) for h in found.hits} == {(None, None, None)}


def test_keyword_needs_no_embedding(store: Store, embeddings: WordEmbeddings) -> None:
    """Keyword mode embeds nothing, finds codes, and carries its own scores alone."""
    before = len(embeddings.queries)
    found = ask(store, embeddings, "what is e-07", "keyword")
    assert texts(found)[0] == "E07 means overheating."
    assert found.hits[0].keyword is not None
    assert found.hits[0].keyword > 0
    assert {(h.dense, h.dense_rank, h.fused) for h in found.hits} == {(None, None, None)}
    assert len(embeddings.queries) == before


def test_hybrid_hits_say_why(store: Store, embeddings: WordEmbeddings) -> None:
    """A hit that both legs found has both scores, both ranks, a fused score and the terms."""
    hit = ask(store, embeddings, "How do I clean the kettle?").hits[0]
    assert hit.sentence.text == "Clean the kettle."
    assert (hit.rank, hit.dense_rank, hit.keyword_rank) == (1, 1, 1)
    assert hit.dense == pytest.approx(1.0, abs=1e-6)
    assert hit.keyword
    assert hit.fused
    assert hit.terms == ("Clean", "kettle")


def test_a_leg_that_did_not_find_it_is_null(store: Store, embeddings: WordEmbeddings) -> None:
    """A hit of one leg has no score and no rank of the other."""
    found = ask(store, embeddings, "overheating")
    assert texts(found)[0] == "E07 means overheating."
    others = [hit for hit in found.hits if hit.keyword_rank is None]
    assert others
    assert all(hit.keyword is None and hit.terms == () for hit in others)


def test_ranks_do_not_depend_on_the_order_of_equals() -> None:
    """Equal scores are ordered by source and index, in whatever order a store gives them."""
    sentences = [Sentence(s, i, 0, 1, "x") for s, i in (("b", 0), ("a", 2), ("a", 1))]
    legs = [
        Legs(tuple(Scored(s, 0.5) for s in order), tuple(Scored(s, 2.0) for s in order[::-1]))
        for order in (sentences, sentences[::-1])
    ]
    assert rank_hits(legs[0], "hybrid") == rank_hits(legs[1], "hybrid")
    ranked = [(h.sentence.source, h.sentence.index) for h in rank_hits(legs[0], "hybrid")]
    assert ranked == [("a", 1), ("a", 2), ("b", 0)]


@pytest.mark.parametrize("mode", ["dense", "keyword", "hybrid"])
def test_the_window_size_changes_no_hit(
    store: Store, embeddings: WordEmbeddings, mode: Mode
) -> None:
    """The same question with windows 0, 2 and 5 has the same hits and scores."""
    found = [ask(store, embeddings, "clean the pump", mode, window_size=n) for n in (0, 2, 5)]
    assert found[0].hits == found[1].hits == found[2].hits
    marked = [[h for w in f.windows for h in w.hits] for f in found]
    assert all(sorted(m, key=lambda h: h.rank) == list(found[0].hits) for m in marked)


def test_windows_are_slices_of_the_source(store: Store, embeddings: WordEmbeddings) -> None:
    """Each window is the source's own text, at any size, 0 included."""
    for size in (0, 1, 2, 9):
        for window in ask(store, embeddings, "clean water", window_size=size).windows:
            assert window.text == TEXTS[window.source][window.start : window.end]
    alone = ask(store, embeddings, "E07", "keyword", top_k=1, window_size=0).windows
    assert [w.text for w in alone] == ["E07 means overheating."]


def test_the_slider_searches_nothing(store: Store, embeddings: WordEmbeddings) -> None:
    """Windows of another size are read from the hits, the same as a search would give."""
    found = ask(store, embeddings, "clean the kettle", window_size=0)
    asked = len(embeddings.queries)
    assert windows_of(store, found.hits, 2) == ask(
        store, embeddings, "clean the kettle", window_size=2
    ).windows  # fmt: skip
    assert len(embeddings.queries) == asked + 1
    assert windows_of(store, [], 2) == ()


def test_top_k_is_kept_of_the_candidates(store: Store, embeddings: WordEmbeddings) -> None:
    """No more than top_k hits stay, ranked from 1; asking for more gives all there are."""
    few, many = (ask(store, embeddings, "pump", top_k=k) for k in (2, 100))
    assert [hit.rank for hit in few.hits] == [1, 2]
    assert few.hits == many.hits[:2]
    assert len(many.hits) == 11


def test_a_filter_limits_both_legs(store: Store, embeddings: WordEmbeddings) -> None:
    """Only sentences that fulfil the conditions are found; none is no error."""
    only = Condition("source", "=", "pump.md")
    found = ask(store, embeddings, "clean the kettle", top_k=9, where=[only])
    assert {hit.sentence.source for hit in found.hits} == {"pump.md"}
    nothing = ask(store, embeddings, "clean", where=[Condition("source", "=", "none.md")])
    assert (nothing.hits, nothing.windows) == ((), ())


def test_times_are_measured(store: Store, embeddings: WordEmbeddings) -> None:
    """The whole takes at least as long as its parts."""
    found = ask(store, embeddings, "clean")
    assert 0 < found.embed_ms + found.search_ms <= found.retrieve_ms
    assert ask(store, embeddings, "clean", "keyword").embed_ms < found.retrieve_ms


@pytest.mark.parametrize("mode", ["dense", "keyword", "hybrid"])
@pytest.mark.parametrize("query", ["", "  \n\t", "\x00", "\x00 \x00"])
def test_an_empty_query_is_a_named_error(
    store: Store, embeddings: WordEmbeddings, query: str, mode: Mode
) -> None:
    """Nothing to search for is said, in one line, whatever the mode."""
    with pytest.raises(SettingsError, match="question is empty"):
        ask(store, embeddings, query, mode)


ODD = [
    "?!…",
    "😀🎉",
    "\x01\x02\x1b[31m",
    "\ud800",
    "ζητώ κάτι",
    "'; DROP TABLE --",
    '{"$gt": ""}',
    "*",
]


@pytest.mark.parametrize("query", ODD)
def test_odd_queries_are_searched(store: Store, embeddings: WordEmbeddings, query: str) -> None:
    """Punctuation, emoji, control characters, foreign words: found by the dense leg alone."""
    assert len(ask(store, embeddings, query, "dense").hits) == 3
    assert len(ask(store, embeddings, query, "hybrid").hits) == 3
    assert ask(store, embeddings, query, "keyword").hits == ()


def test_a_huge_query_is_cut(store: Store, embeddings: WordEmbeddings) -> None:
    """Of 100,000 characters the first are searched, and the query is reported whole."""
    query = "clean the kettle " + "so " * 33_333
    found = ask(store, embeddings, query)
    assert texts(found)[0] == "Clean the kettle."
    assert found.query == query
    assert len(embeddings.queries[-1]) <= LONGEST_QUERY


def test_the_question_path_is_light() -> None:
    """Importing retrieval loads no library that only builds, servers or models need."""
    code = "import sys, rag.retrieval; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         cwd=Path(__file__).parents[1])  # fmt: skip
    loaded = {name.partition(".")[0] for name in run.stdout.split()}
    assert not loaded & {"numpy", "qdrant_edge", "qdrant_client", "pydantic", "httpx"}


@pytest.mark.parametrize("mode", ["dense", "keyword", "hybrid"])
def test_what_is_far_behind_is_not_sent(
    store: Store, embeddings: WordEmbeddings, mode: Mode
) -> None:
    """Sentences far behind the best are found and ranked, and stand in no passage."""
    few, many = (
        retrieve(
            store, embeddings, "E07 means overheating of water", mode=mode, top_k=9, window_size=0,
            candidates=20, min_share=share,
        )
        for share in (0.9, 0.0)
    )  # fmt: skip
    assert few.hits == many.hits
    assert few.hits[0].share == 1.0
    sent = [hit for window in few.windows for hit in window.hits]
    assert {hit.rank for hit in sent} == {h.rank for h in few.hits if h.share and h.share >= 0.9}
    assert len(sent) < len([hit for window in many.windows for hit in window.hits])


def test_auto_merging(store: Store, embeddings: WordEmbeddings) -> None:
    """With a threshold the windows grow; hits and scores stay, and the slider can do the same."""
    plain = ask(store, embeddings, "pump", "dense", window_size=0)
    grown = retrieve(
        store, embeddings, "pump", mode="dense", top_k=3, window_size=0, candidates=20,
        merge_threshold=0.5,
    )  # fmt: skip
    assert grown.hits == plain.hits
    assert grown.windows[0].text == TEXTS["pump.md"].rstrip()
    assert windows_of(store, plain.hits, 0, merge_threshold=0.5) == grown.windows
