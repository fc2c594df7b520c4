"""What begins a line, and what a line of pipes is."""

from __future__ import annotations

import pytest

from rag.splitting.markers import FRESH, MARKER, row_kind


@pytest.mark.parametrize(
    ("line", "marker"),
    [
        ("- a", "- "), ("  * a", "  * "), ("1. a", "1. "), ("12) a", "12) "), ("(a) b", "(a) "),
        ("iv. a", "iv. "), ("a.) b", "a.) "), ("• a", "• "), ("•a", "•"), ("（3）加水", "（3）"),
        ("三、加水", "三、"), ("②加水", "②"), ("• 9. a", "• 9. "),
    ],
)  # fmt: skip
def test_markers(line: str, marker: str) -> None:
    """Bullets, numbers, letters and Chinese numbers are list markers."""
    match = MARKER.match(line)
    assert match
    assert match.group() == marker


@pytest.mark.parametrize(
    "line", ["-a", "1.5 kg", "a word", "and) so", "2020. a", "–5 °C", "A", "**b** c"]
)
def test_no_markers(line: str) -> None:
    """Numbers, words and emphasis are not."""
    assert MARKER.match(line) is None


@pytest.mark.parametrize(
    "line", ["Price: 5", "**Price:** 5", "*A b*: c", "电话：123", "2024-01-05 x", "[12:30:01] x"]
)
def test_fresh_lines(line: str) -> None:
    """Keys with a colon, dates and times begin a line."""
    assert FRESH.match(line)


@pytest.mark.parametrize("line", ["price: 5", "12:30 x", "at: 5", "http://a.b", "Price 5", "A:b"])
def test_no_fresh_lines(line: str) -> None:
    """A lower-case word before a colon may stand anywhere."""
    assert FRESH.match(line) is None


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("| a | b |\n", "row"), ("|a|", "row"), ("> | a |", "row"), ("|---|:-:|", "separator"),
        ("| - |", "separator"), ("| | |", "row"), ("a | b", None), ("| a", None), ("", None),
    ],
)  # fmt: skip
def test_rows(line: str, kind: str | None) -> None:
    """A line from pipe to pipe is a row, one of dashes the separator under a header."""
    assert row_kind(line) == kind
