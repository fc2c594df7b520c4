"""Windows are shortened to whole sentences within a limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.fitting import fit_windows
from rag.types import Hit, Sentence
from rag.windows import merge_windows
from tests.strange_texts import quick
from tests.test_windows import file_of, found, merged, numbers


@given(found(), st.integers(0, 4), st.integers(1, 60))
@quick
def test_fitted_windows_are_whole_sentences_within_the_limit(
    found: tuple[list[Sentence], list[Hit]], window_size: int, limit: int
) -> None:
    """The best hit is always kept; each part is whole sentences around its own best hit."""
    sentences, hits = found
    windows = merge_windows(hits, sentences, window_size)
    fitted = fit_windows(windows, limit)
    assert bool(fitted) == bool(windows)
    assert [w.rank for w in fitted] == list(range(1, len(fitted) + 1))
    total = sum(len(w.text) for w in fitted)
    alone = len(fitted) == 1 and fitted[0].first == fitted[0].last
    assert total <= limit or alone
    if hits:
        assert hits[0] in fitted[0].hits
    for part in fitted:
        (whole,) = [
            w for w in windows if w.source == part.source and w.first <= part.first <= w.last
        ]
        assert part.text == whole.text[part.start - whole.start : part.end - whole.start]
        assert min(whole.hits, key=lambda hit: hit.rank) in part.hits
        assert part.bounds == whole.bounds[part.first - whole.first : part.last - whole.first + 1]
    assert fit_windows(windows, 10**6) == windows


def test_what_does_not_fit_is_shortened_around_its_hits() -> None:
    """Hits are kept before neighbours, then neighbours by turns on both sides of the best hit."""
    plain = file_of("a.md", [f"Sentence {number}." for number in range(1, 8)])
    (window,) = merged([5, 3], 2, plain)
    four = len(" ".join(f"Sentence {n}." for n in (3, 4, 5, 6)))
    (part,) = fit_windows([window], four)
    assert numbers([part]) in ([(3, 6)], [(2, 5)])
    assert [hit.sentence.index for hit in part.hits] == [2, 4]
    (part,) = fit_windows([window], len("Sentence 5. Sentence 6. "))
    assert part.text in ("Sentence 5. Sentence 6.", "Sentence 4. Sentence 5.")


def test_a_window_whose_hit_does_not_fit_makes_room_for_the_next() -> None:
    """A long second passage is left out, a short third one is not."""
    texts = ["Short.", "x" * 500, "Tiny."]
    sentences = [file_of(str(number), [text])[0] for number, text in enumerate(texts)]
    hits = [Hit(sentence, rank) for rank, sentence in enumerate(sentences, 1)]
    fitted = fit_windows(merge_windows(hits, [], 0), 20)
    assert [(window.rank, window.text) for window in fitted] == [(1, "Short."), (2, "Tiny.")]


def test_a_sentence_over_the_limit_is_sent_whole_when_there_is_nothing_else() -> None:
    """A limit smaller than the best sentence does not leave the model without any text."""
    (window,) = merged([4], 2)
    (part,) = fit_windows([window], 3)
    assert part.text == "Sentence 4."
    assert fit_windows([], 100) == []
