"""How a setting is spelled, read, bounded and explained. Knows none of them.

Each reader turns the text of a variable into a value, and raises :class:`ValueError` that says what
was expected.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Variable:
    """How a setting is spelled in the environment and on the command line, read and explained.

    ``least`` and ``most`` are the numbers that it may be, ``above`` one that it must exceed.
    """

    variable: str
    parse: Callable[[str], Any]
    meaning: str
    flag: str | None = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    secret: bool = False


def path(text: str) -> Path:
    """Read a path; ``~`` is the home folder."""
    found = Path(text.strip())
    try:
        return found.expanduser()
    except RuntimeError:
        raise ValueError(f"a path; {found.parts[0]} is no user's home folder") from None


def path_or_off(text: str) -> Path | None:
    """Read a path, or the word ``off``."""
    return None if text.strip().lower() == "off" else path(text)


def integer(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise ValueError("a whole number") from None


def number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number") from None


def number_or_off(text: str) -> float:
    """Read a number, or ``off`` for 0."""
    return 0.0 if text.strip().lower() == "off" else number(text)


def boolean(text: str) -> bool:
    """Read yes or no, in the words that people use for it."""
    for value, words in ((True, "1 true yes on"), (False, "0 false no off")):
        if text.strip().lower() in words.split():
            return value
    raise ValueError("true or false")


def mapping(text: str) -> dict[str, Any]:
    """Read a JSON object."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        raise ValueError("a JSON object")
    return value


def headers(text: str) -> dict[str, str]:
    """Read headers: a JSON object, or one a line as ``Name: value``."""
    if text.lstrip().startswith("{"):
        return {name: str(value) for name, value in mapping(text).items()}
    found = {}
    for line in text.replace("\\n", "\n").splitlines():
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise ValueError("a header a line, as 'Name: value', or a JSON object")
        found[name.strip()] = value.strip()
    return found


def setting(variable: str, meaning: str, default: Any, parse: Any = str.strip, **more: Any) -> Any:
    """Make a field of :class:`Settings`; a callable default makes a new one each time."""
    described = Variable(variable, parse, meaning, **more)
    kind = {"default_factory": default} if callable(default) else {"default": default}
    return field(**kind, repr=not described.secret, metadata={"variable": described})
