"""Running text → the offsets at which its sentences end.

Each stop is judged by what stands around it. Knows punctuation, not layout: what it is given is one
paragraph, in one language.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rag.splitting.abbreviations import begins_sentences
from rag.splitting.enclosures import Enclosures
from rag.splitting.enumerations import run_in_markers
from rag.splitting.full_stops import Stop, full_stop_ends, lower_case_begins
from rag.splitting.markers import MARKER

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDE = "。！？｡．"
_NATIVE = "।॥۔؟։።፧፨။។៕།༎᠃᠉‼⁇⁈⁉‽"
_EXTRA = {"hy": ":", "el": ";"}
"""ASCII marks that end a sentence in one language: Armenian's full stop, Greek's question mark."""

_QUOTES = "\"'”’“»«›」』＂＇"
_CLOSERS = _QUOTES + ")\\]}）】〉》〕］｝*_~`"
_OPENERS = "\"'“‘«„»‚(\\[¿¡*_~`<（「『【《"
_SYMBOLS = "$€£¥₹#@•|§"
"""A sentence can begin with these as with a word."""

_AFTER = (
    r"(?:[ ]?\[\^?\w{1,20}(?:[-,–][ ]?\d{1,3})*\])+"  # references: [1][2], [^note]
    r"|(?:(?<=[^\W\d]{3}[.])|(?<=\)[.]))\d{1,3}(?:[ ,]\d{1,3})*(?=\s+[A-Z])"  # word.12 Next
    r"|\s?[:;=]'?-?[)(DPp](?=\s|$)"  # emoticons
    r"|\s?[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+"  # emoji
)
_NEXT = re.compile(rf"\s*(?:[-–—]+\s*)?[{_OPENERS}]*\s*(?P<word>\w[\w'’.-]*)?")
_RUN = re.compile(r"\S*\Z")
_JOINED = re.compile(
    r"(?<!\S)[\"'“(]*(?:[a-zà-ÿ]{3,}|\d[\d,]{2,})[.!?][A-Z][a-zà-ÿ]+[,.;:!?]*(?=\s|\Z)"
)
_CITATION = re.compile(r"\s*\([^()]{1,60}\)[.,;:]")
_PRONOUN_I = re.compile(r"I(?:['’]|\Z)")
_RULE = re.compile(r"([-_=~*#])(?<!\S.)\1{3,}(?!\S)")
_ADDRESS = re.compile(r"https?://\S{1,300}[\w/>)](?=\s+(http(?=s?://)|[A-Z]\w*))")
_SPEECH = re.compile(r"[^，。！？,.!?]{0,8}[说説道问問喊叫答笑嚷骂罵曰]|[\u3041-\u309f]")
"""What goes on after a quotation: “好吗？”他说。 「行く。」と言った。"""

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@lru_cache(maxsize=4)
def _candidates(extra: str) -> re.Pattern[str]:
    # The first character is one of a set, so that a search jumps from mark to mark. A dash is one
    # before a closing quote: speech broken off.
    stop = f".!?…{_WIDE}{_NATIVE}{extra}"
    return re.compile(
        rf"(?P<stop>[{stop}—–-](?:(?<=[{stop}])[{stop}]*(?:[ ]\.(?=[ .]|$))*"
        rf"|(?:(?<=-)-|(?<=[—–]))(?=[\"”’»])))"
        rf"(?P<closers>(?:[ ]?''|[ \u00a0\u202f][»›](?=\s|$)|[{_CLOSERS}])*)(?:{_AFTER})?"
    )


def sentence_ends(text: str, language: str = "en") -> list[int]:
    """Return where sentences of ``text`` end: after closing quotes, references and emoji.

    In order; the end of the text is not among them. ``language`` is an ISO 639-1 code.
    """
    markers = run_in_markers(text)
    ends = {_visible_end(text, marker.start) for marker in markers if marker.begins}
    listed = {place for marker in markers for place in range(marker.start, marker.end)}
    inside, wide = Enclosures(text), Enclosures(text, wide=True)
    lead = MARKER.match(text)
    start = lead.end() if lead else 0
    for match in _candidates(_EXTRA.get(language, "")).finditer(text, start):
        if match.start() in listed:
            continue
        if match["stop"][-1] in _WIDE:
            ended = _wide_ends(text, match, wide, start)
        elif not text[match.end() : match.end() + 1].isspace():
            ended = match.end() < len(text) and _unspaced_ends(text, match, inside)
        else:
            ended = _ends(text, match, inside, start, language)
        if ended:
            start = match.end()
            ends.add(start)
    ends.update(_ends_without_stop(text, language))
    return sorted(ends - {0, len(text)})


def _wide_ends(text: str, match: re.Match[str], inside: Enclosures, start: int) -> bool:
    """Whether a full-width stop ends a sentence: nearly always, white space or not."""
    end = match.end()
    following = text[end : end + 1]
    if not following or following in "，、；：,;:" or inside.covers(match.start(), end):
        return False
    if match["stop"] == "．":
        return not following.isdigit()
    if following.isspace() or not match["closers"]:
        return True
    opening = inside.opening(end)
    if opening is not None and text[opening] in "（(【":
        return not text[start:opening].strip()  # a bracket that is a sentence, or stands in one
    return match["closers"][-1] not in _QUOTES or not _SPEECH.match(text, end)


def _unspaced_ends(text: str, match: re.Match[str], inside: Enclosures) -> bool:
    """Whether a sentence begins right after the stop: "of fire.Wildfires are", "好.然后"."""
    if text[match.end()].isdigit() or inside.covers(match.start(), match.end()):
        return False
    stop = match["stop"]
    if _UNSPACED.match(text, match.end()):
        return stop[-1] in "!?" or _UNSPACED.match(text, match.start() - 1) is not None
    if stop[-1] in _NATIVE:
        return True
    word = _RUN.search(text, max(0, match.start() - 40), match.start())
    return bool(word and not match["closers"] and _JOINED.match(text, word.start()))


def _ends(text: str, match: re.Match[str], inside: Enclosures, start: int, language: str) -> bool:
    """Whether the stop, before white space, ends the sentence that begins at ``start``."""
    mark, end = match["stop"], match.end()
    following = _NEXT.match(text, end)
    if following is None or inside.covers(match.start(), end):
        return False
    word = following["word"]
    if not word:
        return text[following.end() : following.end() + 1] in set(_SYMBOLS)
    if mark[-1] in _NATIVE + _EXTRA.get(language, ""):
        return True
    stop = Stop(text, match.start(), start, word, language)
    if word[0].islower():
        bare = not match["closers"] and text[end : following.start("word")].isspace()
        return bare and lower_case_begins(stop, mark)
    return not _CITATION.match(text, end) and _capital_begins(match, stop)


def _capital_begins(match: re.Match[str], stop: Stop) -> bool:
    """Whether a sentence begins with ``stop.word``, which is not in lower case."""
    mark, closers = match["stop"], match["closers"]
    if mark[0] in "-—–":
        return True
    if mark[-1] == "…" or (len(mark) > 1 and mark[-1] == "."):
        return stop.language != "en" or not _PRONOUN_I.match(stop.word)  # a capital anywhere
    if mark == "!" and not closers:
        return not stop.text.endswith(("Yahoo", "Yum"), 0, stop.at)
    quoted = stop.text[stop.at - 1] in _CLOSERS or (closers and closers[0] in _QUOTES)
    return bool(quoted) or mark != "." or full_stop_ends(stop)


def _ends_without_stop(text: str, language: str) -> Iterator[int]:
    """Yield the ends that lost line breaks leave: around rules, and after a bare address."""
    for rule in _RULE.finditer(text):
        yield _visible_end(text, rule.start())
        yield rule.end()
    if "://" in text:
        for address in _ADDRESS.finditer(text):
            if address[1].startswith("http") or begins_sentences(address[1], language):
                yield address.end()


def _visible_end(text: str, end: int) -> int:
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end
