"""Markdown: decoded, its title the first heading of level 1. The text stays as it is written."""

from __future__ import annotations

import re

from rag.readers import Content
from rag.readers.encoding import decode

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|\{#[^}]*\}")


def read(data: bytes) -> Content:
    """Decode a Markdown file and find its title."""
    text = decode(data)
    return Content(text, title=_title(text), markdown=True)


def _title(text: str) -> str:
    fence, previous = "", ""
    for line in _body(text).split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            continue
        if mark:
            fence = mark[1]
        elif heading := _HEADING.match(line):
            return _plain(heading[1])
        elif previous.strip() and _UNDERLINE.match(line):
            return _plain(previous)
        previous = line
    return ""


def _body(text: str) -> str:
    """``text`` without its front matter, where a line such as ``# note`` is a comment."""
    if text.startswith("---\n"):
        end = text.find("\n---", 3)
        if end != -1:
            return text[end + 4 :]
    return text


def _plain(heading: str) -> str:
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", heading)).split())
