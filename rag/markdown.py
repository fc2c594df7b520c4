"""Markdown → blocks, by a Markdown parser that knows which lines each block stands on.

A block is whole lines, so a list item keeps its marker and a quote its ``>``. Does not know what a
sentence is, nor HTML: the text is never rendered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rag.blocks import Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from rag.types import SpanKind

_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_MARK = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+")
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_TARGET = re.compile(r"\]\([^()\s]*\)")


def markdown_blocks(text: str) -> list[Block]:
    """Return the blocks of ``text`` in order; only white space stands between them."""
    walk = _Walk(text)
    front = _FRONT_MATTER.match(text) if text.startswith("---") else None
    skip = front.end() if front else 0
    if front:
        walk.add(0, skip, "front-matter", searchable=False)
    source = re.sub(r"\r\n?|\x00", _same_length, text[skip:])
    tokens: list[Token] = []
    _parser().block.parse(source, _parser(), {}, tokens)
    walk.tokens(tokens, line=text.count("\n", 0, skip))
    return _filled(text, walk.blocks)


def _same_length(match: re.Match[str]) -> str:
    return {"\r\n": " \n", "\r": "\n", "\0": "\ufffd"}[match.group()]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")


@dataclass
class _Walk:
    """The state of one walk over a text's tokens."""

    text: str
    blocks: list[Block] = field(default_factory=list)
    section: list[tuple[int, str]] = field(default_factory=list)
    paragraph: int = 0
    header: str = ""

    def add(self, start: int, end: int, kind: SpanKind, **options: Any) -> None:
        """Add a block, unless an earlier one already covers its lines."""
        start = max(start, self.blocks[-1].end if self.blocks else 0)
        if start < end and self.text[start:end].strip():
            section = tuple(title for _, title in self.section)
            self.blocks.append(
                Block(start, end, kind, section=section, paragraph=self.paragraph, **options)
            )

    def tokens(self, tokens: Sequence[Token], line: int) -> None:
        """Add the blocks of ``tokens``, whose lines count from ``line`` of the text."""
        starts = [0, *(m.end() for m in re.finditer(r"\n|\r(?!\n)", self.text)), len(self.text)]
        inside: list[str] = []
        for token, following in pairwise([*tokens, None]):
            if token is None:
                continue
            kind = token.type
            if token.level == 0 and token.nesting >= 0:
                self.paragraph += 1
            if kind in ("bullet_list_open", "ordered_list_open", "blockquote_open"):
                inside.append("quote" if kind == "blockquote_open" else "item")
            elif kind in ("bullet_list_close", "ordered_list_close", "blockquote_close"):
                inside.pop()
            if token.map is None:
                continue
            start, end = (starts[min(line + n, len(starts) - 1)] for n in token.map)
            self.leaf(token, following, start, end, inside)

    def leaf(
        self, token: Token, following: Token | None, start: int, end: int, inside: list[str]
    ) -> None:
        """Add the block of a token that has no blocks inside."""
        kind: SpanKind = inside[-1] if inside else "sentence"  # type: ignore[assignment]
        content = following.content if following is not None else ""
        if token.type == "heading_open" and not inside:
            while self.section and self.section[-1][0] >= int(token.tag[1]):
                self.section.pop()
            self.section.append((int(token.tag[1]), _plain(content)))
            self.add(start, end, "heading", searchable=False, cut="whole")
        elif token.type in ("heading_open", "paragraph_open"):
            self.prose(start, end, kind)
        elif token.type in ("fence", "code_block"):
            self.add(start, end, "code", cut="lines")
        elif token.type == "hr":
            self.add(start, end, "rule", searchable=False, cut="whole")
        elif token.type == "html_block":
            self.add(start, end, "html", cut="lines")
        elif token.type == "thead_open":
            self.header = _plain(self.text[start:end])
            self.add(start, end, "row", cut="whole")
        elif token.type == "tbody_open":
            self.add(self.blocks[-1].end, start, "separator", searchable=False, cut="whole")
        elif token.type == "tr_open" and start >= self.blocks[-1].end:
            self.add(start, end, "row", cut="whole", context=self.header)

    def prose(self, start: int, end: int, kind: SpanKind) -> None:
        """Add a paragraph, with hard line breaks noted and what is not prose masked."""
        text = self.text[start:end]
        breaks = tuple(start + m.end() for m in re.finditer(r"(?:[ ]{2,}|\\)\n", text))
        for pattern in (_MARK, _TARGET, _CODE):
            text = pattern.sub(
                lambda m: re.sub(r"\S", " " if m.re is _MARK else "x", m.group()), text
            )
        self.add(start, end, kind, breaks=breaks, prose=text)


def _plain(markup: str) -> str:
    """Return the words of a heading or a table row without marks."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markup)
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    return " | ".join(re.sub(r"[*_`]+", "", cell) for cell in cells)


def _filled(text: str, blocks: list[Block]) -> list[Block]:
    """Make blocks of what the parser gives no token for: link definitions, empty items."""
    filled: list[Block] = []
    end = 0
    for block in [*blocks, Block(len(text), len(text))]:
        gap = text[end : block.start]
        if gap.strip():
            start = end + len(gap) - len(gap.lstrip())
            last = filled[-1] if filled else Block(0, 0)
            filled.append(replace(last, start=start, end=end + len(gap.rstrip()), kind="separator",
                                  searchable=False, cut="whole", prose=None, breaks=(), context=""))  # fmt: skip
        filled.append(block)
        end = block.end
    return filled[:-1]
