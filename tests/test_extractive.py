"""Answers made of the found sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag.answers.extractive import MAX_CHARACTERS, MAX_HITS, MIN_SHARE, STEP_SHARE, extract
from rag.citations import find_citations
from rag.types import Window
from tests.windows import window

STEPS = """\
Boil two kettles before the first use.
Do it like this:

1. Rinse the inside.
2. Fill to the line.
   Not above it.
3. Boil.

A light smell is normal.
"""

NOTES = """\
Never do this:

- Put it into water.
- Boil milk.
- Open the lid.
"""

TABLE = """\
The codes are:

| Code | Meaning |
|---|---|
| E06 | Too hot |
| E07 | Brush jammed |
| E08 | Wheel stuck |

Call us.
"""


def text(*windows: Window) -> str:
    """The whole answer."""
    return "".join(extract(windows))


def test_a_sentence_is_quoted_and_cited() -> None:
    """The found sentence, whole, and the number of its passage."""
    assert text(window("It rings. It boils. It stops.", "It boils.")) == "It boils. [1]"


def test_chinese_is_cited_without_a_blank() -> None:
    """After a full-width stop the marker follows at once."""
    assert text(window("先清洗。再煮沸。", "再煮沸。")) == "再煮沸。[1]"


def test_neighbours_of_a_paragraph_run_on() -> None:
    """Found sentences that follow each other share one citation; others stand apart."""
    found = window("It rings. It boils. It stops. It cools.", "It boils.", "It rings.")
    assert text(found) == "It rings. It boils. [1]"
    apart = window("It rings. It boils. It stops. It cools.", "It cools.", "It rings.")
    assert text(apart) == "It rings. [1]\n\nIt cools. [1]"


def test_passages_stand_in_their_order() -> None:
    """The answer follows the passages, and inside each the document."""
    first = window("One. Two.", "Two.", rank=1, first_hit=2)
    second = window("Three. Four.", "Four.", rank=2, first_hit=1)
    assert text(second, first) == "Two. [1]\n\nFour. [2]"


@pytest.mark.parametrize("found", ["Do it like this:", "2. Fill to the line.", "Not above it."])
def test_steps_come_together(found: str) -> None:
    """A lead-in brings its steps, and a step the others and the lead-in, each step cited."""
    assert text(window(STEPS, found)) == (
        "Do it like this:\n\n"
        "1. Rinse the inside. [1]\n"
        "2. Fill to the line.\n   Not above it. [1]\n"
        "3. Boil. [1]"
    )


def test_an_item_comes_with_its_lead_in_alone() -> None:
    """Items of a list without numbers are facts of their own: the others stay away."""
    assert text(window(NOTES, "- Boil milk.")) == "Never do this:\n\n- Boil milk. [1]"


def test_a_lead_in_that_leads_nowhere_is_cited() -> None:
    """Where a list stands outside the answer, or none follows, the sentence before is cited."""
    assert text(window("Mind this: it is hot.\n\nCall:", "Call:")) == "Call: [1]"
    found = window(f"{NOTES}\nSay it:\n\nIt is hot.", "Say it:")
    assert text(found) == "Say it: [1]"


def test_a_row_stands_under_its_header() -> None:
    """Rows of one table share its header, and the citation is inside the table."""
    found = window(TABLE, "| E08 | Wheel stuck |", "| E06 | Too hot |")
    assert text(found) == (
        "| Code | Meaning |\n|---|---|\n| E06 | Too hot [1] |\n| E08 | Wheel stuck [1] |"
    )


def test_a_lead_in_brings_its_table() -> None:
    """The sentence that leads in to a table is answered with its rows."""
    rows = "| E06 | Too hot [1] |\n| E07 | Brush jammed [1] |\n| E08 | Wheel stuck [1] |"
    found = window(TABLE, "The codes are:")
    assert text(found) == f"The codes are:\n\n| Code | Meaning |\n|---|---|\n{rows}"


def test_a_row_without_its_header_is_a_line() -> None:
    """Where the window begins inside a table, the row's cells are written as a sentence."""
    whole = window(TABLE, "| E07 | Brush jammed |")
    cut = whole.bounds[2][0]
    part = replace(
        whole, start=cut, text=whole.text[cut - whole.start :], first=2, bounds=whole.bounds[2:]
    )
    assert text(part) == "E07 · Brush jammed [1]"


def test_a_header_is_no_answer() -> None:
    """A found header row is passed over, unless nothing else was found."""
    found = window(TABLE, "| Code | Meaning |", "Call us.")
    assert text(found) == "Call us. [1]"
    alone = text(window(TABLE, "| Code | Meaning |"))
    assert alone == "| Code | Meaning [1] |\n|---|---|"


def test_the_answer_ends_in_time() -> None:
    """Only so many found sentences and characters, by rank; the first comes whole however long."""
    many = [f"Sentence {word}." for word in ("one", "two", "three", "four", "five", "six")]
    answer = text(window("\n\n".join(many), *many))
    assert len(find_citations(answer, 1)) == MAX_HITS
    assert "four" in answer
    assert "five" not in answer
    long = "word " * (MAX_CHARACTERS // 5) + "end."
    assert text(window(f"{long}\n\nShort.", long, "Short.")) == f"{long} [1]"


def test_sentences_far_behind_stay_away() -> None:
    """A found sentence must have the share of the best score; the first always stands."""
    found = window("One. Two. Three.", "Two.", "One.", "Three.")
    shares = {"Two.": 1.0, "One.": MIN_SHARE, "Three.": MIN_SHARE - 0.01}
    hits = [replace(hit, share=shares[hit.sentence.text]) for hit in found.hits]
    assert text(replace(found, hits=tuple(hits))) == "One. Two. [1]"
    worse = [replace(hit, share=0.0) for hit in found.hits]
    assert text(replace(found, hits=tuple(worse))) == "Two. [1]"


@pytest.mark.parametrize(("share", "lines"), [(STEP_SHARE, 6), (STEP_SHARE - 0.01, 1)])
def test_steps_may_be_further_behind(share: float, lines: int) -> None:
    """A step says a part of what its list says, and brings all of it."""
    found = window(STEPS, "Boil two kettles before the first use.", "3. Boil.")
    hits = [replace(hit, share=1.0 if hit.rank == 1 else share) for hit in found.hits]
    answer = text(replace(found, hits=tuple(hits)))
    assert len([line for line in answer.splitlines() if line]) == lines


def test_a_document_s_own_brackets_are_no_citations() -> None:
    """``[2]`` in a document's text stays readable and does not point at a passage."""
    answer = text(window("It boils [2] fast.", "It boils [2] fast."))
    assert answer == "It boils \\[2] fast. [1]"
    assert [citation.passage for citation in find_citations(answer, 2)] == [1]


def test_no_windows_no_answer() -> None:
    """Nothing found, nothing said."""
    assert extract([]) == []
