"""What is said of an answer's sentences once they are checked."""

from __future__ import annotations

import pytest

from rag.page.claims import checkable, claim_views, summary, unfounded
from rag.page.strings import LANGUAGES
from rag.support.verdict import NOT_FOUND, Support
from rag.types import Answer
from tests.windows import window

TEXT = "It is **30** days [1]. It is 90 days. Ask Ben.\n\nMore:"
SUPPORTS = (
    Support(0, 22, "supported", 1, "kettle.md", 0, 24),
    Support(23, 37, NOT_FOUND, 1, "kettle.md", 0, 24, "number", "90 days", "30 days"),
    Support(38, 46, NOT_FOUND, 1, "kettle.md", 0, 24, "nothing"),
    Support(48, 53, "not checked"),
)


def answer() -> Answer:
    return Answer("?", "?", TEXT, (window("The warranty is 30 days."),), answerer="m")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_sentence_has_a_mark_and_a_reason(language: str) -> None:
    """Found ones lead to their source, others say what differs; where nothing is like a sentence
    there is no place to go to.
    """
    words = LANGUAGES[language]
    claims = checkable(SUPPORTS)
    views = claim_views(answer(), claims, words)
    assert [v.kind for v in views] == ["supported", "missing", "missing"]
    assert [(v.passage, v.start, v.end) for v in views] == [(1, 0, 24), (1, 0, 24), (0, 0, 0)]
    assert views[0].tip.endswith("The warranty is 30 days.")
    missing = list(unfounded(answer(), claims, words))
    assert [(m.claim, m.text) for m in missing] == [(1, "It is 90 days."), (2, "Ask Ben.")]
    assert "90 days" in missing[0].why
    assert "30 days" in missing[0].why


def test_the_summary_counts_what_there_is() -> None:
    """A lead-in claims nothing and is not counted; without sentences nothing is said."""
    words = LANGUAGES["en"]
    said = summary(checkable(SUPPORTS), words)
    assert said == "Checked against the passages: 1 supported · 2 not found"
    assert summary((), words) == ""
