"""Running text → the offsets at which its sentences end.

Each stop is judged by the few words around it.
Knows punctuation and words, not layout: what it is given is one paragraph.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rag.abbreviations import abbreviation, begins_sentences, has_ordinals
from rag.enclosures import Enclosures
from rag.markers import MARKER, run_in_markers

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDE = "。！？｡．"
_NATIVE = "।॥۔؟։።፧፨။។៕།༎᠃᠉‼⁇⁈⁉‽"
_EXTRA = {"hy": ":", "el": ";"}
"""ASCII marks that end a sentence in one language: Armenian's full stop, Greek's question mark."""

_QUOTES = "\"'”’“»«›」』＂＇"
_CLOSERS = _QUOTES + ")\\]}）】〉》〕］｝*_~`"
_OPENERS = "\"'“‘«„»‚(\\[¿¡*_~`<（「『【《"
_AFTER = (
    r"(?:[ ]?\[\d{1,3}(?:[-,–][ ]?\d{1,3})*\])+"  # references: [1][2]
    r"|(?:(?<=[^\W\d]{3}[.])|(?<=\)[.]))\d{1,3}(?:[ ,]\d{1,3})*(?=\s+[A-Z])"  # superscripts: word.12
    r"|\s?[:;=]'?-?[)(DPp](?=\s|$)"  # emoticons
    r"|\s?[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+"  # emoji
)
_NEXT = re.compile(rf"\s*(?:[-–—]+\s*)?[{_OPENERS}]*\s*(?P<word>\w[\w'’.-]*)?")
_LAST = re.compile(r"([^\W_](?:[^\W_]|[.'’°-](?=[^\W_]))*)\W?\s*\Z|\S\s*\Z")
_LAST_RUN = re.compile(r"\S*\Z")
_JOINED = re.compile(
    r"(?<!\S)[\"'“(]*(?:[a-zà-ÿ]{2,}|\d[\d,]{2,})[.!?][A-Z][a-zà-ÿ]+[,.;:!?]*(?=\s|\Z)"
)
_CITATION = re.compile(r"\s*\([^()]{1,60}\)[.,;:]")
_TIME = re.compile(
    r"[AaPp]\.[Mm]|[AaPp][Mm]|[Bb]\.[Cc](?:\.[Ee])?|[Aa]\.[Dd]|[Cc]\.[Ee]|[BC]\.?CE?"
)
_ZONES = frozenset(
    "EST EDT CST CDT MST MDT PST PDT ET CT MT PT GMT UTC BST CET Eastern Central Mountain Pacific"
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
)
_FRONTED = re.compile(r"\W*(?:At|In|On|By|Around|About|From|Until|Before|After|Since)\b")
_PRONOUN_I = re.compile(r"I(?:['’]|\Z)")
_ROMAN = re.compile(r"[IVXLC]+[.,]?")
_GO_ON = frozenset("and or with in said asked he she they was is".split())
_STARTERS = frozenset(
    "i i'm i've i'll it it's its this that there we we're you you're they the my your what why how"
    " when where who if is are do does did can could will would please thanks thank so but because"
    " also not no don't can't very great".split()
)
"""English words that often begin a sentence, also where its writer spares capitals."""
_RULE = re.compile(r"(?<!\S)([-_=~*#])\1{3,}(?!\S)")
_ADDRESS = re.compile(r"https?://\S{1,300}[\w/>)](?=\s+(http(?=s?://)|[A-Z]\w*))")
_SPEECH = re.compile(r"[^，。！？,.!?]{0,8}[说説道问問喊叫答笑嚷骂罵曰]")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@lru_cache(maxsize=4)
def _candidates(extra: str) -> re.Pattern[str]:
    stop = f"[.!?…{_WIDE}{_NATIVE}{extra}]"
    return re.compile(
        rf"(?P<stop>{stop}+(?:[ ]\.(?=[ .]|$))*|(?:--|[—–])(?=[\"”’»]))(?P<closers>(?:[ ]?''|[{_CLOSERS}])*)(?:{_AFTER})?"
    )


def sentence_ends(text: str, language: str = "en") -> list[int]:
    """Return where sentences of ``text`` end: after closing quotes and references.

    In order; the end of the text is not among them.
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
            ended = _wide_ends(text, match, wide)
        else:
            covered = inside.covers(match.start(), match.end())
            ended = not covered and _ends(text, match, start, language)
        if ended:
            start = match.end()
            ends.add(start)
    ends.update(_ends_without_stop(text, language))
    return sorted(ends - {0, len(text)})


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


def _wide_ends(text: str, match: re.Match[str], inside: Enclosures) -> bool:
    """Whether a full-width stop ends a sentence: nearly always, white space or not."""
    end = match.end()
    following = text[end : end + 1]
    if not following or inside.covers(match.start(), end) or following in "，、；：,;:":
        return False
    if match["stop"] == "．":
        return not following.isdigit()
    if match["closers"] and match["closers"][-1] in _QUOTES and not following.isspace():
        return not _SPEECH.match(text, end)
    return True


def _ends(text: str, match: re.Match[str], start: int, language: str) -> bool:
    """Whether the stop of ``match``, outside of quotations and brackets, ends a sentence."""
    stop, end = match["stop"], match.end()
    native = stop[-1] in _NATIVE + _EXTRA.get(language, "")
    if not text[end : end + 1].isspace():
        return end < len(text) and (native or _space_missing(text, match))
    following = _NEXT.match(text, end)
    word = following["word"] if following else None
    if not following or not word:
        return bool(following) and text[following.end() : following.end() + 1] in tuple(
            "$€£¥₹#@•|§"
        )
    if native:
        return True
    if _CITATION.match(text, end):
        return False
    if word[0].islower():
        bare = text[end : following.start("word")].isspace()
        return bare and _lower_starts(text, match, word, start, language)
    if stop[0] in "-—–":
        return bool(match["closers"])
    if (len(stop) > 1 and stop[-1] == ".") or stop[-1] == "…":
        return language != "en" or not _PRONOUN_I.match(word)  # a capital anywhere
    if stop == "!" and not match["closers"]:
        return not text.endswith(("Yahoo", "Yum"), 0, match.start())
    if text[match.start() - 1] in _CLOSERS or (match["closers"] and match["closers"][0] in _QUOTES):
        return True
    return stop != "." or _full_stop_ends(text, match, start, word, language)


def _space_missing(text: str, match: re.Match[str]) -> bool:
    """Whether a sentence begins right after the stop: "the fire.Wildfires are", "好.然后"."""
    if _HAN.match(text, match.end()):
        return match["stop"][-1] in "!?" or _HAN.match(text, match.start() - 1) is not None
    word = _LAST_RUN.search(text, max(0, match.start() - 40), match.start())
    return bool(word) and not match["closers"] and _JOINED.match(text, word.start()) is not None


def _lower_starts(text: str, match: re.Match[str], word: str, start: int, language: str) -> bool:
    """Whether a sentence begins with the lower-case ``word``, as in hasty English.

    Other languages abbreviate too freely before lower-case words to tell.
    """
    stop = match["stop"]
    last = _last_word(text, match)
    if language != "en" or match["closers"] or len(last) < 2 or not last.isascii():
        return False
    if len(stop) > 1 and stop[-1] in ".…":
        return False
    if stop == "." and word not in _STARTERS:
        plain = len(last) > 2 and not any(c in ".0123456789" for c in last)
        return plain and abbreviation(last, language) is None
    if stop == ".":
        return last.islower() and "." not in last and abbreviation(last, language) != "bound"
    return word in _STARTERS or (stop[-1] == "?" and word not in _GO_ON) or stop[-2:] == "!!"


def _full_stop_ends(text: str, match: re.Match[str], start: int, word: str, language: str) -> bool:
    """Whether a single full stop before ``word``, no lower-case one, ends a sentence."""
    last = _last_word(text, match)
    before = text[max(start, match.start() - len(last) - 30) : match.start()].rstrip()
    before = before[: len(before) - len(last)].split()
    first = not before
    number_next = word[0].isdigit()
    if last.isdigit():
        if first and len(last) <= 3:
            return False  # a list number
        ordinal = len(last) <= 2 and has_ordinals(language)
        return not ordinal or (not number_next and begins_sentences(word, language))
    if len(last) == 1 and last.isalpha():
        return not first and not number_next and _letter_ends(last, before[-1], word, language)
    if _TIME.fullmatch(last):
        clause = max(start, text.rfind(": ", max(start, match.start() - 200), match.start()) + 1)
        fronted = _FRONTED.match(text, clause) or word.replace(".", "") in _ZONES
        return not first and (begins_sentences(word, language) or not fronted)
    kind = abbreviation(last, language)
    after_number = bool(before) and before[-1][-1:].isdigit()
    if kind == "numbered":
        return not number_next and not _ROMAN.fullmatch(word)
    if kind == "unit":
        return not first and not (number_next and after_number)
    if kind == "loose":
        return not first and begins_sentences(word, language)
    return kind is None


def _letter_ends(last: str, before: str, word: str, language: str) -> bool:
    """Whether a sentence ends after a single letter: an initial, a unit, a name of something."""
    if before[-1:].isdigit():
        return True  # 3.14 V.
    return begins_sentences(word, language) and not before[:1].isupper()


def _last_word(text: str, match: re.Match[str]) -> str:
    found = _LAST.search(text, max(0, match.start() - 30), match.start())
    return (found and found.group(1)) or ""
