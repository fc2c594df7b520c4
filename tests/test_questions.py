"""Rows of a JSONL file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.commands.questions import Row, read_history, read_row, read_rows
from rag.errors import SettingsError
from rag.types import Turn


def test_a_row_is_a_line(tmp_path: Path) -> None:
    """Line feeds end rows, and nothing else does; blank rows and a byte-order mark are no rows."""
    file = tmp_path / "questions.jsonl"
    file.write_bytes('\ufeff{"question": "a\u2028b\x85"}\r\n\n  \n{"question": "c"}'.encode())
    rows = read_rows(file)
    assert [read_row(row, 1).question for row in rows] == ["a\u2028b\x85", "c"]


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    """A missing file, or one that is no UTF-8, is named."""
    file = tmp_path / "questions.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"Cannot read .*questions\.jsonl"):
        read_rows(file)


def test_a_row_without_an_id_is_its_number() -> None:
    """An id is text or a whole number, as given; otherwise the row's number."""
    assert read_row('{"id": "q-1", "question": "How?"}', 7) == Row("q-1", "How?")
    assert read_row('{"question": "How?"}', 7) == Row(7, "How?")


HISTORY = [
    {"role": "user", "text": "Who?"}, {"role": "agent", "text": "Ada."},
    {"role": "user", "text": "When?"},
]  # fmt: skip


def test_a_row_may_follow_others(tmp_path: Path) -> None:
    """What was said before is read as turns, from a row or from a file of its own."""
    turns = (Turn("Who?", "Ada."), Turn("When?", ""))
    assert read_row(json.dumps({"question": "Why?", "history": HISTORY}), 1).history == turns
    file = tmp_path / "history.json"
    file.write_text(json.dumps(HISTORY), "utf-8")
    assert read_history(file) == turns


@pytest.mark.parametrize("history", [7, "Who?", ["Who?"], [{"role": "user"}], [{"text": "Who?"}]])
def test_a_history_that_cannot_be_read(history: object) -> None:
    """What is expected is said with the row's number."""
    with pytest.raises(SettingsError, match="Row 7 has a history"):
        read_row(json.dumps({"question": "Why?", "history": history}), 7)


@pytest.mark.parametrize(
    "row", ["{", "[]", "7", '{"question": 7}', "{}", '{"id": [], "question": "How?"}']
)
def test_a_row_that_is_no_question(row: str) -> None:
    """What is wrong is said with the row's number."""
    with pytest.raises(SettingsError, match="Row 7 "):
        read_row(row, 7)
