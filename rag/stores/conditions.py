"""Conditions → whether a document, or a sentence, fulfils them. Pure.

Values compare by type: numbers with numbers, text with text, dates with dates (a date is the whole
day, a time without zone is UTC); values of different types are unequal and in no order. A list
fulfils a condition if one of its items does. ``contains`` asks for an item of a list, or for a
piece of a text, ignoring case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from operator import eq, ge, gt, le, lt
from typing import Any

from rag.stores.base import DocumentRecord
from rag.types import Condition, Operator, Scalar, Sentence

Value = Scalar | tuple[Scalar, ...] | None

SENTENCE_FIELDS = frozenset({"section", "page", "kind", "index", "start", "end", "paragraph"})
"""Fields of a sentence's own. All others are its document's."""

NEGATIONS: dict[Operator, Operator] = {"!=": "=", "not in": "in"}
"""Operators that hold where others do not, also where there is no value."""

_ORDER: dict[Operator, Callable[[Any, Any], bool]] = {
    "=": eq, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip


def selects(where: Sequence[Condition], record: DocumentRecord) -> bool:
    """Whether a document fulfils those of the conditions that are on documents."""
    return all(
        _holds(condition, _document_value(record, condition.field))
        for condition in where
        if condition.field not in SENTENCE_FIELDS
    )


def selects_sentence(where: Sequence[Condition], sentence: Sentence) -> bool:
    """Whether a sentence fulfils those of the conditions that are on sentences."""
    return all(
        _holds(condition, getattr(sentence, condition.field))
        for condition in where
        if condition.field in SENTENCE_FIELDS
    )


def _document_value(record: DocumentRecord, field: str) -> Value:
    if field == "source":
        return record.path
    if field in ("title", "size"):
        return getattr(record, field)  # type: ignore[no-any-return]
    if field == "modified":
        return datetime.fromtimestamp(record.modified, UTC)
    return record.metadata.get(field)


def _holds(condition: Condition, value: Value) -> bool:
    if condition.operator in NEGATIONS:
        positive = replace(condition, operator=NEGATIONS[condition.operator])
        return not _holds(positive, value)
    if value is None:
        return False
    if isinstance(value, tuple):
        if condition.operator == "contains":
            condition = replace(condition, operator="=")
        return any(_holds(condition, item) for item in value)
    wanted = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    operator: Operator = "=" if condition.operator == "in" else condition.operator
    if operator == "=" and isinstance(value, str):
        return value in wanted  # there may be many
    return any(_compares(operator, value, item) for item in wanted)


def _compares(operator: Operator, value: Scalar, wanted: Scalar) -> bool:
    if operator == "contains":
        return isinstance(value, str) and str(wanted).casefold() in value.casefold()
    if isinstance(value, date) and isinstance(wanted, date):
        start, end = _instants(wanted)
        at, until = _instants(value)
        return {
            "=": start <= at and until <= end, "<": at < start, "<=": until <= end,
            ">": until > end, ">=": at >= start,
        }[operator]  # fmt: skip
    if isinstance(value, bool) or isinstance(wanted, bool):
        return operator == "=" and value is wanted
    if isinstance(value, int | float) and isinstance(wanted, int | float):
        return _ORDER[operator](value, wanted)
    if isinstance(value, str) and isinstance(wanted, str):
        return _ORDER[operator](value, wanted)
    return False


def _instants(value: date) -> tuple[datetime, datetime]:
    """Return the first and last instant of a day; of a time, itself twice."""
    if isinstance(value, datetime):
        instant = value if value.tzinfo else value.replace(tzinfo=UTC)
        return instant, instant
    return datetime.combine(value, time.min, UTC), datetime.combine(value, time.max, UTC)
