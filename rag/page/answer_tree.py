"""An answer's text → a tree of harmless elements, which the page's script turns into nodes.

Only the tags below can come out, and text is always text: HTML, images and links of an answer show
as they are written, and nothing is ever fetched. The only links are citations, to passages. Does
not know how anything looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rag.citations import split_citations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

Json = str | int | list["Json"]
"""A node as it travels: a text, or ``[tag, number, child, …]``."""

_TAGS = {
    "paragraph": "p", "blockquote": "blockquote", "bullet_list": "ul", "ordered_list": "ol",
    "list_item": "li", "em": "em", "strong": "strong", "s": "s", "table": "table",
    "thead": "thead", "tbody": "tbody", "tr": "tr", "th": "th", "td": "td", "hr": "hr",
    "hardbreak": "br",
}  # fmt: skip
_CODE = {"code_inline": "code", "fence": "pre", "code_block": "pre"}
_OFF = ["html_block", "html_inline", "image", "link", "autolink", "reference"]

_OPEN, _CLOSE = "\ue000", "\ue001"
"""Stand around the index of a marker while the text is parsed. Private use: a text that holds them
itself loses nothing that can be seen."""

_PLACEHOLDER = re.compile(f"{_OPEN}(\\d+){_CLOSE}")


@dataclass(frozen=True, slots=True)
class _Marker:
    """A marker as written, and the passages it names."""

    text: str
    passages: tuple[int, ...]


def answer_tree(text: str, passages: int) -> list[Json]:
    """Return the blocks of an answer over so many ``passages``.

    A citation is ``["cite", n, "[n]"]``: a marker of several numbers gives one for each. ``number``
    is the first number of an ``ol``, the level of an ``h`` (1 to 6), and 0 elsewhere.
    """
    clean = text.replace(_OPEN, "\ufffd").replace(_CLOSE, "\ufffd")
    pieces: list[str] = []
    markers: list[_Marker] = []
    for segment in split_citations(clean, passages):
        if segment.passages:
            pieces.append(f"{_OPEN}{len(markers)}{_CLOSE}")
            markers.append(_Marker(segment.text, segment.passages))
        else:
            pieces.append(segment.text)
    from markdown_it.tree import SyntaxTreeNode

    root = SyntaxTreeNode(_parser().parse("".join(pieces)))
    return list(_nodes(root.children, markers, tight=False))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable(_OFF)


def _nodes(
    nodes: Sequence[SyntaxTreeNode], markers: Sequence[_Marker], *, tight: bool
) -> Iterator[Json]:
    for node in nodes:
        if node.type in ("inline", "text", "softbreak") or (tight and node.type == "paragraph"):
            yield from _text(node, markers)
        elif node.type in _CODE:
            written = _PLACEHOLDER.sub(lambda m: markers[int(m[1])].text, node.content)
            yield [_CODE[node.type], 0, written]
        elif node.type == "heading":
            yield ["h", int(node.tag[1]), *_nodes(node.children, markers, tight=False)]
        else:
            # A tight list's paragraphs are marked hidden: its items hold their text directly.
            hidden = any(child.type == "paragraph" and child.hidden for child in node.children)
            number = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
            tag = _TAGS.get(node.type, "span")
            yield [tag, number, *_nodes(node.children, markers, tight=hidden)]


def _text(node: SyntaxTreeNode, markers: Sequence[_Marker]) -> Iterator[Json]:
    if node.type == "softbreak":
        yield "\n"
    elif node.type == "text":
        at = 0
        for found in _PLACEHOLDER.finditer(node.content):
            if found.start() > at:
                yield node.content[at : found.start()]
            for passage in markers[int(found[1])].passages:
                yield ["cite", passage, f"[{passage}]"]
            at = found.end()
        if at < len(node.content):
            yield node.content[at:]
    else:
        yield from _nodes(node.children, markers, tight=False)
