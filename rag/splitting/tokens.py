"""The tokens of a Markdown parser, with the lines they stand on → blocks.

Knows what stands above a block (its section, the list or quote it is in), not where the tokens
come from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from rag.splitting.blocks import Block
from rag.splitting.lengths import CAP
from rag.splitting.markers import FRESH, row_kind
from rag.splitting.markup import has_words, mask_markup, plain_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markdown_it.token import Token

    from rag.splitting.blocks import Cut
    from rag.types import SpanKind

FOOTNOTE = re.compile(r"(?m)^ {0,3}\[\^[^\]\n]{1,99}\]:")
"""Where the definition of a footnote begins."""

LINE_END = re.compile(r"\n|\r(?!\n)")

_BREAK = re.compile(r"(?: {2,}|\\)\r?\n|<br\s*/?>", re.I)
_CLOSED = re.compile(r"</(?:t[dhr]|li|p|div|h\d|d[td]|summary|(?:fig)?caption)\s*>|<br\s*/?>", re.I)


@dataclass
class TokenWalk:
    """A walk over the tokens of ``text``: what stands above the next, and the blocks so far."""

    text: str
    blocks: list[Block] = field(default_factory=list)
    section: list[tuple[int, str]] = field(default_factory=list)
    containers: list[SpanKind] = field(default_factory=list)
    paragraph: int = -1
    header: str = ""

    def add(self, tokens: Sequence[Token], lines: Sequence[int]) -> None:
        """Add the blocks of ``tokens``; ``lines`` are the offsets at which their lines begin."""
        for place, token in enumerate(tokens):
            self._enter(token)
            if token.map is not None:
                start, end = (lines[min(line, len(lines) - 1)] for line in token.map)
                content = tokens[place + 1].content if place + 1 < len(tokens) else ""
                self._leaf(token, content, start, end)

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
        if token.type == "heading_open" and not self.containers:
            self._heading(int(token.tag[1]), plain_words(content), start, end)
        elif token.type in ("heading_open", "paragraph_open"):
            self._paragraph(start, end)
        elif token.type in ("fence", "code_block"):
            self._unit(start, end, "code", "lines")
        elif token.type == "hr":
            self._unit(start, end, "rule", searchable=False)
        elif token.type == "html_block":
            self._html(start, end)
        elif token.type == "thead_open":
            self.header = plain_words(self.text[start:end])
            self._unit(start, end, "row", "lines")
        elif token.type == "tbody_open":
            self._unit(self.blocks[-1].end, start, "separator", searchable=False)
        elif token.type == "tr_open" and start >= self.blocks[-1].end:  # not the header again
            self._unit(start, end, "row", "lines", context=self.header)

    def _heading(self, level: int, title: str, start: int, end: int) -> None:
        while self.section and self.section[-1][0] >= level:
            self.section.pop()
        self.section.append((level, title))
        self._unit(start, end, "heading", searchable=False)

    def _html(self, start: int, end: int) -> None:
        """Add an HTML block: one unit, or if that is over-long its cells, items and paragraphs."""
        html = self.text[start:end]
        if end - start <= CAP or not has_words(html):
            self._unit(start, end, "html", searchable=has_words(html))
        else:
            self._prose(start, end, "html", (match.end() for match in _CLOSED.finditer(html)))

    def _paragraph(self, start: int, end: int) -> None:
        """Add a paragraph with its hard line breaks; a footnote or loose row is a block."""
        text = self.text[start:end]
        places = {0, len(text), *(match.start() for match in FOOTNOTE.finditer(text))}
        if text.lstrip(" \t>").startswith("|"):
            places.update(match.end() for match in LINE_END.finditer(text))
        for low, high in pairwise(sorted(places)):
            part = text[low:high]
            if row := row_kind(part):
                self._unit(start + low, start + high, row, "lines", searchable=row == "row")
                continue
            breaks = {match.end() for match in _BREAK.finditer(part)}
            breaks.update(m.end() for m in LINE_END.finditer(part) if FRESH.match(part, m.end()))
            kind = self.containers[-1] if self.containers else "sentence"
            note = FOOTNOTE.match(part) is not None
            self._prose(start + low, start + high, "footnote" if note else kind, breaks)

    def _unit(
        self, start: int, end: int, kind: SpanKind, cut: Cut = "whole", *, searchable: bool = True,
        context: str = "",
    ) -> None:  # fmt: skip
        """Add a block that is not split into sentences."""
        self._append(Block(start, end, kind, cut, searchable=searchable, context=context))

    def _prose(self, start: int, end: int, kind: SpanKind, breaks: Iterable[int]) -> None:
        """Add a block of sentences; ``breaks`` count from its start."""
        places = tuple(sorted(start + place for place in breaks))
        prose = mask_markup(self.text[start:end])
        self._append(Block(start, end, kind, breaks=places, prose=prose))

    def _append(self, block: Block) -> None:
        if self.text[block.start : block.end].strip():
            section = tuple(title for _, title in self.section if title)
            self.blocks.append(block.under(section, max(0, self.paragraph)))
