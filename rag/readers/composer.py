"""Headings, paragraphs, items and rows → one text, and the blocks that it consists of.

What readers of laid-out formats write into. Blocks stand a blank line apart, those of one list or
table a line end. Nothing is marked up: a ``#`` or ``*`` in the text is the document's own. Knows no
format and no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.readers import Content
from rag.splitting.blocks import Block, Cut
from rag.types import Page, SpanKind

LONG_ROW = 400
"""Characters. A longer row's cells stand on lines of their own and are split into sentences."""

CELL = " | "
"""What stands between the cells of a row."""

_INVISIBLE = dict.fromkeys(map(ord, "\0\xad\u200b\u2060\ufeff"))
"""Marks of where a word may break, which would keep it from being found; and NULs."""


class Composer:
    """A document being written, front to back."""

    def __init__(self) -> None:
        self.length = 0
        """Characters written so far: where the next block will begin, or just before."""
        self._parts: list[str] = []
        self._blocks: list[Block] = []
        self._section: list[tuple[int, str]] = []
        self._paragraph = -1

    def title(self, text: str) -> int:
        """Write the document's title: shown, never found, and the name of no section."""
        return self.add(text, "heading", cut="whole", searchable=False)

    def heading(self, text: str, level: int) -> int:
        """Write a heading; it ends the sections of its level and below, and begins one."""
        words = " ".join(text.split())
        if words:
            while self._section and self._section[-1][0] >= level:
                self._section.pop()
            self._section.append((level, words))
        return self.add(text, "heading", cut="whole", searchable=False)

    def end_sections(self) -> None:
        """What comes belongs to no section: the notes at a document's end."""
        self._section.clear()

    def add(
        self,
        text: str,
        kind: SpanKind = "sentence",
        *,
        cut: Cut = "sentences",
        searchable: bool = True,
        context: str = "",
        follows: bool = False,
        indent: str = "",
    ) -> int:
        """Write a block and return where it begins; blank text is none.

        ``follows`` puts it into the list or table of the block before. A sentence ends at each line
        end of ``text``. ``indent`` is white space before it.
        """
        text = text.translate(_INVISIBLE)
        text = text.strip("\n").rstrip() if cut == "lines" else text.strip()
        if not text.strip():
            return self.length
        separator = ("\n" if follows else "\n\n") if self._parts else ""
        self._write(separator + indent)
        if not follows or self._paragraph < 0:
            self._paragraph += 1
        start = self.length
        self._write(text)
        self._blocks.append(
            Block(
                start,
                self.length,
                kind,
                cut,
                searchable,
                tuple(title for _, title in self._section),
                self._paragraph,
                context,
                tuple(start + match.end() for match in re.finditer("\n", text))
                if "\n" in text
                else (),
            )
        )
        return start

    def row(self, cells: Sequence[str], header: Sequence[str] = (), *, follows: bool) -> int:
        """Write a table's row and return where it begins; ``header`` is embedded with it.

        A long row is written cell by cell, each embedded with its own header and the row's first
        cell, so that its sentences can be found.
        """
        cells = list(cells)
        while cells and not cells[-1].strip():
            cells.pop()
        line = CELL.join(cells)
        context = CELL.join(header)
        if len(line) <= LONG_ROW:
            return self.add(line, "row", cut="whole", context=context, follows=follows)
        starts = []
        for place, cell in enumerate(cells):
            label = header[place] if place < len(header) else ""
            about = cells[0] if place and len(cells[0]) <= LONG_ROW else ""
            context = CELL.join(filter(None, (about, label)))
            starts.append(self.add(cell, "row", context=context, follows=follows or place > 0))
        return starts[0]

    def content(
        self, title: str = "", pages: Sequence[Page] = (), notes: Sequence[str] = ()
    ) -> Content:
        """Return what was written."""
        return Content(
            "".join(self._parts),
            title=title,
            pages=tuple(pages),
            blocks=tuple(self._blocks),
            notes=tuple(notes),
        )

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)
