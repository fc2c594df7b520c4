"""A query and what the legs found for it → the signals that a refusal goes by. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.keywords import content_length, content_terms, query_vector
from rag.ranking.refusal import Signals
from rag.splitting.languages import detect_language, script
from rag.stores.base import Legs, Scored
from rag.types import Hit, Mode, Sentence

if TYPE_CHECKING:
    from rag.stores.base import Vector

MANY = 60
"""Sentences among the keyword leg's best that hold a term before it counts as common."""
ALL = 0.95
"""The share of the question's terms, by their rarity, that counts as all of them."""
_NEAREST = 3
"""Sentences by which the documents' language is known."""


def measure_signals(
    query: str,
    legs: Legs,
    first: Hit,
    mode: Mode,
    *,
    size: int,
    vector: Vector | None = None,
    center: Vector | None = None,
) -> Signals:
    """Return what a search for ``query`` saw.

    ``legs`` is what it found in ``mode``, ``first`` the best hit after fusion, ``size`` the number
    of sentences searched. ``vector`` is the query's, ``center`` the mean of the collection's;
    without them the cosines are not looked at.
    """
    near = vector is not None and center is not None and legs.dense
    terms = content_terms(query)
    held = [content_terms(_text(scored.sentence)) & terms for scored in legs.keyword or legs.dense]
    rarity = {t: math.log(1 + MANY / (0.5 + sum(t in one for one in held))) for t in terms}

    def share(some: frozenset[str]) -> float:
        return sum(rarity[t] for t in some) / sum(rarity.values())

    by_terms = bool(terms) and mode != "dense"
    most = max(map(share, held), default=0.0) if terms else 0.0
    first_share = share(content_terms(_text(first.sentence)) & terms) if terms else 0.0
    return Signals(
        size,
        nearest=max(scored.score for scored in legs.dense) if near else None,
        level=float(vector @ center) if near else None,  # type: ignore[operator]
        coverage=(first_share if near else most) if by_terms else None,
        keyword=_keyword(query, legs.keyword, size) if by_terms else None,
        foreign=_foreign(query, legs),
        complete=most >= ALL,
        length=content_length(query),
    )


def _keyword(query: str, found: Sequence[Scored], size: int) -> float:
    """Return the best keyword sum as a share of what all terms would give, each of them unique."""
    unique = math.log(1 + (size + 0.5) / 0.5)  # the IDF of a term of no sentence
    best = max((scored.score for scored in found), default=0.0)
    return best / (sum(query_vector(query).values) * unique)


def _foreign(query: str, legs: Legs) -> bool:
    """Say whether the query is in another language than the nearest sentences; codes may be."""
    nearest = (legs.dense or legs.keyword)[:_NEAREST]
    text = " ".join(scored.sentence.text for scored in nearest)
    query = query.replace("'s ", " ")  # an "s" alone is a small word of several languages
    if script(query) != script(text):
        return True
    found = detect_language(text)
    asked = detect_language(query, default=found)
    return asked != found and asked != detect_language(text, default=asked)


def _text(sentence: Sentence) -> str:
    """Return what of a sentence the keyword leg searched, as far as it is stored."""
    return " ".join([sentence.title, *sentence.section, sentence.text])
