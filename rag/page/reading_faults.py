"""A reader's reason for leaving a file out → which of the page's own sentences says it.

Pure. Reasons are written in English where they arise. The page says them in its language; one that
it does not know, and all of them in English, stay as they are written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.page.strings import Strings

_KINDS = {
    "type": r"files of (this )?type",
    "large": r"MB (long|are)|has grown over|files over|rows; files",
    "scan": r"pages are pictures|OCR",
    "empty": r"holds no text",
    "encrypted": r"encrypted|password",
    "damaged": r"damaged|its reader crashed|cannot be parsed",
    "not_what": r"is not an? |is not text|is no |is a ZIP archive",
    "encoding": r"encoding is not known|does not fit",
    "slow": r"seconds to read",
    "not_sent": r"did not arrive",
    "room": r"finds no room",
    "link": r"is a link",
    "kept": r"cannot be (kept|removed)",
    "unreadable": r"cannot be read|is being written|regular file",
    "name": r"its name|of this name|with the name of a file",
}
"""In this order: the first that fits is it."""


def reason(text: str, words: Strings) -> str:
    """Say why a file is not read, in the page's language."""
    for kind, pattern in _KINDS.items():
        if re.search(pattern, text):
            return words.reasons.get(kind, text)
    return text
