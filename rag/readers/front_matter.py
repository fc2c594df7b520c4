"""YAML front matter → a title, and metadata by which sentences can be filtered.

Dates, times, numbers and true/false get their types; all else is text. Stricter than YAML 1.1 where
it surprises: ``no`` is a word, ``007`` and ``12:30`` are text. A mapping inside becomes fields with
dots (``author.name``), a list of plain values a tuple; deeper lists are left out, empty values too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from rag.types import Metadata, Scalar

if TYPE_CHECKING:
    from yaml import SafeLoader

MOST_CHARACTERS = 64_000
"""Longer front matter is not read: it is data, and slow."""

_RESOLVERS = (
    # tag, what is of it, the characters that it begins with
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?",
        "-+.0123456789",
    ),
    ("null", r"~|null|Null|NULL|", "~nN"),
    (
        "timestamp",
        (
            r"\d{4}-\d\d?-\d\d?"
            r"(?:[Tt ]\s*\d\d?:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d\d?(?::?\d\d)?))?)?"
        ),
        "0123456789",
    ),
)


def read_front_matter(text: str) -> tuple[str, Metadata]:
    """Return the title, empty without one, and the other fields; ValueError says what is wrong."""
    import yaml

    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it is longer than {MOST_CHARACTERS:,} characters")
    try:
        loader = _loader()(text)
        try:
            fields = loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 2}: " if error.problem_mark else ""
        raise ValueError(f"{line}{error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(" ".join(str(error).split())) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if fields is None or isinstance(fields, str):  # text between two rules
        return "", {}
    if not isinstance(fields, dict):
        raise ValueError("it has no fields")
    metadata = dict(_flat(fields))
    title = next((metadata.pop(name) for name in ("title", "Title") if name in metadata), "")
    return "" if isinstance(title, tuple) else str(title).strip(), metadata


def _flat(fields: dict[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in fields.items():
        name = f"{prefix}{key}".strip()
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, list):
            items = tuple(_scalar(item) for item in value if isinstance(item, Scalar))
            if items:
                yield name, items
        elif isinstance(value, Scalar) and value != "":
            yield name, _scalar(value)


def _scalar(value: Scalar) -> Scalar:
    """Return ``value`` as stores can hold it: their whole numbers have 64 bits."""
    if isinstance(value, str):
        return value.replace("\0", "").strip()
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value


@cache
def _loader() -> type[SafeLoader]:
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # it ships no types
        """Plain values alone: no aliases, which can stand for billions of values."""

        yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark
                raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=mark)
            return super().compose_node(parent, index)

        def construct_yaml_timestamp(self, node: Any) -> date | str:
            try:
                value: date = super().construct_yaml_timestamp(node)
            except ValueError:  # the 31st of February
                return str(node.value)
            return value

    for tag, pattern, first in _RESOLVERS:
        Loader.add_implicit_resolver(
            f"tag:yaml.org,2002:{tag}",
            re.compile(rf"(?:{pattern})\Z"),
            [*first, ""] if tag == "null" else list(first),
        )
    Loader.add_constructor("tag:yaml.org,2002:timestamp", Loader.construct_yaml_timestamp)
    return Loader
