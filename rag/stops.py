"""Running text → the offsets at which its sentences end.

Knows punctuation and abbreviations, not layout: what it is given is one paragraph.
"""

from __future__ import annotations

import re
from functools import lru_cache

import sentencex

_CLOSERS = "\"'”’»›)\\]}）」』】〉》〕］｝＂＇*_~`"
_WIDE = "。！？｡．…"
_OTHER = "।॥۔؟։።፧።၊။‼⁇⁈⁉"
_CANDIDATE = re.compile(rf"[.!?{_WIDE}{_OTHER}](?:\s*[.!?{_WIDE}{_OTHER}])*[{_CLOSERS}]*")
_WORD = re.compile(r"\S*\Z")
_LOWER_NEXT = re.compile(r"\W*[a-zß-öø-ÿа-яё]")


def sentence_ends(text: str, language: str = "en") -> list[int]:
    """Return where sentences of ``text`` end: after the closing quotes, before white space.

    The end of the text is not among them.
    """
    return [m.end() for m in _CANDIDATE.finditer(text) if _ends(text, m, language)]


def _ends(text: str, match: re.Match[str], language: str) -> bool:
    end = match.end()
    if end >= len(text):
        return False
    stop = match.group()
    if stop[0] in _WIDE + _OTHER and stop[0] != "…":
        quoted = stop[-1] in "\"'”’»」』"
        return text[end] not in "，,、；;：:" and not (quoted and not text[end].isspace())
    if not text[end].isspace():
        return False
    rest = text[end : end + 40].lstrip()
    if not rest:
        return False
    if _LOWER_NEXT.match(rest):
        return False
    if stop[0] == "." and len(stop) == 1:
        before = text[max(0, match.start() - 40) : match.start() + 1]
        return not _abbreviated(language, before.split()[-1] if before.split() else "", rest[:12])
    return True


@lru_cache(maxsize=65536)
def _abbreviated(language: str, word: str, rest: str) -> bool:
    """Whether ``sentencex`` takes ``word`` with its stop for an abbreviation before ``rest``."""
    word = word.encode("utf-8", "replace").decode()
    rest = rest.encode("utf-8", "replace").decode()
    return len(sentencex.segment(language, f"{word} {rest}")) < 2
