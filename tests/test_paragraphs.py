"""Which line breaks of a plain text are only a wrapped line's."""

from __future__ import annotations

import pytest

from rag.sentences import split_sentences

WRAPPED = """\
The kettle holds 1.7 litres and has a lid that opens wide, so that
Anna can fill it from the tap without taking off the filter. Before
the first use it must be boiled twice with clear water.
"""


def units(text: str) -> list[str]:
    """The sentences of a plain text, with line breaks as blanks."""
    spans = split_sentences(text)
    return [" ".join(text[s.start : s.end].split()) for s in spans if s.searchable]


def test_wrapped_lines_are_joined() -> None:
    """A line that ended for want of room goes on in the next, also before a capital."""
    assert units(WRAPPED) == [
        (
            "The kettle holds 1.7 litres and has a lid that opens wide, so that Anna can fill it"
            " from the tap without taking off the filter."
        ),
        "Before the first use it must be boiled twice with clear water.",
    ]


def test_a_title_over_a_wrapped_paragraph_stands_alone() -> None:
    """A short line without a stop is not glued to the paragraph under it."""
    assert units("Before first use\n" + WRAPPED)[0] == "Before first use"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tea\ncoffee and milk\nwater", ["tea", "coffee and milk", "water"]),
        ("Ann Lee\n12 Hill Road\nBristol", ["Ann Lee", "12 Hill Road", "Bristol"]),
        ("Name:\tAnn\nPlace:\tBristol", ["Name: Ann", "Place: Bristol"]),
        ("水壶说明书\n首次使用前清洗\n注意安全", ["水壶说明书", "首次使用前清洗", "注意安全"]),
        ("Intro\n- one\n- two\n  more\n* three", ["Intro", "- one", "- two", "more", "* three"]),
        ("1) Open\n2) Fill\na. Lid\nb. Mesh", ["1) Open", "2) Fill", "a. Lid", "b. Mesh"]),
        ("（1）打开\n（2）加水\n①清洗\n一、煮沸", ["（1）打开", "（2）加水", "①清洗", "一、煮沸"]),
        ("• one • two", ["• one", "• two"]),
    ],
)  # fmt: skip
def test_short_lines_and_list_lines_stand_alone(text: str, expected: list[str]) -> None:
    """Lines that nobody wrapped are sentences of their own, with or without a stop."""
    assert units(text) == expected


def test_what_only_begins_a_line_is_never_a_wrapped_line() -> None:
    """A key with a colon, a date or a time begins a line of its own, however full the last."""
    keys = [
        "Maker: Pine Kettles and Sons Limited, 12 Hill Road, Bristol, UK",
        "Model: K-17 Professional with an extra long cord",
        "E-mail: a@b.co",
    ]
    log = [
        "2024-01-05 12:00:01 INFO the kettle was switched on by the timer",
        "2024-01-05 12:03:09 INFO the kettle has boiled and switched off",
    ]
    assert units("\n".join(keys)) == keys
    assert units("\n".join(log)) == log


def test_a_list_item_may_be_wrapped() -> None:
    """The second line of a long item belongs to it, the next marker begins another."""
    text = (
        "- This item is so long that whoever wrote it had to go on in\n"
        "  the next line with it.\n"
        "- This one is short.\n"
    )
    assert units(text) == [
        "- This item is so long that whoever wrote it had to go on in the next line with it.",
        "- This one is short.",
    ]


def test_wrapped_chinese_is_joined() -> None:
    """A full line of Chinese, which has no blanks, goes on in the next."""
    first = "电热水壶在首次使用之前必须先用清水煮沸两次并且把水全部倒掉才能够放心"
    text = f"{first}\n饮用，请不要省略这个步骤。\n然后"
    assert units(text) == [f"{first} 饮用，请不要省略这个步骤。", "然后"]


def test_very_long_lines_are_paragraphs() -> None:
    """A line longer than anyone wraps at ends where it ends, even without a stop."""
    line = "This line is a whole paragraph of its own and goes on and on " * 4
    assert len(units(f"{line}\nAnd another one\n")) == 2


def test_a_blank_line_always_ends_a_sentence() -> None:
    """Nothing is joined across an empty line, and each paragraph has its number."""
    text = "one and\n\ntwo and\n \nthree"
    assert units(text) == ["one and", "two and", "three"]
    assert [span.paragraph for span in split_sentences(text)] == [0, 1, 2]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\f", "\u2028", "\x85"])
def test_every_kind_of_line_end(end: str) -> None:
    """Windows, old Mac, form feed and Unicode line ends are line ends too."""
    assert units(f"one{end}two{end}{end}three") == ["one", "two", "three"]
