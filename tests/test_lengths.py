"""Where over-long stretches of text are cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rag.splitting.lengths import cut_lines, cut_prose
from tests.strange_texts import quick, strange_texts


def parts(text: str, cap: int) -> list[str]:
    starts = list(cut_prose(text, 0, len(text), cap))
    return [text[a:b] for a, b in pairwise([*starts, len(text)])]


def test_what_fits_is_not_cut() -> None:
    """A text up to the cap is one piece, without the white space before it."""
    assert list(cut_prose("  one, two", 0, 10, 8)) == [2]
    assert list(cut_prose("   ", 0, 3, 8)) == []


def test_clause_marks_before_white_space() -> None:
    """A cut stands behind the last clause mark of the second half, else at white space."""
    assert parts("one two three, four five", 16) == ["one two three, ", "four five"]
    assert parts("one two three four five", 16) == ["one two three ", "four five"]
    assert parts("加一点水，再加盐。", 6) == ["加一点水，", "再加盐。"]
    assert parts("1,000,000,000,000", 10) == ["1,000,000,", "000,000"]


def test_lines_are_cut_at_line_ends() -> None:
    """Code is cut between lines, not inside one that fits."""
    text = "a = 1; b\nc = 2; d\ne = 3; f\n"
    starts = list(cut_lines(text, 0, len(text), 20))
    assert [text[start] for start in starts] == ["a", "e"]


@given(text=strange_texts, cap=st.integers(4, 30))
@quick
def test_pieces_tile_what_is_visible(text: str, cap: int) -> None:
    """Pieces begin with a visible character, lose nothing, and are within the cap."""
    pieces = parts(text, cap)
    assert "".join(pieces) == text.lstrip()
    assert all(piece and not piece[0].isspace() for piece in pieces)
    assert all(len(piece.rstrip()) <= cap for piece in pieces)
