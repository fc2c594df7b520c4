"""Where quotations and brackets stand."""

from __future__ import annotations

import pytest

from rag.splitting.enclosures import LONGEST, Enclosures


def inside(text: str, *, wide: bool = False) -> str:
    """The marks of ``text`` that stand inside a pair."""
    found = Enclosures(text, wide=wide)
    return "".join(c for i, c in enumerate(text) if c in ".!?。！" and found.covers(i, i + 1))


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ('He said "Oh! No." and. left.', "!."),
        ("He said “Oh! No.” and. left.", "!."),
        ("Er sagte „Oh! Nein.“ und. ging.", "!."),
        ("Il dit « Oh ! Non. » et. part.", "!."),
        ("'Oh! I'm late,' he said. 'Wait?'", "!?"),
        ("The dogs' bowls. The cats' toys.", ""),
        ('A 5" pipe. A 6" pipe.', ""),
        ("It (or. this) is. [a. b] {c. d}", "..."),
        ('An open "quote. And so.', ""),
        ("(" + "long. " * 40 + ")", ""),
        ('"' + "long! " * LONGEST + '"', ""),
    ],
)
def test_pairs(text: str, marks: str) -> None:
    """Marks that pair up enclose; apostrophes, inches and what never closes do not."""
    assert inside(text) == marks


def test_wide_pairs_are_titles_and_brackets() -> None:
    """In Chinese a quotation is split, a title is not."""
    assert inside("《快跑！》和“好！好。”（别！动）", wide=True) == "！！"


def test_what_a_mark_closes() -> None:
    """The pair is found by its closing mark."""
    found = Enclosures("他（别动！）走了。", wide=True)
    assert found.opening(6) == 1
    assert found.opening(5) is None
    assert Enclosures("").opening(0) is None
