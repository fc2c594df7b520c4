"""The cells of a table in their order → rows that each say what they are about.

Knows no tree and no text around the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from rag.readers.composer import Composer

SPANNED = 200
"""Characters. A shorter cell that spans rows is repeated in each."""


@dataclass(slots=True)
class _Cell:
    column: int
    rows: int
    paragraphs: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.paragraphs)


class HtmlTable:
    """A table being read. ``layout`` tables only place what is in them: their cells are no data."""

    def __init__(self, *, layout: bool) -> None:
        self.layout = layout
        self.in_head = False
        """Whether the rows that come are of the table's head."""
        self._cells: list[_Cell] = []
        self._spanning: list[_Cell] = []
        self._header: tuple[str, ...] = ()
        self._written = 0
        self._headed = True

    @property
    def in_cell(self) -> bool:
        """Whether text that comes is a cell's."""
        return bool(self._cells) and not self.layout

    def cell(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        """Begin a cell."""
        taken = {cell.column for cell in self._spanning}
        column = self._cells[-1].column + 1 if self._cells else 0
        while column in taken:
            column += 1
        self._cells.append(_Cell(column, number(attributes.get("rowspan"), 1)))
        self._headed = self._headed and tag == "th"

    def add(self, paragraph: str) -> None:
        """Take in a paragraph of the cell that has begun."""
        self._cells[-1].paragraphs.append(paragraph)

    def end_row(self, composer: Composer) -> None:
        """Write the row that has come."""
        cells = sorted((*self._cells, *self._spanning), key=lambda cell: cell.column)
        self._spanning = [
            _Cell(cell.column, cell.rows - 1, cell.paragraphs)
            for cell in cells
            if cell.rows > 1 and len(cell.text) <= SPANNED
        ]
        follows, headed = self._written > 0, self._headed or self.in_head
        found, self._cells, self._headed = bool(self._cells), [], True
        texts = [cell.text for cell in cells]
        if not found or not any(texts):
            return
        self._written += 1
        if len(cells) == 1:
            for paragraph in cells[0].paragraphs:
                composer.add(paragraph, follows=follows)
        elif headed and not self._header:
            self._header = tuple(texts)
            composer.row(texts, follows=follows)
        else:
            composer.row(texts, self._header, follows=follows)


def number(text: str | None, default: int) -> int:
    """Read a whole number from an attribute."""
    return int(text) if text and re.fullmatch(r"\s*-?\d{1,9}\s*", text) else default
