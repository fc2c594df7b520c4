"""The results of both legs → one ranking of hits. Pure.

By scores, the default: each leg's scores are brought to 0 to 1 among the candidates of this query
and added by weight. Measured (``bench/retrieval.py``) it is better than reciprocal ranks on every
set, for any weight near the default: ranks forget how far the first is ahead.

By reciprocal ranks, where ``rrf_k`` is set (Cormack, Clarke and Büttcher, 2009): a leg adds its
weight divided by ``rrf_k`` plus the sentence's rank in it.

Either way the fused score only orders one query's hits: nothing should be refused by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rag.stores.base import Legs, Scored
from rag.types import Hit, Mode

KEYWORD_WEIGHT = 0.5
"""The keyword leg's share of the fused score, 0 to 1; the rest is the dense leg's."""
FULL_KEYWORD_SCORE = 30.0
"""The keyword sum, of some six rare terms, from which on the leg has its full say.

Below it the leg counts for less: where question and documents share no more than a name or "the",
as between languages, the best keyword hit is no better than chance.
"""


def rank_hits(
    legs: Legs,
    mode: Mode,
    *,
    keyword_weight: float = KEYWORD_WEIGHT,
    rrf_k: float | None = None,
) -> list[Hit]:
    """Return all candidates as hits, best first, ranked from 1.

    A score or rank of a leg that did not find the sentence is None, and ``fused``, 0 to 1, is None
    unless the mode is hybrid. Equal scores are ordered by source and index, so a ranking never
    depends on the order in which a store returns them.
    """
    hits: dict[tuple[str, int], Hit] = {}
    for rank, scored in enumerate(_ordered(legs.dense), 1):
        hits[_key(scored)] = Hit(scored.sentence, 0, dense=scored.score, dense_rank=rank)
    for rank, scored in enumerate(_ordered(legs.keyword), 1):
        hit = hits.get(_key(scored), Hit(scored.sentence, 0))
        hits[_key(scored)] = replace(hit, keyword=scored.score, keyword_rank=rank)
    if mode == "hybrid":
        parts = _by_scores(legs) if rrf_k is None else _by_ranks(rrf_k)
        for key, hit in hits.items():
            dense, keyword = parts(hit)
            fused = (1 - keyword_weight) * dense + keyword_weight * keyword
            hits[key] = replace(hit, fused=fused)
    ranked = sorted(hits.values(), key=_order(mode))
    return [replace(hit, rank=rank) for rank, hit in enumerate(ranked, 1)]


Parts = Callable[[Hit], tuple[float, float]]
"""A hit → what each leg says for it, dense and keyword, before weighing."""


def _by_scores(legs: Legs) -> Parts:
    """Scale cosines from the worst to the best candidate's, keyword sums from 0 to a full one.

    Cosines have no zero that means anything: those of multilingual-e5-small all lie near .8.
    Keyword sums have one, and mean the same in every query of a collection.
    """
    cosines = [scored.score for scored in legs.dense]
    low, high = (min(cosines), max(cosines)) if cosines else (0.0, 0.0)
    full = max(FULL_KEYWORD_SCORE, *(scored.score for scored in legs.keyword), 0.0)

    def parts(hit: Hit) -> tuple[float, float]:
        dense = 0.0
        if hit.dense is not None:
            dense = (hit.dense - low) / (high - low) if high > low else 1.0
        return dense, (hit.keyword or 0.0) / full

    return parts


def _by_ranks(rrf_k: float) -> Parts:
    """Scale reciprocal ranks so that the first rank counts 1."""

    def parts(hit: Hit) -> tuple[float, float]:
        ranks = (hit.dense_rank, hit.keyword_rank)
        dense, keyword = ((rrf_k + 1) / (rrf_k + rank) if rank else 0.0 for rank in ranks)
        return dense, keyword

    return parts


def _order(mode: Mode) -> Callable[[Hit], tuple[float, str, int]]:
    def key(hit: Hit) -> tuple[float, str, int]:
        score = {"dense": hit.dense, "keyword": hit.keyword, "hybrid": hit.fused}[mode]
        return -(score or 0.0), hit.sentence.source, hit.sentence.index

    return key


def _ordered(leg: Sequence[Scored]) -> list[Scored]:
    return sorted(leg, key=lambda s: (-s.score, s.sentence.source, s.sentence.index))


def _key(scored: Scored) -> tuple[str, int]:
    return scored.sentence.source, scored.sentence.index
