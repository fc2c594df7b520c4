"""Earlier turns → what they are about: the phrases that a follow-up may stand for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.followups.phrases import Phrase, phrases
from rag.types import Turn

TURNS = 10
"""How many turns are looked at, the last ones; and the first, which often names the subject."""
FADING = 0.7
"""What a phrase counts one turn further back."""
NAME_WEIGHT = 2.0
"""What a name counts beside other words."""
ANSWER_WEIGHT = 0.5
"""What all names of an answer count together, beside one of a question."""
ANSWER_CHARACTERS = 300
"""How much of an answer is looked at: what it is about stands at its beginning."""
LEAST_SHARE = 0.1
"""What a phrase must count, beside the first."""
MAX_PHRASES = 6
"""All numbers above: chosen on the follow-ups of CANARD, CAsT and MTRAG, by bench/followup.py."""


@dataclass(slots=True)
class _Candidate:
    phrase: Phrase
    weight: float = 0.0


def topic(history: Sequence[Turn]) -> list[Phrase]:
    """Return what ``history`` is about, most important first: at most :data:`MAX_PHRASES`.

    Phrases of questions count by how lately they were said, names more than others; so do names of
    answers, and what the first question named. A name that is part of a longer one counts for it.
    """
    found: dict[frozenset[str], _Candidate] = {}

    def add(phrase: Phrase, weight: float) -> None:
        candidate = found.setdefault(phrase.stems, _Candidate(phrase))
        candidate.weight += weight * (NAME_WEIGHT if phrase.name else 1.0)

    if history:
        for phrase in phrases(history[0].question):
            add(phrase, 1.0 if phrase.name else 0.5)
    for back, turn in enumerate(reversed(history[-TURNS:])):
        weight = FADING**back
        for phrase in phrases(turn.question):
            add(phrase, weight)
        names = {p.stems: p for p in phrases(turn.answer[:ANSWER_CHARACTERS], names_only=True)}
        for phrase in names.values():
            add(phrase, weight * ANSWER_WEIGHT / len(names) ** 0.5)
    _join_names(found)
    ranked = sorted(found.values(), key=lambda candidate: -candidate.weight)
    return [c.phrase for c in ranked[:MAX_PHRASES] if c.weight >= LEAST_SHARE * ranked[0].weight]


def _join_names(found: dict[frozenset[str], _Candidate]) -> None:
    """Let a name that is a part of longer ones ("Zappa") count for the heaviest of them."""
    for part in sorted((stems for stems in found if found[stems].phrase.name), key=len):
        wholes = [
            c for stems, c in found.items() if part < stems and c.phrase.name and len(stems) < 5
        ]
        if wholes:
            max(wholes, key=lambda candidate: candidate.weight).weight += found.pop(part).weight
