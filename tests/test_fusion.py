"""Two legs' results become one ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ranking.fusion import rank_hits
from rag.stores.base import Legs, Scored
from rag.types import Hit, Sentence

A, B, C, D = (Sentence(name, 0, 0, 1, name) for name in "abcd")


def legs(dense: dict[str, float], keyword: dict[str, float]) -> Legs:
    by_name = {s.source: s for s in (A, B, C, D)}
    return Legs(
        tuple(Scored(by_name[name], score) for name, score in dense.items()),
        tuple(Scored(by_name[name], score) for name, score in keyword.items()),
    )


BOTH = legs({"a": 0.9, "b": 0.85, "c": 0.8}, {"b": 40.0, "d": 20.0})


def fused(hits: list[Hit]) -> dict[str, float | None]:
    return {hit.sentence.source: hit.fused and round(hit.fused, 6) for hit in hits}


def test_by_scores() -> None:
    """Cosines count from the worst candidate to the best, keyword sums from nothing to the best."""
    hits = rank_hits(BOTH, "hybrid", keyword_weight=0.4)
    assert fused(hits) == {"b": 0.7, "a": 0.6, "d": 0.2, "c": 0.0}
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]
    best, last = hits[0], hits[3]
    assert (best.dense, best.dense_rank, best.keyword, best.keyword_rank) == (0.85, 2, 40.0, 1)
    assert (last.keyword, last.keyword_rank) == (None, None)


def test_a_weak_keyword_leg_says_little() -> None:
    """When the best keyword sum is small, it cannot outweigh the cosines."""
    weak = legs({"a": 0.9, "b": 0.88, "c": 0.8}, {"c": 3.0})
    assert fused(rank_hits(weak, "hybrid")) == {"a": 0.5, "b": 0.4, "c": 0.05}


def test_by_reciprocal_ranks() -> None:
    """With rrf_k set only the ranks count."""
    hits = rank_hits(BOTH, "hybrid", keyword_weight=0.5, rrf_k=1)
    assert fused(hits) == {"b": 0.833333, "a": 0.5, "d": 0.333333, "c": 0.25}


@pytest.mark.parametrize(("weight", "order"), [(0.0, "abcd"), (1.0, "bdac")])
def test_the_weight_decides(weight: float, order: str) -> None:
    """Weight 0 is the dense order, weight 1 the keyword order; the rest follows by source."""
    hits = rank_hits(BOTH, "hybrid", keyword_weight=weight)
    assert "".join(hit.sentence.source for hit in hits) == order


@pytest.mark.parametrize(
    ("dense", "keyword", "scores"),
    [
        ({"a": 0.8}, {}, {"a": 0.5}),
        ({"a": 0.8, "b": 0.8}, {}, {"a": 0.5, "b": 0.5}),
        ({}, {"a": 99.0}, {"a": 0.5}),
        ({}, {}, {}),
        ({"a": -0.2, "b": -0.4}, {"a": 0.0}, {"a": 0.5, "b": 0.0}),
    ],
)
def test_few_candidates(
    dense: dict[str, float], keyword: dict[str, float], scores: dict[str, float]
) -> None:
    """One candidate, equal ones, none, and scores of zero or below are no special case."""
    assert fused(rank_hits(legs(dense, keyword), "hybrid")) == scores


def test_one_leg() -> None:
    """With one leg the order is its own, and nothing is fused."""
    dense = rank_hits(legs({"b": 0.1, "a": 0.2}, {}), "dense")
    keyword = rank_hits(legs({}, {"a": 1.0, "b": 3.0}), "keyword")
    assert [(h.sentence.source, h.dense, h.fused) for h in dense] == [
        ("a", 0.2, None), ("b", 0.1, None),
    ]  # fmt: skip
    assert [(h.sentence.source, h.keyword_rank) for h in keyword] == [("b", 1), ("a", 2)]


SCORES = st.dictionaries(st.sampled_from("abcd"), st.floats(-1, 20))


@given(SCORES, SCORES, st.floats(0, 1), st.none() | st.floats(0, 100))
def test_any_legs(
    dense: dict[str, float], keyword: dict[str, float], weight: float, rrf_k: float | None
) -> None:
    """Every candidate comes back once; fused scores fall, from at most 1 to at least 0."""
    positive = {name: abs(score) for name, score in keyword.items()}
    hits = rank_hits(legs(dense, positive), "hybrid", keyword_weight=weight, rrf_k=rrf_k)
    assert sorted(hit.sentence.source for hit in hits) == sorted({*dense, *keyword})
    scores = [hit.fused for hit in hits if hit.fused is not None]
    assert scores == sorted(scores, reverse=True)
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores)
