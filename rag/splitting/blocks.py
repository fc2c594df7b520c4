"""The value between finding a text's blocks and splitting them into sentences.

A block is a paragraph, a list item, a table row, a fence: what stands apart by the layout of the
text. Its finders are ``markdown.py`` and ``paragraphs.py``; neither knows what a sentence is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rag.types import SpanKind

Cut = Literal["sentences", "lines", "whole"]


@dataclass(frozen=True, slots=True)
class Block:
    """``text[start:end]``, of one kind, to be split by ``cut``.

    ``sentences`` cuts where sentences end, ``lines`` only where the block is over-long, at line
    ends, and ``whole`` never. ``breaks`` are offsets at which a sentence ends whatever stands
    there, such as a hard line break. ``prose`` is None, or the block's text in as many characters
    with what is not prose (code, quote markers) masked. ``paragraph`` groups blocks: the items of
    a list, the rows of a table.
    """

    start: int
    end: int
    kind: SpanKind = "sentence"
    cut: Cut = "sentences"
    searchable: bool = True
    section: tuple[str, ...] = ()
    paragraph: int = 0
    context: str = ""
    breaks: tuple[int, ...] = ()
    prose: str | None = None

    def under(self, section: tuple[str, ...], paragraph: int) -> Block:
        """Return the block as it stands under the headings ``section``, in ``paragraph``."""
        return replace(self, section=section, paragraph=paragraph)


def with_bare_headings(blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield ``blocks``, with those headings searchable that have nothing under them.

    No other block would carry their words to search.
    """
    held: Block | None = None
    between: list[Block] = []
    for block in blocks:
        if held is not None and (block.kind == "heading" or block.searchable):
            deeper = block.kind != "heading" or len(block.section) > len(held.section)
            yield held if deeper else replace(held, searchable=True)
            yield from between
            held, between = None, []
        if block.kind == "heading":
            held = block
        elif held is not None:
            between.append(block)
        else:
            yield block
    if held is not None:
        yield replace(held, searchable=True)
        yield from between
