"""An answer becomes harmless elements: nothing in it is HTML, a link or an image."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.page.answer_tree import Json, answer_tree, without_claims
from rag.support.answer_sentences import answer_sentences

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


CLAIMS = """\
**Important.** The kettle is *blue* [1]. It has 2 handles [1][2].

- Boil `it` twice [2].
- **Pour:** away.

| one | two |
|---|---|
| three words | four [1] |

1. First. Second.
2. 第一次使用前。煮两壶。"""


def claimed(node: Json | list[Json], within: int | None = None) -> list[tuple[int, str]]:
    """The text below a node that stands in claims, with the claim's index, citations left out."""
    if isinstance(node, str):
        return [] if within is None else [(within, node)]
    if not isinstance(node, list) or node[:1] == ["cite"]:
        return []
    if node[:1] == ["claim"]:
        assert isinstance(node[1], int)
        within = node[1]
    children = node[2:] if node and isinstance(node[0], str) and len(node) > 1 else node
    return [piece for child in children for piece in claimed(child, within)]


def test_the_sentences_of_an_answer_can_be_marked() -> None:
    """Each stands in pieces of its own, whatever markup it crosses, and nothing else changes."""
    sentences = answer_sentences(CLAIMS, 2)
    tree = answer_tree(CLAIMS, 2, [(s.start, s.end) for s in sentences])
    said: dict[int, str] = {}
    for claim, text in claimed(tree):
        said[claim] = said.get(claim, "") + text
    assert list(said.values()) == [
        "Important.", "The kettle is blue .", "It has 2 handles .", "Boil it twice .",
        "Pour: away.", "onetwo", "three wordsfour ", "First.", "Second.", "第一次使用前。",
        "煮两壶。",
    ]  # fmt: skip
    assert without_claims(tree) == without_claims(answer_tree(CLAIMS, 2))


@given(
    st.text(alphabet=st.sampled_from("ab. []12*_`~|#->\n!：。"), max_size=60),
    st.lists(st.integers(0, 60), max_size=6),
)
def test_marking_sentences_changes_nothing_else(text: str, cuts: list[int]) -> None:
    """Wherever claims begin and end, the rest of the tree is as it is without them."""
    bounds = sorted({min(cut, len(text)) for cut in cuts})
    claims = list(pairwise(bounds))
    assert without_claims(answer_tree(text, 2, claims)) == without_claims(answer_tree(text, 2))


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
