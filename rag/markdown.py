"""Markdown → blocks, by a Markdown parser that knows which lines each block stands on.

A block is whole lines, so a list item keeps its marker and a quote its ``>``. Headings at the top
level make the section path of what follows. Does not know what a sentence is; nothing is rendered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rag.blocks import Block, with_bare_headings
from rag.markers import FRESH, row_kind
from rag.markup import has_words, mask_markup, plain_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from rag.types import SpanKind

_FRONT_MATTER = re.compile(
    r"\ufeff?(?:---[ \t]*\r?\n(?=[ \t]*[\w\"'#-][^\n]*(?::|\n))(?:[^\n]*\n)*?(?:---|\.\.\.)"
    r"|\+\+\+[ \t]*\r?\n(?:[^\n]*\n)*?\+\+\+)[ \t]*(?:\r?\n|\Z)"
)
_FOOTNOTE = re.compile(r"(?m)^ {0,3}\[\^[^\]\n]{1,99}\]:")
_REFERENCE = re.compile(r" {0,3}\[[^\]\n]{1,999}\]:")
_WORD = re.compile(r"[^\W_]")
_BREAK = re.compile(r"(?: {2,}|\\)\r?\n|<br\s*/?>", re.I)
_ODD = re.compile(r"\r\n?|\x00")
_LINE_END = re.compile(r"\n|\r(?!\n)")
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
    walk = _Walk(text)
    for end in _parts(text, start):
        walk.parse(start, end)
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


@dataclass
class _Walk:
    """The state of a walk over a text's tokens: what stands above the next block."""

    text: str
    blocks: list[Block] = field(default_factory=list)
    section: list[tuple[int, str]] = field(default_factory=list)
    containers: list[SpanKind] = field(default_factory=list)
    paragraph: int = -1
    header: str = ""

    def parse(self, start: int, end: int) -> None:
        """Add the blocks of ``text[start:end]``, which begins and ends between blocks."""
        source = _ODD.sub(_same_length, self.text[start:end])
        # A footnote's definition would be taken for a link's.
        source = _FOOTNOTE.sub(lambda match: match.group().replace("[", "x", 1), source)
        tokens: list[Token] = []
        _parser().block.parse(source, _parser(), {}, tokens)
        lines = [start, *(start + match.end() for match in _LINE_END.finditer(source)), end]
        for token, following in zip(tokens, [*tokens[1:], None], strict=False):
            self._enter(token)
            if token.map is not None:
                low, high = (lines[min(line, len(lines) - 1)] for line in token.map)
                self._leaf(token, following.content if following else "", low, high)

    def add(self, start: int, end: int, kind: SpanKind, **options: Any) -> None:
        """Add a block of whole lines, unless an earlier one covers them."""
        start = max(start, self.blocks[-1].end if self.blocks else 0)
        if start < end and self.text[start:end].strip():
            path = tuple(title for _, title in self.section if title)
            self.blocks.append(
                Block(start, end, kind, section=path, paragraph=max(0, self.paragraph), **options)
            )

    def _enter(self, token: Token) -> None:
        if token.level == 0 and token.nesting >= 0:
            self.paragraph += 1
        if token.type in ("bullet_list_open", "ordered_list_open"):
            self.containers.append("item")
        elif token.type == "blockquote_open":
            self.containers.append("quote")
        elif token.type in ("bullet_list_close", "ordered_list_close", "blockquote_close"):
            self.containers.pop()

    def _leaf(self, token: Token, content: str, start: int, end: int) -> None:
        """Add the block of a token that has no blocks inside; others are passed over."""
        kind = self.containers[-1] if self.containers else "sentence"
        if token.type == "heading_open" and not self.containers:
            self._heading(int(token.tag[1]), plain_words(content), start, end)
        elif token.type in ("heading_open", "paragraph_open"):
            self._prose(start, end, kind)
        elif token.type in ("fence", "code_block"):
            self.add(start, end, "code", cut="lines")
        elif token.type == "hr":
            self.add(start, end, "rule", searchable=False, cut="whole")
        elif token.type == "html_block":
            self.add(start, end, "html", cut="lines", searchable=has_words(self.text[start:end]))
        elif token.type == "thead_open":
            self.header = plain_words(self.text[start:end])
            self.add(start, end, "row", cut="lines")
        elif token.type == "tbody_open":
            self.add(self.blocks[-1].end, start, "separator", searchable=False, cut="whole")
        elif token.type == "tr_open":
            self.add(start, end, "row", cut="lines", context=self.header)

    def _heading(self, level: int, title: str, start: int, end: int) -> None:
        while self.section and self.section[-1][0] >= level:
            self.section.pop()
        self.section.append((level, title))
        self.add(start, end, "heading", searchable=False, cut="whole")

    def _prose(self, start: int, end: int, kind: SpanKind) -> None:
        """Add a paragraph with its hard line breaks; a footnote or loose row is a block."""
        text = self.text[start:end]
        places = {0, len(text), *(match.start() for match in _FOOTNOTE.finditer(text))}
        if text.lstrip(" \t>").startswith("|"):
            places.update(match.end() for match in _LINE_END.finditer(text))
        for low, high in pairwise(sorted(places)):
            part = text[low:high]
            row = row_kind(part)
            if row:
                self.add(start + low, start + high, row, cut="lines", searchable=row == "row")
                continue
            ends = {match.end() for match in _BREAK.finditer(part)}
            ends.update(m.end() for m in _LINE_END.finditer(part) if FRESH.match(part, m.end()))
            breaks = tuple(start + low + end for end in sorted(ends))
            note = _FOOTNOTE.match(part) is not None
            self.add(
                start + low, start + high, "footnote" if note else kind,
                breaks=breaks, prose=mask_markup(part),
            )  # fmt: skip


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
