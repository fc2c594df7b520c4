"""Markdown's marks: taken out of a heading's words, masked where sentences are looked for."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.I)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
_CODE = re.compile(r"(?<!`)(`{1,5})(?!`)((?:[^`]|(?!\1(?!`))`+){1,1000}?)(?<!`)\1(?!`)")
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\](?:\([^()\n]{0,1000}\)|\[[^\[\]]{0,200}\])")
_TARGET = re.compile(r"(?<=\])(?:\([^()\n]{0,1000}\)|\[[^\[\]]{0,200}\])")
_ADDRESS = re.compile(r"<(?:https?:|mailto:)[^<>\s]{1,1000}>")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*+|~~+|(?<![^\W_])_+(?=\S)|(?<=\S)_+(?![^\W_]))")
_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*\Z")
_QUOTED = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+")
_VISIBLE = re.compile(r"\S")
_SPACES = re.compile(r"\s+")


def plain_words(markup: str) -> str:
    """Return the words of one block: no emphasis, link targets, tags, heading attributes or pipes.

    >>> plain_words("**See** [the *manual*](m.md) {#see}")
    'See the manual'
    """
    text = _COMMENT.sub(" ", _ATTRIBUTES.sub("", markup))
    text = _TAG.sub(" ", _ADDRESS.sub(lambda match: match.group()[1:-1], text))
    text = _EMPHASIS.sub("", _LINK.sub(r"\1", text)).replace("`", "")
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return _SPACES.sub(" ", text).strip(" |")


def mask_markup(markup: str) -> str:
    """Return ``markup`` in as many characters with what is not prose masked.

    Quote marks become blanks; code letters; tags and link targets asterisks, which a sentence end
    may stand before and a beginning behind.
    """
    text = _QUOTED.sub(lambda match: " " * len(match.group()), markup)
    if "`" in text:
        text = _CODE.sub(lambda match: _VISIBLE.sub("x", match.group()), text)
    if "<" in text:
        text = _COMMENT.sub(_asterisks, _ADDRESS.sub(_asterisks, text))
        text = _TAG.sub(_asterisks, text)
    return _TARGET.sub(_asterisks, text) if "](" in text or "][" in text else text


def has_words(html: str) -> bool:
    """Whether anything but tags, comments, scripts and styles stands in ``html``."""
    return re.search(r"[^\W_]", _TAG.sub("", _COMMENT.sub("", html))) is not None


def _asterisks(match: re.Match[str]) -> str:
    return "*" * len(match.group())
