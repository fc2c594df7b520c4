"""A claim beside the sentences it may rest on → the first thing that differs. Pure.

For each number, name and negation of the claim it is asked whether a sentence has it that fits the
place about as well as the best one that has it not. "The warranty is 90 days" fits the sentence
"The warranty is 30 days" far better than one that has 90 days of something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from rag.support.chinese_names import borrowed_names, reads
from rag.support.claims import Claim, Term, is_han
from rag.support.latin_names import knows
from rag.support.name_swaps import swapped_name
from rag.support.quantities import Quantity, same_unit
from rag.support.sources import Match, SourceSentence

Kind = Literal["number", "unit", "name", "negation"]

FIT = 0.7
"""How well a sentence that has a number must fit, beside the best one that has it not."""
NAME_FIT = 0.9
"""The same for a name: one that a sentence fits nearly as well is no sign of a mistake."""
CONTEXT = 6
"""Words around a number or name that its place is known by."""
VERBATIM = 0.85
"""From this share on a sentence is taken for the claim's model: each of its numbers counts once."""
SLOT = 0.75
"""From this share on a number that the claim lacks is what stands in the place of the claim's."""
DENIAL = 0.5
"""From this share on a sentence that denies nothing contradicts a claim that denies something."""
CLAUSE = 0.3
"""The share of a clause that denies something from which a claim that denies nothing says it."""
ABSENT = 0.5
"""How well the best sentence must fit before a name that no sentence has is a difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What the claim says (``said``, as it is spelled) and the sentence at ``sentence`` does not.
    ``found`` is what stands there in its place; empty where that is not known.
    """

    kind: Kind
    said: str
    found: str
    sentence: SourceSentence


def find_difference(match: Match) -> Difference | None:
    """Return the first number, unit, negation or name of the claim that no sentence bears out."""
    return next(chain(_numbers(match), _negations(match), _names(match)), None)


def _numbers(match: Match) -> Iterator[Difference]:
    claim, sentences = match.claim, match.sources.sentences
    model = match.sentence.claim
    verbatim = match.plain[match.best] >= VERBATIM
    spent: set[int] = set()
    for quantity in claim.quantities:
        fits = match.fit(claim.around(quantity.start, quantity.end, CONTEXT))
        having = [_has(s.claim, quantity) for s in sentences]
        if verbatim and having[match.best]:
            unused = [i for i in _same(model, quantity) if i not in spent]
            having[match.best] = bool(unused)
            spent.update(unused[:1])
        if not _lacks(fits, having) and not _fills_slot(match, quantity, having):
            continue
        other = _best(fits, [not has for has in having], match.best)
        rival = _rival(sentences[other].claim, claim, quantity)
        if rival is None and (_is_count(quantity) or _is_near(sentences, other, having)):
            continue  # "the two parts are A and B"; "in 1962", said a sentence before
        found = sentences[other].claim.text[rival.start : rival.end] if rival else ""
        kind: Kind = "unit" if rival and rival.values & quantity.values else "number"
        yield Difference(kind, claim.text[quantity.start : quantity.end], found, sentences[other])


def _same(claim: Claim, quantity: Quantity) -> list[int]:
    return [
        i
        for i, other in enumerate(claim.quantities)
        if other.values & quantity.values and same_unit(other.unit, quantity.unit)
    ]


def _has(claim: Claim, quantity: Quantity) -> bool:
    return bool(_same(claim, quantity))


def _lacks(fits: list[float], having: list[bool], enough: float = FIT) -> bool:
    """Whether what has the item fits its place much worse than what has it not, or nothing has."""
    best = max((fit for fit, has in zip(fits, having, strict=True) if has), default=-1.0)
    other = max((fit for fit, has in zip(fits, having, strict=True) if not has), default=-1.0)
    return best < enough * other


def _best(fits: list[float], among: list[bool], default: int) -> int:
    there = [i for i, has in enumerate(among) if has]
    return max(there, key=lambda i: (fits[i], -i), default=default)


def _fills_slot(match: Match, quantity: Quantity, having: list[bool]) -> bool:
    """Whether the best sentence is the claim but for this number, in whose place it has another."""
    share = match.plain[match.best]
    if share < SLOT or having[match.best]:
        return False
    holder = max((s for s, has in zip(match.plain, having, strict=True) if has), default=0.0)
    return holder < 0.9 * share and _rival(match.sentence.claim, match.claim, quantity) is not None


def _rival(model: Claim, claim: Claim, quantity: Quantity) -> Quantity | None:
    """Return the quantity of ``model`` that stands where the claim has ``quantity``: one of equal
    value with another unit, or one that the claim does not have, of the same unit before others.
    """
    equal = [q for q in model.quantities if q.values & quantity.values]
    other = [q for q in model.quantities if not _has(claim, q)]
    other.sort(
        key=lambda q: (not same_unit(q.unit, quantity.unit), bool(quantity.unit) > bool(q.unit))
    )
    different = [q for q in equal if not same_unit(q.unit, quantity.unit)]
    return next(iter([*different, *other]), None)


def _is_count(quantity: Quantity) -> bool:
    return quantity.counted and not quantity.unit and bool(quantity.values & {2.0, 3.0, 4.0})


def _is_near(sentences: Sequence[SourceSentence], at: int, having: list[bool]) -> bool:
    """Whether a sentence close to the one at ``at``, in its window, has what it lacks."""
    close = range(max(0, at - 2), min(len(sentences), at + 3))
    return any(having[i] and sentences[i].window is sentences[at].window for i in close)


def _negations(match: Match) -> Iterator[Difference]:
    claim, sentences = match.claim, match.sources.sentences
    for start, end in claim.negations:
        fits = match.fit(claim.around(start, end, CONTEXT))
        model = sentences[_best(fits, [True] * len(fits), match.best)]
        shared = [t.stem for t in claim.after(end) if t.stem in model.claim.stems]
        denies = bool(model.claim.negations)
        affirmed = shared and not model.claim.denied.intersection(shared[:2])
        unheard = not shared and not denies and match.plain[match.best] >= DENIAL
        if affirmed or unheard:
            yield Difference("negation", claim.text[start:end], "", model)
    model = match.sentence
    if match.plain[match.best] < 0.4 or len(claim.negations) >= len(model.claim.negations):
        return
    for start, end in model.claim.negations:
        denied = [term.stem for term in model.claim.after(end, 2)]
        if not denied or denied[0] not in claim.stems or claim.denied.intersection(denied):
            continue
        clause = [term.stem for term in model.claim.clause(start)]
        if sum(stem in claim.stems for stem in clause) >= CLAUSE * len(clause):
            yield Difference("negation", "", model.claim.text[start:end], model)


def _names(match: Match) -> Iterator[Difference]:
    claim, sentences = match.claim, match.sources.sentences
    for start, end, having in _named(match):
        fits = match.fit(claim.around(start, end, CONTEXT))
        other = _best(fits, [not has for has in having], match.best)
        if not any(having) and (fits[other] < ABSENT or match.sources.capital_nouns):
            continue
        if _lacks(fits, having, NAME_FIT):
            yield Difference("name", claim.text[start:end], "", sentences[other])
    swap = swapped_name(match)
    if swap:
        yield Difference("name", *swap, match.sentence)


def _named(match: Match) -> Iterator[tuple[int, int, list[bool]]]:
    """Yield the place of each name of the claim, and which sentences have it."""
    claim, sentences = match.claim, match.sources.sentences
    for i, term in enumerate(claim.terms):
        if _is_name(match, i, term):
            yield term.start, term.end, [knows(sentence, claim, term) for sentence in sentences]
    if is_han(claim.text):
        for start, end in borrowed_names(match):
            piece = claim.text[start:end]
            yield start, end, [reads(s, piece) for s in sentences]


def _is_name(match: Match, index: int, term: Term) -> bool:
    """Whether a term is a name. The first word of a claim is one only if it is elsewhere too; where
    all nouns have capitals, two of them side by side are.
    """
    word = match.claim.text[term.start : term.end]
    if not term.name or any(c.isupper() or c.isdigit() for c in word[1:]):
        return term.name
    if match.sources.capital_nouns:
        beside = match.claim.terms[max(0, index - 1) : index + 2]
        return any(t.name and 1 in (t.start - term.end, term.start - t.end) for t in beside)
    return index > 0 or term.stem in match.sources.capitals
