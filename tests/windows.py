"""Windows from a text and the sentences found in it, for tests of what comes after retrieval."""

from __future__ import annotations

from rag.sentences import split_sentences
from rag.types import Hit, Sentence, Window


def window(
    text: str, *found: str, rank: int = 1, first_hit: int = 1, source: str = "kettle.md"
) -> Window:
    """Make the window that is all of ``text``, in which the sentences ``found`` were found.

    They are ranked in the order given, from ``first_hit``. ``text`` is split as Markdown.
    """
    spans = [span for span in split_sentences(text, markdown=True) if span.searchable]
    bounds, sentences = [], {}
    for index, span in enumerate(spans):
        piece = text[span.start : span.end]
        start = span.start + len(piece) - len(piece.lstrip())
        end = start + len(piece.strip())
        bounds.append((start, end))
        sentences[text[start:end]] = Sentence(
            source, index, start, end, text[start:end], "Kettle", span.kind, span.section
        )
    hits = [Hit(sentences[each], rank) for rank, each in enumerate(found, first_hit)]
    start, end = bounds[0][0], bounds[-1][1]
    return Window(
        rank=rank, source=source, start=start, end=end, text=text[start:end], first=0,
        last=len(bounds) - 1, hits=tuple(sorted(hits, key=lambda hit: hit.sentence.index)),
        title="Kettle", bounds=tuple(bounds),
    )  # fmt: skip
