"""A full stop and the words around it → whether a sentence ends there.

The hard half of finding sentence ends: abbreviations, initials, ordinals, times, units.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rag.splitting.abbreviations import (
    UNITS,
    Abbreviation,
    abbreviation,
    begins_sentences,
    has_ordinals,
)

_LAST = re.compile(r"[^\W_](?:[^\W_]|[.'’°-](?=[^\W_]))*\Z")
_REACH = 30
"""Characters looked back at; no abbreviation is longer."""

_TIME = re.compile(
    r"[AaPp]\.[Mm]|[AaPp][Mm]|[Bb]\.[Cc](?:\.[Ee])?|[Aa]\.[Dd]|[Cc]\.[Ee]|[BC]\.?CE?"
)
_ZONE = re.compile(
    r"[ECMP][SD]?T|GMT|UTC|BST|CES?T|Eastern|Central|Mountain|Pacific"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
)
_FRONTED = re.compile(r"\W*(?:At|In|On|By|Around|About|From|Until|Before|After|Since)\b")
_ROMAN = re.compile(r"[IVXLC]+[.,]?")


class Stop(NamedTuple):
    """The full stop ``text[at]``, in the sentence that begins at ``start``, before ``word``."""

    text: str
    at: int
    start: int
    word: str
    language: str


def last_word(text: str, at: int) -> str:
    """Return the word that ends before ``text[at]``, a blank or a quote between them allowed.

    Of a path or an address, all of it: the "c" of "a.b/c" is no initial.
    """
    words = text[max(0, at - _REACH) : at].rsplit(None, 1)
    word = words[-1] if words else ""
    if word.isalnum():
        return word
    if word and not word[-1].isalnum():
        word = word[:-1]
    if "/" in word or "@" in word:
        return word
    found = _LAST.search(word)
    return found.group() if found else ""


def full_stop_ends(stop: Stop) -> bool:
    """Whether a sentence ends at ``stop``, before a word that is not in lower case."""
    last = last_word(stop.text, stop.at)
    kind = abbreviation(last, stop.language)
    if kind is None and last.isalpha() and last.islower() and len(last) > 2:
        return True  # most stops
    words = stop.text[max(stop.start, stop.at - len(last) - _REACH) : stop.at].rstrip()
    before = (words[: len(words) - len(last)].split() or [""])[-1]
    if last.isdigit() or (_ROMAN.fullmatch(last) and has_ordinals(stop.language)):
        return _number_ends(stop, last, before)
    if len(last) == 1 and last.isalpha():
        return bool(before) and _letter_ends(stop, before)
    if _TIME.fullmatch(last):
        return bool(before) and _time_ends(stop)
    if before[-1:].isdigit() and last in UNITS:
        kind = "unit"
    return _abbreviation_ends(stop, kind, before)


def _abbreviation_ends(stop: Stop, kind: Abbreviation | None, before: str) -> bool:
    """Whether a sentence ends after an abbreviation of some kind, or a whole word."""
    number_next = stop.word[0].isdigit()
    if kind == "numbered":
        return not number_next and not _ROMAN.fullmatch(stop.word)
    if kind == "unit":
        return bool(before) and not (number_next and before[-1].isdigit())
    if kind == "loose":
        return bool(before) and begins_sentences(stop.word, stop.language)
    return kind is None


def _number_ends(stop: Stop, last: str, before: str) -> bool:
    """Whether a sentence ends after a number: not in a list's "1.", nor in "am 7. Juni"."""
    if not before:
        return len(last) > 3
    if (len(last) > 2 and last.isdigit()) or not has_ordinals(stop.language):
        return True
    return not stop.word[0].isdigit() and begins_sentences(stop.word, stop.language)


def _letter_ends(stop: Stop, before: str) -> bool:
    """Whether a sentence ends after a letter: a unit (3.14 V.), a name (plan B.), no initial."""
    if stop.word[0].isdigit():
        return False
    if before[-1].isdigit() or before[-1] == "°":
        return True
    return begins_sentences(stop.word, stop.language) and not before[0].isupper()


def _time_ends(stop: Stop) -> bool:
    """Whether a sentence ends after "6 p.m.": not where that opens it, or a zone follows."""
    reach = max(stop.start, stop.at - 200)
    clause = max(stop.start, stop.text.rfind(": ", reach, stop.at) + 1)
    if begins_sentences(stop.word, stop.language):
        return True
    return not (_FRONTED.match(stop.text, clause) or _ZONE.fullmatch(stop.word.replace(".", "")))


def lower_case_begins(stop: Stop, mark: str) -> bool:
    """Whether a sentence begins with ``stop.word``, in lower case, as in hasty English.

    ``mark`` is the stop itself, maybe ``!!`` or ``?``. Other languages abbreviate too freely before
    lower-case words to tell.
    """
    last, word = last_word(stop.text, stop.at), stop.word
    if stop.language != "en" or len(last) < 2 or not last.isascii():
        return False
    if mark != ".":
        question = mark[-1] == "?" and word not in _GO_ON
        return mark[-1] not in ".…" and (word in _STARTERS or question or mark[-2:] == "!!")
    if word in _STARTERS:
        loose = abbreviation(last, "en") in ("bound", "loose")
        return last.islower() and "." not in last and not loose
    return len(last) > 2 and last.replace("'", "").isalpha() and abbreviation(last, "en") is None


_GO_ON = frozenset(("and", "or", "with", "in", "said", "asked", "he", "she", "they", "was", "is"))
_STARTERS = frozenset((
    "i", "i'm", "i've", "i'll", "it", "it's", "its", "this", "that", "there", "we", "we're",
    "you", "you're", "they", "the", "my", "your", "what", "why", "how", "when", "where", "who",
    "if", "is", "are", "do", "does", "did", "can", "could", "will", "would", "please", "thanks",
    "thank", "so", "but", "because", "also", "not", "no", "don't", "can't", "very", "great",
))  # fmt: skip
"""English words that often begin a sentence, also where its writer spares capitals."""
