"""Text → spans that tile it: ``"".join(text[s.start : s.end] for s in spans) == text``.

    text ─ paragraphs.py or markdown.py → blocks ─ stops.py → sentences ─ lengths.py → spans

The door to splitting; knows no files and no windows.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rag.languages import detect_language
from rag.lengths import CAP, CODE_CAP, cut_lines, cut_prose
from rag.paragraphs import plain_blocks
from rag.stops import sentence_ends
from rag.types import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rag.blocks import Block

SPLITTER = "sentences-2"
"""Version of the rules: stored with a collection, which must be rebuilt when they change."""

_RULE = re.compile(r"(.)\1{3,}")
_WORD = re.compile(r"[^\W_]")


def split_sentences(text: str, *, markdown: bool = False) -> list[Span]:
    """Split ``text`` into spans that tile it, in order, none empty.

    In plain text a line break inside a paragraph of wrapped lines ends no sentence; short lines and
    list lines stand alone. In Markdown its blocks decide: a list item's sentences, a table row, a
    fence are spans. No span of prose is longer than 800 characters, none of code than 1,600.

    Example:
        >>> [s.end for s in split_sentences("It boils. Pour it out.")]
        [10, 22]
    """
    if markdown:
        from rag.markdown import markdown_blocks

        blocks: Iterable[Block] = markdown_blocks(text)
    else:
        blocks = plain_blocks(text)
    language = detect_language(text)
    return _tiled(text, [span for block in blocks for span in _spans(text, block, language)])


def _tiled(text: str, spans: list[Span]) -> list[Span]:
    """Give each span the white space up to the next; the text's first becomes a blank span."""
    if not spans:
        return [Span(0, len(text), "blank", searchable=False)] if text else []
    ends = [span.start for span in spans[1:]] + [len(text)]
    tiled = [
        span if span.end == end else replace(span, end=end)
        for span, end in zip(spans, ends, strict=True)
    ]
    if spans[0].start > 0:
        tiled.insert(0, Span(0, spans[0].start, "blank", searchable=False))
    return tiled


def _spans(text: str, block: Block, language: str) -> Iterator[Span]:
    """Yield the spans of a block, each from its first to behind its last visible character."""
    prose = text[block.start : block.end] if block.prose is None else block.prose
    for start, end in _pieces(text, prose, block, language):
        worded = _WORD.search(prose, start - block.start, end - block.start) is not None
        searchable = block.searchable and worded
        yield Span(
            start, end, block.kind if worded or not block.searchable else "rule", searchable,
            block.section, block.paragraph, block.context if searchable else "",
        )  # fmt: skip


def _pieces(text: str, prose: str, block: Block, language: str) -> Iterator[tuple[int, int]]:
    if block.cut != "sentences":
        cap = CODE_CAP if block.cut == "lines" else block.end - block.start
        yield from cut_lines(text, block.start, block.end, cap)
        return
    stops = [block.start + end for end in sentence_ends(prose, detect_language(prose, language))]
    start = block.start
    for low, high in pairwise(sorted({block.start, *stops, *block.breaks, block.end})):
        within = low - block.start, high - block.start
        # What holds no word, such as a quote on its own, goes with what stands after it.
        if _WORD.search(prose, *within) or _RULE.fullmatch(text[low:high].strip()):
            yield from cut_prose(text, start, high, CAP)
            start = high
    if start < block.end:
        yield from cut_prose(text, start, block.end, CAP)
