"""Markdown → blocks, by a Markdown parser that knows which lines each block stands on.

A block is whole lines, so a list item keeps its marker and a quote its ``>``. Headings at the top
level make the section path of what follows. Does not know what a sentence is; nothing is rendered.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rag.splitting.blocks import Block, with_bare_headings
from rag.splitting.markup import mask_markup
from rag.splitting.tokens import FOOTNOTE, LINE_END, TokenWalk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(
    r"\ufeff?(?:---[ \t]*\r?\n(?=[ \t]*[\w\"'#-][^\n]*(?::|\n))(?:[^\n]*\n)*?(?:---|\.\.\.)"
    r"|\+\+\+[ \t]*\r?\n(?:[^\n]*\n)*?\+\+\+)[ \t]*(?:\r?\n|\Z)"
)
_REFERENCE = re.compile(r" {0,3}\[[^\]\n]{1,999}\]:")
_WORD = re.compile(r"[^\W_]")
_ODD = re.compile(r"\r\n?|\x00")
_SECTION_LINE = re.compile(r"\n[ \t]*\n(?=#{1,3} )")
_FENCE = re.compile(r"(?m)^ {0,3}(```|~~~)")

PART = 500_000
"""Characters parsed at once, or a few more: a parsed text takes some fifty times its size."""


def markdown_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of ``text`` in order; only white space stands between them."""
    return with_bare_headings(_blocks(text))


def _blocks(text: str) -> Iterator[Block]:
    front = _FRONT_MATTER.match(text)
    start = front.end() if front else 0
    if front:
        yield Block(0, start, "front-matter", "whole", searchable=False)
    walk = TokenWalk(text)
    for end in _parts(text, start):
        _parse(walk, start, end)
        yield from _filled(text, walk.blocks, start, end)
        walk.blocks.clear()
        start = end


def _parts(text: str, start: int) -> Iterator[int]:
    """Yield the ends of parts of a long text: before a heading that is not inside a fence."""
    if len(text) - start > PART:
        fenced, place = False, start
        for match in _SECTION_LINE.finditer(text, start):
            fenced ^= len(_FENCE.findall(text, place, match.end())) % 2 == 1
            place = match.end()
            if place - start > PART and not fenced:
                yield place
                start = place
    yield len(text)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")


def _parse(walk: TokenWalk, start: int, end: int) -> None:
    """Walk over the tokens of ``text[start:end]``, which begins and ends between blocks."""
    source = _ODD.sub(_same_length, walk.text[start:end])
    # A footnote's definition would be taken for a link's.
    source = FOOTNOTE.sub(lambda match: match.group().replace("[", "x", 1), source)
    tokens: list[Token] = []
    _parser().block.parse(source, _parser(), {}, tokens)
    walk.add(tokens, [start, *(start + match.end() for match in LINE_END.finditer(source)), end])


def _same_length(match: re.Match[str]) -> str:
    return {"\r\n": " \n", "\r": "\n", "\0": "\ufffd"}[match.group()]


def _filled(text: str, blocks: Sequence[Block], start: int, end: int) -> Iterator[Block]:
    """Yield ``blocks`` with blocks between them of what the parser gives no token for.

    These are link definitions, empty items, and whatever is nested deeper than it goes.
    """
    place = start
    last = Block(start, start)
    for block in [*blocks, Block(end, end)]:
        gap = text[place : block.start]
        if gap.strip():
            lines = gap.splitlines()
            prose = any(_WORD.search(line) and not _REFERENCE.match(line) for line in lines)
            yield Block(
                place, block.start, "sentence" if prose else "separator",
                "sentences" if prose else "whole", searchable=prose, section=last.section,
                paragraph=last.paragraph, prose=mask_markup(gap) if prose else None,
            )  # fmt: skip
        if block.start < block.end:
            yield block
        place, last = block.end, block
