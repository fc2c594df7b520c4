"""What fonts call their glyphs → the characters that are meant. Pure."""

from __future__ import annotations

import re
import unicodedata

_SYMBOLS = {
    # Symbol fonts have their bullets in the private area.
    "\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓",
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\xad": "-",
}  # fmt: skip
GLYPHS = str.maketrans(
    {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0x2E80, 0x2FE0)}
    | _SYMBOLS
    | dict.fromkeys("\0\u200b\u2060\ufeff")
)
"""Ligatures, and radicals that fonts map their ideographs to, as what they mean."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def utf16_units(text: str) -> str:
    """Return ``text`` with a character for each UTF-16 unit: so PDFium counts."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    return "".join(map(chr, memoryview(text.encode("utf-16-le", "replace")).cast("H")))


def whole_characters(units: str) -> str:
    """Return the text that :func:`utf16_units` took apart."""
    if units.isascii() or not _SURROGATE.search(units):
        return units
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
