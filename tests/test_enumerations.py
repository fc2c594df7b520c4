"""Lists that lost their line breaks."""

from __future__ import annotations

import pytest

from rag.splitting.enumerations import run_in_markers
from tests.test_stops import split


@pytest.mark.parametrize(
    "text",
    [
        "1. Open the lid | 2. Fill in water | 3. Close it",
        "a) Open the lid. | b) Fill in water. | c) Close it.",
        "(i) Open it. | (ii) Fill it. | (iii) Close it.",
        "• Open the lid | • Fill in water | • Close it",
        "Do this: | 1.) Open it | 2.) Fill it",
        "We need (1) oil, (2) gas and (3) water.",
        "See chapter 1. | It is long. | So is chapter 2. | It ends.",
        "Mark E. Stone met John F. Hill. | They talked.",
    ],
)  # fmt: skip
def test_enumerations_in_a_line(text: str) -> None:
    """Lists that lost their line breaks are split at their markers; numbers in prose are not."""
    assert split(text.replace(" | ", " "), "en") == [part.strip() for part in text.split("|")]


@pytest.mark.parametrize(
    ("text", "markers"),
    [
        ("1. Open 2. Fill", ["1.", "2."]),
        ("7) Open 8) Fill 9) Close", ["7)", "8)", "9)"]),
        ("It is so. A) Open it. B) Fill it.", []),
        ("ii) two iii) three", ["ii)", "iii)"]),
        ("• 9. Open • 10. Fill", ["• 9.", "• 10."]),
        ("1. Open it. Then 3. Fill", []),
        ("page 1. 2", []),
        ("", []),
    ],
)
def test_markers_count_up_in_one_style(text: str, markers: list[str]) -> None:
    """Two or more, each one more than the last, or it is no enumeration."""
    assert [text[m.start : m.end].strip() for m in run_in_markers(text)] == markers
