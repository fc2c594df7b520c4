"""Markdown: decoded, with the metadata of its front matter. The text stays as it is written.

The title is that of the front matter, else the first heading of level 1.
"""

from __future__ import annotations

import re

from rag.readers import Content
from rag.readers.encoding import decode

_FRONT_MATTER = re.compile(r"---[ \t]*\n((?:[^\n]*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|\{#[^}]*\}")


def read(data: bytes) -> Content:
    """Decode a Markdown file, find its title and read its front matter."""
    text = decode(data)
    front = _FRONT_MATTER.match(text)
    if not front:
        return Content(text, title=_title(text), markdown=True)
    from rag.readers.front_matter import read_front_matter

    title = _title(text[front.end() :])
    try:
        named, metadata = read_front_matter(front[1])
    except ValueError as error:
        return Content(text, title=title, markdown=True, notes=(f"front matter not read: {error}",))
    return Content(text, title=named or title, markdown=True, metadata=metadata)


def _title(text: str) -> str:
    fence, previous = "", ""
    for line in text.split("\n"):
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


def _plain(heading: str) -> str:
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", heading)).split())
