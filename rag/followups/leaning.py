"""A question and the turns before it → why it leans on them, or that it stands alone. Pure.

Rules over words: no grammar, no model. What they take for a sign is in words.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from rag.followups.phrases import HAN, Word, is_content, split_words, stems, words_of
from rag.followups.words import CHINESE_BEGINS, CHINESE_POINTERS, CHINESE_SMALL, Words
from rag.splitting.languages import detect_language
from rag.word_lists import word_set

Sign = Literal["", "begins", "pronoun", "pointer", "rest", "fragment", "definite"]
"""Why a question leans: how it begins, a word for something said before, "another", no whole
sentence, or a "the" whose noun was said before. Empty: it stands alone."""


def leaning(question: str, topic: str = "") -> Sign:
    """Return the sign by which ``question`` leans on what was said before; empty when none does.

    ``topic`` is what the conversation began with: a short question that names it stands alone.
    """
    if re.search(f"[{HAN}]", question):
        return _chinese(question)
    words = words_of(detect_language(question))
    tokens = split_words(question, words)
    if words.begins.match(question):
        return "begins"
    signs = (_sign(tokens, i, question, words) for i in range(len(tokens)))
    sign: Sign = next((sign for sign in signs if sign), "")
    if sign or any(token.name for token in tokens):
        return sign
    return _bare(tokens, question, topic, words)


def _bare(tokens: Sequence[Word], question: str, topic: str, words: Words) -> Sign:
    """Return the sign of a question without names and pronouns: how little it says."""
    content = [token for token in tokens if is_content(token, words)]
    if not content:
        return "fragment"
    known = stems(question, words) & stems(topic, words)
    remark = question.rstrip().endswith("!")
    fragment = not remark and not words.asks.search(question)
    if len(content) > 2 or (known and not fragment):
        return ""
    if fragment:
        return "fragment"
    after_articles = (b for a, b in pairwise(tokens) if a.folded in words.articles)
    return "definite" if any(is_content(token, words) for token in after_articles) else ""


def _sign(tokens: Sequence[Word], at: int, question: str, words: Words) -> Sign:
    """Return what the word at ``at`` says of the question."""
    word, before = tokens[at].folded, tokens[:at]
    named = any(token.name for token in before)
    if word in words.persons:
        return "" if named or _has_plural(word, before, words) else "pronoun"
    if word in words.things:
        bound = named or _has_clause(before, words) or words.expletive.search(question)
        return "" if bound else "pronoun"
    if word in words.pointers:
        return _pointer(tokens, at, words)
    if word in words.rest and not any(t.name or t.folded in ("than", "als") for t in tokens):
        return "rest"
    last = before[-1].folded if before else ""
    stands = (word in ("one", "ones") and last in _ONES) or (word == "there" and last in _PLACES)
    return "pronoun" if stands else ""


_ONES = word_set("which new another first last other smart better important a that this each")
_PLACES = word_set("from go get live out in work over going found")


def _pointer(tokens: Sequence[Word], at: int, words: Words) -> Sign:
    word, before = tokens[at].folded, tokens[:at]
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if word == "that":
        alone = after is None or not after.is_word or not before or not before[-1].is_word
        if not alone and before[-1].folded not in words.pointed:
            return ""
        return "" if _has_clause(before, words) else "pointer"
    if word == "das":  # an article, unless nothing follows
        return "pointer" if after is None or not after.is_word else ""
    if word == "those" and after and after.folded in ("who", "that", "of", "with"):
        return ""
    return "" if any(token.name for token in tokens[at : at + 4]) else "pointer"


def _has_plural(word: str, before: Sequence[Word], words: Words) -> bool:
    """Whether "they" may stand for a plural earlier in the question."""
    many = any(is_content(token, words) and token.folded.endswith("s") for token in before)
    return many and word in ("they", "them", "their", "theirs", "themselves")


def _has_clause(before: Sequence[Word], words: Words) -> bool:
    """Whether a clause with something in it stands before: what "it" stands for may be there."""
    joint = any(token.folded in words.joints for token in before)
    return joint and any(is_content(token, words) for token in before)


def _chinese(question: str) -> Sign:
    if CHINESE_BEGINS.search(question):
        return "begins"
    pointer = CHINESE_POINTERS.search(question)
    if pointer and not re.search(f"[{HAN}]{{3,}}[，,；;。？?]", question[: pointer.start()]):
        return "pointer"
    bare = re.sub(r"\W+", "", CHINESE_SMALL.sub("", question))
    return "fragment" if len(bare) <= 2 and not re.search(r"[A-Za-z0-9]", bare) else ""
