"""Filters on metadata: how values of each type compare, and how filters become clauses."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from rag.stores.base import DocumentRecord
from rag.stores.conditions import selects
from rag.stores.filters import Clause, resolve
from rag.types import Condition

DAY = date(2024, 5, 1)
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
METADATA = {
    "text": "Kettle Manual", "number": 3, "ratio": 0.5, "flag": True, "day": DAY, "noon": NOON,
    "naive": datetime(2024, 5, 1, 12), "tags": ("red", "blue"), "years": (2020, 2024),
}  # fmt: skip
RECORD = DocumentRecord("a/b.md", "B", "sha", 10, NOON.timestamp(), 5, METADATA)


@pytest.mark.parametrize(
    ("field", "operator", "value", "expected"),
    [
        ("text", "=", "Kettle Manual", True),
        ("text", "=", "kettle manual", False),
        ("text", "contains", "kettle", True),
        ("text", "contains", "lamp", False),
        ("text", "<", "Lamp", True),
        ("text", "in", ("Lamp", "Kettle Manual"), True),
        ("number", "=", 3.0, True),
        ("number", "=", "3", False),
        ("number", "<", 3, False),
        ("number", "<=", 3, True),
        ("number", "in", (1, 3), True),
        ("number", "not in", (1, 3), False),
        ("number", "contains", 3, False),
        ("ratio", ">", 0, True),
        ("flag", "=", True, True),
        ("flag", "!=", False, True),
        ("flag", "=", 1, False),
        ("number", "=", True, False),
        ("day", "=", DAY, True),
        ("day", "<", DAY + timedelta(days=1), True),
        ("day", ">=", NOON, False),
        ("noon", "=", DAY, True),
        ("noon", ">", DAY, False),
        ("noon", "<=", DAY, True),
        ("noon", "<", datetime(2024, 5, 1, 14, tzinfo=timezone(timedelta(hours=1))), True),
        ("naive", "=", NOON, True),
        ("day", "=", "2024-05-01", False),
        ("tags", "=", "red", True),
        ("tags", "contains", "red", True),
        ("tags", "contains", "re", False),
        ("tags", "not in", ("blue",), False),
        ("years", ">", 2023, True),
        ("years", "<", 2020, False),
        ("nowhere", "=", "x", False),
        ("nowhere", "<", 1, False),
        ("nowhere", "!=", "x", True),
        ("nowhere", "not in", ("x",), True),
        ("source", "=", "a/b.md", True),
        ("title", "contains", "b", True),
        ("size", ">=", 10, True),
        ("modified", "=", DAY, True),
        ("modified", "<", NOON, False),
    ],
)
def test_values(field, operator, value, expected):
    """Values compare by their types; a day is whole; a list holds if one item does."""
    assert selects([Condition(field, operator, value)], RECORD) is expected


def documents(*paths: str) -> list[DocumentRecord]:
    return [DocumentRecord(path, path, "", 0, 0.0, 1, {"even": i % 2 == 0}) for i, path in
            enumerate(paths)]  # fmt: skip


def test_few_documents_become_sources():
    """A filter on metadata becomes the list of documents, or of those that it leaves out."""
    five = documents("0", "1", "2", "3", "4")
    even, odd = Condition("even", "=", True), Condition("even", "=", False)
    source = "metadata.source"
    assert resolve([odd], lambda: five) == (Clause(source, ("1", "3")),)
    assert resolve([even], lambda: five) == (Clause(source, ("1", "3"), negated=True),)
    assert resolve([even, odd], lambda: five) is None
    assert resolve([Condition("x", "!=", 1)], lambda: five) == ()


def test_sources_need_no_documents():
    """A filter on sources or sentences alone does not read the documents."""

    def unread() -> list[DocumentRecord]:
        raise AssertionError

    where = [Condition("source", "in", ("a", "b")), Condition("page", ">", 2)]
    expected = (Clause("metadata.source", ("a", "b")), Clause("metadata.page", at_least=3))
    assert resolve(where, unread) == expected
    assert resolve([], unread) == ()
