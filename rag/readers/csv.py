"""CSV and TSV → a line a row, each cell with its column's name: ``Code: E07 | Product: V8``.

A row so says by itself what it is, to search, to a model and to the reader. The delimiter is found
out: comma, semicolon, tab or bar. Cells keep their words; line ends in them become blanks.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from itertools import islice

from rag.readers import Content
from rag.readers.composer import Composer
from rag.readers.encoding import decode

MAX_ROWS = 200_000
"""More are not read: each is a sentence, and the bundled model embeds some fifty a second."""

_DELIMITERS = ",;\t|"
_NUMBER = re.compile(r"[-+¥$€£]?[\d.,\s]*\d[\d.,\s]*[%¥$€£]?")
_YEAR = re.compile(r"(?:19|20)\d\d")


def read(data: bytes) -> Content:
    """Read a table; the first row names the columns unless it holds numbers."""
    text = decode(data)
    delimiter = _delimiter(text)
    if declared := re.match(r"sep=(.)\n", text):  # as Excel writes it
        text, delimiter = text[declared.end() :], declared[1]
    rows = [row for row in _rows(text, delimiter) if any(row)]
    if len(rows) > MAX_ROWS:
        raise ValueError(f"has {len(rows):,} rows; files with over {MAX_ROWS:,} are not read")
    header = rows.pop(0) if len(rows) > 1 and _names_columns(rows[0]) else []
    composer = Composer()
    for number, row in enumerate(rows):
        names = header + [""] * (len(row) - len(header))
        cells = [
            f"{name}: {cell}" if name else cell
            for name, cell in zip(names, row, strict=False)
            if cell
        ]
        composer.row(cells, follows=number > 0)
    return composer.content()


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """Parse; where quotes do not pair, line by line, so that none swallows the rest."""
    for strict in (True, False):
        reader = csv.reader(
            io.StringIO(text),
            delimiter=delimiter,
            strict=strict,
            quoting=csv.QUOTE_MINIMAL if strict else csv.QUOTE_NONE,
        )
        try:
            return [[" ".join(cell.split()) for cell in row] for row in reader]
        except csv.Error as error:
            reason = f"line {reader.line_num} is no CSV: {error}"
    raise ValueError(reason)


def _delimiter(text: str) -> str:
    """Return the delimiter that gives the first rows the same number of columns, and most."""

    def regularity(delimiter: str) -> tuple[float, int]:
        try:
            head = list(islice(csv.reader(io.StringIO(text[:20_000]), delimiter=delimiter), 20))
        except csv.Error:
            return 0.0, 0
        widths = Counter(len(row) for row in head if row)
        width, count = widths.most_common(1)[0] if widths else (1, 0)
        return (count / sum(widths.values()) if width > 1 else 0.0), width

    return max(_DELIMITERS, key=regularity)


def _names_columns(row: list[str]) -> bool:
    names = [cell for cell in row if cell]
    numbers = [name for name in names if _NUMBER.fullmatch(name) and not _YEAR.fullmatch(name)]
    return len(row) > 1 and len(set(names)) == len(names) > len(row) // 2 and not numbers
