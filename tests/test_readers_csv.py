"""CSV and TSV → a line a row, with the names of its columns."""

from __future__ import annotations

import csv as library
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.readers import csv as reader
from rag.readers.csv import read
from tests.conftest import SAMPLES
from tests.read_blocks import check, read_blocks, sentences


def lines(text: str) -> list[str]:
    """The rows of a table."""
    return [text for _, text, _ in read_blocks(read(text.encode()))]


def test_a_row_is_a_sentence_that_names_its_columns() -> None:
    """Quotes, delimiters and line ends inside cells are the cell's; empty cells are left out."""
    content = read(
        b'code,product,meaning\r\nE07,"V8, robot","brush\r\njammed ""twice"""\r\n'
        b"E08,,empty\r\n\r\n,,\r\n"
    )
    assert sentences(content) == [
        ("row", 'code: E07 | product: V8, robot | meaning: brush jammed "twice"', ()),
        ("row", "code: E08 | meaning: empty", ()),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "name,price\nK1,129\nK2,199\n",
        "name;price\nK1;129\nK2;199\n",
        "name\tprice\nK1\t129\nK2\t199\n",
        "name|price\nK1|129\nK2|199",
        "sep=;\nname;price\nK1;129\nK2;199\n",
        '"name","price"\n"K1","129"\n"K2","199"\n',
    ],
)
def test_the_delimiter_is_found_out(text: str) -> None:
    """By what gives all rows the same columns, or as Excel declares it."""
    assert lines(text) == ["name: K1 | price: 129", "name: K2 | price: 199"]


def test_decimal_commas_are_no_delimiters() -> None:
    """A semicolon between columns leaves commas to the numbers."""
    assert lines("型号;价格\nK1;129,5\nK2;199\n") == [
        "型号: K1 | 价格: 129,5",
        "型号: K2 | 价格: 199",
    ]


def test_a_first_row_with_numbers_names_nothing() -> None:
    """It is data like the others; years name columns."""
    assert lines("K1,129\nK2,199\n") == ["K1 | 129", "K2 | 199"]
    assert lines("product,2023,2024\nK1,5,7\n") == ["product: K1 | 2023: 5 | 2024: 7"]


def test_one_column_is_a_list() -> None:
    """Its first line is an entry like the others."""
    assert lines("one\ntwo\nthree\n") == ["one", "two", "three"]
    assert lines("only,names\n") == ["only | names"]


def test_a_quote_that_is_never_closed_swallows_nothing() -> None:
    """The file is then taken line by line."""
    assert lines('name,size\npipe,5"\n"hose,3\nK1,2\n') == [
        'name: pipe | size: 5"', 'name: "hose | size: 3', "name: K1 | size: 2",
    ]  # fmt: skip


def test_rows_of_other_lengths_keep_all_cells() -> None:
    """A cell beyond the names has none."""
    assert lines("a,b\n1x,2x,3x\n4x\n") == ["a: 1x | b: 2x | 3x", "a: 4x"]


def test_long_answers_are_split_and_know_their_question() -> None:
    """In a table of questions and answers each sentence of a long answer can be found."""
    answer = "It takes a while. " * 40
    content = read(f'question,answer\nHow long?,"{answer}"\n'.encode())
    found = sentences(content)
    assert found[0][1] == "question: How long?"
    assert len(found) == 41
    assert content.blocks[-1].context == "question: How long?"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16"])
def test_it_is_read_in_its_encoding(encoding: str) -> None:
    """Excel writes marks, or the encoding of the country."""
    content = read("型号,价格\n电水壶 K1,一百二十九元\n".encode(encoding))
    assert content.text == "型号: 电水壶 K1 | 价格: 一百二十九元"


def test_what_is_no_table_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell or a table too large to be one."""
    with pytest.raises(ValueError, match="line 2 is no CSV: field larger"):
        read(b'a,b\n"' + b"x" * 200_000 + b'",c\n')
    monkeypatch.setattr(reader, "MAX_ROWS", 2)
    with pytest.raises(ValueError, match="has 3 rows; files with over 2 are not read"):
        read(b"a\nb\nc\n")


def test_the_sample_is_read() -> None:
    """A line end inside a quoted cell stays inside its row."""
    content = read((SAMPLES / "formats" / "pickup-lockers.csv").read_bytes())
    assert len(sentences(content)) == 4
    assert "address: 12 Market Street (beside the bakery) | largest parcel, cm: 38" in content.text


@given(st.lists(st.lists(st.text(max_size=6), min_size=1, max_size=4), max_size=6))
def test_no_word_is_lost(rows: list[list[str]]) -> None:
    """Every word is in the text, but for names of empty columns; and offsets are exact."""
    buffer = io.StringIO()
    library.writer(buffer, lineterminator="\n").writerows(
        [[cell.replace("\0", "").replace("\r", "") for cell in row] for row in rows]
    )
    data = buffer.getvalue().encode("utf-8", "ignore")
    try:
        content = read(data)
    except ValueError:
        return
    check(content)
    parsed = library.reader(io.StringIO(data.decode()))
    first, *others = [*(row for row in parsed if any(cell.strip() for cell in row)), []]
    filled = {place for row in others for place, cell in enumerate(row) if cell.strip()}
    named = [cell for place, cell in enumerate(first) if place in filled or not filled]
    for cell in (*named, *(cell for row in others for cell in row)):
        for word in cell.split():
            if word.isalnum():
                assert word in content.text
