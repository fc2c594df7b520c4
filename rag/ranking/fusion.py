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

from rag.stores.base import Legs, Scored
from rag.types import Hit, Mode

KEYWORD_WEIGHT = 0.5
"""The keyword leg's share of the fused score, 0 to 1; the rest is the dense leg's."""
FULL_KEYWORD_SCORE = 30.0
"""The keyword sum, of some six rare terms, from which on the leg has its full say.

Below it the leg counts for less: where question and documents share no more than a name or "the",
as between languages, the best keyword hit is no better than chance.
"""

_Key = tuple[str, int]
_Scale = Callable[[int, float], float]
"""A leg's rank and score of a sentence → what the leg says for it, 0 to 1."""


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
    dense, keyword = _ranked(legs.dense), _ranked(legs.keyword)
    sentences = {_key(s): s.sentence for s in (*legs.dense, *legs.keyword)}
    scores: dict[_Key, float] = dict.fromkeys(sentences, 0.0)
    for found, weight, scale in (
        (dense, 1 - keyword_weight, _dense_scale(legs, rrf_k)),
        (keyword, keyword_weight, _keyword_scale(legs, rrf_k)),
    ):
        for key, (rank, score) in found.items():
            scores[key] += weight * scale(rank, score) if mode == "hybrid" else score
    hits = []
    for rank, key in enumerate(sorted(scores, key=lambda key: (-scores[key], key)), 1):
        dense_rank, dense_score = dense.get(key, (None, None))
        keyword_rank, keyword_score = keyword.get(key, (None, None))
        fused = scores[key] if mode == "hybrid" else None
        hits.append(Hit(
            sentences[key], rank, dense_score, keyword_score, fused, dense_rank, keyword_rank
        ))  # fmt: skip
    return hits


def _dense_scale(legs: Legs, rrf_k: float | None) -> _Scale:
    """Scale cosines from the worst candidate's to the best's.

    They have no zero that means anything: those of multilingual-e5-small all lie near .8.
    """
    if rrf_k is not None:
        return _rank_scale(rrf_k)
    cosines = [scored.score for scored in legs.dense]
    low, high = (min(cosines), max(cosines)) if cosines else (0.0, 0.0)
    return lambda _, score: (score - low) / (high - low) if high > low else 1.0


def _keyword_scale(legs: Legs, rrf_k: float | None) -> _Scale:
    """Scale keyword sums from 0 to a full one: they mean the same in every query."""
    if rrf_k is not None:
        return _rank_scale(rrf_k)
    full = max(FULL_KEYWORD_SCORE, *(scored.score for scored in legs.keyword), 0.0)
    return lambda _, score: score / full


def _rank_scale(rrf_k: float) -> _Scale:
    """Scale reciprocal ranks so that the first rank counts 1."""
    return lambda rank, _: (rrf_k + 1) / (rrf_k + rank)


def _ranked(leg: Sequence[Scored]) -> dict[_Key, tuple[int, float]]:
    """Return rank and score of each sentence of a leg."""
    ordered = sorted(leg, key=lambda scored: (-scored.score, _key(scored)))
    return {_key(scored): (rank, scored.score) for rank, scored in enumerate(ordered, 1)}


def _key(scored: Scored) -> _Key:
    return scored.sentence.source, scored.sentence.index
