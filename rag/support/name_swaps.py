"""A claim laid along the sentence it is most like → a name that stands in another's place. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from rag.support.claims import Claim, Term, is_han
from rag.support.sources import Match

LEAST_SHARE = 0.6
"""How much of the claim its sentence must say before the two are laid along each other."""
SURE_SHARE = 0.8
"""The same for Han without anything that marks a name: what is left must be all but equal."""

_MARKED = re.compile(r"[A-Za-z]{2}|·|《")
_NO_NAME = re.compile(r"[，。；：、]|\d{2}|[是了]|^[他她它牠其此该这那我们]|^所|的$")
"""What is not inside a Chinese name, or stands for one."""


def swapped_name(match: Match) -> tuple[str, str] | None:
    """Return what the claim says and what its sentence has there, if both are names that the other
    lacks. In Chinese, which marks no names: two or more signs in place of others, when other
    sentences have them or when all the rest is equal.
    """
    share = match.plain[match.best]
    if share < LEAST_SHARE:
        return None
    claim, model = match.claim, match.sentence.claim
    for said, found in _replaced(claim, model):
        if is_han(claim.text):
            pair = (
                claim.text[said[0].start : said[-1].end],
                model.text[found[0].start : found[-1].end],
            )
            if _is_chinese_swap(match, *pair):
                return pair
            continue
        mine = [t for t in _unknown_names(said, model) if t.stem not in match.sentence.meant]
        theirs = _unknown_names(found, claim)
        if match.sources.capital_nouns and min(len(mine), len(theirs)) < 2:
            continue
        if mine and theirs and len(said) <= 6 and len(found) <= 8:
            return _spelled(claim, mine), _spelled(model, theirs)
    return None


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
        return min(len(one), len(other)) >= 4
    if min(len(one), len(other)) < 5 or abs(len(one) - len(other)) > 1:
        return False
    shorter, longer = sorted((one[same:], other[same:]), key=len)
    rest = shorter if len(shorter) < len(longer) else shorter[1:]
    return longer[1:] == rest


def _replaced(claim: Claim, model: Claim) -> list[tuple[tuple[Term, ...], tuple[Term, ...]]]:
    """Return what stands in the claim in place of what in the model, between words that are equal
    or at an end of the claim.
    """
    mine, theirs = claim.tokens, model.tokens
    matcher = SequenceMatcher(
        None, [t.stem for t in mine], [t.stem for t in theirs], autojunk=False
    )
    steps: list[_Step] = [*matcher.get_opcodes()]
    if is_han(claim.text):
        steps = _joined(steps)
    found = []
    for n, (step, i, j, k, m) in enumerate(steps):
        left = n > 0 and steps[n - 1][0] == "equal"
        right = n + 1 < len(steps) and steps[n + 1][0] == "equal"
        held = (left or i == 0) and (right or j == len(mine)) and (left or right)
        if step == "replace" and held:
            found.append((mine[i:j], theirs[k:m]))
    return found


_Step = tuple[str, int, int, int, int]


def _joined(steps: list[_Step]) -> list[_Step]:
    """Let a single sign between two differences differ as well: two names may share one."""
    joined: list[_Step] = []
    for n, (step, i, j, k, m) in enumerate(steps):
        inner = 0 < n < len(steps) - 1
        differs = step != "equal" or (j - i == 1 and inner)
        if differs and joined and joined[-1][0] != "equal":
            _, first, _, start, _ = joined[-1]
            joined[-1] = ("replace", first, j, start, m)
        else:
            joined.append(("replace" if differs and step == "equal" else step, i, j, k, m))
    return joined


def _unknown_names(terms: tuple[Term, ...], other: Claim) -> list[Term]:
    stems = {token.stem for token in other.tokens}
    return [t for t in terms if t.name and not any(alike(t.stem, stem) for stem in stems)]


def _spelled(claim: Claim, terms: list[Term]) -> str:
    return " ".join(claim.text[term.start : term.end] for term in terms)


def _is_chinese_swap(match: Match, said: str, found: str) -> bool:
    said, found = said.strip("在与和 "), found.strip("在与和 ")
    if not 2 <= len(said) <= 20 or not 2 <= len(found) <= 24 or said in match.sentence.claim.text:
        return False
    if _NO_NAME.search(said) or _NO_NAME.search(found):
        return False
    if match.plain[match.best] >= SURE_SHARE or (_MARKED.search(said) and _MARKED.search(found)):
        return True
    others = [s for s in match.sources.sentences if s is not match.sentence]
    return len(said) > 2 and any(said in other.claim.text for other in others)


def borrowed_names(match: Match) -> list[tuple[int, int]]:
    """Return the places of a Chinese claim's pieces that its sentence has not and others have:
    three signs or more, or what stands in 《》. Among them are names of something else.
    """
    text, model = match.claim.text, match.sentence.claim.text
    others = {s.claim.text for s in match.sources.sentences} - {model}
    found = [m.span() for m in re.finditer("《[^》]+》", text) if m[0] not in model]
    for run in _RUN.finditer(text):
        start = run.start()
        while start <= run.end() - 3:
            end = start + 3
            while end <= run.end() and any(text[start:end] in other for other in others):
                end += 1
            end -= 1
            if end - start >= 3 and text[start:end] not in model:
                found.append((start, end))
                start = end
            else:
                start += 1
    return found


_RUN = re.compile(
    "(?:(?![的了是在和与及或被把由从于对为个一有中上下不另该其这主要通过进行])[\u3400-\u9fff·])+"
)
