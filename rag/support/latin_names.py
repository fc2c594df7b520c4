"""A claim in Latin letters beside the sentence it is most like → what are names in both. Pure.

A capital marks a name; in German, where it marks every noun, it takes more than that.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache

from rag.support.claims import Claim, Term
from rag.support.sources import Match, SourceSentence

SURE_SHARE = 0.9
"""How much of the rest of the claim its sentence must say where nothing but a German noun's capital
marks a name."""
VERBATIM_SHARE = 0.85
"""From here on the claim is the sentence with something else in one place."""
BORROWED_SHARE = 0.8
"""The same where another sentence has that noun."""
COPIED_SHARE = 0.7
"""How much of the rest of the sentence the claim must say, too, to be taken for a copy."""

_NOUN_MARKER = re.compile(
    r"\b(?:d(?:er|ie|as|en|em|es)|dies\w{1,2}|ein\w{0,2}|kein\w{0,2}|[smd]ein\w{0,2}|ihr\w{0,2}|jede\w"
    r"|zu[rm]|[ai]m|vom|beim)(?: [a-zäöüß]+e[nmrs]?)? $",
    re.IGNORECASE,
)
"""What stands before most nouns and few names: an article or the like, maybe with an adjective."""


def latin_pair(
    match: Match, said: tuple[Term, ...], found: tuple[Term, ...], rest: float
) -> tuple[str, str] | None:
    """Return what the claim says and what stands in its place in the sentence, if both are names
    that the other lacks. ``rest`` is the share of the rest of the claim that the sentence says.
    """
    if len(said) > 6 or len(found) > 8:
        return None
    claim, model = match.claim, match.sentence.claim
    said = tuple(t for t in said if not _has_code(model, claim.text[t.start : t.end]))
    if rest >= SURE_SHARE and _copied(model, claim, found) >= COPIED_SHARE:
        mine, theirs = _names_beside(said, found, model), _names_beside(found, said, claim)
        one, other = _spelled(claim, mine), _spelled(model, theirs)
        if mine and theirs and not _related(one, other) and not _abbreviates(one, model):
            return one, other
    return _reworded(match, said, found, rest)


def _reworded(
    match: Match, said: tuple[Term, ...], found: tuple[Term, ...], rest: float
) -> tuple[str, str] | None:
    claim, model = match.claim, match.sentence.claim
    mine, theirs = _unknown_names(said, model), _unknown_names(found, claim)
    longer = abs(len(said) - len(found)) > 2
    if rest < VERBATIM_SHARE or longer:
        mine = [t for t in mine if t.stem not in match.sentence.meant]
    elif len(theirs) > 1:  # whatever the sentence says elsewhere, here it says another
        mine = [t for t in said if t.name and not t.small and t.stem not in _stems(found)]
    if not mine or not theirs:
        return None
    if match.sources.capital_nouns:
        if rest < BORROWED_SHARE:
            return None
        if min(len(mine), len(theirs)) < 2 and (longer or not _is_name(match, mine, theirs, rest)):
            return None
    return _spelled(claim, mine), _spelled(model, theirs)


def _is_name(match: Match, mine: list[Term], theirs: list[Term], rest: float) -> bool:
    """Say whether German nouns, in place of others, are names."""
    claim, model = match.claim, match.sentence.claim
    others = [s.claim.stems for s in match.sources.sentences if s is not match.sentence]
    borrowed = all(any(t.stem in stems for stems in others) for t in mine)
    if rest < SURE_SHARE and not borrowed:
        return False
    if _related(_spelled(claim, mine), _spelled(model, theirs)):
        return False
    return _NOUN_MARKER.search(claim.text[: mine[0].start]) is None


def _copied(model: Claim, claim: Claim, found: tuple[Term, ...]) -> float:
    """Return how much of a sentence but for ``found`` the claim repeats, 0 to 1."""
    around = [t for t in model.terms if t.end <= found[0].start or t.start >= found[-1].end]
    return sum(t.stem in claim.stems for t in around) / max(1, len(around))


def _related(one: str, other: str) -> bool:
    """Say whether two German nouns have a part in common: Preis and Unternehmenspreis."""
    shorter, longer = sorted((one.lower(), other.lower()), key=len)
    return any(part in longer for part in (shorter, shorter[:5], shorter[-5:]) if len(part) >= 4)


@lru_cache(maxsize=65_536)
def alike(one: str, other: str) -> bool:
    """Say whether two stems may be spellings of one name: German and Germany, or a letter apart."""
    if one == other:
        return True
    if any(map(str.isdigit, one)) or any(map(str.isdigit, other)):
        return False  # codes differ by one sign
    if one[0] != other[0] or abs(len(one) - len(other)) > 3:
        return False
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None or same >= 4:
        return min(len(one), len(other)) >= 3
    if min(len(one), len(other)) < 5 or abs(len(one) - len(other)) > 1:
        return False
    shorter, longer = sorted((one[same:], other[same:]), key=len)
    rest = shorter if len(shorter) < len(longer) else shorter[1:]
    return longer[1:] == rest


def knows(sentence: SourceSentence, claim: Claim, term: Term) -> bool:
    """Say whether a sentence, or what stands near it, has a name, spelled alike or abbreviated."""
    known = sentence.claim.stems | sentence.claim.parts | sentence.near
    if term.stem in known or any(alike(term.stem, stem) for stem in known):
        return True
    parts = claim.parts_of(term)
    if parts and known.issuperset(parts):
        return True
    word = claim.text[term.start : term.end]
    return _has_code(sentence.claim, word) or _abbreviates(word, sentence.claim)


def _has_code(claim: Claim, word: str) -> bool:
    """Say whether a word with digits stands there, or with blanks beside them: X 200, not X2000."""
    if not any(map(str.isdigit, word)):
        return False
    parts = r"\s*".join(map(re.escape, re.findall(r"\d+|\D+", word)))
    return re.search(rf"(?<![A-Za-z0-9]){parts}(?![A-Za-z0-9])", claim.text) is not None


def _abbreviates(word: str, claim: Claim) -> bool:
    """Say whether a word is made of the first letters of others: EmK, Evangelisch-methodistische
    Kirche.
    """
    if not 2 <= len(word) <= 6 or not word[1:].strip(string.ascii_lowercase):
        return False
    names = (claim.text[t.start : t.end] for t in claim.tokens if t.name)
    return word in "".join(part[0] for name in names for part in name.split("-") if part)


def _unknown_names(terms: tuple[Term, ...], other: Claim) -> list[Term]:
    stems = {token.stem for token in other.tokens} | other.parts
    return [
        t for t in terms
        if t.name and not t.small and not any(alike(t.stem, stem) for stem in stems)
    ]  # fmt: skip


def _names_beside(terms: tuple[Term, ...], others: tuple[Term, ...], whole: Claim) -> list[Term]:
    """Return the names of ``terms`` that ``others``, their place in ``whole``, lacks; without those
    that a longer word of it begins with: Welt, weltweit.
    """
    longer = {token.stem for token in whole.tokens}
    return [
        t for t in terms
        if t.name and not t.small and not any(alike(t.stem, other.stem) for other in others)
        and not any(stem.startswith(t.stem) for stem in longer - {t.stem})
    ]  # fmt: skip


def _stems(terms: tuple[Term, ...]) -> set[str]:
    return {term.stem for term in terms}


def _spelled(claim: Claim, terms: list[Term]) -> str:
    return " ".join(claim.text[term.start : term.end] for term in terms)
