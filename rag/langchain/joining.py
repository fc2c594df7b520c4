"""Consecutive pieces of other people's documents → pieces that can be put together again. Pure.

Our own sentences know the text before them. Documents that someone else stored may overlap, may
leave gaps, and may not say where they stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rag.types import Sentence

UNKNOWN = -1
"""The ``start`` of a sentence that does not know where it stands."""


def fitted(sentences: Iterable[Sentence], separator: str = " ") -> list[Sentence]:
    """Return ``sentences`` such that ``before + text`` joined reads on without repeats.

    They are ordered by source and index. A sentence with offsets loses what the one before it in
    the list already holds, if that one is its neighbour. Where a gap is, and where offsets are
    missing, ``separator`` stands between two that do not touch by white space. Sentences that know
    the text before them stay as they are.
    """
    fitting: list[Sentence] = []
    previous: Sentence | None = None
    for sentence in sorted(sentences, key=lambda s: (s.source, s.index)):
        follows = previous is not None and (sentence.source, sentence.index) == (
            previous.source,
            previous.index + 1,
        )
        if previous is not None and follows and not sentence.before:
            fitting.append(_following(previous, sentence, separator))
        else:
            fitting.append(sentence)
        previous = fitting[-1]
    return fitting


def _following(previous: Sentence, sentence: Sentence, separator: str) -> Sentence:
    gap = sentence.start - previous.end if UNKNOWN not in (previous.start, sentence.start) else None
    if gap == 0:
        return sentence
    if gap is not None and gap < 0:
        overlap = min(-gap, len(sentence.text))
        start = sentence.start + overlap
        return replace(
            sentence, text=sentence.text[overlap:], start=start, end=max(start, sentence.end)
        )
    spaced = previous.text[-1:].isspace() or sentence.text[:1].isspace()
    return replace(sentence, before="" if spaced else separator)
