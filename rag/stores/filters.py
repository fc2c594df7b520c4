"""Conditions → clauses that every engine can look up in an index. Pure.

A document's metadata are the same in all its sentences, so a condition on them is decided here, on
the documents' records, and becomes a list of sources; only what differs within a document (section,
page, kind, place) becomes a clause on the sentences themselves. So all stores filter alike, a field
may have any name, and no name a user types ever becomes a path inside the engine.

Values compare by type: numbers with numbers, text with text, dates with dates (a date is the whole
day, a time without zone is UTC); values of different types are unequal and in no order. A list
fulfils a condition if one of its items does. ``contains`` asks for an item of a list, or for a
piece of a text, ignoring case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from math import ceil, floor
from operator import eq, ge, gt, le, lt
from typing import Any, get_args

from rag.stores.base import DocumentRecord
from rag.stores.payload import SOURCE
from rag.types import Condition, Operator, Scalar, Sentence, SpanKind

Value = Scalar | tuple[Scalar, ...] | None

_SENTENCE_FIELDS = frozenset({"section", "page", "kind", "index", "start", "end", "paragraph"})
_NEGATIONS: dict[Operator, Operator] = {"!=": "=", "not in": "in"}


@dataclass(frozen=True, slots=True)
class Clause:
    """One test of a payload field; ``key`` is a path of ours.

    Either ``any_of`` (the field has one of these values) or bounds of a number, both inside.
    ``negated`` turns it round: then a missing field fulfils it.
    """

    key: str
    any_of: tuple[str, ...] | tuple[int, ...] = ()
    at_least: float | None = None
    at_most: float | None = None
    negated: bool = False


def resolve(
    where: Sequence[Condition], documents: Callable[[], Iterable[DocumentRecord]]
) -> tuple[Clause, ...] | None:
    """Turn conditions into clauses that must all hold; None: nothing can fulfil them.

    ``documents`` is called only if a condition asks for it.
    """
    clauses: list[Clause] = []
    on_documents: list[Condition] = []
    for condition in where:
        if condition.field in _SENTENCE_FIELDS:
            clause = _clause(condition)
            if clause is None:
                return None
            clauses.append(clause)
        elif condition.field == "source" and condition.operator in ("=", "!="):
            negated = condition.operator == "!="
            clauses.append(Clause(SOURCE, (str(condition.value),), negated=negated))
        else:
            on_documents.append(condition)
    if on_documents:
        sources = _sources(on_documents, documents())
        if sources is None:
            return None
        clauses.extend(sources)
    return tuple(clauses)


def selects(where: Sequence[Condition], record: DocumentRecord) -> bool:
    """Whether a document fulfils those of the conditions that are on documents."""
    return all(
        _holds(condition, _document_value(record, condition.field))
        for condition in where
        if condition.field not in _SENTENCE_FIELDS
    )


def selects_sentence(where: Sequence[Condition], sentence: Sentence) -> bool:
    """Whether a sentence fulfils those of the conditions that are on sentences."""
    return all(
        _holds(condition, getattr(sentence, condition.field))
        for condition in where
        if condition.field in _SENTENCE_FIELDS
    )


def _sources(
    where: Sequence[Condition], documents: Iterable[DocumentRecord]
) -> tuple[Clause, ...] | None:
    selected: list[str] = []
    others: list[str] = []
    for record in documents:
        (selected if selects(where, record) else others).append(record.path)
    if not selected:
        return None
    if not others:
        return ()
    if len(others) < len(selected):  # the shorter list is the cheaper one to look up
        return (Clause(SOURCE, tuple(others), negated=True),)
    return (Clause(SOURCE, tuple(selected)),)


def _document_value(record: DocumentRecord, field: str) -> Value:
    if field == "source":
        return record.path
    if field in ("title", "size"):
        return getattr(record, field)  # type: ignore[no-any-return]
    if field == "modified":
        return datetime.fromtimestamp(record.modified, UTC)
    return record.metadata.get(field)


def _clause(condition: Condition) -> Clause | None:
    """Make the clause of a condition on sentences; None: nothing can fulfil it."""
    operator = _NEGATIONS.get(condition.operator, condition.operator)
    negated = operator != condition.operator
    key = f"metadata.{condition.field}"
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    if condition.field in ("section", "kind"):
        texts = tuple(value for value in values if isinstance(value, str))
        if operator == "contains" and condition.field == "kind":
            texts = tuple(kind for kind in _KINDS if texts and texts[0].casefold() in kind)
        if operator in ("=", "in", "contains") and (texts or negated):
            return Clause(key, texts, negated=negated)
        return None
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if operator in ("=", "in"):
        whole = tuple(int(number) for number in numbers if number == int(number))
        return Clause(key, whole, negated=negated) if whole or negated else None
    if operator not in ("<", "<=", ">", ">=") or not numbers:
        return None
    number = numbers[0]  # these fields are whole numbers, so every bound can be an inner one
    bounds = {
        "<": ceil(number) - 1,
        "<=": floor(number),
        ">": floor(number) + 1,
        ">=": ceil(number),
    }
    if operator in ("<", "<="):
        return Clause(key, at_most=bounds[operator])
    return Clause(key, at_least=bounds[operator])


def _holds(condition: Condition, value: Value) -> bool:
    if condition.operator in _NEGATIONS:
        positive = replace(condition, operator=_NEGATIONS[condition.operator])
        return not _holds(positive, value)
    if value is None:
        return False
    if isinstance(value, tuple):
        if condition.operator == "contains":
            condition = replace(condition, operator="=")
        return any(_holds(condition, item) for item in value)
    if condition.operator == "in":
        wanted = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        return any(_compares("=", value, item) for item in wanted)
    if isinstance(condition.value, tuple):
        return False
    return _compares(condition.operator, value, condition.value)


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


_KINDS: tuple[str, ...] = get_args(SpanKind)
_ORDER: dict[Operator, Callable[[Any, Any], bool]] = {
    "=": eq, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip
