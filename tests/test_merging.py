"""Many hits in one part of a document make the part the passage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ranking.merging import merged_windows
from rag.stores.base import Store
from rag.types import Condition, Hit, Sentence, Window
from tests.small_collection import WordEmbeddings, build_small

SUN = "The sun rose early in the morning. It cast a warm glow over the trees. Birds began to sing."
GUIDE = """# Guide

## Kettle

Fill it. Boil it. Pour it. Wait.

Clean it. Dry it.

## Pump

Start it. Stop it. Oil it.
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    texts = {"guide.md": GUIDE, "sun.md": SUN + "\n"}
    store = build_small(tmp_path_factory.mktemp("merging"), texts, WordEmbeddings("sun"))
    yield store
    store.close()


def hits(store: Store, source: str, indices: Sequence[int]) -> list[Hit]:
    sentences = {s.index: s for s in store.sentences([Condition("source", "=", source)])}
    return [Hit(sentences[index], rank) for rank, index in enumerate(indices, 1)]


def merged(
    store: Store,
    indices: Sequence[int],
    *,
    source: str = "guide.md",
    threshold: float = 0.5,
    window_size: int = 0,
    max_characters: int = 6000,
) -> tuple[Window, ...]:
    return merged_windows(
        store, hits(store, source, indices), window_size,
        merge_threshold=threshold, max_characters=max_characters,
    )  # fmt: skip


def ranges(windows: Sequence[Window]) -> list[tuple[int, int]]:
    return [(window.first, window.last) for window in windows]


@pytest.mark.parametrize(
    ("indices", "expected"),
    [
        ([0], [(0, 0)]),
        ([0, 2], [(0, 0), (2, 2)]),  # half of the paragraph is not more than half
        ([0, 1, 3], [(0, 3)]),  # the paragraph; it is half of the section
        ([4, 0], [(4, 4), (0, 0)]),
        ([6, 8], [(6, 8)]),  # the paragraph is the section; it is half of the document
        ([0, 1, 2, 4, 5], [(0, 5)]),  # both paragraphs of the section
        ([0, 1, 2, 4, 5, 6, 7], [(0, 8)]),
    ],
)
def test_grown(store: Store, indices: list[int], expected: list[tuple[int, int]]) -> None:
    """Above the threshold a paragraph is the passage, then its section, up to the document."""
    assert ranges(merged(store, indices)) == expected


def test_the_threshold_decides(store: Store) -> None:
    """The lower the threshold, the more grows together."""
    grown = [ranges(merged(store, [0, 2], threshold=t)) for t in (0.9, 0.5, 0.4, 0.1)]
    assert grown == [[(0, 0), (2, 2)], [(0, 0), (2, 2)], [(0, 8)], [(0, 8)]]
    strict = ranges(merged(store, [0, 1, 2, 3], threshold=0.7))
    assert strict == [(0, 3)]


def test_the_sun(store: Store) -> None:
    """Two of three sentences give the whole text, marked where they are; one gives itself."""
    (window,) = merged(store, [2, 0], source="sun.md")
    assert window.text == SUN
    assert [(hit.sentence.index, hit.rank) for hit in window.hits] == [(0, 2), (2, 1)]
    (alone,) = merged(store, [1], source="sun.md")
    assert alone.text == "It cast a warm glow over the trees."


def test_nothing_grows_beyond_the_limit(store: Store) -> None:
    """A part longer than the limit is not merged; a smaller part in it still is."""
    sizes = {51: [(0, 5)], 50: [(0, 3)], 32: [(0, 3)], 31: [(0, 1), (3, 3)]}
    for characters, expected in sizes.items():
        windows = merged(store, [0, 1, 3], threshold=0.45, max_characters=characters)
        assert ranges(windows) == expected


def test_what_does_not_grow_keeps_its_window(store: Store) -> None:
    """A lone hit has its window of that size; windows that touch what has grown join it."""
    assert ranges(merged(store, [0, 8], window_size=1, threshold=0.9)) == [(0, 1), (7, 8)]
    assert ranges(merged(store, [6, 7, 4], window_size=1)) == [(3, 8)]


def test_a_heading_ends_what_does_not_grow(store: Store) -> None:
    """Where passages end at headings, windows beside grown paragraphs do too."""
    found = hits(store, "guide.md", [5])
    for within, last in ((False, 7), (True, 5)):
        (window,) = merged_windows(
            store, found, 2, merge_threshold=0.9, max_characters=6000, within_section=within
        )
        assert (window.first, window.last) == (3, last)


def test_text_is_the_source_s(store: Store) -> None:
    """What has grown is a slice of the document, headings between included."""
    (window,) = merged(store, [0, 1, 2, 4, 5, 6, 7])
    assert window.text == GUIDE[window.start : window.end]
    assert "## Pump" in window.text


def test_several_documents(store: Store) -> None:
    """Each document grows by itself, and the best hit's comes first."""
    found = [*hits(store, "sun.md", [0, 1]), *hits(store, "guide.md", [6])]
    windows = merged_windows(store, found, 0, merge_threshold=0.5, max_characters=6000)
    assert [(w.source, w.first, w.last) for w in windows] == [("guide.md", 6, 6), ("sun.md", 0, 2)]
    assert merged_windows(store, [], 2, merge_threshold=0.5, max_characters=100) == ()


GROUPS = st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(1, 4), min_size=1)), min_size=1)
"""Sections of a document: what heading of three levels begins each, its paragraphs' lengths."""


def divided(groups: Sequence[tuple[int, Sequence[int]]]) -> list[Sentence]:
    """The sentences of a document with these sections and paragraphs."""
    sentences: list[Sentence] = []
    section: tuple[str, ...] = ()
    paragraph = 0
    for number, (level, lengths) in enumerate(groups):
        section = (*section[:level], f"S{number}")
        for length in lengths:
            paragraph += 1
            for _ in range(length):
                index = len(sentences)
                sentences.append(
                    Sentence(
                        "d", index, 3 * index, 3 * index + 2, "X.", before=" " if index else "",
                        section=section, paragraph=paragraph,
                    )
                )  # fmt: skip
    return sentences


def simply_grown(sentences: list[Sentence], found: set[int], threshold: float) -> set[int]:
    """The indices that grow out of ``found``, by the words of the definition."""
    depth = max(len(s.section) for s in sentences)
    levels: list[Callable[[Sentence], object]] = [lambda s: s.paragraph]
    levels += [lambda s, n=n: s.section[:n] for n in range(depth, -1, -1)]  # type: ignore[misc]
    children = [[s] for s in sentences]
    for level in levels:
        before = set(found)
        parts = [list(part) for _, part in groupby(sentences, key=level)]
        for part in parts:
            inside = [child for child in children if child[0] in part]
            whole = [child for child in inside if all(s.index in before for s in child)]
            if len(whole) / len(inside) > threshold and 3 * len(part) - 1 <= 60:
                found = found | {s.index for s in part}
        children = parts
    return found


class Held:
    """A document that is held in memory."""

    def __init__(self, sentences: list[Sentence]) -> None:
        self.held = sentences

    def sentences(self, where: Sequence[Condition] = ()) -> Iterator[Sentence]:
        return iter(self.held)


@given(GROUPS, st.sets(st.integers(0, 40), min_size=1), st.sampled_from([0.0, 0.3, 0.5, 0.75]))
def test_growing_is_as_defined(
    groups: list[tuple[int, list[int]]], chosen: set[int], threshold: float
) -> None:
    """However a document is divided, what grows is what the definition says."""
    sentences = divided(groups)
    indices = {index % len(sentences) for index in chosen}
    found = [Hit(sentences[index], rank) for rank, index in enumerate(sorted(indices), 1)]
    windows = merged_windows(
        Held(sentences), found, 0, merge_threshold=threshold, max_characters=60
    )
    grown = {index for window in windows for index in range(window.first, window.last + 1)}
    assert grown == simply_grown(sentences, indices, threshold)
