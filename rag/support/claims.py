"""A sentence → what can be compared in it: its words, quantities and negations. Pure.

The same for a sentence of an answer and one of a document. Words are compared by rough stems, Han
by pairs of signs. What it finds are hints, not grammar.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rag.splitting.languages import small_words
from rag.support.negations import find_negations
from rag.support.quantities import Quantity, find_quantities
from rag.word_lists import word_list, word_set

_HAN = "\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+(?:[-'’.&/+·][^\W_{_HAN}]+)*")
_SMALL = small_words("en") | small_words("de") | word_set(
    "been being its into than too very more such both between through under over other would could"
    " should may might must shall upon per via among one s t etc however therefore thus only own"
    " same about out up off again further once no not never none nor neither without cannot can't"
    " ein eine einen einem einer eines wurde wurden worden durch gegen ohne sowie dabei damit seine"
    " seiner seinen seinem ihrer ihren ihrem dieser diesem sehr nicht kein keine keinen nie"
    " celsius fahrenheit"
)  # fmt: skip
_SMALL_HAN = frozenset(
    "的了是在和与或也都而及其之于以为被把将对从到这那个们着过就还又吗呢吧啊即则由向并且但所等某该此各每"
)
_ENDINGS = word_list("ingly edly ing ied ies ed es ly en er em s e n")
_CLAUSE = re.compile(r"[,;:，；：。.!?](?=\s)|[，；：。]|$")


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a sentence, or a pair of Han signs. ``stem`` is what it is compared by. ``name``:
    it has a capital, or digits among letters; ``small``: it joins others, and names nothing.
    """

    stem: str
    start: int
    end: int
    name: bool = False
    small: bool = False


@dataclass(frozen=True)
class Claim:
    """A sentence taken apart. ``terms`` are the words that say something, in order, no numbers
    among them; ``negations`` are the places of negating words.
    """

    text: str
    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    negations: tuple[tuple[int, int], ...]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its terms."""
        return frozenset(term.stem for term in self.terms)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The stems of the parts of its compounds: "MLS" and "Saison" of "MLS-Saison"."""
        return frozenset(part for term in self.terms for part in self.parts_of(term))

    def parts_of(self, term: Term) -> tuple[str, ...]:
        """Return the stems of the parts of a compound; of another word none."""
        word = self.text[term.start : term.end]
        return tuple(stem(part) for part in word.split("-")) if "-" in word else ()

    @cached_property
    def denied(self) -> frozenset[str]:
        """The stems of the words that it denies: the three after each negating word."""
        return frozenset(t.stem for _, end in self.negations for t in self.after(end))

    @cached_property
    def tokens(self) -> tuple[Term, ...]:
        """All its words, small ones too, and single Han signs, without the numbers."""
        taken = _taken(self.quantities)
        return tuple(_token(m) for m in _TOKEN.finditer(self.text) if m.start() not in taken)

    def after(self, end: int, count: int = 3) -> list[Term]:
        """Return the next ``count`` terms of the clause behind offset ``end``."""
        clause = _CLAUSE.search(self.text, end)
        stop = clause.start() if clause else len(self.text)
        return [term for term in self.terms if end <= term.start < stop][:count]

    def clause(self, at: int) -> list[Term]:
        """Return the terms of the clause around offset ``at``."""
        ends = [match.start() for match in _CLAUSE.finditer(self.text)]
        start = max((end for end in ends if end < at), default=0)
        stop = min((end for end in ends if end >= at), default=len(self.text))
        return [term for term in self.terms if start <= term.start < stop]

    def around(self, start: int, end: int, count: int) -> frozenset[str]:
        """Return the stems of the ``count`` terms nearest to ``text[start:end]``, none in it."""
        middle = (start + end) / 2
        terms = [term for term in self.terms if term.end <= start or term.start >= end]
        terms.sort(key=lambda term: min(abs(term.start - middle), abs(term.end - middle)))
        return frozenset(term.stem for term in terms[:count])


@lru_cache(maxsize=4096)
def parse_claim(text: str) -> Claim:
    """Take a sentence apart."""
    quantities = tuple(find_quantities(text))
    taken = _taken(quantities)
    terms = tuple(term for term in _terms(text) if term.start not in taken)
    return Claim(text, terms, quantities, find_negations(text))


def is_han(text: str) -> bool:
    """Say whether there are Han signs in ``text``."""
    return re.search(f"[{_HAN}]", text) is not None


def stem(word: str) -> str:
    """Return what is left of a word without case, accents and endings: at most seven letters."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    if not word.isascii():
        word = "".join(
            c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)
        )
    if any(map(str.isdigit, word)):
        return word
    for ending in _ENDINGS:  # one after the other: "covered" becomes what "cover" becomes
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
    return word[:7]


def _taken(quantities: Sequence[Quantity]) -> set[int]:
    return {at for q in quantities for at in range(q.start, q.end)}


def _token(match: re.Match[str]) -> Term:
    word = match[0]
    name = word[0].isupper() or any(map(str.isdigit, word))
    folded = word.lower().replace("’", "'").removesuffix("'s")
    return Term(word if is_han(word) else stem(word), *match.span(), name, folded in _SMALL)


def _terms(text: str) -> list[Term]:
    found = []
    before: re.Match[str] | None = None
    for match in _TOKEN.finditer(text):
        word = match[0]
        if not is_han(word):
            before = None
            folded = word.lower().replace("’", "'").removesuffix("'s")
            if folded not in _SMALL and not folded.endswith("n't"):
                found.append(_token(match))
            continue
        if before is not None and before.end() == match.start():
            pair = before[0] + word
            if not (before[0] in _SMALL_HAN and word in _SMALL_HAN):
                found.append(Term(pair, before.start(), match.end()))
        before = match
    return found
