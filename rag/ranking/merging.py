"""Auto-merging: many hits in one paragraph, section or document → all of it as one window.

Small parts are found, large parts are read, as far as the hits agree that the large part is what
was asked for. Paragraphs and sections are those of the source, known from the sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Protocol

from rag.types import Condition, Hit, Sentence, Window
from rag.windows import merge_windows, moved, window_keys

Group = Callable[[Sentence], object]
"""What the sentences of one paragraph, one section, … have in common, and others do not."""


class Sentences(Protocol):
    """What holds the documents: a store, for example."""

    def sentences(self, where: Sequence[Condition] = ()) -> Iterator[Sentence]:
        """Yield all sentences that fulfil ``where``, ordered by source and index."""
        ...


def merged_windows(
    store: Sentences,
    hits: Sequence[Hit],
    window_size: int,
    *,
    merge_threshold: float,
    max_characters: int,
    within_section: bool = False,
) -> tuple[Window, ...]:
    """Return the windows of ``hits``, grown to whole paragraphs, sections and documents.

    When more than ``merge_threshold`` (0 to 1) of a paragraph's sentences are hits, the paragraph
    is the passage; when more than it of a section's paragraphs became passages, so is the section,
    and so on through the outer sections up to the document. Nothing grows beyond
    ``max_characters``. The hits stay marked, their ranks and scores as they were; what did not
    grow has its window of ``window_size``, with ``within_section`` up to the next heading.
    """
    if not hits:
        return ()
    sources = tuple({hit.sentence.source: None for hit in hits})
    documents: dict[str, list[Sentence]] = defaultdict(list)
    for sentence in store.sentences([Condition("source", "in", sources)]):
        documents[sentence.source].append(sentence)
    places = {source: {s.index: s for s in each} for source, each in documents.items()}
    for source in {hit.sentence.source for hit in hits if moved(hit, places)}:
        del documents[source]  # built anew since: its found sentences stand alone
    stored = {_key(s): s for sentences in documents.values() for s in sentences}
    hits = [replace(hit, sentence=stored.get(_key(hit.sentence), hit.sentence)) for hit in hits]
    found: dict[str, set[int]] = defaultdict(set)
    for hit in hits:
        found[hit.sentence.source].add(hit.sentence.index)
    keys: set[tuple[str, int]] = set()
    for hit in hits:
        near = (stored.get(key) for key in window_keys([hit], window_size))
        section = hit.sentence.section
        keys.update(_key(s) for s in near if s and (s.section == section or not within_section))
    for source, sentences in documents.items():
        grown = _grown(sentences, found[source], merge_threshold, max_characters)
        keys.update((source, index) for index in grown)
    neighbours = [sentence for key, sentence in stored.items() if key in keys]
    # Every sentence that is wanted is a neighbour, so a window may reach as far as these do.
    widest = max(map(len, documents.values()), default=0)
    return tuple(merge_windows(hits, neighbours, widest))


def _grown(
    sentences: Sequence[Sentence], hits: set[int], threshold: float, max_characters: int
) -> set[int]:
    """Return the indices of ``hits`` and of all that grew out of them in one document."""
    found = set(hits)
    parts = [[sentence] for sentence in sentences]
    for group in _groups(sentences):
        children, parts = parts, _parts(sentences, group)
        whole = [found.issuperset(sentence.index for sentence in child) for child in children]
        at = 0
        for part in parts:
            begin = at
            while at < len(children) and children[at][0].index <= part[-1].index:
                at += 1
            share = sum(whole[begin:at]) / (at - begin)
            if share > threshold and _characters(part) <= max_characters:
                found.update(sentence.index for sentence in part)
    return found


def _groups(sentences: Iterable[Sentence]) -> list[Group]:
    """Return the ways to divide a document, finest first: paragraphs, sections, the whole."""
    depth = max(len(sentence.section) for sentence in sentences)
    groups: list[Group] = [lambda s: s.paragraph]
    groups += [_section_to(level) for level in range(depth, -1, -1)]
    return groups


def _section_to(level: int) -> Group:
    return lambda sentence: sentence.section[:level]


def _parts(sentences: Iterable[Sentence], group: Group) -> list[list[Sentence]]:
    """Return the runs of consecutive sentences that ``group`` gives one value."""
    return [list(run) for _, run in groupby(sentences, key=group)]


def _characters(part: Sequence[Sentence]) -> int:
    return sum(len(s.before) + len(s.text) for s in part) - len(part[0].before)


def _key(sentence: Sentence) -> tuple[str, int]:
    return sentence.source, sentence.index
