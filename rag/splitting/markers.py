"""What a line begins with or is made of: list markers, a table's pipes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.types import SpanKind

BULLETS = "•⁃‣◦▪●○■□✓✔➢►"
"""Characters that are list markers wherever they stand."""

MARKER = re.compile(
    rf"""[ \t]*(?:
      (?:[-*{BULLETS}][ \t]*)?\(?(?:\d{{1,3}}|[a-zA-Z]|[ivxIVX]{{1,5}})(?:\.\)|[.)])(?=[ \t\u3000])
    | [-*+–—·{BULLETS}](?=[ \t\u3000])
    | [{BULLETS}]
    | [(（][\d一二三四五六七八九十]{{1,3}}[)）]
    | [\d一二三四五六七八九十]{{1,3}}、
    | [①-⑳]
    )[ \t\u3000]*""",
    re.VERBOSE,
)
"""A list marker at the start of a line, with the white space around it."""

FRESH = re.compile(
    r"""[ \t]*(?:
      [*_]{0,2}[^\W\d_a-zß-ÿ][\w ()/&.'’-]{0,30}(?:[:：][*_]{0,2}(?=\s|$)|[*_]{1,2}[:：](?=\s|$)|：)
    | \[?\d{1,4}[-/.:]\d{1,2}[-/.:]\d
    )""",
    re.VERBOSE,
)
"""What only begins a line of its own: a key with a colon ("Price: 5"), a date or time."""

_ROW = re.compile(r"[ \t>]*\|.*\|[ \t]*")
_SEPARATOR = re.compile(r"[ \t>]*\|[ \t|:+-]*\|[ \t]*")


def row_kind(line: str) -> SpanKind | None:
    """Return whether ``line`` is a table's row or the separator under its header, by its pipes."""
    line = line.rstrip("\r\n")
    if "|" not in line or not _ROW.fullmatch(line):
        return None
    return "separator" if _SEPARATOR.fullmatch(line) and "-" in line else "row"
