"""Found sentences → those worth sending: as long as their scores are not far below the best. Pure.

A score says little by itself, and how it compares to the best of the same query says much: a
sentence far behind the first seldom adds an answer, and always characters. Measured by
``bench/context.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.types import Hit, Mode, Window


def with_shares(ranked: Sequence[Hit], mode: Mode, count: int | None = None) -> list[Hit]:
    """Return the first ``count`` of all candidates of a query, best first, each with its ``share``
    of the best score.

    A cosine has no zero that means anything, so in dense mode the worst candidate's counts as 0. A
    reranker's scores have neither zero nor scale: where it was asked, no hit has a share.
    """
    if not ranked or any(hit.reranked is not None for hit in ranked):
        return list(ranked[:count])
    scores = [_score(hit, mode) for hit in ranked]
    floor = min(scores) if mode == "dense" else 0.0
    best = max(scores) - floor
    shares = [(score - floor) / best if best > 0 else 1.0 for score in scores[:count]]
    return [replace(hit, share=share) for hit, share in zip(ranked[:count], shares, strict=True)]


def worth_sending(hits: Sequence[Hit], min_share: float) -> list[Hit]:
    """Return the hits whose share of the best score is ``min_share`` (0 to 1) or more.

    Those without a share are kept.
    """
    return [hit for hit in hits if hit.share is None or hit.share >= min_share]


def mark_hits(windows: Sequence[Window], hits: Sequence[Hit]) -> tuple[Window, ...]:
    """Return ``windows`` with all of ``hits`` that stand in them among their hits."""
    return tuple(
        replace(window, hits=tuple(sorted(
            (hit for hit in hits if _stands_in(hit, window)), key=lambda hit: hit.sentence.index
        )))
        for window in windows
    )  # fmt: skip


def left_out(hits: Sequence[Hit], windows: Sequence[Window]) -> tuple[Hit, ...]:
    """Return the hits that stand in none of ``windows``, in their order."""
    return tuple(hit for hit in hits if not any(_stands_in(hit, window) for window in windows))


def _score(hit: Hit, mode: Mode) -> float:
    score = {"dense": hit.dense, "keyword": hit.keyword, "hybrid": hit.fused}[mode]
    return score or 0.0


def _stands_in(hit: Hit, window: Window) -> bool:
    found = hit.sentence
    return window.source == found.source and (found.start, found.end) in window.bounds
