"""Hits and their neighbours become windows: merged, ranked, whole, and no longer than allowed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.types import Hit, Sentence, Window
from rag.windows import merge_windows, window_keys
from tests.strange_texts import quick


def file_of(source: str, texts: list[str], gap: str = " ") -> list[Sentence]:
    """The sentences of a file that is ``texts`` with ``gap`` between them."""
    sentences, at = [], 0
    for index, text in enumerate(texts):
        before = gap if index else ""
        at += len(before)
        sentences.append(Sentence(source, index, at, at + len(text), text, before=before))
        at += len(text)
    return sentences


SEVEN = file_of("a.md", [f"Sentence {number}." for number in range(1, 8)], gap="\n\n## H\n")


def merged(hits: list[int], window_size: int, sentences: list[Sentence] = SEVEN) -> list[Window]:
    """The windows of hits by their numbers from 1, ranked in the order given."""
    found = [Hit(sentences[number - 1], rank) for rank, number in enumerate(hits, 1)]
    keys = set(window_keys(found, window_size))
    return merge_windows(found, [s for s in sentences if (s.source, s.index) in keys], window_size)


def numbers(windows: list[Window]) -> list[tuple[int, int]]:
    return [(window.first + 1, window.last + 1) for window in windows]


def test_seven_sentences_hit_the_fourth() -> None:
    """With window 2 the fourth of seven gives exactly the second to the sixth."""
    (window,) = merged([4], 2)
    text = "\n\n## H\n".join(s.text for s in SEVEN)
    assert numbers([window]) == [(2, 6)]
    assert window.text == text[window.start : window.end]
    assert window.text.startswith("Sentence 2.")
    assert window.text.endswith("Sentence 6.")


@pytest.mark.parametrize(("hit", "expected"), [(1, (1, 3)), (7, (5, 7)), (2, (1, 4))])
def test_windows_are_clipped_at_both_ends_of_a_file(hit: int, expected: tuple[int, int]) -> None:
    """There is nothing before the first sentence and after the last."""
    assert numbers(merged([hit], 2)) == [expected]


def test_window_0_is_the_sentence_alone() -> None:
    """Without neighbours a window is its hit."""
    (window,) = merged([4], 0)
    assert (window.text, window.start, window.end) == (SEVEN[3].text, SEVEN[3].start, SEVEN[3].end)


@pytest.mark.parametrize(
    ("hits", "size", "expected"),
    [
        ([3, 5], 2, [(1, 7)]),
        ([2, 5], 1, [(1, 6)]),
        ([2, 6], 1, [(1, 3), (5, 7)]),
        ([6, 2], 1, [(5, 7), (1, 3)]),
        ([1, 2], 0, [(1, 2)]),
        ([7, 1, 4], 1, [(1, 7)]),
    ],
)
def test_overlapping_and_touching_windows_join(
    hits: list[int], size: int, expected: list[tuple[int, int]]
) -> None:
    """Joined windows hold each sentence once and every hit; others are ranked by their best hit."""
    windows = merged(hits, size)
    assert numbers(windows) == expected
    assert [window.rank for window in windows] == list(range(1, len(windows) + 1))
    assert sorted(h.sentence.index + 1 for w in windows for h in w.hits) == sorted(hits)


def test_windows_of_different_files_never_join() -> None:
    """The last sentence of one file does not touch the first of the next."""
    one, two = file_of("a.md", ["A.", "B."]), file_of("b.md", ["C.", "D."])
    hits = [Hit(two[0], 1), Hit(one[1], 2)]
    windows = merge_windows(hits, [*one, *two], 2)
    assert [(window.source, window.text) for window in windows] == [
        ("b.md", "C. D."),
        ("a.md", "A. B."),
    ]


def test_a_window_stops_at_a_sentence_that_was_not_read() -> None:
    """A missing neighbour is a gap, never a jump."""
    windows = merge_windows([Hit(SEVEN[3], 1)], [SEVEN[1], *SEVEN[3:5]], 2)
    assert numbers(windows) == [(4, 5)]


def test_a_window_may_stop_at_headings() -> None:
    """Within sections neither a window nor the joining of two goes over a heading."""
    sections = [("One",), ("One",), ("Two",), ("Two",), ("Two",), ("Three",), ("Three",)]
    sentences = [replace(s, section=name) for s, name in zip(SEVEN, sections, strict=True)]
    hits = [Hit(sentences[3], 1), Hit(sentences[1], 2), Hit(sentences[2], 3)]
    windows = merge_windows(hits, sentences, 2, within_section=True)
    assert numbers(windows) == [(3, 5), (1, 2)]
    assert numbers(merge_windows(hits, sentences, 2)) == [(1, 6)]


def test_section_page_and_title_are_those_of_the_best_hit() -> None:
    """A window over two sections is named after the one that was found best."""
    first = Sentence("a", 0, 0, 2, "A.", title="T", section=("One",), page=1)
    second = Sentence("a", 1, 3, 5, "B.", title="T", section=("Two",), page=2, before=" ")
    (window,) = merge_windows([Hit(first, 2), Hit(second, 1)], [], 1)
    assert (window.title, window.section, window.page) == ("T", ("Two",), 2)
    assert [hit.rank for hit in window.hits] == [2, 1]


def test_a_sentence_found_twice_is_marked_once() -> None:
    """Two hits on one sentence count once, by the better rank."""
    (window,) = merge_windows([Hit(SEVEN[2], 5), Hit(SEVEN[2], 2)], [], 0)
    assert [hit.rank for hit in window.hits] == [2]


def test_keys_are_unique_and_never_negative() -> None:
    """What is read for the windows: each neighbour once, the hits' own sentences first read."""
    hits = [Hit(SEVEN[0], 1), Hit(SEVEN[1], 2)]
    keys = window_keys(hits, 1)
    assert keys == [("a.md", 0), ("a.md", 1), ("a.md", 2)]
    assert merge_windows([], [], 2) == window_keys([], 2) == []


@st.composite
def found(draw: st.DrawFn) -> tuple[list[Sentence], list[Hit]]:
    """A few files with gaps of any kind, and ranked hits in them."""
    sentences = [
        sentence
        for name in "abc"
        for sentence in file_of(
            name,
            [f"{name}{i}." for i in range(draw(st.integers(1, 9)))],
            gap=draw(st.sampled_from([" ", "", "\n\n", " # H 😀 "])),
        )
    ]
    chosen = draw(st.lists(st.sampled_from(sentences), max_size=8, unique=True))
    return sentences, [Hit(sentence, rank) for rank, sentence in enumerate(chosen, 1)]


@given(found(), st.integers(0, 4), st.randoms(use_true_random=False))
@quick
def test_merging_covers_all_and_repeats_nothing(
    found: tuple[list[Sentence], list[Hit]], window_size: int, shuffle: random.Random
) -> None:
    """Any order gives the same windows; they are disjoint slices that cover every window."""
    sentences, hits = found
    windows = merge_windows(hits, sentences, window_size)
    mixed_hits, mixed = list(hits), list(sentences)
    shuffle.shuffle(mixed_hits)
    shuffle.shuffle(mixed)
    assert merge_windows(mixed_hits, mixed, window_size) == windows

    exist = {(s.source, s.index) for s in sentences}
    covered = [(w.source, index) for w in windows for index in range(w.first, w.last + 1)]
    assert len(covered) == len(set(covered))
    assert set(covered) == set(window_keys(hits, window_size)) & exist
    texts = {
        name: "".join(s.before + s.text for s in sentences if s.source == name) for name in "abc"
    }
    for window in windows:
        assert window.text == texts[window.source][window.start : window.end]
        assert [texts[window.source][a:b] for a, b in window.bounds] == [
            f"{window.source}{index}." for index in range(window.first, window.last + 1)
        ]
        assert window.hits
    assert [w.rank for w in windows] == list(range(1, len(windows) + 1))
    best = [min(hit.rank for hit in window.hits) for window in windows]
    assert best == sorted(best)
    again = merge_windows([h for w in windows for h in w.hits], sentences, window_size)
    assert again == windows
