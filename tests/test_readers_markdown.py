"""Markdown → its title, and its front matter as typed metadata."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from rag.readers.front_matter import MOST_CHARACTERS, read_front_matter
from rag.readers.markdown import read
from rag.types import Scalar


def test_front_matter_is_title_and_typed_metadata() -> None:
    """Dates, times, numbers and truth get types; all else is text; the text stays whole."""
    text = (
        "---\ntitle: Kettle K1\npublished: 2024-05-06\nat: 2024-05-06T10:00:00Z\nissue: 17\n"
        "price: 12.5\npublic: true\ntags: [kitchen, 2024]\nauthor: {name: Li, born: 1980-02-03}\n"
        "---\n# Another heading\n\nText.\n"
    )
    content = read(text.encode())
    assert content.text == text
    assert content.title == "Kettle K1"
    assert content.metadata == {
        "published": date(2024, 5, 6),
        "at": datetime(2024, 5, 6, 10, tzinfo=UTC),
        "issue": 17,
        "price": 12.5,
        "public": True,
        "tags": ("kitchen", 2024),
        "author.name": "Li",
        "author.born": date(1980, 2, 3),
    }
    assert [type(value) for value in content.metadata.values()][2:5] == [int, float, bool]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"), ("on", "on"), ("007", "007"), ("12:30", "12:30"), ("1_000", "1_000"),
        ("0x1F", "0x1F"), (".nan", ".nan"), (".inf", ".inf"), ("2024-13-45", "2024-13-45"),
        ("99999999999999999999", "99999999999999999999"), ("'5'", "5"), ("v1.2", "v1.2"),
        ("1e3", 1000.0), ("-5", -5), ("False", False), ("水壶", "水壶"),
        ("2024-5-6", date(2024, 5, 6)),
    ],
)  # fmt: skip
def test_only_what_looks_like_a_value_is_one(written: str, value: Scalar) -> None:
    """Words, codes and times of day are not turned into numbers."""
    assert read_front_matter(f"x: {written}\n") == ("", {"x": value})


def test_what_cannot_be_filtered_by_is_left_out() -> None:
    """Empty values and lists of lists have no type."""
    assert read_front_matter("a:\nb: ''\nc: ~\nd: []\ne: [{f: 1}]\ng: [1, [2]]\n") == (
        "",
        {"g": (1,)},
    )


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("a: [1\n", "line"),
        ("a: b: c\n", "line 2: mapping values are not allowed here"),
        ("a: &x [1]\nb: *x\n", "line 3: aliases are not read"),
        ("a: !!python/object/apply:os.system [x]\n", "line 2"),
        ("- 1\n- 2\n", "it has no fields"),
        ("a: \x06\n", "unacceptable character"),
        ("? [a]\n: b\n? {c: d}\n: e\n", "line"),
        (f"a: {'[' * 5000}\n", "it is nested too deeply"),
        (f"a: {'x' * MOST_CHARACTERS}\n", "it is longer than"),
    ],
)
def test_front_matter_that_cannot_be_read_is_a_remark(front: str, reason: str) -> None:
    """The document is read all the same."""
    content = read(f"---\n{front}---\n# Heading\n\nText.\n".encode())
    assert content.title == "Heading"
    assert not content.metadata
    (note,) = content.notes
    assert note.startswith(f"front matter not read: {reason}")


def test_text_between_two_rules_is_no_front_matter() -> None:
    """There is nothing to say about it."""
    content = read(b"---\nJust a line\n---\n\n# Heading\n")
    assert (content.title, dict(content.metadata), content.notes) == ("Heading", {}, ())


def test_without_front_matter_the_first_heading_is_the_title() -> None:
    """Comments of front matter and code are no headings."""
    assert read(b"```\n# no\n```\n\n## Two\n\n# One *plus* [link](x)\n").title == "One plus link"
    assert read(b"---\n# comment\na: 1\n---\nText\n=====\n").title == "Text"
