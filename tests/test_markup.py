"""Markdown's marks, taken out or masked."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given

from rag.splitting import markup
from rag.splitting.markup import has_words, mask_markup, plain_words
from tests.strange_texts import quick, strange_texts


def test_the_example_in_the_docstring() -> None:
    """What plain_words says of itself is true."""
    assert doctest.testmod(markup).failed == 0
    assert doctest.testmod(markup).attempted > 0


@given(text=strange_texts)
@quick
def test_masking_keeps_every_place(text: str) -> None:
    """A masked text is as long as the text, and white space stays where it was."""
    masked = mask_markup(text)
    assert len(masked) == len(text)
    plain_words(text)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Use `a. B` now", "Use xxx xx now"),
        ("> one\n> two", "  one\n  two"),
        ("[a. b](http://c.d) x", "[a. b]************ x"),
        ("a <b>c</b>", "a ***c****"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("see <https://a.b/c> x", "see *************** x"),
    ],
)
def test_what_is_masked(text: str, masked: str) -> None:
    """Code, quote marks, tags and link targets are; words and comparisons are not."""
    assert mask_markup(text) == masked


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<div>x</div>", True),
        ("<div class='x'></div>", False),
        ("<!-- x -->", False),
        ("<!-- x", False),
        ("<script>let x</script>", False),
        ("<!-- a --> b", True),
    ],
)
def test_words_of_html(html: str, words: bool) -> None:
    """Tags, comments and scripts are no words."""
    assert has_words(html) is words
