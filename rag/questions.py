"""A JSONL file of questions → its rows. Knows nothing of answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rag.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path


def read_rows(file: Path) -> list[str]:
    """Return the lines of ``file`` that are not blank. Raises SettingsError when it is no text."""
    try:
        # Not splitlines: a JSON string may hold the other line ends that it knows.
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"Cannot read {file}: {error}") from None
    return [line for line in lines if line.strip()]


def read_row(row: str, number: int) -> tuple[str | int | None, str]:
    """Return id and question of a row; ``number``, from 1, is the id of one without.

    Raises :class:`~rag.errors.SettingsError`.
    """
    try:
        value = json.loads(row)
    except json.JSONDecodeError:
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("question"), str):
        raise SettingsError(f'Row {number} is not a JSON object with a "question"')
    row_id = value.get("id", number)
    if not isinstance(row_id, str | int):
        raise SettingsError(f"Row {number} has an id that is neither text nor a whole number")
    return row_id, value["question"]
