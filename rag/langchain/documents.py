"""Found sentences → LangChain's ``Document``: the window's text, and in the metadata why.

One document a window, or one a hit. A hit may also be a ``Document`` itself: one that lacks the
fields by which its neighbours could be found. It goes through as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.documents import Document

from rag.langchain.joining import fitted
from rag.langchain.points import Key, Points
from rag.ranking.merging import merged_windows
from rag.types import Hit, Sentence, Window
from rag.windows import merge_windows, window_keys

HALF_KEYWORD_SCORE = 8.0
"""The keyword score that is scaled to one half: about that of two rare shared words."""

Found = Sequence[Hit | Document]


def window_documents(
    points: Points,
    found: Found,
    window_size: int,
    *,
    merge_threshold: float | None,
    max_characters: int,
    scale: bool,
) -> list[Document]:
    """Return the merged windows, best first; ``highlights`` are their hits, in document order."""
    hits = [hit for hit in found if isinstance(hit, Hit)]
    if merge_threshold is None:
        near = {_key(s): s for s in fitted(points.read(window_keys(hits, window_size)))}
        hits = [replace(h, sentence=near.get(_key(h.sentence), h.sentence)) for h in hits]
        windows = merge_windows(hits, near.values(), window_size)
    else:
        windows = list(merged_windows(
            points, hits, window_size,
            merge_threshold=merge_threshold, max_characters=max_characters,
        ))  # fmt: skip
    documents = [_window_document(points, window, scale=scale) for window in windows]
    return documents + [hit for hit in found if isinstance(hit, Document)]


def hit_documents(
    points: Points, found: Found, window_size: int, *, scale: bool, vectors: bool
) -> list[Document]:
    """Return the window of each hit, in the hits' order, with the metadata that the hit has."""
    keys = [_key(hit.sentence) for hit in found if isinstance(hit, Hit)]
    known = points.vectors(keys) if vectors else {}
    documents = []
    for hit, group in groups(points, found, window_size):
        if isinstance(hit, Document):
            documents.append(hit)
            continue
        document = sentence_document(points, hit.sentence)
        more = {"original_text": document.page_content, **_why(hit, scale=scale)}
        if _key(hit.sentence) in known:
            more["vector"] = list(map(float, known[_key(hit.sentence)]))
        documents.append(Document(joined(group), metadata={**document.metadata, **more}))
    return documents


def groups(
    points: Points, found: Found, window_size: int
) -> Iterator[tuple[Hit | Document, list[Sentence]]]:
    """Yield each hit with the sentences of its window, in their order."""
    hits = [hit for hit in found if isinstance(hit, Hit)]
    near = {_key(s): s for s in points.read(window_keys(hits, window_size))}
    for hit in found:
        if isinstance(hit, Document):
            yield hit, []
            continue
        source, index = _key(hit.sentence)
        around = range(index - window_size, index + window_size + 1)
        yield hit, [near[source, i] for i in around if (source, i) in near] or [hit.sentence]


def sentence_document(points: Points, sentence: Sentence) -> Document:
    """Return a sentence as a document, with the metadata it was stored with."""
    metadata = points.stored(sentence) or {
        "source": sentence.source, "index": sentence.index, "start": sentence.start,
        "end": sentence.end, "title": sentence.title, "kind": sentence.kind,
        "section": list(sentence.section), "paragraph": sentence.paragraph, "page": sentence.page,
        "before": sentence.before, "after": sentence.after,
    }  # fmt: skip
    return Document(sentence.text, metadata=dict(metadata))


def joined(group: Sequence[Sentence]) -> str:
    """Return the text of consecutive sentences, none of it twice."""
    sentences = fitted(group)
    return sentences[0].text + "".join(s.before + s.text for s in sentences[1:])


def _window_document(points: Points, window: Window, *, scale: bool) -> Document:
    best = min(window.hits, key=lambda hit: hit.rank)
    highlights = [
        {"start": hit.sentence.start, "end": hit.sentence.end, "index": hit.sentence.index,
         "text": hit.sentence.text, **_why(hit, scale=scale)}
        for hit in window.hits
    ]  # fmt: skip
    stored = points.stored(best.sentence) or {"source": window.source}
    named: Mapping[str, Any] = {name: stored[name] for name in points.fields.source}
    metadata = {
        **named, "title": window.title, "section": list(window.section), "page": window.page,
        "start": window.start, "end": window.end, "first": window.first, "last": window.last,
        "highlights": highlights, **_why(best, scale=scale), "rank": window.rank,
    }  # fmt: skip
    return Document(window.text, metadata=metadata)


def _why(hit: Hit, *, scale: bool) -> dict[str, Any]:
    return {
        "rank": hit.rank, "score": _scaled(hit) if scale else _score(hit),
        "scores": {"dense": hit.dense, "keyword": hit.keyword, "fused": hit.fused},
        "ranks": {"dense": hit.dense_rank, "keyword": hit.keyword_rank}, "terms": list(hit.terms),
    }  # fmt: skip


def _score(hit: Hit) -> float | None:
    return next((s for s in (hit.fused, hit.dense, hit.keyword) if s is not None), None)


def _scaled(hit: Hit) -> float | None:
    """Bring the score into 0 to 1, in the same order: a cosine linearly, a keyword sum bent."""
    if hit.fused is not None:
        return min(1.0, max(0.0, hit.fused))
    if hit.dense is not None:
        return min(1.0, max(0.0, (1 + hit.dense) / 2))
    return None if hit.keyword is None else hit.keyword / (hit.keyword + HALF_KEYWORD_SCORE)


def _key(sentence: Sentence) -> Key:
    return sentence.source, sentence.index
