"""A question or an answer → the phrases in it that may be a topic, names told apart. Pure.

Rough and quick: a phrase is a run of words that are neither small nor vague, a name is known by its
capitals or digits. Knows no grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.followups.words import CHINESE_SMALL, ENGLISH, GERMAN, Words
from rag.splitting.languages import detect_language
from rag.word_lists import word_set

_WORD = re.compile(r"[^\W_]+(?:['’.&/+-][^\W_]+)*|\S")
HAN = "\u3400-\u9fff\uf900-\ufaff"
_HAN_RUN = re.compile(f"[{HAN}]+")
_LINKS = word_set("of the and & de von van la du")
_SUBJECTS = word_set("he she it they i you we who to er sie es wir ich wer zu")
"""After one of these comes what is done, not what it is done with: "did they release"."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a sign of a text, ``text[start:end]``. ``folded`` is it in lower case."""

    text: str
    folded: str
    start: int
    end: int
    name: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number."""
        return self.text[0].isalnum()


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that may be a topic, as they are spelled; ``stems`` are what they are compared by."""

    text: str
    name: bool
    stems: frozenset[str]


def words_of(language: str) -> Words:
    """Return the tables for a language code."""
    return GERMAN if language == "de" else ENGLISH


def split_words(text: str, words: Words) -> list[Word]:
    """Return the words and signs of ``text``. The first of a sentence is a name only when it is
    one by more than its first capital.
    """
    found = []
    first = True
    for match in _WORD.finditer(text):
        spelled = match[0]
        folded = spelled.lower().replace("’", "'")
        capital = spelled[0].isupper() and (not first or spelled[1:2].isupper())
        if (
            words is GERMAN
        ):  # where every noun has a capital, a word of capitals or digits is a name
            capital = sum(map(str.isupper, spelled)) > 1
        name = capital or any(map(str.isdigit, spelled))
        known = folded.removesuffix("'s") in words.small
        found.append(Word(spelled, folded, *match.span(), name and not known))
        first = spelled in ".?!:" or (first and not spelled[0].isalnum())
    return found


def is_small(word: Word, words: Words) -> bool:
    """Say whether a word is a sign or joins others, and names nothing."""
    return not word.is_word or word.folded.removesuffix("'s") in words.small


def is_content(word: Word, words: Words) -> bool:
    """Say whether a word may name a topic."""
    return not is_small(word, words) and word.folded not in words.vague


def stems(text: str, words: Words = ENGLISH) -> frozenset[str]:
    """Return the words of ``text`` that may name a topic, without endings; pairs of Han signs."""
    found = {
        stem(w.folded) for w in split_words(text, words) if is_content(w, words) and not _han(w)
    }
    for run in _HAN_RUN.findall(text):
        found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    return frozenset(found)


def stem(word: str) -> str:
    """Return a word in lower case without the endings of possession and number."""
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word


def phrases(text: str, *, names_only: bool = False) -> list[Phrase]:
    """Return the phrases of ``text`` in order. ``names_only``: those that are names."""
    if re.search(f"[{HAN}]", text):
        return list(_chinese(text, names_only=names_only))
    words = words_of(detect_language(text))
    found = []
    for run in _runs(split_words(text, words), words, names_only=names_only):
        spelled = text[run[0].start : run[-1].end]
        found.append(Phrase(spelled, any(w.name for w in run), stems(spelled, words)))
    return [phrase for phrase in found if phrase.stems]


def _runs(tokens: list[Word], words: Words, *, names_only: bool) -> Iterator[list[Word]]:
    """Yield runs of names, with "of the" between them, and runs of other words that say much."""
    run: list[Word] = []
    for i, word in enumerate(tokens):
        last = run[-1] if run else None
        link = word.folded in _LINKS and any(w.name for w in tokens[i + 1 : i + 3])
        verb = i > 0 and tokens[i - 1].folded in _SUBJECTS
        says = word.name or (not names_only and not verb and is_content(word, words))
        joins = last and (word.name == last.name or last.folded in _LINKS)
        if last and ((link and (last.name or last.folded in _LINKS)) or (says and joins)):
            run.append(word)
            continue
        yield from _closed(run, words)
        run = [word] if says else []
    yield from _closed(run, words)


def _closed(run: list[Word], words: Words) -> Iterator[list[Word]]:
    while run and is_small(run[-1], words):
        run = run[:-1]
    if run:
        yield run


def _han(word: Word) -> bool:
    return _HAN_RUN.search(word.text) is not None


def _chinese(text: str, *, names_only: bool) -> Iterator[Phrase]:
    """Yield what stands between small words: Han runs with the letters and digits beside them."""
    for piece in re.split(r"[^\w.+/-]+", text):
        at = 0
        for small in [*CHINESE_SMALL.finditer(piece), None]:
            part = piece[at : small.start() if small else len(piece)].strip(" ._-/")
            at = small.end() if small else at
            name = re.search(r"[A-Za-z0-9]", part) is not None
            if len(part) > 1 and (name or not names_only):
                yield Phrase(part, name, stems(part))
