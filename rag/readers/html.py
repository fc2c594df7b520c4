"""HTML → the text that a browser would show, with its headings, lists and tables as blocks.

Nothing is loaded or run: scripts, styles, frames, pictures, form controls and what is hidden are
left out. Knows no HTML parser but through the tree that :mod:`selectolax` makes of any markup, as
browsers do; the tree is walked without recursion, however deep it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.readers import Content, missing
from rag.readers.encoding import decode
from rag.readers.html_text import HtmlText

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_META = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]*?\b(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)""", re.I
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)

_LEFT_OUT = frozenset({
    "script", "style", "template", "noscript", "iframe", "frame", "noframes", "object", "embed",
    "applet", "svg", "canvas", "audio", "video", "map", "img", "picture",
    "button", "datalist", "input", "select", "textarea", "progress", "meter",
    "nav",  # the way to other pages, not this one's text
    "rp", "rt",  # readings above a word would stand inside it
})  # fmt: skip


def read(data: bytes) -> Content:
    """Read a page, by the encoding that it declares unless it is UTF-8."""
    declared = _META.search(data, 0, 4096)
    return read_html(decode(data, declared[1].decode("ascii", "ignore") if declared else ""))


def read_html(html: str) -> Content:
    """Read the markup of a page."""
    try:
        from selectolax.lexbor import LexborHTMLParser, SelectolaxError
    except ImportError:
        raise missing("selectolax") from None
    try:
        root = LexborHTMLParser(html).root
    except SelectolaxError:
        raise ValueError("is markup that cannot be parsed in the memory there is") from None
    if root is None:
        return Content("")
    text = HtmlText(_layout_tables(root))
    for entered, node in _walk(root):
        if not entered:
            text.leave(node.tag or "")
        elif node.is_text_node:
            text.write(node.text_content or "")
        else:
            text.enter(node.tag or "", node.attributes, node.mem_id)
    return text.content()


def _walk(root: LexborNode) -> Iterator[tuple[bool, LexborNode]]:
    """Yield each node that shows as it is entered (True), elements again as they are left."""
    node: LexborNode | None = root
    while node is not None:
        inner = None
        if node.is_text_node:
            yield True, node
        elif _shows(node):
            yield True, node
            inner = node.first_child
            if inner is None:
                yield False, node
        while inner is None:
            if node.mem_id == root.mem_id:
                return
            if node.next is not None:
                inner = node.next
            else:
                node = node.parent
                if node is None:
                    return
                yield False, node
        node = inner


def _shows(node: LexborNode) -> bool:
    if not node.is_element_node or node.tag in _LEFT_OUT:
        return False
    attributes = node.attributes
    return "hidden" not in attributes and not _HIDDEN.search(attributes.get("style") or "")


def _layout_tables(root: LexborNode) -> frozenset[int]:
    """Return the tables that hold no data but place what is in them: they hold tables, headings."""
    layout: set[int] = set()
    inside: list[int] = []
    for entered, node in _walk(root):
        if node.tag == "table":
            if not entered:
                inside.pop()
                continue
            layout.update(inside[-1:])
            inside.append(node.mem_id)
        elif inside and node.tag in ("h1", "h2", "h3", "h4", "h5", "h6", "pre"):
            layout.add(inside[-1])
    return frozenset(layout)
