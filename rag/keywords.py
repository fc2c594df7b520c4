"""Text → weighted terms for the keyword leg, and the terms that a question shares with a sentence.

A term is a word, a number, a code or a piece of script that is written without blanks:

* words are runs of letters with their marks, without accents and case;
* runs joined by hyphens and the like, or with digits in them, are kept whole (``rtx4090``,
  ``1.7l``) and in parts (``rtx``, ``4090``);
* Chinese, kana, Thai and their like are cut into single characters and pairs, Korean words are
  kept whole and also cut into pairs.

Nothing is dropped: "no", "not", 不 and numbers count like any other word. How rare a term is in a
collection (IDF) is the store's business and not known here.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from rag.stores.base import SparseVector

TOKENIZER = "keywords-2"
"""Version of everything here that changes stored vectors; part of a collection's fingerprint."""

SATURATION = 0.4
"""BM25's k1. Small: a title before the sentence repeats its terms (``bench/retrieval.py``)."""
LENGTH_SHARE = 0.2
"""BM25's b, 0 to 1: how much a long sentence is held against its terms. Measured likewise."""
AVERAGE_LENGTH = 30.0
"""Terms of an average sentence. Fixed, so that a vector depends on its own text alone."""
QUESTION_WORD_WEIGHT = 0.3
"""Weight of "what", "how", 什么, … in a query: sentences that answer seldom hold them."""
QUESTION_WORDS = frozenset([
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "does", "did", "do",
    "什么", "么", "哪", "哪些", "哪个", "谁", "何", "何时", "多少", "怎么", "怎样", "如何",
    "为什", "吗", "呢",
])  # fmt: skip
EMPTY_WORDS = frozenset([
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "by", "from", "with", "and", "or", "as",
    "is", "are", "was", "were", "be", "it", "its", "this", "that", "s",
])  # fmt: skip
"""Shared words that explain no hit; they count in the search and are never shown as matched."""
LONGEST_TERM = 64
"""Characters of a joined run that is still kept whole."""

# Combining marks are no letters for `re`, yet Hindi or Hebrew words are full of them.
_MARKS = "".join(
    chr(code)
    for start, end in ((0x300, 0x1E00), (0xA66F, 0xABEE))
    for code in range(start, end)
    if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
# Scripts without blanks between words: Thai, Lao, Burmese, Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0e4f\u0e80-\u0ecf\u1000-\u103f\u1780-\u17d3"
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
# Letters and digits, and the signs that stand for units: ℃, ㎏.
_WORD = rf"(?:[^\W_{_UNSPACED}]|[\u2100-\u214f\u3300-\u33ff{_MARKS}])+"
_JOINER = r"[-‐‑–.,:/_+．－／'’·]"
_RUNS = re.compile(rf"([{_UNSPACED}]+)|({_WORD}(?:{_JOINER}{_WORD})*)")
_PARTS = re.compile(rf"\d+(?:[.,]\d+)*|[^\W\d_]+(?:[{_MARKS}]+[^\W\d_]*)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
# Joiners that make no difference: those beside a letter. 3/4 is not 34, but RTX-4090 is RTX4090.
_GLUE = re.compile(rf"(?<=[^\W\d_]){_JOINER}|{_JOINER}(?=[^\W\d_])")
# Accents, Hebrew points, Arabic vowel signs and lengthening stroke: written or left out at will.
_OPTIONAL = re.compile("[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]+")
_UNSPACED_TERM = re.compile(f"[{_UNSPACED}]")
_HANGUL = re.compile("[\uac00-\ud7a3]{2,}")


def passage_vector(text: str) -> SparseVector:
    """Weigh the terms of a stored text: BM25's term frequency, saturated, without IDF."""
    counts = Counter(_terms(text))
    norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * counts.total() / AVERAGE_LENGTH)
    return _vector({term: n * (SATURATION + 1) / (n + norm) for term, n in counts.items()})


def content_terms(text: str) -> frozenset[str]:
    """Return the terms of a text but for question words and empty ones."""
    return frozenset(_terms(text)) - QUESTION_WORDS - EMPTY_WORDS


def content_length(text: str) -> int:
    """Return about how many content words a text has, each once.

    Of unspaced script four terms are one word: the two characters of most words, their pair, and
    the pair with the next.
    """
    terms = content_terms(text)
    unspaced = sum(_UNSPACED_TERM.match(term) is not None for term in terms)
    return len(terms) - unspaced + round(unspaced / 4)


def query_vector(text: str) -> SparseVector:
    """Weigh the terms of a query: 1 each, less for question words."""
    weights = dict.fromkeys(_terms(text), 1.0)
    weights.update(dict.fromkeys(QUESTION_WORDS.intersection(weights), QUESTION_WORD_WEIGHT))
    return _vector(weights)


def matched_terms(query: str, text: str) -> tuple[str, ...]:
    """Return the terms of ``query`` that ``text`` holds, as ``text`` spells them, in its order.

    Question words and empty words are left out. Pairs of unspaced script that overlap are put
    together; a single character of it counts only where it stands alone in the query.
    """
    wanted, lone = _wanted(query)
    found: dict[str, None] = {}
    for unspaced, run in _RUNS.findall(text):
        if unspaced:
            found.update(dict.fromkeys(_shared_pieces(unspaced, wanted, lone)))
        elif not wanted.isdisjoint(terms := _run_terms(run)):
            parts = [p for p in _PARTS.findall(run) if not wanted.isdisjoint(_run_terms(p))]
            whole = terms[0] in wanted or len(parts) == len(_PARTS.findall(run))
            found.update(dict.fromkeys([run] if whole else parts))
    return tuple(found)


@lru_cache(maxsize=64)
def _wanted(query: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms of a query that explain a hit, and its single unspaced characters."""
    terms = content_terms(query)
    return terms, frozenset(run for run, _ in _RUNS.findall(query) if len(run) == 1)


def _terms(text: str) -> Iterator[str]:
    for unspaced, run in _RUNS.findall(text):
        yield from _pieces(_folded(unspaced)) if unspaced else _run_terms(run)


def _pieces(run: str) -> Iterator[str]:
    yield from run
    yield from map("".join, pairwise(run))


@lru_cache(maxsize=65_536)
def _run_terms(run: str) -> tuple[str, ...]:
    """Return the terms of a run of letters and digits: the whole first, then its parts."""
    run = _folded(run)
    parts = [
        _number(part) if part[0].isdigit() else _singular(part) for part in _PARTS.findall(run)
    ]
    if len(parts) == 1:
        terms = parts
    else:
        whole = _GLUE.sub("", run)
        terms = [whole, *parts] if len(whole) <= LONGEST_TERM else parts
    pairs = ["".join(pair) for word in _HANGUL.findall(run) for pair in pairwise(word)]
    return tuple(dict.fromkeys([*terms, *pairs]))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    text = _OPTIONAL.sub("", unicodedata.normalize("NFKD", text).casefold())
    text = re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit[0])), text)
    return unicodedata.normalize("NFKC", text)


def _number(digits: str) -> str:
    """Spell a number one way: 1,000 as 1000 and 1,7 as 1.7."""
    return digits.replace(",", "" if _THOUSANDS.fullmatch(digits) else ".")


def _singular(word: str) -> str:
    """Fold an English plural: batteries and battery, boxes and box, kettles and kettle."""
    if len(word) < 4 or word[-1] != "s" or word[-2] in "su" or not word.isascii():
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


def _shared_pieces(run: str, wanted: frozenset[str], lone: frozenset[str]) -> Iterable[str]:
    """Return the stretches of ``run`` whose every pair is wanted, and wanted lone characters."""
    pairs = [_folded("".join(pair)) in wanted for pair in pairwise(run)]
    marked = [
        run[i] in lone or (i > 0 and pairs[i - 1]) or (i < len(pairs) and pairs[i])
        for i in range(len(run))
    ]
    stretches = "".join(
        character if mark else "\0" for character, mark in zip(run, marked, strict=True)
    )
    return filter(None, stretches.split("\0"))


def _vector(weights: dict[str, float]) -> SparseVector:
    # Two terms of one hash (impossible up to four bytes) count as one, the heavier.
    hashed: dict[int, float] = {}
    for term, weight in weights.items():
        key = crc32(term.encode("utf-8", "replace"))
        hashed[key] = max(weight, hashed.get(key, 0.0))
    return SparseVector(tuple(hashed), tuple(hashed.values()))
