"""What a user types as a filter → conditions, typed by what the collection holds.

``page >= 3``, ``language = de``, ``tags contains safety``, ``modified > 2024-05-01``,
``author in "Smith, J.", Lee``. Knows the documents' records and no engine; that conditions hold is
the store's business.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from io import StringIO
from typing import TYPE_CHECKING, cast

from rag.errors import SettingsError
from rag.types import Condition, Operator, Scalar

if TYPE_CHECKING:
    from rag.stores.base import DocumentRecord, Store

FIELDS: dict[str, type[Scalar]] = {
    "source": str, "title": str, "size": int, "modified": datetime, "section": str, "page": int,
    "kind": str, "index": int, "start": int, "end": int, "paragraph": int,
}  # fmt: skip
"""The fields that every sentence has, beside the documents' own metadata, and their types."""

OTHER_NAMES = {"path": "source"}
"""What users may call a field besides."""

LARGEST_NUMBER = 2**53
"""Up to here a 64-bit float holds every whole number; larger ones are read as text."""

_EXPRESSION = re.compile(
    r"\s*(?P<field>[^\s=!<>](?:[^=!<>]*?[^\s=!<>])?)"
    r"(?:\s*(?P<sign>!=|<=|>=|==?|<|>)|\s+(?P<word>not\s+in|in|contains)\s)\s*(?P<value>.*)",
    re.DOTALL | re.IGNORECASE,
)


def parse_filter(expression: str) -> Condition:
    """Read one filter; its values are text still (see :func:`typed`).

    ``key=value``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``key in a,b``, ``key not in a,b``,
    ``key contains x``. A value with a comma or outer blanks stands in double quotes. Raises
    :class:`~rag.errors.SettingsError` for anything else.
    """
    match = _EXPRESSION.fullmatch(expression)
    if match is None:
        raise SettingsError(
            f"The filter {expression!r} is not understood; write key=value, with =, !=, <, <=, >, "
            ">=, in, not in or contains"
        )
    field = OTHER_NAMES.get(match["field"], match["field"])
    operator = cast(Operator, " ".join((match["sign"] or match["word"]).lower().split()))
    operator = "=" if operator == "==" else operator  # type: ignore[comparison-overlap]
    text = match["value"].strip()
    try:
        values = tuple(value.strip() for value in _listed(text) if value.strip())
    except csv.Error as error:
        raise SettingsError(f"The filter on {field!r} cannot be read: {error}") from None
    if not values:
        raise SettingsError(f"The filter {expression!r} has no value after {operator!r}")
    if operator in ("in", "not in"):
        return Condition(field, operator, values)
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return Condition(field, operator, values[0] if quoted and len(values) == 1 else text)


def typed(where: Iterable[Condition], documents: Sequence[DocumentRecord]) -> list[Condition]:
    """Turn the text in conditions into numbers, dates and booleans, where the field holds these.

    A text that can be no value of the field's types stays text, and then equals none of them.
    """
    bound = []
    for condition in where:
        types = _types(condition.field, documents)
        given = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        values = tuple(dict.fromkeys(value for text in given for value in _readings(text, types)))
        operator = condition.operator
        if len(values) > 1 and operator in ("=", "!="):  # the field holds values of several types
            operator = "in" if operator == "=" else "not in"
        several = operator in ("in", "not in")
        bound.append(Condition(condition.field, operator, values if several else values[0]))
    return bound


def sources_like(globs: Sequence[str], documents: Iterable[DocumentRecord]) -> Condition:
    """Return the condition that a source matches one of ``globs``: ``*.md``, ``manuals/*``.

    ``*`` stands for any characters, ``/`` too; a glob without ``/`` may match the file's name
    alone. Case counts.
    """
    paths = (document.path for document in documents)
    return Condition("source", "in", tuple(path for path in paths if _matches(path, globs)))


def why_nothing(store: Store, where: Sequence[Condition]) -> str | None:
    """Say in one sentence why no sentence of the collection fulfils ``where``; None if one does."""
    if next(iter(store.sentences(where)), None) is not None:
        return None
    documents = store.documents()
    fields = sorted({*FIELDS, *(name for document in documents for name in document.metadata)})
    unknown = [c.field for c in where if c.field not in fields]
    if unknown:
        return f"No document has the field {unknown[0]!r}; there are: {', '.join(fields)}"
    return "The filter matched no document" + (
        "" if len(where) == 1 else f": no sentence fulfils all {len(where)} conditions"
    )


def _listed(text: str) -> list[str]:
    """Return the values that commas divide, or line breaks, as in a list that was pasted."""
    lines = csv.reader(StringIO(text, newline=""), skipinitialspace=True)
    return [value for line in lines for value in line]


def _matches(path: str, globs: Iterable[str]) -> bool:
    name = path.rpartition("/")[2]
    return any(fnmatchcase(path, g) or ("/" not in g and fnmatchcase(name, g)) for g in globs)


def _types(field: str, documents: Iterable[DocumentRecord]) -> list[type[Scalar]]:
    if field in FIELDS:
        return [FIELDS[field]]
    held = (document.metadata[field] for document in documents if field in document.metadata)
    return list({type(v): None for h in held for v in (h if isinstance(h, tuple) else (h,))})


def _readings(value: Scalar, types: Iterable[type[Scalar]]) -> list[Scalar]:
    """Return what ``value`` means in each of ``types``; itself where it means nothing."""
    if not isinstance(value, str):
        return [value]
    readings = (_reading(value, kind) for kind in types)
    return [reading for reading in readings if reading is not None] or [value]


def _reading(text: str, kind: type[Scalar]) -> Scalar | None:
    try:
        if issubclass(kind, bool):
            return {"true": True, "yes": True, "false": False, "no": False}.get(text.casefold())
        if issubclass(kind, int | float):
            number = int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
            return number if abs(number) < LARGEST_NUMBER else None  # None too for nan
        if issubclass(kind, date):
            if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
                return date.fromisoformat(text)
            moment = datetime.fromisoformat(text)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except ValueError:
        return None
    return text
