"""Paragraphs of a PDF's pages → its text with headings, items, rows and pages.

Headings are those of the outline, else what stands in larger print. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.readers import Content
from rag.readers.composer import Composer
from rag.readers.pdf_joints import join_lines
from rag.readers.pdf_lines import Line, PageLines
from rag.readers.pdf_paragraphs import Kind, Paragraph, find_paragraphs
from rag.types import Page, SpanKind

LARGE = 1.12
"""Times the size of the body's print: a heading, where there is no outline."""

_KINDS: Mapping[Kind, SpanKind] = {"text": "sentence", "item": "item", "note": "footnote"}
_WORDS = re.compile(r"\w+")
_COMPOUND = re.compile(r"\w+-\w+")
_SPACED = re.compile(r"[\u4e00-\u9fff] [A-Za-z0-9]|[A-Za-z0-9] [\u4e00-\u9fff]")
_UNSPACED = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A bookmark. ``page`` counts from 1, ``level`` from 1, the outermost."""

    page: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph with its text, and where in it which page begins: (offset, page)."""

    paragraph: Paragraph
    text: str
    turns: tuple[tuple[int, int], ...]

    @property
    def key(self) -> tuple[int, str]:
        return self.paragraph.first.page, _words(self.text)


def write_blocks(
    pages: Sequence[PageLines], outline: Sequence[Heading], title: str, notes: Sequence[str]
) -> Content:
    """Write the text of the pages. ``title`` is what the file calls itself; it may be anything."""
    lines = [line for page in pages for line in page.lines]
    body = _body_size(lines)
    marked = {(heading.page, _words(heading.title)): heading.level for heading in outline}
    blocks = _blocks(
        find_paragraphs(pages, body, lambda line: (line.page, _words(line.text)) in marked), lines
    )
    top = _title_place(blocks, title, body)
    levels = _levels(blocks, marked, body, top)
    composer = Composer()
    starts: dict[int, int] = {}
    table = 0
    for place, block in enumerate(blocks):
        if not place or blocks[place - 1].paragraph.kind != "row":
            table = place
        if place in levels:
            start = composer.heading(block.text, levels[place])
        elif place == top:
            start = composer.title(block.text)
        else:
            start = _write(composer, blocks, place, table)
        for offset, page in block.turns:
            starts.setdefault(page, start + offset)
    ends = [*list(starts.values())[1:], composer.length]
    return composer.content(
        blocks[top].text if top is not None else "",
        [Page(*each) for each in zip(starts.keys(), starts.values(), ends, strict=True)],
        notes,
    )


def _blocks(paragraphs: Iterable[Paragraph], lines: Iterable[Line]) -> list[_Block]:
    whole = "\n".join(line.text for line in lines)
    compounds = frozenset(word.casefold() for word in _COMPOUND.findall(whole))
    spaced = len(_SPACED.findall(whole)) >= len(_UNSPACED.findall(whole))
    blocks = []
    for paragraph in _without_repeated_heads(paragraphs):
        text, turns = join_lines(paragraph.lines, compounds, spaced=spaced)
        blocks.append(_Block(paragraph, text, turns))
    return blocks


def _without_repeated_heads(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """Leave out a table's first row where a page that it goes on to repeats it."""
    head = before = None
    for paragraph in paragraphs:
        if paragraph.kind != "row":
            head = None
        elif head is None:
            head = paragraph.first
        elif paragraph.first.cells == head.cells and before and paragraph.first.page > before.page:
            continue
        before = paragraph.last
        yield paragraph


def _write(composer: Composer, blocks: Sequence[_Block], place: int, table: int) -> int:
    """Write what is neither title nor heading, and return where it begins.

    ``table`` is the place of the first of the rows that the block goes on, if it is a row.
    """
    kind = blocks[place].paragraph.kind
    before = blocks[place - 1].paragraph.kind if place else None
    if kind == "row":
        cells = blocks[place].paragraph.first.cells
        header = _header(blocks[table], cells) if table < place else ()
        return composer.row(cells, header, follows=before == "row")
    follows = kind == before == "item"
    return composer.add(blocks[place].text, _KINDS[kind], follows=follows)


def _header(first: _Block, cells: Sequence[str]) -> tuple[str, ...]:
    """Return a table's first row as the header of another, if it is as long and has no numbers."""
    header = first.paragraph.first.cells
    named = len(header) == len(cells) and not any(re.search(r"\d", cell) for cell in header)
    return header if named else ()


def _levels(
    blocks: Sequence[_Block], marked: Mapping[tuple[int, str], int], body: float, top: int | None
) -> dict[int, int]:
    """Return the places of the headings, each with its level."""
    found = {place: marked[block.key] for place, block in enumerate(blocks) if block.key in marked}
    if 2 * len(found) >= len(marked) > 0:
        return found
    large = {
        place: _half_points(block)
        for place, block in enumerate(blocks)
        if place != top and _is_large(block, body)
    }
    sizes = sorted(set(large.values()), reverse=True)
    return {place: sizes.index(size) + 1 for place, size in large.items()}


def _title_place(blocks: Sequence[_Block], title: str, body: float) -> int | None:
    """Return the place of the title on the first page: as the file says, else the largest print."""
    first = [p for p, block in enumerate(blocks) if block.paragraph.first.page == 1]
    for place in first:
        if title and blocks[place].key[1] == _words(title):
            return place
    large = [_half_points(block) for block in blocks if _is_large(block, body)]
    for place in first:
        size = _half_points(blocks[place])
        if _is_large(blocks[place], body) and size == max(large) and large.count(size) == 1:
            return place
    return None


def _is_large(block: _Block, body: float) -> bool:
    paragraph = block.paragraph
    return (
        paragraph.kind in ("text", "item")
        and paragraph.first.size >= LARGE * body
        and len(paragraph.lines) <= 3
        and len(block.text) <= 200
    )


def _half_points(block: _Block) -> int:
    return round(2 * block.paragraph.first.size)


def _body_size(lines: Iterable[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(2 * line.size) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 1.0


def _words(text: str) -> str:
    """Return the words alone, without the numbers that count sections."""
    words = " ".join(_WORDS.findall(text.casefold()))
    return re.sub(r"^(?:\d+ )+", "", words)
