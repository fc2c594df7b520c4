"""A model's stream of text → what it says, apart from what it thinks.

Pure. Models write their thinking before the answer, between ``<think>`` and ``</think>`` or a like
pair; some chat templates put the opening tag into the prompt, so that only the closing one comes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.types import ReasoningMode

_NAMES = ("think", "thinking", "thought", "reasoning", "seed:think")
_OPENING = (*(f"<{name}>" for name in _NAMES), "[THINK]")
_CLOSING = (*(f"</{name}>" for name in _NAMES), "[/THINK]")
_TAG = re.compile("|".join(re.escape(tag) for tag in (*_OPENING, *_CLOSING)))
"""DeepSeek and Qwen, and what others of their kind write; [THINK] is Mistral's."""


@dataclass(frozen=True, slots=True)
class Split:
    """What a piece came to. ``recalled``: all text given before was reasoning, as it turns out."""

    text: str = ""
    reasoning: str = ""
    recalled: bool = False


class ReasoningSplitter:
    """Splits a stream, however it is cut into pieces.

    ``auto`` takes out what stands between two tags; a closing tag without an opening one recalls
    the text before it. ``unopened`` takes the stream to begin in thinking and gives nothing out
    until the closing tag or the end: for models that never send the opening tag. ``text`` leaves
    all as it is.
    """

    def __init__(self, mode: ReasoningMode = "auto") -> None:
        self._mode = mode
        self._held = ""
        self._thinking = mode == "unopened"
        self._closed = False
        self._begun = False

    def feed(self, piece: str) -> Split:
        """Take the next piece; give out what is certain. A tag that has only begun is held back."""
        if self._mode == "text":
            return Split(piece)
        self._held += piece
        split = Split()
        while tag := _TAG.search(self._held):
            split = _joined(split, self._part(self._held[: tag.start()]))
            if tag[0] in _CLOSING and not self._thinking and not self._closed:
                split = Split("", split.reasoning + split.text, recalled=True)
            self._thinking = tag[0] in _OPENING
            self._closed = self._closed or not self._thinking
            self._begun = self._begun and not split.recalled
            self._held = self._held[tag.end() :]
        if self._mode == "unopened" and not self._closed:
            return split  # the start of an answer, or of thinking: the end will tell
        keep = _begun_tag(self._held)
        certain, self._held = (
            self._held[: len(self._held) - keep],
            self._held[len(self._held) - keep :],
        )
        return _joined(split, self._part(certain))

    def finish(self) -> Split:
        """Give out what was held back. A stream that never closed its thinking was an answer."""
        held, self._held = self._held, ""
        if self._mode == "unopened" and not self._closed:
            self._thinking = False
        return self._part(held)

    def _part(self, part: str) -> Split:
        if self._thinking:
            return Split(reasoning=part)
        if not self._begun:
            part = part.lstrip()  # the blank lines between thinking and answer
            self._begun = bool(part)
        return Split(part)


def _joined(first: Split, then: Split) -> Split:
    return Split(first.text + then.text, first.reasoning + then.reasoning, first.recalled)


def _begun_tag(text: str) -> int:
    """Return how many characters at the end of ``text`` may be the beginning of a tag."""
    at = max(text.rfind("<"), text.rfind("["))
    tail = text[at:] if at >= 0 else ""
    return len(tail) if tail and any(tag.startswith(tail) for tag in (*_OPENING, *_CLOSING)) else 0
