"""Bytes that are no UTF-8 → the name of their encoding, by how ordinary they read in it.

The older Chinese, Japanese, Korean, Western, Central European and Cyrillic encodings are judged
here: read in a wrong one, text is rare characters, letters of two scripts in one word, or capitals
amid small ones. General detectors take short texts and a lone "°" for another language too easily;
one is asked for what is none of these. Knows nothing of line ends or byte-order marks.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

SAMPLE_BYTES = 6_000
"""Enough to tell; the whole must then decode without a fault."""

ORDINARY = 0.8
"""Least share of ordinary characters among those beyond ASCII for an encoding to be believed."""

_EASTERN = {
    # Encoding → where its common characters stand: encoded so, first byte from … to. (The first
    # level of each national character set: ordered by use, then come the rare ones.)
    "cp949": ("euc_kr", 0xB0, 0xC8),
    "gb18030": ("gb2312", 0xB0, 0xD7),
    "big5hkscs": ("big5", 0xA4, 0xC6),
    "cp932": ("shift_jis", 0x88, 0x98),
    "euc_jp": ("euc_jp", 0xB0, 0xCF),
}
_LATIN = {
    # Encoding → the letters beyond ASCII of its languages.
    "cp1252": "àáâãäåæçèéêëìíîïñòóôõöøùúûüÿßœš",
    "cp1254": "çğıöşüâîûi\u0307",
    "cp1250": "áâăäąćčçďđéęěëíîĺľłńňóôőöŕřśşšßťţúůűüýźżž",
    "iso8859_2": "áâăäąćčçďđéęěëíîĺľłńňóôőöŕřśşšßťţúůűüýźżž",
}
_OTHER = {
    # Encoding → its script, from … to.
    "cp1255": ("\u05d0", "\u05ea"),
    "cp1251": ("\u0400", "\u04ff"),
    "koi8_r": ("\u0400", "\u04ff"),
    "cp1253": ("\u0370", "\u03ff"),
}
_CANDIDATES = ("cp1252", *_EASTERN, *_LATIN, *_OTHER)
"""In a tie the earlier wins."""

_WORD = re.compile(r"[^\W\d_]+")
_EASTERN_RUN = re.compile(
    r"[々〆\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f]+"
)
_SYMBOL = re.compile(r"[^\x00-\x7f\w]|[²³¹ªº¼½¾]")
_WESTERN_SYMBOLS = set("\xa0°£€¥§©®™±×÷²³¹µ·•…–—‘’‚“”„«»‹›¿¡ªº¼½¾†‡‰№")
_EASTERN_SYMBOL = re.compile(
    r"[\u2010-\u2027\u2190-\u2193\u2460-\u2473\u3000-\u303f\uff01-\uff65℃°·×※■□●○◆◇★]"
)


def guess_encoding(data: bytes) -> str:
    """Return the codec in which ``data`` reads most ordinarily; ValueError when it does in none."""
    candidates = ("utf-16-le", "utf-16-be") if b"\0" in data else _CANDIDATES
    sample = _sample(data)
    scores = {encoding: _score(sample, encoding) for encoding in candidates}
    best = max(candidates, key=lambda encoding: scores[encoding])
    if scores[best] >= ORDINARY:
        return best
    if b"\0" in data:
        raise ValueError("is not text: it holds NUL bytes")
    from charset_normalizer import from_bytes

    match = from_bytes(sample).best()
    if match is None or _foreign(str(match)) < ORDINARY:
        raise ValueError("its character encoding is not known; save it as UTF-8")
    return match.encoding


def _sample(data: bytes) -> bytes:
    """Return the lines that have something to tell, up to :data:`SAMPLE_BYTES`."""
    if b"\0" in data or len(data) <= SAMPLE_BYTES:
        return data[:SAMPLE_BYTES]
    telling = b"".join(re.findall(rb"[^\n]*[\x80-\xff][^\n]*\n?", data[: 100 * SAMPLE_BYTES]))
    return telling[:SAMPLE_BYTES] or data[:SAMPLE_BYTES]


def _score(sample: bytes, encoding: str) -> float:
    """Return the share of ordinary characters among those beyond ASCII, from 0 to 1."""
    whole = len(sample) < SAMPLE_BYTES  # otherwise it may end inside a character
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample, final=whole)
    except UnicodeDecodeError:
        return 0.0
    if encoding.startswith("utf-16"):
        # In the wrong byte order ASCII turns into ideographs, of which none is common.
        common = sum(
            c.isascii() or _is_common(c, "gb18030") or "\u3000" <= c < "\u3100" for c in text
        )
        return 0.0 if "\0" in text else common / max(1, len(text))
    total = sum(not c.isascii() for c in text)
    good = 0.0
    for word in _WORD.findall(text):
        if not word.isascii():
            good += _ordinary(word, encoding)
    good += sum(_is_symbol(match, text, encoding) for match in _SYMBOL.finditer(text))
    if encoding == "cp949" and total < 8:
        good *= 0.99  # a few Chinese characters may look like Hangul, not many
    return good / max(1, total)


def _ordinary(word: str, encoding: str) -> float:
    """Count the ordinary characters beyond ASCII of a word."""
    if encoding in _EASTERN:
        runs = _EASTERN_RUN.findall(word)
        # One ideograph amid Latin letters is an accented letter misread.
        return sum(_eastern(run, encoding) for run in runs if len(run) > 1 or len(word) == 1)
    beyond = [c for c in word if not c.isascii()]
    cased = 0.6 if word.isupper() else 0.3
    if word[1:] == word[1:].lower():
        cased = 1.0
    if encoding in _OTHER:
        low, high = _OTHER[encoding]
        return len(word) * cased if low <= min(word) and max(word) <= high else 0.0
    if len(beyond) * 3 > len(word) * 2 and len(word) > 1:  # Western words are mostly ASCII
        return 0.0
    return cased * sum(c in _LATIN[encoding] for c in "".join(beyond).lower())


def _eastern(run: str, encoding: str) -> float:
    if encoding == "cp949":  # in a word Hangul does not mix with ideographs
        hangul = all(c >= "\uac00" and _is_common(c, encoding) for c in run)
        return len(run) if hangul else 0.0
    ideographs = sum("\u4e00" <= c <= "\u9fff" and _is_common(c, encoding) for c in run)
    if encoding == "gb18030":  # may hold traditional characters as well
        rest = [c for c in run if c > "\u4e00" and not _is_common(c, encoding)]
        return ideographs + 0.9 * sum(_is_common(c, "big5hkscs") for c in rest)
    if encoding == "big5hkscs":
        return ideographs
    kana = sum("\u3040" <= c <= "\u30ff" or c in "々〆" for c in run)
    halfwidth = sum("\uff66" <= c <= "\uff9f" for c in run)
    return kana + 0.9 * ideographs + 0.5 * halfwidth


@lru_cache(20_000)
def _is_common(character: str, encoding: str) -> bool:
    codec, low, high = _EASTERN[encoding]
    try:
        encoded = character.encode(codec)
    except UnicodeEncodeError:
        return False
    return len(encoded) == 2 and low <= encoded[0] <= high


def _is_symbol(match: re.Match[str], text: str, encoding: str) -> bool:
    symbol = match.group()
    if encoding in _EASTERN:
        return _EASTERN_SYMBOL.match(symbol) is not None
    inside = (
        text[match.start() - 1 : match.start()].isalpha()
        and text[match.end() : match.end() + 1].isalpha()
    )
    return symbol in _WESTERN_SYMBOLS and (not inside or symbol in "’–—·\xad")


def _foreign(text: str) -> float:
    """Return the share of letters among what is neither ASCII nor punctuation, from 0 to 1."""
    beyond = [c for c in text if not c.isascii() and c not in _WESTERN_SYMBOLS]
    return sum(c.isalpha() for c in beyond) / max(1, len(beyond))
