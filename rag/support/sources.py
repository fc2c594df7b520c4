"""Windows → their sentences, taken apart, and how much of a claim each of them says. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.splitting.languages import detect_language
from rag.support.claims import Claim, parse_claim
from rag.types import Window

NEAR_SHARE = 0.3
"""What a word counts that stands in one of the two sentences before, or in the title: "it", there,
may mean it. Chosen, like all numbers of the support check, by bench/support.py."""


_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|them|his|her|hers|its|their|this|these|those|er|sie|es|ihn|ihm|sein\w{0,2}"
    r"|ihr\w{0,2}|dies\w{0,2})\b|[他她它牠]|其(?![他它实中余次])|该|此|本(?=[片剧书站线校院曲])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence of a window, ``start`` to ``end`` in its source. ``near`` are the stems of the two
    sentences before it and of its headings; ``meant`` those that its pronouns may stand for: the
    same, or none where it has no pronoun.
    """

    window: Window
    start: int
    end: int
    claim: Claim
    near: frozenset[str]
    meant: frozenset[str]
    before: str


class Sources:
    """The sentences that an answer rests on. ``capital_nouns``: their language gives all nouns a
    capital, so that one marks no name.
    """

    def __init__(self, windows: Iterable[Window]) -> None:
        self.sentences: list[SourceSentence] = []
        for window in windows:
            headings = parse_claim(" ".join([window.title, *window.section])).stems
            claims = [
                parse_claim(window.text[a - window.start : b - window.start])
                for a, b in window.bounds
            ]
            for i, ((start, end), claim) in enumerate(zip(window.bounds, claims, strict=True)):
                near = headings.union(*(c.stems for c in claims[max(0, i - 2) : i]))
                meant = near if _PRONOUN.search(claim.text) else headings
                before = " ".join(
                    [window.title, *window.section, window.text[: start - window.start]]
                )
                self.sentences.append(
                    SourceSentence(window, start, end, claim, near, meant, before)
                )
        text = " ".join(s.claim.text for s in self.sentences[:20])
        self.capital_nouns = bool(self.sentences) and detect_language(text) == "de"
        self._counts = Counter(stem for s in self.sentences for stem in s.claim.stems)

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The stems that have a capital inside a sentence: names, in most languages."""
        return frozenset(t.stem for s in self.sentences for t in s.claim.terms[1:] if t.name)

    def share(
        self, stems: Iterable[str], sentence: SourceSentence, near: float = NEAR_SHARE
    ) -> float:
        """Return how much of ``stems`` a sentence says, 0 to 1; rare ones weigh more."""
        said = whole = 0.0
        for stem in stems:
            weight = math.log(1 + len(self.sentences) / (self._counts[stem] or 0.5))
            whole += weight
            if stem in sentence.claim.stems:
                said += weight
            elif stem in sentence.near:
                said += weight * near
        return said / whole if whole else 1.0


class Match:
    """A claim beside the sentences of the windows. ``shares`` are how much of the claim each says,
    ``best`` is the index of the one that says most; ties go to the first, that is to the window
    found best.
    """

    def __init__(self, claim: Claim, sources: Sources, preferred: Sequence[int] = ()) -> None:
        """``preferred`` are the ranks of windows that the claim cites."""
        self.claim, self.sources = claim, sources
        self.plain = [sources.share(claim.stems, s, near=0.0) for s in sources.sentences]
        self.shares = [sources.share(claim.stems, s) for s in sources.sentences]
        order = range(len(self.plain))
        self.best = max(order, key=lambda i: (self.plain[i], -i))
        cited = [i for i in order if sources.sentences[i].window.rank in preferred]
        if cited:
            first = max(cited, key=lambda i: (self.plain[i], -i))
            if self.plain[first] >= 0.9 * self.plain[self.best]:
                self.best = first

    @property
    def sentence(self) -> SourceSentence:
        """The sentence that says most of the claim."""
        return self.sources.sentences[self.best]

    def fit(self, context: Iterable[str]) -> list[float]:
        """Return, for each sentence, how well it fits a place in the claim: 0 to 1, half by the
        words around the place, half by the whole claim.
        """
        near = list(context)
        return [
            (self.sources.share(near, sentence) + share) / 2
            for sentence, share in zip(self.sources.sentences, self.shares, strict=True)
        ]
