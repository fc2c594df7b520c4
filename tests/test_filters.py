"""Filters as users type them, up to what they find."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest

from rag.errors import SettingsError
from rag.filters import parse_filter, sources_like, typed, why_nothing
from rag.stores.base import Store
from rag.types import Condition
from tests.small_collection import WordEmbeddings, build_small

TEXTS = {
    "en/kettle.md": "# Kettle\n\nBoil water.\n\n## Cleaning\n\nUse vinegar.\n",
    "en/pump.md": "Clean the pump.\n",
    "zh/kettle.md": "清洗水壶。\n",
}
METADATA: dict[str, Any] = {
    "en/kettle.md": {
        "language": "en", "tags": ("safety", "home"), "version": 2, "price": 19.5, "draft": False,
        "of": date(2024, 5, 1), "author": "Smith, J.", "code": "007", "mixed": 7,
    },
    "en/pump.md": {"language": "en", "version": 3, "draft": True, "mixed": "7"},
    "zh/kettle.md": {"language": "zh", "version": 10, "of": date(2025, 1, 1)},
}  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = build_small(tmp_path_factory.mktemp("f"), TEXTS, WordEmbeddings("pump"), METADATA)
    yield store
    store.close()


def found(store: Store, *expressions: str) -> list[str]:
    """The sources of what the filters leave, each once."""
    where = typed(map(parse_filter, expressions), store.documents())
    return list(dict.fromkeys(s.source for s in store.sentences(where)))


KETTLE, PUMP, ZH = TEXTS


@pytest.mark.parametrize(
    ("expression", "field", "operator", "value"),
    [
        ("language=en", "language", "=", "en"),
        (" page >= 3 ", "page", ">=", "3"),
        ("page<=3", "page", "<=", "3"),
        ("a==b", "a", "=", "b"),
        ("a!=b", "a", "!=", "b"),
        ("tags contains safe ty", "tags", "contains", "safe ty"),
        ("key in a,b , c", "key", "in", ("a", "b", "c")),
        ('author NOT  IN "Smith, J.",Lee', "author", "not in", ("Smith, J.", "Lee")),
        ('author = "Smith, J."', "author", "=", "Smith, J."),
        ("title=not in x", "title", "=", "not in x"),
        ("contains contains in", "contains", "contains", "in"),
        ("due date > 2024-01-01", "due date", ">", "2024-01-01"),
        ("标签=安全", "标签", "=", "安全"),
        ("title=a=b<c", "title", "=", "a=b<c"),
        ("title=a\nb", "title", "=", "a\nb"),
        ('title="a\r\nb"', "title", "=", "a\r\nb"),
        ("title in a\nb\r\nc,d\re", "title", "in", ("a", "b", "c", "d", "e")),
    ],
)
def test_parsed(expression: str, field: str, operator: str, value: Any) -> None:
    """Field, operator and value are told apart; quotes keep commas and line breaks."""
    assert parse_filter(expression) == Condition(field, operator, value)  # type: ignore[arg-type]


@pytest.mark.parametrize("expression", ["", "kettle", "=x", "<3", "a b c", "'; DROP TABLE x --"])
def test_not_understood(expression: str) -> None:
    """What is no filter is quoted in an error that says how to write one."""
    with pytest.raises(SettingsError, match="key=value") as error:
        parse_filter(expression)
    assert repr(expression) in str(error.value)


def test_a_value_without_end() -> None:
    """A value that is longer than the reader of lists takes is a named error."""
    with pytest.raises(SettingsError, match="The filter on 'title' cannot be read"):
        parse_filter(f"title={'x' * 200_000}")


@pytest.mark.parametrize("expression", ["a=", "a in ,", "a contains  ", 'a=""'])
def test_without_value(expression: str) -> None:
    """A filter without a value is an error."""
    with pytest.raises(SettingsError, match="no value"):
        parse_filter(expression)


@pytest.mark.parametrize(
    ("expression", "sources"),
    [
        ("language=zh", [ZH]),
        ("language!=zh", [KETTLE, PUMP]),
        ("version>2", [PUMP, ZH]),
        ("version = 2.0", [KETTLE]),
        ("version in 2,10", [KETTLE, ZH]),
        ("version not in 2,10", [PUMP]),
        ("price<20", [KETTLE]),
        ("draft=true", [PUMP]),
        ("draft = No", [KETTLE]),
        ("of<2025-01-01", [KETTLE]),
        ("of>=2024-05-01", [KETTLE, ZH]),
        ("tags contains safety", [KETTLE]),
        ("tags=home", [KETTLE]),
        ("code=007", [KETTLE]),
        ("code=7", []),
        ("mixed=7", [KETTLE, PUMP]),
        ("mixed!=7", [ZH]),
        ('author="Smith, J."', [KETTLE]),
        ("author contains smith", [KETTLE]),
        ("source=en/pump.md", [PUMP]),
        ("source contains kettle", [KETTLE, ZH]),
        ("section contains Cleaning", [KETTLE]),
        ("modified>2023-01-01", [KETTLE, PUMP, ZH]),
        ("modified>2023-11-14T22:13:20", []),
        ("size<20", [PUMP, ZH]),
        ("version=two", []),
        ("version!=two", [KETTLE, PUMP, ZH]),
        ("nonsense=1", []),
        ("page>=1", []),
    ],
)  # fmt: skip
def test_typed_by_what_the_field_holds(store: Store, expression: str, sources: list[str]) -> None:
    """Text, numbers, dates, booleans and lists compare as what the documents hold."""
    assert found(store, expression) == sources


@pytest.mark.parametrize(
    "expression",
    [
        "page>=inf", "page=nan", "page=1e999", f"page<{'9' * 400}", "size>=-inf", "version=nan",
        "modified>9999-99-99", "of=0000-00-00", "metadata.source=x", "source=../../etc/passwd",
        'source={"$ne":""}', "section=*", "source contains %", "a[0].b=1", "kind=\x00",
        "title=" + "x" * 100_000,
    ],
)  # fmt: skip
def test_odd_values_find_nothing(store: Store, expression: str) -> None:
    """Numbers out of range, impossible dates, paths, query syntax: values that match nothing."""
    assert found(store, expression) == []


def test_all_must_hold(store: Store) -> None:
    """Several filters narrow each other down."""
    assert found(store, "language=en", "version>2") == [PUMP]


def test_types_of_values(store: Store) -> None:
    """The collection says what a value is; a time without zone is UTC."""
    where = typed(map(parse_filter, ["version=2", "of=2024-05-01", "modified<2024-01-01T10:00"]),
                  store.documents())  # fmt: skip
    assert [c.value for c in where] == [2, date(2024, 5, 1), datetime(2024, 1, 1, 10, tzinfo=UTC)]
    given = Condition("version", "=", 2)
    assert typed([given], store.documents()) == [given]


@pytest.mark.parametrize(
    ("globs", "sources"),
    [
        (["*.md"], (KETTLE, PUMP, ZH)),
        (["kettle.md"], (KETTLE, ZH)),
        (["en/*"], (KETTLE, PUMP)),
        (["en/kettle.md", "zh/*"], (KETTLE, ZH)),
        (["*kettle*"], (KETTLE, ZH)),
        (["[ez]?/p*"], (PUMP,)),
        (["EN/*"], ()),
        (["*.txt"], ()),
        (["/etc/*", "../*"], ()),
    ],
)
def test_sources_like(store: Store, globs: list[str], sources: tuple[str, ...]) -> None:
    """A glob names paths, or file names where it has no slash; several are either-or."""
    condition = sources_like(globs, store.documents())
    assert condition == Condition("source", "in", sources)
    assert {s.source for s in store.sentences([condition])} == set(sources)


def test_why_nothing(store: Store) -> None:
    """An unknown field is named with those there are; a filter without match is said to be one."""

    def why(*expressions: str) -> str | None:
        return why_nothing(store, typed(map(parse_filter, expressions), store.documents()))

    assert why("language=en") is None
    unknown = why("langauge=en")
    assert unknown is not None
    assert "'langauge'" in unknown
    assert "language" in unknown.partition("there are: ")[2].split(", ")
    assert why("language=fr") == "The filter matched no document"
    both = why("language=zh", "version=2")
    assert both is not None
    assert "all 2 conditions" in both
    assert why_nothing(store, [sources_like(["x*"], store.documents())]) is not None


def test_a_path_is_the_source() -> None:
    """Users may say path for source."""
    assert parse_filter("path = a/b.md") == Condition("source", "=", "a/b.md")
