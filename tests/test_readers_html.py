"""HTML → what a browser would show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.readers.html import read, read_html
from tests.read_blocks import check, read_blocks, sentences

TAGS = (
    "p", "div", "h1", "h2", "ul", "ol", "li", "table", "tr", "td", "th", "thead", "pre", "b", "br",
    "sup", "dl", "dt", "dd", "title",
)  # fmt: skip


def texts(html: str) -> list[str]:
    """The texts of the blocks of a page."""
    return [text for _, text, _ in read_blocks(read_html(html))]


def test_headings_give_sections() -> None:
    """A heading ends the sections of its level and below."""
    html = (
        "<h1>Kettle</h1><p>One.<h2>First use</h2><p>Two.<h2>Care</h2><p>Three.<h1>Mill</h1><p>Four."
    )
    assert read_blocks(read_html(html)) == [
        ("heading", "Kettle", ("Kettle",)),
        ("sentence", "One.", ("Kettle",)),
        ("heading", "First use", ("Kettle", "First use")),
        ("sentence", "Two.", ("Kettle", "First use")),
        ("heading", "Care", ("Kettle", "Care")),
        ("sentence", "Three.", ("Kettle", "Care")),
        ("heading", "Mill", ("Mill",)),
        ("sentence", "Four.", ("Mill",)),
    ]


def test_the_title_is_the_title_element_or_the_first_heading() -> None:
    """What names the page is not shown as its text."""
    content = read_html("<title>Kettle &amp;  more</title><p>Text.")
    assert content.title == "Kettle & more"
    assert content.text == "Text."
    assert read_html("<h2>Small</h2><h1>Large</h1>").title == "Small"


def test_lists_keep_their_numbers_and_nesting() -> None:
    """An item has its marker; a nested list is indented, in one paragraph with the outer."""
    content = read_html(
        "<ul><li>one<li>two<ol start=3><li>three<li value=9>nine</ol></ul>"
        "<ol type=a><li><p>first</p><p>still first</p><li>second</ol>"
    )
    assert content.text == (
        "- one\n- two\n  3. three\n  9. nine\n\na. first\nstill first\nb. second"
    )
    assert [kind for kind, _, _ in read_blocks(content)] == ["item"] * 7
    assert [block.paragraph for block in content.blocks] == [0] * 4 + [1] * 3


def test_a_tables_rows_are_embedded_with_its_head() -> None:
    """A row is one unit; a cell that spans rows is said in each."""
    content = read_html(
        "<table><caption>Errors</caption><thead><tr><th>Code<th>Product<th>Cause</thead>"
        "<tr><td>E07<td rowspan=2>V8<td>Brush<br>jammed<tr><td>E08<td><ul><li>full<li>wet</ul>"
        "<tr><td><td><td></table>"
    )
    assert content.text == (
        "Errors\n\nCode | Product | Cause\nE07 | V8 | Brush jammed\nE08 | V8 | - full - wet"
    )
    assert [block.context for block in content.blocks] == ["", "", *["Code | Product | Cause"] * 2]
    assert [kind for kind, _, _ in sentences(content)] == ["sentence", "row", "row", "row"]


def test_a_long_cell_is_split_into_sentences_that_know_their_row() -> None:
    """Where a row is a page of text, its cells stand alone, with head and first cell."""
    long = "It takes a while. " * 30
    content = read_html(
        f"<table><tr><th>Question<th>Answer</tr><tr><td>How long?<td>{long}</table>"
    )
    block = content.blocks[-1]
    assert block.context == "How long? | Answer"
    assert len([s for s in sentences(content) if s[1] == "It takes a while."]) == 30


def test_tables_that_only_place_things_are_no_data() -> None:
    """What holds headings or tables is read as if the table were not there."""
    html = "<table><tr><td><h2>Left</h2><p>A.</p><p>B.</p><td><table><tr><td>1<td>2</table></table>"
    assert texts(html) == ["Left", "A.", "B.", "1 | 2"]


def test_white_space_is_as_browsers_show_it() -> None:
    """Runs of it are one blank, between Chinese lines none; `pre` keeps it; `br` ends a line."""
    assert texts("<p>a\n   b&nbsp;c</p>") == ["a b\xa0c"]
    assert texts("<p>首次使用前\n    请清洗水壶。") == ["首次使用前请清洗水壶。"]
    assert texts("<p>one<br>two<br><br>three") == ["one\ntwo", "three"]
    assert texts("<pre>\n  x = 1\n\n    y\n</pre>") == ["  x = 1\n\n    y"]
    assert texts("<p>tempera&shy;ture<wbr>s") == ["temperatures"]


def test_raised_digits_stay_raised() -> None:
    """10³ is not 103; other raised text is text."""
    assert texts("<p>10<sup>3</sup> m<sup>2</sup>, H<sub>2</sub>O, 1<sup>st</sup>") == [
        "10³ m², H2O, 1st"
    ]


def test_entities_are_characters_and_markup_stays_text() -> None:
    """What is escaped on the page is shown, and means nothing."""
    assert texts("<p>&lt;b&gt; &amp;amp; &#26412; &nosuch; *a* _b_ # c") == [
        "<b> &amp; 本 &nosuch; *a* _b_ # c"
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>alert('no')</script>", "<style>no{}</style>", "<template><p>no</template>",
        "<noscript>no</noscript>", "<iframe src=x>no</iframe>", "<object>no</object>",
        "<select><option>no</select>", "<textarea>no</textarea>", "<button>no</button>",
        "<svg><text>no</text><title>no</title></svg>", "<p hidden>no</p>", "<!-- no -->",
        "<div style='color:red; display : none'><p>no</p></div>", "<nav><a href=/>no</a></nav>",
        "<p style=visibility:hidden>no</p>", "<ruby><rt>no</rt></ruby>",
    ],
)  # fmt: skip
def test_what_a_reader_does_not_see_is_left_out(hidden: str) -> None:
    """Scripts, styles, frames, forms, navigation and hidden elements are not text of the page."""
    content = read_html(f"<body><p>Before.</p>{hidden}<p>After.</p>")
    assert content.text == "Before.\n\nAfter."


def test_frames_are_not_followed() -> None:
    """A frameset has no text of its own."""
    assert read_html("<frameset><frame src=a.html><noframes>no</noframes></frameset>").text == ""


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("gb18030", "<meta charset=gb2312>"),
        ("big5", "<meta http-equiv=Content-Type content='text/html; charset=big5'>"),
        ("shift_jis", "<META CHARSET='Shift_JIS'>"),
        ("utf-8", "<meta charset=gb2312>"),
        ("utf-16", ""),
        ("utf-8-sig", ""),
        ("gb18030", ""),
    ],
)
def test_the_declared_encoding_is_used(encoding: str, head: str) -> None:
    """What the page declares decides, unless it is UTF-8 all the same."""
    text = "首次使用前，先煮水一次。" if encoding != "shift_jis" else "水を入れて、沸騰させます。"
    html = f"<html><head>{head}</head><body><p>{text}</p></body></html>"
    assert read(html.encode(encoding)).text == text


@pytest.mark.parametrize(
    "tag", ["div", "b", "ul><li", "table><tr><td", "blockquote", "p", "sup", "h1"]
)
def test_ten_thousand_levels_are_read(tag: str) -> None:
    """However deep, the text at the bottom is found, and nothing recurses."""
    content = read_html(f"<{tag}>" * 10_000 + "deep")
    assert "deep" in content.text
    check(content)


def test_bad_markup_is_read_as_browsers_do() -> None:
    """Elements that are never closed, closed twice or crossed lose no text."""
    joined = " ".join(texts("<p>a<b>b<i>c</b>d</i></p></p></div>e<li>f<td>g<h1>h"))
    assert [c for c in joined if c.isalpha()] == list("abcdefgh")


def test_notes_at_the_end_belong_to_no_section() -> None:
    """A footnote is a footnote, not the last section's text."""
    content = read_html("<h1>Use</h1><p>Boil.</p><ol><li id=fn:1>Or steam.</ol>")
    assert read_blocks(content)[-1] == ("footnote", "1. Or steam.", ())


@given(
    st.recursive(
        st.text("ab .\n<>&é水\u200b", max_size=8),
        lambda inner: st.builds(
            lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
            st.sampled_from(TAGS),
            st.lists(inner, max_size=4),
        ),
        max_leaves=20,
    )
)
def test_offsets_are_exact_whatever_the_markup(html: str) -> None:
    """Blocks, spans and text agree for any page."""
    check(read_html(html))
