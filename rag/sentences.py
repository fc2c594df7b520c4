"""Text → spans that tile it: ``"".join(text[s.start : s.end] for s in spans) == text``.

    text ─ paragraphs.py or markdown.py → blocks ─ stops.py → sentences ─ pieces → spans

The door to splitting; knows no files and no windows.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rag.languages import detect_language
from rag.paragraphs import plain_blocks
from rag.stops import sentence_ends
from rag.types import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rag.blocks import Block

SPLITTER = "sentences-1"
"""Version of the rules: stored with a collection, which must be rebuilt when they change."""

CAP = 800
"""Characters of the longest sentence; what is longer is cut."""

_NOT_SPACE = re.compile(r"\S")
_CLAUSE = re.compile(r"[，；,;：:、](?=\s|[^\x00-\x7f])|\s")


def split_sentences(text: str, *, markdown: bool = False) -> list[Span]:
    """Split ``text`` into spans that tile it, in order, none empty.

    Example:
        >>> [s.end for s in split_sentences("It boils. Pour it out.")]
        [10, 22]
    """
    if markdown:
        from rag.markdown import markdown_blocks

        blocks = markdown_blocks(text)
    else:
        blocks = plain_blocks(text)
    language = detect_language(text)
    return _tiled(text, [span for block in blocks for span in _pieces(text, block, language)])


def _tiled(text: str, spans: list[Span]) -> list[Span]:
    """Give each span the white space up to the next; the text's first becomes a blank span."""
    if not spans:
        return [Span(0, len(text), "blank", searchable=False)] if text else []
    ends = [span.start for span in spans[1:]] + [len(text)]
    tiled = [replace(span, end=end) for span, end in zip(spans, ends, strict=True)]
    if spans[0].start > 0:
        tiled.insert(0, Span(0, spans[0].start, "blank", searchable=False))
    return tiled


def _pieces(text: str, block: Block, language: str) -> Iterator[Span]:
    """Yield the spans of a block, each from its first to behind its last visible character."""
    ends = [block.end]
    if block.cut == "sentences":
        prose = text[block.start : block.end] if block.prose is None else block.prose
        stops = [block.start + end for end in sentence_ends(prose, detect_language(prose, language))]
        ends = sorted({*stops, *block.breaks, block.end})
    for low, high in pairwise([block.start, *ends]):
        for start, end in _capped(text, low, high):
            yield Span(
                start,
                end,
                block.kind,
                block.searchable,
                block.section,
                block.paragraph,
                block.context,
            )


def _capped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield ``text[start:end]`` without outer white space, cut into pieces of at most CAP."""
    while True:
        first = _NOT_SPACE.search(text, start, end)
        if first is None:
            return
        start = first.start()
        if end - start <= CAP:
            yield start, start + len(text[start:end].rstrip())
            return
        cut = start + CAP
        for match in _CLAUSE.finditer(text, start + CAP // 2, start + CAP):
            cut = match.end()
        yield start, start + len(text[start:cut].rstrip())
        start = cut
