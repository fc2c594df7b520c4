"""Spans tile their text, and are the sentences a reader would count."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given

from rag.sentences import split_sentences
from rag.splitting.lengths import CAP, CODE_CAP
from tests.strange_texts import quick, strange_texts


def pieces(text: str, *, markdown: bool = False) -> list[str]:
    """The sentences of ``text``, without outer white space."""
    spans = split_sentences(text, markdown=markdown)
    return [text[span.start : span.end].strip() for span in spans if span.searchable]


def check_tiling(text: str, *, markdown: bool) -> None:
    spans = split_sentences(text, markdown=markdown)
    assert "".join(text[span.start : span.end] for span in spans) == text
    assert all(before.end == after.start for before, after in pairwise(spans))
    assert all(span.start < span.end for span in spans)
    for span in spans:
        piece = text[span.start : span.end]
        blank = not piece.strip()
        assert blank == (span.kind == "blank")
        assert blank or not piece[0].isspace()
        assert not (span.searchable and not any(c.isalnum() for c in piece))
    assert [span.kind for span in spans].count("blank") <= 1


@given(text=strange_texts)
@quick
@example(text="")
@example(text="\n \n")
@example(text="a\r\n\r\nb\rc")
@example(text="\ud800. \udfff")
def test_spans_tile_any_text(text: str) -> None:
    """Joined in order the spans are the text; none is empty, and white space begins none."""
    check_tiling(text, markdown=False)


@given(text=strange_texts)
@quick
@example(text="---\ntitle: x\n---\n# A\n")
@example(text="> " * 120 + "deep. Deeper.")
@example(text="-\n- \n1.\n")
@example(text="[a]: b\r\n\r\n| a |\r\n|---|\r\n| b |")
def test_spans_tile_any_markdown(text: str) -> None:
    """The same holds for Markdown, whatever its parser makes of it."""
    check_tiling(text, markdown=True)


@given(text=strange_texts)
@quick
def test_paragraphs_and_sections_never_go_back(text: str) -> None:
    """Paragraph numbers rise from 0 along the spans."""
    for markdown in (False, True):
        numbers = [span.paragraph for span in split_sentences(text, markdown=markdown)]
        assert numbers == sorted(numbers)
        assert not numbers or numbers[0] == 0


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "首次使用前请清洗水壶。加水至最高水位线。煮沸后倒掉。",
            ["首次使用前请清洗水壶。", "加水至最高水位线。", "煮沸后倒掉。"],
        ),
        (
            "Use e.g. a kettle. See Fig. 3 and No. 5 below.",
            ["Use e.g. a kettle.", "See Fig. 3 and No. 5 below."],
        ),
        ("Voltage is 3.14 V. Set to 220.5V.", ["Voltage is 3.14 V.", "Set to 220.5V."]),
        ("电压为3.14V，见www.a.com。完", ["电压为3.14V，见www.a.com。", "完"]),
        ('"这是对的。"他说。', ['"这是对的。"他说。']),
        ("“Done.” Next one.", ["“Done.”", "Next one."]),
        (
            "1. Open the lid.\n2. Fill water.\n- no punctuation\n- another",
            ["1. Open the lid.", "2. Fill water.", "- no punctuation", "- another"],
        ),
        ("你好！！？", ["你好！！？"]),
        ("Press OK. Press OK. Press OK.", ["Press OK."] * 3),
        ("| A. | 1 |\n| B. c. D | 2 |", ["| A. | 1 |", "| B. c. D | 2 |"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("markdown", [False, True])
def test_the_cases_from_the_field(text: str, sentences: list[str], markdown: bool) -> None:
    """Each reported input gives the sentences a reader counts, in text and in Markdown."""
    assert pieces(text, markdown=markdown) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "x" * 5000, "字" * 5000, "word " * 1000, "半句话，" * 1250, "e\u0301" * 2500, "👩🏽" * 2500,
        "a.b" * 2000,
    ],
    ids=["letters", "characters", "words", "clauses", "accents", "emoji", "dots"],
)  # fmt: skip
@pytest.mark.parametrize("markdown", [False, True])
def test_a_long_text_without_a_stop_is_cut_below_the_cap(text: str, markdown: bool) -> None:
    """Nothing is lost, no piece is over the cap, and no combining mark is left at a beginning."""
    check_tiling(text, markdown=markdown)
    spans = split_sentences(text, markdown=markdown)
    found = [text[span.start : span.end].strip() for span in spans]
    assert CAP / 2 <= max(len(piece) for piece in found) <= CAP
    assert not any(piece[0] in "\u0301🏽" for piece in found)


def test_a_long_line_is_cut_at_clause_marks() -> None:
    """Where there are clause marks, a cut stands behind one."""
    found = pieces("半句话在这里，" * 700)
    assert all(piece.endswith("，") for piece in found)
    assert all(piece.endswith(";") for piece in pieces("one part of it; " * 200))


def test_a_megabyte_without_a_stop_is_split() -> None:
    """A text of one line of a million characters is tiled by pieces under the cap."""
    spans = split_sentences("a" * 1_000_000)
    assert spans[-1].end == 1_000_000
    assert max(span.end - span.start for span in spans) <= CAP


def test_code_is_one_unit_up_to_its_own_cap() -> None:
    """A fence longer than prose may be stays whole; one over its cap is cut at line ends."""
    fence = "```\n" + "print('a. b.')\n" * 80 + "```\n"
    assert CAP < len(fence) <= CODE_CAP
    assert len(pieces(fence, markdown=True)) == 1
    parts = pieces("```\n" + "print('a. b.')\n" * 300 + "```\n", markdown=True)
    assert len(parts) > 1
    assert all(part.endswith((")", "```")) for part in parts)


@pytest.mark.parametrize("text", ["***", "------", "* * *\n\n===", "?!", "👍", "。"])
def test_what_has_no_word_is_never_searchable(text: str) -> None:
    """Rules, lone punctuation and emoji are shown, but no sentence."""
    spans = split_sentences(text)
    assert spans
    assert not any(span.searchable for span in spans)


def test_a_rule_inside_a_paragraph_stands_alone() -> None:
    """A run of dashes between words that lost its line breaks is not part of a sentence."""
    assert pieces("See you there -------- Sent by Ann Lee") == ["See you there", "Sent by Ann Lee"]
