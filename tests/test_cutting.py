"""Which of the found sentences are sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag.ranking.cutting import left_out, mark_hits, with_shares, worth_sending
from rag.types import Hit, Mode, Sentence
from tests.windows import window


def hits(*scores: float, leg: str = "fused") -> list[Hit]:
    """Hits of one file with these scores, in their order."""
    return [
        replace(Hit(Sentence("a.md", i, 10 * i, 10 * i + 5, "x"), i + 1), **{leg: score})
        for i, score in enumerate(scores)
    ]


@pytest.mark.parametrize(
    ("mode", "leg", "scores", "shares"),
    [
        ("hybrid", "fused", (0.8, 0.4, 0.2), (1, 0.5, 0.25)),
        ("keyword", "keyword", (20, 15, 5), (1, 0.75, 0.25)),
        ("dense", "dense", (0.9, 0.85, 0.8), (1, 0.5, 0)),
        ("dense", "dense", (-0.2, -0.4), (1, 0)),
    ],
)
def test_shares(mode: Mode, leg: str, scores: tuple[float, ...], shares: tuple[float, ...]) -> None:
    """A share is of the best score; a cosine's zero is the worst candidate."""
    ranked = with_shares(hits(*scores, leg=leg), mode)
    assert [hit.share for hit in ranked] == pytest.approx(shares)


def test_equal_scores_are_worth_the_same() -> None:
    """Where no candidate is better than another, none is left out."""
    assert [hit.share for hit in with_shares(hits(0.7, leg="dense"), "dense")] == [1.0]
    assert [hit.share for hit in with_shares(hits(0.0, 0.0), "hybrid")] == [1.0, 1.0]
    assert with_shares([], "hybrid") == []


def test_a_reranker_s_scores_leave_nothing_out() -> None:
    """Scores without a scale give no shares, and hits without a share are all sent."""
    ranked = [replace(hit, reranked=-3.0) for hit in hits(0.9, 0.1)]
    assert with_shares(ranked, "hybrid") == ranked
    assert worth_sending(ranked, 1.0) == ranked


def test_what_is_worth_sending() -> None:
    """Hits with the share or more stay, in their order; with 0 all do."""
    ranked = with_shares(hits(0.5, 0.3, 0.29), "hybrid")
    assert [hit.rank for hit in worth_sending(ranked, 0.6)] == [1, 2]
    assert worth_sending(ranked, 0.0) == ranked


def test_hits_inside_a_passage_are_marked_all_the_same() -> None:
    """A found sentence that stands in a passage anyway is marked; the others are left out."""
    whole = window("One. Two. Three.", "Two.", "Three.")
    elsewhere = replace(whole.hits[0], sentence=replace(whole.hits[0].sentence, source="b.md"))
    sent = replace(whole, hits=whole.hits[:1])
    found = [*reversed(whole.hits), elsewhere]
    assert mark_hits([sent], found) == (whole,)
    assert left_out(found, [sent]) == (elsewhere,)
