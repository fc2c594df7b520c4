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

_BEGIN, _END = "\ua8ce", "\ua8cf"
"""Stand where a claim begins, around its index, and where it ends. Rare signs of punctuation, so
that emphasis beside them is still emphasis."""

_PLACEHOLDER = re.compile(f"{_OPEN}(\\d+){_CLOSE}|{_BEGIN}(\\d*){_END}")
_FOREIGN = str.maketrans(dict.fromkeys((_OPEN, _CLOSE, _BEGIN, _END), "\ufffd"))
_BLOCK_MARKS = re.compile(r"(?:\s|>|\||#{1,6}\s|[-*+]\s+(?:\[[ xX]\]\s)?|\d{1,9}[.)]\s)*")
"""What says of a line that it is an item, a heading, a row: a claim begins behind it."""


@dataclass(frozen=True, slots=True)
class _Marker:
    """A marker as written, and the passages it names."""

    text: str
    passages: tuple[int, ...]


def answer_tree(text: str, passages: int, claims: Sequence[tuple[int, int]] = ()) -> list[Json]:
    """Return the blocks of an answer over so many ``passages``.

    A citation is ``["cite", n, "[n]"]``: a marker of several numbers gives one for each. ``number``
    is the first number of an ``ol``, the level of an ``h`` (1 to 6), and 0 elsewhere. ``claims``
    are offsets in ``text``, in order and apart; what is inside of claim ``i`` is
    ``["claim", i, …]``, in as many pieces as there are. Where marking them would change how the
    text reads none is marked.
    """
    bare = _blocks(text, passages, ())
    if not claims:
        return bare
    marked = _blocks(text, passages, claims)
    return marked if without_claims(marked) == without_claims(bare) else bare


def without_claims(nodes: Sequence[Json]) -> list[Json]:
    """Return a tree as it is when no claim is marked in it."""
    flat: list[Json] = []
    for node in nodes:
        inner: list[Json] = [node]
        if isinstance(node, list) and node[0] == "claim":
            inner = without_claims(node[2:])
        elif isinstance(node, list):
            inner = [[*node[:2], *without_claims(node[2:])]]
        for each in inner:
            if flat and isinstance(each, str) and isinstance(flat[-1], str) and flat[-1] != "\n":
                flat[-1] += each
            else:
                flat.append(each)
    return flat


def _blocks(text: str, passages: int, claims: Sequence[tuple[int, int]]) -> list[Json]:
    from markdown_it.tree import SyntaxTreeNode

    clean = text.translate(_FOREIGN)
    bounds = _bounds(clean, claims)
    pieces: list[str] = []
    markers: list[_Marker] = []
    at = 0
    for segment in split_citations(clean, passages):
        end = at + len(segment.text)
        inside = [
            (place, sign)
            for place, sign in bounds
            if at <= place < end or place == end == len(clean)
        ]
        if segment.passages:
            pieces += [sign for _, sign in inside if sign != f"{_BEGIN}{_END}"]
            pieces.append(f"{_OPEN}{len(markers)}{_CLOSE}")
            markers.append(_Marker(segment.text, segment.passages))
            pieces += [sign for _, sign in inside if sign == f"{_BEGIN}{_END}"]
        else:
            for place, sign in inside:
                pieces += [clean[at:place], sign]
                at = place
            pieces.append(clean[at:end])
        at = end
    root = SyntaxTreeNode(_parser().parse("".join(pieces)))
    return list(_nodes(root.children, _Reading(markers), tight=False))


def _bounds(text: str, claims: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
    """Return the places of ``text`` where claims begin and end, in order, with their signs."""
    bounds: list[tuple[int, str]] = []
    for i, (start, end) in enumerate(claims):
        marks = _BLOCK_MARKS.match(text, start, end)
        begin = marks.end() if marks else start
        last = begin + len(text[begin:end].rstrip("| \t"))
        if begin < last:
            bounds += [(begin, f"{_BEGIN}{i}{_END}"), (last, f"{_BEGIN}{_END}")]
    return bounds


@dataclass(slots=True)
class _Reading:
    """The markers of a text, and the claim that the text read so far ends in."""

    markers: Sequence[_Marker]
    claim: int | None = None

    def pieces(self, text: str) -> Iterator[Json]:
        """Yield ``text`` with its citations, cut where claims begin and end."""
        at = 0
        for found in _PLACEHOLDER.finditer(text):
            yield from self.inside(text[at : found.start()])
            at = found.end()
            if found[1] is None:
                self.claim = int(found[2]) if found[2] else None
            else:
                for passage in self.markers[int(found[1])].passages:
                    yield ["cite", passage, f"[{passage}]"]
        yield from self.inside(text[at:])

    def inside(self, node: Json) -> Iterator[Json]:
        """Yield a node as a part of the claim that it stands in, if it stands in one."""
        if node:
            yield node if self.claim is None else ["claim", self.claim, node]

    def code(self, node: SyntaxTreeNode) -> Iterator[Json]:
        """Yield code as it was written; claims may begin and end in it."""

        def written(found: re.Match[str]) -> str:
            if found[1] is None:
                self.claim = int(found[2]) if found[2] else None
                return ""
            return self.markers[int(found[1])].text

        yield from self.inside([_CODE[node.type], 0, _PLACEHOLDER.sub(written, node.content)])


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable(_OFF)


def _nodes(nodes: Sequence[SyntaxTreeNode], reading: _Reading, *, tight: bool) -> Iterator[Json]:
    for node in nodes:
        if node.type in ("inline", "text", "softbreak") or (tight and node.type == "paragraph"):
            yield from _text(node, reading)
        elif node.type in _CODE:
            yield from reading.code(node)
        elif node.type == "heading":
            yield ["h", int(node.tag[1]), *_nodes(node.children, reading, tight=False)]
        else:
            # A tight list's paragraphs are marked hidden: its items hold their text directly.
            hidden = any(child.type == "paragraph" and child.hidden for child in node.children)
            number = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
            tag = _TAGS.get(node.type, "span")
            yield [tag, number, *_nodes(node.children, reading, tight=hidden)]


def _text(node: SyntaxTreeNode, reading: _Reading) -> Iterator[Json]:
    if node.type == "softbreak":
        yield "\n"
    elif node.type == "text":
        yield from reading.pieces(node.content)
    else:
        yield from _nodes(node.children, reading, tight=False)
