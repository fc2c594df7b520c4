"""Conditions → clauses that every engine can look up in an index. Pure.

A document's metadata are the same in all its sentences, so a condition on them is decided here, on
the documents' records, and becomes a list of sources; only what differs within a document (section,
page, kind, place) becomes a clause on the sentences themselves. So all stores filter alike, a field
may have any name, and no name a user types ever becomes a path inside the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isnan
from typing import get_args

from rag.stores.base import DocumentRecord
from rag.stores.conditions import NEGATIONS, SENTENCE_FIELDS, selects
from rag.stores.payload import SOURCE
from rag.types import Condition, SpanKind

_KINDS: tuple[str, ...] = get_args(SpanKind)
_LARGEST = 2**53  # beyond, whole numbers are not exact as floats


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
        if condition.field in SENTENCE_FIELDS:
            clause = _clause(condition)
            if clause is None:
                return None
            clauses.append(clause)
        elif condition.field == "source" and condition.operator in ("=", "!=", "in", "not in"):
            values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
            paths = tuple(value for value in values if isinstance(value, str))
            clauses.append(Clause(SOURCE, paths, negated=condition.operator in NEGATIONS))
        else:
            on_documents.append(condition)
    if on_documents:
        sources = _sources(on_documents, documents())
        if sources is None:
            return None
        clauses.extend(sources)
    return tuple(clauses)


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


def _clause(condition: Condition) -> Clause | None:
    """Make the clause of a condition on sentences; None: nothing can fulfil it."""
    operator = NEGATIONS.get(condition.operator, condition.operator)
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
    numbers = [max(-_LARGEST, min(_LARGEST, v)) for v in numbers if not isnan(v)]
    if operator in ("=", "in"):
        whole = tuple(int(number) for number in numbers if number == int(number))
        return Clause(key, whole, negated=negated) if whole or negated else None
    if operator not in ("<", "<=", ">", ">=") or not numbers:
        return None
    number = numbers[0]  # these fields are whole numbers, so every bound can be an inner one
    if operator in ("<", "<="):
        return Clause(key, at_most=ceil(number) - 1 if operator == "<" else floor(number))
    return Clause(key, at_least=floor(number) + 1 if operator == ">" else ceil(number))
