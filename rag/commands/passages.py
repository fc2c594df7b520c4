"""Passages → text for a terminal, found sentences marked."""

from __future__ import annotations

from collections.abc import Sequence

from rag.cli import printable
from rag.types import Window


def passages_text(windows: Sequence[Window], mark: tuple[str, str]) -> str:
    """Write the passages for reading: a line ``[1] path:start-end · title › section``, the text.

    ``mark`` is what to put before and after each found sentence, as it stands. What the documents
    say is made printable.
    """
    blocks = []
    for window in windows:
        names = list(dict.fromkeys(filter(None, (window.title, *window.section))))
        place = " › ".join(names) + (f", p. {window.page}" if window.page is not None else "")
        head = f"[{window.rank}] {window.source}:{window.start}-{window.end}"
        body = "\n".join(f"    {line}".rstrip() for line in _marked(window, mark).split("\n"))
        blocks.append(f"{printable(head + (' · ' + place if place else ''))}\n{body}\n")
    return "\n".join(blocks)


def _marked(window: Window, mark: tuple[str, str]) -> str:
    pieces, at = [], window.start
    for hit in window.hits:
        start, end = hit.sentence.start, hit.sentence.end
        pieces += [printable(window.text[at - window.start : start - window.start]), mark[0]]
        # A mark for each line, since the lines are indented one by one.
        found = printable(hit.sentence.text).replace("\n", f"{mark[1]}\n{mark[0]}")
        pieces += [found, mark[1]]
        at = end
    return "".join([*pieces, printable(window.text[at - window.start :])])
