"""A JSONL file of questions → its rows. Knows nothing of answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.errors import SettingsError
from rag.types import Turn

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Row:
    """A question of a file. ``history`` are the turns that it follows, oldest first."""

    id: str | int | None
    question: str
    history: tuple[Turn, ...] = ()


def read_rows(file: Path) -> list[str]:
    """Return the lines of ``file`` that are not blank. Raises SettingsError when it is no text."""
    try:
        # Not splitlines: a JSON string may hold the other line ends that it knows.
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"Cannot read {file}: {error}") from None
    return [line for line in lines if line.strip()]


def read_row(row: str, number: int) -> Row:
    """Read a row; ``number``, from 1, is the id of one without.

    A ``history`` is a list of ``{"role", "text"}``: what the user said, and what was answered.

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
    return Row(row_id, value["question"], _turns(value.get("history") or [], f"Row {number}"))


def read_history(file: Path) -> tuple[Turn, ...]:
    """Read the turns that a question follows: a JSON list as in a row's ``history``.

    Raises :class:`~rag.errors.SettingsError`.
    """
    try:
        said = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"Cannot read {file}: {error}") from None
    return _turns(said, str(file))


def _turns(said: object, where: str) -> tuple[Turn, ...]:
    """Return what was said as turns. Whoever is not the user answers."""
    turns: list[Turn] = []
    for each in said if isinstance(said, list) else [said]:
        role, text = (each.get(k) for k in ("role", "text")) if isinstance(each, dict) else (0, 0)
        if not (isinstance(role, str) and isinstance(text, str)):
            expected = 'expected a list of {"role": "user" or "assistant", "text"}'
            raise SettingsError(f"{where} has a history that cannot be read: {expected}")
        if role == "user":
            turns.append(Turn(text, ""))
        elif turns:
            turns[-1] = Turn(turns[-1].question, f"{turns[-1].answer}\n{text}".strip())
    return tuple(turns)
