"""Markers in answers: which are citations, and what a view draws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.citations import escape_citations, find_citations, split_citations, strip_citations


def numbers(text: str, passages: int = 3) -> list[int]:
    """The passages that ``text`` cites."""
    return [citation.passage for citation in find_citations(text, passages)]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Boil it [1].", [1]),
        ("Boil it[1].", [1]),
        ("Boil it [1][2].", [1, 2]),
        ("Boil it [1, 2] or [1，3].", [1, 2, 1, 3]),
        ("Boil it [1-3] or [2–3].", [1, 2, 3, 2, 3]),
        ("Boil it [1, 2-3].", [1, 2, 3]),
        ("Boil it [1 and 3].", [1, 3]),
        ("煮沸［1］，倒掉【2】，再煮［３］。", [1, 2, 3]),
        ("煮沸[1、2]。", [1, 2]),
        ("倒掉【2†kettle.md】。", [2]),
        ("See [[2]].", [2]),
        ("**Boil it [1]**", [1]),
        ("1. Boil it [ 2 ]\n2. Pour [3]", [2, 3]),
        ("煮沸[1](约5分钟)。", [1]),
        ("A cable of 5 m[1], 220 V[2], vitamin C[3].", [1, 2, 3]),
        ("In total: [1]", [1]),
    ],
)
def test_markers_are_read_however_they_are_spelled(text: str, cited: list[int]) -> None:
    """Brackets of any width, lists, ranges and neighbours are citations of their passages."""
    assert numbers(text) == cited


@pytest.mark.parametrize(
    "text",
    [
        "No marker at all",
        "[9] of three",
        "[0]",
        "[2-9] and [3-1]",
        "[2024] and [99999]",
        "`rows[1]` and ``a ` [1]``",
        "```python\nprint(rows[1])  # [2]\n```",
        "~~~\n[1]\n~~~",
        "> ```\n> [1]\n> ```",
        "```\nnever closed [1]",
        "[1](https://example.com/a)",
        "[1](#kettle) and [2](page.html)",
        "[1]: https://example.com",
        "A footnote[^1]",
        "a[1] and row_2[1] and items[1] = 5 and user.name[2].strip",
        "\\[1]",
        "[1",
        "[]",
        "[one]",
    ],
)
def test_what_only_looks_like_a_marker_is_no_citation(text: str) -> None:
    """Out of bounds, in code, in links, footnotes and array indexes nothing is cited."""
    assert numbers(text) == []


def test_a_citation_has_the_place_of_its_whole_marker() -> None:
    """All citations of one marker have the marker's offsets, brackets included."""
    text = "Boil it [1, 3]."
    first, second = find_citations(text, 3)
    assert text[first.start : first.end] == text[second.start : second.end] == "[1, 3]"
    assert (first.marker, second.marker) == (1, 3)


def test_code_ends_where_its_fence_does() -> None:
    """A marker after a closed fence, or between two code spans, is a citation again."""
    assert numbers("```\n[1]\n```\nso [2]") == [2]
    assert numbers("`[1]` so [2] `[3]`") == [2]
    assert numbers("a lone ` and [2]") == [2]


def test_a_marker_is_one_segment_with_its_passages() -> None:
    """A view gets plain text and markers, each with the passages to link to."""
    segments = split_citations("Boil [1, 2], pour[3].", 3)
    assert [(s.text, s.passages) for s in segments] == [
        ("Boil ", ()), ("[1, 2]", (1, 2)), (", pour", ()), ("[3]", (3,)), (".", ()),
    ]  # fmt: skip


def test_the_wrong_numbers_of_a_marker_stay_plain() -> None:
    """Of ``[1, 9]`` the 1 alone can be followed; a marker that is all wrong is no segment."""
    segments = split_citations("a [1, 9] b [9]", 3)
    assert [(s.text, s.passages) for s in segments] == [
        ("a [", ()), ("1", (1,)), (", 9] b [9]", ()),
    ]  # fmt: skip


MARKERS = st.sampled_from(
    [
        "[1]",
        "[2, 9]",
        "［1］",
        "【2】",
        "[1-3]",
        "`",
        "```",
        "\n",
        " ",
        "a",
        "水",
        "[",
        "]",
        "(x.y)",
        "\\",
    ]
)


@given(st.lists(MARKERS, max_size=30).map("".join), st.integers(0, 4))
def test_segments_are_the_text_and_agree_with_the_citations(text: str, passages: int) -> None:
    """Whatever the text: segments joined are the text, and name what is cited, in that order."""
    segments = split_citations(text, passages)
    assert "".join(segment.text for segment in segments) == text
    named = [number for segment in segments for number in segment.passages]
    cited = numbers(text, passages)
    assert set(named) == set(cited)
    assert all(1 <= number <= passages for number in cited)


@given(st.lists(MARKERS, max_size=30).map("".join))
def test_escaped_text_cites_nothing(text: str) -> None:
    """After escaping there is no marker left, and only backslashes were added."""
    escaped = escape_citations(text)
    assert find_citations(escaped, 10_000) == ()
    assert escaped.replace("\\", "") == text.replace("\\", "")


def test_stripped_text_reads_on() -> None:
    """Markers go with the blank before them; code stays."""
    assert strip_citations("Boil it [1][2]. Pour【9】. `a[1]`") == "Boil it. Pour. `a[1]`"
