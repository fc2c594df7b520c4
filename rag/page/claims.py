"""What the support check found → how the answer's sentences are marked, and what is said of them.

Pure. The words are those of the page's language; every piece of a document travels raw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.page.strings import Strings
from rag.support.answer_sentences import plain
from rag.support.verdict import Reason, Support, Verdict
from rag.types import Answer, Window

Kind = Literal["supported", "missing", "open"]

KINDS: dict[Verdict, Kind] = {
    "supported": "supported",
    "not found in the passages": "missing",
    "not checked": "open",
}


@dataclass(frozen=True, slots=True)
class ClaimView:
    """How a sentence of an answer is marked. ``start`` to ``end`` are offsets of a sentence in the
    source of passage ``passage``; 0 where there is none to look at. ``tip`` says it in words.
    """

    kind: Kind
    passage: int
    start: int
    end: int
    tip: str


@dataclass(frozen=True, slots=True)
class Unfounded:
    """A sentence of the answer that the passages do not have, and why; ``claim`` is its index."""

    claim: int
    text: str
    why: str


def checkable(supports: Sequence[Support]) -> tuple[Support, ...]:
    """Return the sentences that claim something: lead-ins, questions and code are left out."""
    return tuple(support for support in supports if support.passage is not None)


def claim_views(
    answer: Answer, supports: Sequence[Support], words: Strings
) -> tuple[ClaimView, ...]:
    """Return the marks of the sentences ``supports``, in order."""
    windows = {window.rank: window for window in answer.windows}
    return tuple(_view(s, windows, words) for s in supports)


def unfounded(answer: Answer, supports: Sequence[Support], words: Strings) -> Iterator[Unfounded]:
    """Yield the sentences that the passages do not have, each with what differs."""
    for i, s in enumerate(supports):
        if KINDS[s.verdict] == "missing":
            yield Unfounded(i, plain(answer.text[s.start : s.end]), _why(s, words))


def summary(supports: Sequence[Support], words: Strings) -> str:
    """Say how many sentences were found, not found, and not checked; empty without any."""
    counts = Counter(KINDS[s.verdict] for s in supports)
    said = [words.claim_counts[kind].format(n=counts[kind]) for kind in KINDS.values()]
    shown = [text for text, kind in zip(said, KINDS.values(), strict=True) if counts[kind]]
    return words.checked.format(counts=" · ".join(shown)) if shown else ""


def _view(support: Support, windows: dict[int, Window], words: Strings) -> ClaimView:
    kind = KINDS[support.verdict]
    window = windows.get(support.passage or 0)
    tip = words.claim_tips[kind]
    if kind == "missing":
        tip = f"{tip} {_why(support, words)}"
    # Where nothing is like the sentence, the nearest is no place to send anybody to.
    start, end = support.source_start, support.source_end
    if window is None or start is None or end is None or support.reason == "nothing":
        return ClaimView(kind, 0, 0, 0, tip)
    text = " ".join(window.text[start - window.start : end - window.start].split())
    label = words.claim_source if kind == "supported" else words.claim_nearest
    tip = f"{tip} {label.format(passage=window.rank)} {text}"
    return ClaimView(kind, window.rank, start, end, tip)


def _why(support: Support, words: Strings) -> str:
    reason: Reason = support.reason or "nothing"
    values = {"said": support.said, "found": support.found, "passage": support.passage}
    if support.said and support.found:
        return f"{words.differences[reason]} {words.differs_both.format(**values)}"
    if support.said:
        return f"{words.differences[reason]} {words.differs_said.format(**values)}"
    return words.differences[reason]
