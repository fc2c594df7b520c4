"""An answer's text → the sentences in it that claim something, as plain text, with what they cite.

Pure. Offsets are code points of the answer's text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rag.citations import find_citations, strip_citations
from rag.sentences import split_sentences
from rag.splitting.markers import MARKER

_MARKUP = re.compile(
    r"[*_~`]{1,3}(?=\S)|(?<=\S)[*_~`]{1,3}|\\(?=[^\w\s])|^\s*(?:>\s?|#{1,6}\s)+|\|", re.MULTILINE
)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_LEADS_IN = re.compile(r"[:：]\s*\Z")
_ASKS = re.compile(r"[?？]\s*\Z")


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """``start`` to ``end`` in the answer's text, without outer white space. ``claim`` is it without
    markup and citations; empty where it claims nothing: a lead-in, a question, a piece of code.
    ``cited`` are the ranks of the windows that it names.
    """

    start: int
    end: int
    claim: str
    cited: frozenset[int]


def answer_sentences(text: str, passages: int) -> list[AnswerSentence]:
    """Return the sentences of an answer that rests on ``passages`` windows, in order.

    A marker behind a full stop belongs to the sentence before it.
    """
    citations = find_citations(text, passages)
    found: list[AnswerSentence] = []
    for span in split_sentences(text, markdown=True):
        if not span.searchable:
            continue
        piece = text[span.start : span.end]
        start = span.start + len(piece) - len(piece.lstrip())
        end = span.start + len(piece.rstrip())
        leading = start
        for citation in citations:  # markers before the first word
            if citation.start >= leading and not text[leading : citation.start].strip():
                leading = max(leading, min(citation.end, end))
        named = {c.passage for c in citations if start <= c.start < leading}
        if found and named:
            found[-1] = replace(found[-1], cited=found[-1].cited | named)
            start = leading + len(text[leading:end]) - len(text[leading:end].lstrip())
        if start >= end:
            continue
        cited = frozenset(c.passage for c in citations if start <= c.start < end)
        claim = "" if span.kind in ("code", "html") else plain(text[start:end])
        found.append(AnswerSentence(start, end, claim, cited))
    return found


def plain(text: str) -> str:
    """Return a sentence of an answer without markup and citations; empty where it claims nothing:
    a lead-in, a question.
    """
    text = _LINK.sub(r"\1", strip_citations(text))
    text = _MARKUP.sub(" ", MARKER.sub("", text, count=1) if MARKER.match(text) else text)
    text = " ".join(text.split())
    return "" if _LEADS_IN.search(text) or _ASKS.search(text) else text
