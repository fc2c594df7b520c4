"""A claim laid along the sentence it is most like → a name that stands in another's place. Pure."""

from __future__ import annotations

from difflib import SequenceMatcher

from rag.support.chinese_names import chinese_pair, other_title, rest_of
from rag.support.claims import Claim, Term, is_han
from rag.support.latin_names import latin_pair
from rag.support.sources import Match

LEAST_SHARE = 0.6
"""How much of the rest of the claim its sentence must say before two names are compared."""


def swapped_name(match: Match) -> tuple[str, str] | None:
    """Return what the claim says and what its sentence has there, if both are names that the other
    lacks. Chinese, which marks no names, has rules of its own.
    """
    claim, model = match.claim, match.sentence.claim
    han = is_han(claim.text)
    for said, found in _replaced(claim, model):
        rest = rest_of(match, said[0].start, said[-1].end)
        if rest < LEAST_SHARE:
            continue
        pair = (
            chinese_pair(match, said, found, rest) if han else latin_pair(match, said, found, rest)
        )
        if pair:
            return pair
    return other_title(match) if han else None


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
