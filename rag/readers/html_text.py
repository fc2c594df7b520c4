"""The elements of a page in their order → text and blocks.

Told of each element's begin and end and of the text between; knows no parser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rag.readers import Content
from rag.readers.composer import Composer
from rag.readers.html_table import HtmlTable, number
from rag.types import SpanKind

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_BLOCKS = _LISTS | _HEADINGS.keys() | {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header",
    "hgroup", "hr", "html", "legend", "li", "main", "p", "pre", "search", "section", "summary",
    "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr",
}  # fmt: skip
_MEANING = _HEADINGS.keys() | {"pre", "blockquote", "dd", "dt", "title", "body"}
"""The elements that say what the text in them is."""

_SPACE = re.compile(r"[ \t\r\n\f]+")
_EASTERN = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_EASTERN_SPACE = re.compile(rf"(?<=[{_EASTERN}])[ \t\r\n\f]+(?=[{_EASTERN}])")
_RAISED = str.maketrans("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_RAISABLE = re.compile(r"[0-9+\-−=()]+")
_NOTE = re.compile(r"(?:foot|end)note[-_:]?\d|fn[-:]?\d|cite_note")
"""Ids of list items that are notes, as Word's converter and common site generators name them."""

Attributes = Mapping[str, str | None]


@dataclass(slots=True)
class _List:
    number: int | None
    letters: str = ""


class HtmlText:
    """A page being written. ``layout`` are the ids of tables whose cells are no data."""

    def __init__(self, layout: frozenset[int]) -> None:
        self._layout = layout
        self._composer = Composer()
        self._inline: list[str] = []
        self._raised: list[int] = []
        self._tables: list[HtmlTable] = []
        self._lists: list[_List] = []
        self._open: list[str] = []
        self._in_pre = 0
        self._in_body = False
        self._marker = self._term = self._title = self._heading = ""
        self._listed = False
        self._kind: SpanKind = "item"

    def write(self, text: str) -> None:
        """Take in text, as it stands between tags."""
        if not self._in_pre:
            text = _EASTERN_SPACE.sub(lambda m: "" if "\n" in m.group() else " ", text)
            text = _SPACE.sub(" ", text)
        self._inline.append(text)

    def enter(self, tag: str, attributes: Attributes, identity: int) -> None:
        """Take in the begin of an element."""
        if tag == "br":
            self._inline.append("\n")
        elif tag == "sup":
            self._raised.append(len(self._inline))
        elif tag in _BLOCKS:
            self._flush()
            self._begin(tag, attributes, identity)

    def leave(self, tag: str) -> None:
        """Take in the end of an element."""
        if tag == "sup" and self._raised:
            start = self._raised.pop()
            raised = "".join(self._inline[start:]).strip()
            if _RAISABLE.fullmatch(raised):  # 10<sup>3</sup> is not 103
                self._inline[start:] = [raised.translate(_RAISED)]
        elif tag in _BLOCKS:
            self._flush()
            self._end(tag)

    def content(self) -> Content:
        """Return the page's text; its title is the element of that name, else the first heading."""
        return self._composer.content(title=self._title or self._heading)

    def _begin(self, tag: str, attributes: Attributes, identity: int) -> None:
        table = self._tables[-1] if self._tables else None
        if tag in _LISTS:
            if not self._lists:
                self._listed = False
            start = number(attributes.get("start"), 1) if tag == "ol" else None
            self._lists.append(_List(start, attributes.get("type") or ""))
        elif tag == "li":
            self._marker = self._next_marker(attributes)
            if _NOTE.match(attributes.get("id") or ""):
                self._kind = "footnote"
                self._composer.end_sections()
        elif tag == "table":
            places = identity in self._layout or attributes.get("role") == "presentation"
            self._tables.append(HtmlTable(layout=places))
        elif table and tag == "thead":
            table.in_head = True
        elif table and tag in ("td", "th"):
            table.cell(tag, attributes)
        elif tag in _MEANING:
            self._open.append(tag)
            self._in_pre += tag == "pre"
            self._in_body = self._in_body or tag == "body"

    def _end(self, tag: str) -> None:
        if tag in _LISTS and self._lists:
            self._lists.pop()
            self._marker, self._kind = "", "item"
        elif tag == "table" and self._tables:
            self._tables.pop()
        elif tag == "thead" and self._tables:
            self._tables[-1].in_head = False
        elif tag == "tr" and self._tables:
            self._tables[-1].end_row(self._composer)
        elif self._open and self._open[-1] == tag:
            self._open.pop()
            self._in_pre -= tag == "pre"

    def _flush(self) -> None:
        """Write what has come since the last block began or ended, as a block."""
        text, self._inline, self._raised = "".join(self._inline), [], []
        if not text.strip():
            return
        if self._in_pre:
            self._composer.add(text, "code", cut="lines")
            return
        text = re.sub(" ?\n ?", "\n", re.sub(" {2,}", " ", text)).strip()
        table = self._tables[-1] if self._tables else None
        for paragraph in re.split(r"\n{2,}", text):
            if table and table.in_cell:
                marker, self._marker = self._marker, ""
                table.add(marker + paragraph.replace("\n", " "))
            else:
                self._block(paragraph)

    def _block(self, text: str) -> None:
        within = self._open[-1] if self._open else ""
        if within == "title":
            self._title = self._title or " ".join(text.split())
            if self._in_body:
                self._composer.title(text)
        elif within in _HEADINGS:
            self._heading = self._heading or " ".join(text.split())
            self._composer.heading(text, _HEADINGS[within])
        elif self._lists:
            marker, self._marker = self._marker, ""
            depth = min(len(self._lists), 10)  # ten thousand levels indent no further
            indent = "  " * (depth - 1)
            self._composer.add(marker + text, self._kind, follows=self._listed, indent=indent)
            self._listed = True
        elif within == "dt":
            self._term = " ".join(text.split())
            self._composer.add(text)
        elif within == "dd":
            self._composer.add(text, context=self._term, follows=True)
        else:
            self._composer.add(text, "quote" if within == "blockquote" else "sentence")

    def _next_marker(self, attributes: Attributes) -> str:
        current = self._lists[-1] if self._lists else _List(None)
        if current.number is None:
            return "- "
        place = number(attributes.get("value"), current.number)
        current.number = place + 1
        if current.letters in ("a", "A") and 0 < place < 27:
            return f"{chr(ord(current.letters) + place - 1)}. "
        return f"{place}. "
