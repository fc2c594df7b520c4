"""What a search saw → whether the documents hold the answer at all: a score, and a refusal. Pure.

A logistic model of four numbers that can be read: how far the nearest sentence stands out of the
collection, where the collection lies for this question, how many sentences had the chance to come
near, and how many of the question's rare terms the best sentence holds. Fitted by
``bench/refusal.py`` on public question sets, with the bundled embeddings, asked of collections of
50 to 2,000 sentences, once with the document that holds the answer and once without it.

Tried and left out, since the held-apart halves showed no gain: the margin between the first and
the tenth, the agreement of both legs, the deviation of the cosines, the best keyword sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rag.types import Refusal

SURE = 0.5
"""The part of the threshold below which nothing is near: the question is off-topic."""
LONGEST = 14
"""Content words of a question beyond which nothing tells: no sentence holds most of so many. Of the
questions that the weights are fitted on 99 in 100 are as short as this."""
LARGEST, SMALLEST = 10_000, 5
"""Numbers of sentences outside of which a collection counts as one of these: not measured there."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What a search saw.

    ``size`` is the number of sentences searched. ``nearest`` is the best cosine, ``level`` the mean
    cosine of the question to the collection's sentences; None without a dense leg, or with
    embeddings that the weights are not for. ``coverage`` (0 to 1) is the share of the question's
    terms, by their rarity, that the first hit holds; without cosines the most that any hit holds.
    ``keyword`` (0 to 1) is the best keyword sum, as a share of what a sentence with all terms, each
    of them unique, would have. Both are None without a keyword leg, or where the question has no
    terms. ``foreign``: the question is in another language than what was found. ``complete``: a
    found sentence holds all of its terms. ``length`` is the question's, in content words.
    """

    size: int
    nearest: float | None = None
    level: float | None = None
    coverage: float | None = None
    keyword: float | None = None
    foreign: bool = False
    complete: bool = False
    length: int = 0


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal counts, before the logistic function.

    ``lead`` is that of ``nearest - level``, ``size`` that of the size's natural logarithm. ``bias``
    is such that 0.5 refuses 2.4 in 100 answerable questions of the set where it refuses most.
    """

    lead: float = 0.0
    level: float = 0.0
    size: float = 0.0
    coverage: float = 0.0
    keyword: float = 0.0
    bias: float = 0.0


# Printed by bench/refusal.py.
HYBRID = Weights(lead=113.95, level=38.22, size=-1.15, coverage=7.77, bias=-32.24)
DENSE = Weights(lead=143.78, level=46.34, size=-1.07, bias=-37.11)
KEYWORD = Weights(size=-0.47, coverage=6.42, keyword=22.09, bias=-0.53)


def answerable(signals: Signals) -> float | None:
    """Return how likely the documents hold the answer, 0 to 1; None where nothing tells.

    A sentence with all the terms is an answer, be it of one word or a code. Across languages
    nothing tells (at the threshold that refuses 2 in 100 of the English questions whose answer is
    found in Chinese documents, two thirds of those on absent documents are answered), nor of a
    question longer than :data:`LONGEST`.
    """
    if signals.complete:
        return 1.0
    if signals.foreign or signals.length > LONGEST:
        return None
    if signals.nearest is not None and signals.level is not None:
        return _score(DENSE if signals.coverage is None else HYBRID, signals)
    return None if signals.coverage is None else _score(KEYWORD, signals)


def refusal(signals: Signals, threshold: float) -> Refusal | None:
    """Return why not to answer; None to answer, as where nothing tells.

    ``threshold`` is 0 to 1: 0 never refuses. Below it nothing found is the answer; below
    :data:`SURE` of it nothing found is near.
    """
    score = answerable(signals)
    if score is None or score >= threshold:
        return None
    return "off-topic" if score < SURE * threshold else "not-found"


def _score(weights: Weights, signals: Signals) -> float:
    size = min(LARGEST, max(SMALLEST, signals.size))
    level = signals.level or 0.0
    total = (
        weights.bias
        + weights.lead * ((signals.nearest or 0.0) - level)
        + weights.level * level
        + weights.size * math.log(size)
        + weights.coverage * (signals.coverage or 0.0)
        + weights.keyword * (signals.keyword or 0.0)
    )
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))
