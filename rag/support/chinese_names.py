"""A Chinese claim laid along the sentence it is most like → a name that stands in another's place.

Pure. Nothing marks a name in Chinese but 《》 and ·; what it finds are hints.
"""

from __future__ import annotations

import re

from rag.support.claims import Term
from rag.support.sources import Match, SourceSentence

SURE_SHARE = 0.9
"""How much of the rest of the claim its sentence must say where nothing marks a name."""
TITLE_SHARE = 0.6
"""The same where 《》 do."""
TOLD_SHARE = 0.5
"""How much of a longer piece the sentence may say elsewhere, before it is no name but a clause."""

_MARKED = re.compile(r"[A-Za-z]{2}|·|《")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9.&'’-]+(?: [A-Za-z0-9.&'’-]+)*")
_QUOTED = re.compile("《[^》]+》")
_NO_NAME = re.compile(
    r"[，。；：、]|\d{2}|[是了]|[他她它]们|^[他她它牠其此该这那我们]|^所|的$"
    r"|包含|包括|导致|取消|撤销|前往|生产|位于|赢得|建立|成立|使用|需要|必须|具有|拥有|称为|认为"
    r"|决定|提供|成为|属于|来自|发现|开始|允许|担任|关于|通过"
)
"""What is not inside a Chinese name, or stands for one."""


def rest_of(match: Match, start: int, end: int) -> float:
    """Return how much of the claim, without what stands from ``start`` to ``end``, is said."""
    around = {t.stem for t in match.claim.terms if t.end <= start or t.start >= end}
    return match.sources.share(around, match.sentence, near=0.0)


def chinese_pair(
    match: Match, said: tuple[Term, ...], found: tuple[Term, ...], rest: float
) -> tuple[str, str] | None:
    """Return what stands in two places of claim and sentence, if both are names: two or more signs
    in place of others, when other sentences have them or nearly all the rest is equal, or words of
    Latin letters. ``rest`` is the share of the rest of the claim that the sentence says.
    """
    claim, model = match.claim.text, match.sentence.claim.text
    mine, theirs = claim[said[0].start : said[-1].end], model[found[0].start : found[-1].end]
    if _is_swap(match, mine, theirs, rest):
        return mine, theirs
    known = _close(match.sentence.before + model)
    latin = [name for name in _LATIN.findall(mine) if _close(name) not in known]
    rivals = [name for name in _LATIN.findall(theirs) if name not in claim]
    return (latin[0], rivals[0]) if latin and rivals else None


def other_title(match: Match) -> tuple[str, str] | None:
    """Return a title in 《》 that the sentence lacks, and the one that it has in its place."""
    claim, model = match.claim.text, _close(match.sentence.claim.text)
    theirs = [title for title in _QUOTED.findall(model) if title not in _close(claim)]
    for title in _QUOTED.finditer(claim):
        rest = rest_of(match, *title.span())
        before = "" if rest >= SURE_SHARE else _close(match.sentence.before)
        known = _close(title[0])[1:-1] in before + model
        if theirs and not known and rest >= TITLE_SHARE:
            return title[0], theirs[0]
    return None


def reads(sentence: SourceSentence, piece: str) -> bool:
    """Say whether a sentence, or what stands before it, has a piece, but for a sign or two at an
    end: where a name begins and ends is not known.
    """
    text = _close(sentence.before + sentence.claim.text)
    longest = len(piece)
    parts = {piece[i:j] for i in range(3) for j in range(longest - 2, longest + 1)}
    return any(part in text for part in parts if len(part) >= max(3, longest - 2))


def _close(text: str) -> str:
    """Return a text without blanks and quotes."""
    return re.sub(r"[\s“”\"‘’]", "", text)


def _is_swap(match: Match, said: str, found: str, rest: float) -> bool:
    said, found = said.strip("在与和 "), found.strip("在与和 ")
    if not 2 <= len(said) <= 20 or not 1 <= len(found) <= 24:
        return False
    if _NO_NAME.search(said) or _NO_NAME.search(found):
        return False
    if _told(said, match.sentence.claim.text) >= TOLD_SHARE:
        return False
    sure = rest >= SURE_SHARE and len(said) > 2
    claim, model = match.claim.text, match.sentence.claim.text
    if said in model or len(found) < 2:  # it may be said elsewhere in the sentence
        more, fewer = claim.count(said), claim.count(found)
        return sure and more >= model.count(said) and fewer < model.count(found)
    if _MARKED.search(said) and _MARKED.search(found):
        return True
    others = [s for s in match.sources.sentences if s is not match.sentence]
    borrowed = any(said in other.claim.text for other in others)
    return rest >= SURE_SHARE or (borrowed and len(said) > 2)


def _told(said: str, model: str) -> float:
    """Return how much of a piece of six signs or more the sentence says, by pairs: 0 to 1. What it
    says in another order, or among other words, is no name in another's place.
    """
    pairs = [said[i : i + 2] for i in range(len(said) - 1)]
    return sum(pair in model for pair in pairs) / len(pairs) if len(said) >= 6 else 0.0


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
    "(?:(?![的了是在和与及或被把由从于对为个一有中上下不另该其这主要通过进行年月日队])[\u3400-\u9fff·])+"
)
