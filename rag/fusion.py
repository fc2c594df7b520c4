"""The results of both legs → one ranking of hits. Pure.

Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): a sentence's fused score is the sum,
over the legs that found it, of the leg's weight divided by ``k`` plus its rank there. It is a rank,
not a similarity: nothing should be refused by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.stores.base import Legs, Scored
from rag.types import Hit, Mode

RRF_K = 60
"""How little the first places count above the next: the larger, the flatter."""
KEYWORD_WEIGHT = 0.5
"""The keyword leg's share of the fused score, 0 to 1; the rest is the dense leg's."""


def rank_hits(
    legs: Legs, mode: Mode, *, k: int = RRF_K, keyword_weight: float = KEYWORD_WEIGHT
) -> list[Hit]:
    """Return all candidates as hits, best first, ranked from 1.

    A score or rank of a leg that did not find the sentence is None, and ``fused`` is None unless
    the mode is hybrid. Equal scores are ordered by source and index, so a ranking never depends on
    the order in which a store returns them.
    """
    hits: dict[tuple[str, int], Hit] = {}
    for rank, scored in enumerate(_ordered(legs.dense), 1):
        hits[_key(scored)] = Hit(scored.sentence, 0, dense=scored.score, dense_rank=rank)
    for rank, scored in enumerate(_ordered(legs.keyword), 1):
        hit = hits.get(_key(scored), Hit(scored.sentence, 0))
        hits[_key(scored)] = replace(hit, keyword=scored.score, keyword_rank=rank)

    def score(hit: Hit) -> float:
        if mode != "hybrid":
            return (hit.dense if mode == "dense" else hit.keyword) or 0.0
        dense = (1 - keyword_weight) / (k + hit.dense_rank) if hit.dense_rank else 0.0
        return dense + (keyword_weight / (k + hit.keyword_rank) if hit.keyword_rank else 0.0)

    ranked = sorted(
        ((score(hit), hit) for hit in hits.values()),
        key=lambda pair: (-pair[0], pair[1].sentence.source, pair[1].sentence.index),
    )
    return [
        replace(hit, rank=rank, fused=fused if mode == "hybrid" else None)
        for rank, (fused, hit) in enumerate(ranked, 1)
    ]


def _ordered(leg: Sequence[Scored]) -> list[Scored]:
    return sorted(leg, key=lambda s: (-s.score, s.sentence.source, s.sentence.index))


def _key(scored: Scored) -> tuple[str, int]:
    return scored.sentence.source, scored.sentence.index
