"""Lines of a paragraph → its text: hyphens and line ends undone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.readers.pdf_lines import Line

EASTERN = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f"
"""Characters between which there is no blank, as the inside of a regular expression's class."""


def join_lines(
    lines: Sequence[Line], compounds: frozenset[str], *, spaced: bool
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return a paragraph's text, and for each page that it reaches (offset, page).

    ``compounds`` are words with hyphens that the document has elsewhere: their hyphen stays at a
    line's end too. ``spaced`` says whether it puts blanks between Chinese and Latin letters.
    """
    text = ""
    turns: list[tuple[int, int]] = []
    for line, before in zip(lines, (None, *lines), strict=False):
        if before is not None:
            text = _joint(text, before.hyphenated, line.text, compounds, spaced)
        if before is None or before.page != line.page:
            turns.append((len(text), line.page))
        text += line.text
    return text, tuple(turns)


def _joint(text: str, hyphenated: bool, after: str, compounds: frozenset[str], spaced: bool) -> str:
    """Return ``text`` as it stands before ``after``, the next line."""
    if hyphenated:
        first, second = re.search(r"\w*$", text), re.match(r"\w*", after)
        word = f"{first and first.group()}-{second and second.group()}".casefold()
        joined = text[-1:].islower() and after[:1].islower() and word not in compounds
        return text if joined else text + "-"
    eastern = [re.match(f"[{EASTERN}]", side) is not None for side in (text[-1:], after[:1])]
    return text if all(eastern) or (any(eastern) and not spaced) else text + " "
