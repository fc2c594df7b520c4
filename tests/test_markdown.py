"""Markdown's blocks, and what of them may be found."""

from __future__ import annotations

import pytest

from rag.sentences import split_sentences
from rag.splitting.markdown import markdown_blocks
from rag.types import Span

MANUAL = """\
---
title: Kettle
tags: [kitchen]
---

# Kettle *K-17*

Holds 1.7 litres. See
the [data sheet. PDF](https://a.example/b.c).

## First use ##

1. Open the lid. It clicks.
2. Fill in water:
   - up to **max.** only
   - never `a. B` more

> Do not touch.
> It is
> hot. Wait.

| Code | Meaning |
|:-----|--------:|
| E07. | No water. Fill it. |

```sh
# not a heading
run --now
```

Cleaning
--------

***

<!-- hidden -->

<div>
Shown. Really.
</div>

[sheet]: https://a.example/sheet

A claim.[^1] More.

[^1]: A note. Two.
[^2]: Another.

## Warranty
"""


def spans(text: str) -> list[Span]:
    return split_sentences(text, markdown=True)


def shown(text: str) -> list[tuple[str, str]]:
    """Kind and text of each searchable span."""
    return [(s.kind, text[s.start : s.end].strip()) for s in spans(text) if s.searchable]


def test_each_block_has_its_kind() -> None:
    """Items keep markers, quotes and rows are units of their kind, code is one, links are whole."""
    assert shown(MANUAL) == [
        ("sentence", "Holds 1.7 litres."),
        ("sentence", "See\nthe [data sheet. PDF](https://a.example/b.c)."),
        ("item", "1. Open the lid."),
        ("item", "It clicks."),
        ("item", "2. Fill in water:"),
        ("item", "- up to **max.** only"),
        ("item", "- never `a. B` more"),
        ("quote", "> Do not touch."),
        ("quote", "> It is\n> hot."),
        ("quote", "Wait."),
        ("row", "| Code | Meaning |"),
        ("row", "| E07. | No water. Fill it. |"),
        ("code", "```sh\n# not a heading\nrun --now\n```"),
        ("html", "<div>\nShown. Really.\n</div>"),
        ("sentence", "A claim.[^1]"),
        ("sentence", "More."),
        ("footnote", "[^1]: A note."),
        ("footnote", "Two."),
        ("footnote", "[^2]: Another."),
        ("heading", "## Warranty"),
    ]


def test_what_is_shown_but_never_found() -> None:
    """Front matter, headings, rules, separators, comments and link definitions are no hits."""
    hidden = [
        (s.kind, MANUAL[s.start : s.end].partition("\n")[0])
        for s in spans(MANUAL)
        if not s.searchable
    ]
    assert hidden == [
        ("front-matter", "---"),
        ("heading", "# Kettle *K-17*"),
        ("heading", "## First use ##"),
        ("separator", "|:-----|--------:|"),
        ("heading", "Cleaning"),
        ("rule", "***"),
        ("html", "<!-- hidden -->"),
        ("separator", "[sheet]: https://a.example/sheet"),
    ]  # fmt: skip


def test_sections_are_the_path_of_headings_above() -> None:
    """A sentence knows the plain words of the headings above it, outermost first."""
    sections = {MANUAL[s.start : s.end].strip(): s.section for s in spans(MANUAL)}
    assert sections["Holds 1.7 litres."] == ("Kettle K-17",)
    assert sections["It clicks."] == ("Kettle K-17", "First use")
    assert sections["More."] == ("Kettle K-17", "Cleaning")
    assert sections["## Warranty"] == ("Kettle K-17", "Warranty")


def test_a_row_carries_its_header() -> None:
    """A body row has the header's words as context; the header itself has none."""
    contexts = [s.context for s in spans(MANUAL) if s.kind == "row"]
    assert contexts == ["", "Code | Meaning"]


def test_blocks_share_paragraph_numbers() -> None:
    """The items of a list and the rows of a table are one paragraph; the next block another."""
    by_kind: dict[str, set[int]] = {}
    for span in spans(MANUAL):
        by_kind.setdefault(span.kind, set()).add(span.paragraph)
    assert len(by_kind["item"]) == len(by_kind["row"]) == len(by_kind["quote"]) == 1
    assert not by_kind["item"] & by_kind["quote"]


@pytest.mark.parametrize(
    ("text", "searchable"),
    [
        ("# Only\n", ["# Only"]),
        ("# A\n\n## B\n\n## C\n\ntext\n", ["## B", "text"]),
        ("# A\n\n***\n", ["# A"]),
        ("# A\n\n# B\n", ["# A", "# B"]),
        ("# A\n\n### B\n\ntext\n", ["text"]),
    ],
)
def test_a_heading_with_nothing_under_it_is_searchable(text: str, searchable: list[str]) -> None:
    """Its words would reach search through no other sentence."""
    assert [piece for _, piece in shown(text)] == searchable


def test_a_heading_in_a_list_or_quote_is_no_section() -> None:
    """Only headings at the top level name a section."""
    text = "> # Note\n> text\n\n- # Item\n\nafter\n"
    assert [(s.kind, s.section) for s in spans(text)] == [
        ("quote", ()), ("quote", ()), ("item", ()), ("sentence", ()),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("# A *b* **c** `d` ~~e~~ _f_", "A b c d e f"),
        ("# [Link](x) ![image](y) <b>bold</b>", "Link image bold"),
        ("# Set up {#setup}", "Set up"),
        ("# snake_case and 2 * 3", "snake_case and 2 3"),
        (r"# \*not emphasis\*", "*not emphasis*"),
        ("# E07 | No water", "E07 | No water"),
    ],
)
def test_the_words_of_a_heading(heading: str, words: str) -> None:
    """A section's name is the heading without marks."""
    assert spans(f"{heading}\n\ntext\n")[-1].section == (words,)


def test_hard_breaks_end_a_sentence() -> None:
    """Two blanks, a backslash or a <br> at a line's end are an end, a plain break is not."""
    text = "one  \ntwo\\\nthree<br>four\nfive"
    assert [piece for _, piece in shown(text)] == ["one", "two\\", "three<br>", "four\nfive"]


def test_lines_with_a_key_stand_alone() -> None:
    """A line that begins with a key and a colon is a sentence, though it is one paragraph."""
    text = "**Price:** 5\n**Colour**: red and\nblue\nSize: L\n"
    assert [piece for _, piece in shown(text)] == [
        "**Price:** 5",
        "**Colour**: red and\nblue",
        "Size: L",
    ]


def test_front_matter_is_only_at_the_start_and_has_keys() -> None:
    """A rule at the start is no front matter; TOML's is."""
    assert spans("---\n\ntext\n\n---\n")[0].kind == "rule"
    assert spans("+++\ntitle = 'x'\n+++\ntext\n")[0].kind == "front-matter"
    assert spans("---\r\ntitle: x\r\n---\r\ntext\r\n")[0].kind == "front-matter"
    assert spans("text\n\n---\na: b\n---\n")[0].kind != "front-matter"


def test_line_ends_of_windows_and_nulls_keep_their_places() -> None:
    """What the parser would normalise does not move an offset."""
    text = "# A\r\n\r\none\0. Two.\r\n\r\n- x\r\n"
    assert [piece for _, piece in shown(text)] == ["one\0.", "Two.", "- x"]


def test_nesting_deeper_than_the_parser_goes_is_still_searchable() -> None:
    """Text inside a hundred and fifty quotes is a sentence like any other."""
    assert shown("> " * 150 + "deep words.\n")[0][1].endswith("deep words.")


def test_tags_without_words_are_not_searchable() -> None:
    """Anchors, closing tags, scripts and styles are no hits."""
    for html in ('<a id="x"></a>', "</div>", "<script>\nlet a\n</script>", "<style>\nb\n</style>"):
        assert shown(f"{html}\n") == []
    assert shown("<p>b</p>\n") == [("html", "<p>b</p>")]


def test_a_long_html_block_is_split_at_its_cells() -> None:
    """A table written in HTML is not one sentence: each cell is, with its tags."""
    cell = "<td class='x'>Cell {} holds a few words. And more.</td>\n"
    rows = "".join(f"<tr>{cell.format(number)}</tr>\n" for number in range(30))
    found = shown(f"<table>\n{rows}</table>\n")
    assert len(found) == 60
    assert found[2] == ("html", "</tr>\n<tr><td class='x'>Cell 1 holds a few words.")


def test_a_long_text_is_parsed_in_parts_with_the_same_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sections, fences and offsets go on across the parts that a long text is parsed in."""
    section = (
        "## Part {}\n\nSome text.\n\n```\n\n# no heading\n```\n\n- item\n\n## Over\n\n### Under\n\n"
    )
    text = "# Title\n\n" + "".join(section.format(number) for number in range(40))
    whole = list(markdown_blocks(text))
    monkeypatch.setattr("rag.splitting.markdown.PART", 200)
    assert list(markdown_blocks(text)) == whole
    assert whole[-3].section == ("Title", "Part 39")
