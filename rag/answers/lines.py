"""A window's sentences → its lines: list items, table rows and paragraphs.

Pure. Looks at the text between the sentences and at how they begin; knows no scores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from rag.splitting.markers import MARKER
from rag.types import Window

_ROW = re.compile(r"\|.*\|$", re.DOTALL)
_RULE = re.compile(r"[|:\-\s]*-[|:\-\s]*")
_STEP = re.compile(r"[(（]?[0-9一二三四五六七八九十①-⑳]")

Kind = Literal["item", "row", "prose"]


@dataclass(frozen=True, slots=True)
class Line:
    """Sentences ``first`` to ``last`` (inside) of a window, by their places in ``window.bounds``.

    ``block`` numbers the lists, tables and paragraphs of the window: lines of one block share it.
    ``step``: an item of a numbered list. ``indent`` is the white space before an item. ``header``:
    the place of the header of a row's table, where the window holds it; the header's is its own.
    """

    kind: Kind
    first: int
    last: int
    block: int
    step: bool = False
    indent: str = ""
    header: int | None = None


def window_lines(window: Window) -> list[Line]:
    """Return the lines of ``window``, in order; together they hold each sentence once.

    A paragraph or item is one line, however it is wrapped.
    """
    lines: list[Line] = []
    for at in range(len(window.bounds)):
        between, text = gap(window, at), sentence_text(window, at)
        kind: Kind = "prose"
        if _ROW.match(text):
            kind = "row"
        elif MARKER.match(text) and (at == 0 or "\n" in between):
            kind = "item"
        before = lines[-1] if lines else None
        apart = bool(between.strip().strip(">")) or between.count("\n") > 1
        if before and before.kind != "row" and kind == "prose" and not apart:
            lines[-1] = replace(before, last=at)
            continue
        same = before is not None and before.kind == kind != "prose"
        same = (
            same
            and not between.strip(" \t\n>|:-")
            and not (kind == "row" and delimiter(window, at))
        )
        block = before.block if before and same else len(lines)
        lines.append(
            Line(
                kind, at, at, block,
                step=kind == "item" and _STEP.match(text) is not None,
                indent=re.sub(r"\S.*", "", between.rpartition("\n")[2]),
                header=_header(window, at, before if same else None) if kind == "row" else None,
            )
        )  # fmt: skip
    return lines


def delimiter(window: Window, header: int) -> str:
    """Return the row under a table's header; empty where the window does not reach that far."""
    found = gap(window, header + 1).strip()
    return found if _RULE.fullmatch(found) else ""


def sentence_text(window: Window, at: int) -> str:
    """Return the text of the sentence at place ``at`` of ``window.bounds``."""
    start, end = window.bounds[at]
    return window.text[start - window.start : end - window.start]


def gap(window: Window, at: int) -> str:
    """Return the text between the sentence at ``at`` and the one before; empty at both ends."""
    if at >= len(window.bounds):
        return ""
    end = window.bounds[at - 1][1] if at else window.start
    return window.text[end - window.start : window.bounds[at][0] - window.start]


def _header(window: Window, at: int, before: Line | None) -> int | None:
    """Return the place of the header of the row at ``at``; ``before`` is the row above it."""
    if before is None:
        return at if delimiter(window, at) else None
    return before.header
