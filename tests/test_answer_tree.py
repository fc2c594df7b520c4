"""An answer becomes harmless elements: nothing in it is HTML, a link or an image."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.page.answer_tree import Json, answer_tree

TAGS = {
    "p", "blockquote", "ul", "ol", "li", "em", "strong", "s", "table", "thead", "tbody", "tr",
    "th", "td", "hr", "br", "code", "pre", "h", "cite", "span",
}  # fmt: skip


def text_of(node: Json | list[Json]) -> str:
    """All text below a node, or of several."""
    if isinstance(node, str):
        return node
    if isinstance(node, int):
        return ""
    children = node[2:] if node and isinstance(node[0], str) and node[0] in TAGS else node
    return "".join(text_of(child) for child in children)


def cited(node: Json | list[Json]) -> list[int]:
    """The passages cited below a node, in order."""
    if not isinstance(node, list):
        return []
    if node and node[0] == "cite":
        assert isinstance(node[1], int)
        return [node[1]]
    return [n for child in node for n in cited(child)]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("*it* **is**.", [["p", 0, ["em", 0, "it"], " ", ["strong", 0, "is"], "."]]),
        ("3. three\n4. four", [["ol", 3, ["li", 0, "three"], ["li", 0, "four"]]]),
        ("## Head", [["h", 2, "Head"]]),
        ("```py\na[1]\n```", [["pre", 0, "a[1]\n"]]),
        ("a\nb", [["p", 0, "a", "\n", "b"]]),
        ("So [1, 3].", [["p", 0, "So ", ["cite", 1, "[1]"], ["cite", 3, "[3]"], "."]]),
    ],
)  # fmt: skip
def test_markdown_becomes_elements(text: str, tree: list[Json]) -> None:
    """Paragraphs, emphasis, lists, headings, code and citations become elements of their own."""
    assert answer_tree(text, 3) == tree


@pytest.mark.parametrize(
    "hostile",
    [
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "![a](http://evil.example/a.png)",
        "[click](javascript:alert(1))",
        "<http://evil.example>",
        "http://evil.example/?q=1",
        "[a]: http://evil.example",
        "$x^2$ and :red[no]",
    ],
)
def test_html_links_and_images_stay_text(hostile: str) -> None:
    """What could run or be fetched elsewhere shows as it was written."""
    tree = answer_tree(hostile, 3)
    assert text_of(tree) == hostile
    assert cited(tree) == []


def test_a_citation_that_points_nowhere_is_plain_text() -> None:
    """`[9]` of three passages is no link, and neither is a number in code."""
    tree = answer_tree("Yes [9], and `a[1]` [2].", 3)
    assert cited(tree) == [2]
    assert text_of(tree) == "Yes [9], and a[1] [2]."


def test_a_reference_definition_is_no_way_to_lose_text() -> None:
    """`[1]: text`, which Markdown would swallow, is a citation and its text."""
    tree = answer_tree("Hot [1].\n\n[1]: the kettle", 1)
    assert text_of(tree) == "Hot [1].[1]: the kettle"


@given(st.text(alphabet=st.sampled_from("ab[]12,<>()!*_`~|#-\n \ue000\ue001&;$:"), max_size=80))
def test_no_text_breaks_the_tree(text: str) -> None:
    """Whatever a model writes gives known tags and citations within bounds."""

    def check(node: Json) -> None:
        if isinstance(node, list):
            assert node[0] in TAGS
            assert isinstance(node[1], int)
            for child in node[2:]:
                check(child)

    tree = answer_tree(text, 2)
    for block in tree:
        check(block)
    assert set(cited(tree)) <= {1, 2}
    # No placeholder of ours is left over.
    assert not re.search("[\ue000\ue001]", text_of(tree))
