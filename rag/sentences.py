"""Text → spans that tile it: ``"".join(text[s.start : s.end] for s in spans) == text``.

    text ─ paragraphs.py or markdown.py → blocks ─ stops.py → sentences ─ lengths.py → spans

The door to splitting; knows no files and no windows.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rag.splitting.languages import detect_language
from rag.splitting.lengths import CAP, CODE_CAP, cut_lines, cut_prose
from rag.splitting.paragraphs import plain_blocks
from rag.splitting.stops import sentence_ends
from rag.types import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rag.splitting.blocks import Block

SPLITTER = "sentences-3"
"""Version of the rules: stored with a collection, which must be rebuilt when they change."""

_RULE = re.compile(r"(.)\1{3,}")
_WORD = re.compile(r"[^\W_]")


def split_sentences(
    text: str, *, markdown: bool = False, blocks: Sequence[Block] = ()
) -> list[Span]:
    """Split ``text`` into spans that tile it, in order, none empty.

    In plain text a line break inside a paragraph of wrapped lines ends no sentence; short lines and
    list lines stand alone. In Markdown its blocks decide: a list item's sentences, a table row, a
    fence are spans. Where the reader knows the text's ``blocks``, they decide. No span of prose is
    longer than 800 characters, none of code than 1,600.

    Example:
        >>> [s.end for s in split_sentences("It boils. Pour it out.")]
        [10, 22]
    """
    found: Iterable[Block] = blocks
    if not blocks and markdown:
        from rag.splitting.markdown import markdown_blocks

        found = markdown_blocks(text)
    elif not blocks:
        found = plain_blocks(text)
    language = detect_language(text)
    pieces = [piece for block in found for piece in _pieces(text, block, language)]
    if not text:
        return []
    if not pieces:
        return [Span(0, len(text), "blank", searchable=False)]
    ends = [*(piece.start for piece in pieces[1:]), len(text)]
    spans = [_span(piece, end) for piece, end in zip(pieces, ends, strict=True)]
    if pieces[0].start > 0:
        spans.insert(0, Span(0, pieces[0].start, "blank", searchable=False))
    return spans


class _Piece(NamedTuple):
    """A span whose end is not known yet: it reaches to the next."""

    start: int
    worded: bool
    block: Block


def _span(piece: _Piece, end: int) -> Span:
    start, worded, block = piece
    searchable = block.searchable and worded
    kind = block.kind if worded or not block.searchable else "rule"
    context = block.context if searchable else ""
    return Span(start, end, kind, searchable, block.section, block.paragraph, context)


def _pieces(text: str, block: Block, language: str) -> Iterator[_Piece]:
    """Yield the pieces of a block; each begins with a visible character."""
    prose = text[block.start : block.end] if block.prose is None else block.prose
    starts = list(_starts(text, prose, block, language))
    for start, end in pairwise([*starts, block.end]):
        worded = _WORD.search(prose, start - block.start, end - block.start) is not None
        yield _Piece(start, worded, block)


def _starts(text: str, prose: str, block: Block, language: str) -> Iterator[int]:
    if block.cut != "sentences":
        cap = CODE_CAP if block.cut == "lines" else block.end - block.start
        yield from cut_lines(text, block.start, block.end, cap)
        return
    if "." in prose or not prose.isascii():
        language = detect_language(prose, language)
    stops = [block.start + end for end in sentence_ends(prose, language)]
    start = block.start
    for low, high in pairwise(sorted({block.start, *stops, *block.breaks, block.end})):
        # What holds no word, such as a quote on its own, goes with what stands after it.
        worded = _WORD.search(prose, low - block.start, high - block.start)
        if worded or _RULE.fullmatch(text[low:high].strip()):
            yield from cut_prose(text, start, high, CAP)
            start = high
    if start < block.end:
        yield from cut_prose(text, start, block.end, CAP)
