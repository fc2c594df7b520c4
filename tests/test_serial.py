"""Values written as JSON and read back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.conversations.serial import from_json, to_json
from rag.types import Answer, Citation, Condition, Hit, Sentence, Timings, Usage, Window
from tests.strange_texts import quick

texts = st.text(st.characters(exclude_categories=()), max_size=30)
floats = st.floats(allow_nan=False)
sentences = st.builds(
    Sentence, texts, st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), texts,
    section=st.tuples(texts, texts), page=st.none() | st.integers(1, 9), before=texts,
)  # fmt: skip
hits = st.builds(
    Hit, sentences, st.integers(1, 9), dense=st.none() | floats, keyword=st.none() | floats,
    dense_rank=st.none() | st.integers(1, 9), terms=st.tuples(texts),
)  # fmt: skip
windows = st.builds(
    Window, st.integers(1, 9), texts, st.just(0), st.just(9), texts, st.just(0), st.just(1),
    st.lists(hits, max_size=2).map(tuple), bounds=st.just(((0, 4), (5, 9))),
)  # fmt: skip
answers = st.builds(
    Answer, texts, texts, texts, st.lists(windows, max_size=2).map(tuple),
    citations=st.just((Citation(1, 1, 3, 6),)), refusal=st.none() | st.just("filter"),
    usage=st.none() | st.just(Usage(3, 4)), timings=st.just(Timings(1.5, first_token=None)),
    notes=st.tuples(texts), cut=st.booleans(),
)  # fmt: skip


@quick
@given(answers)
def test_an_answer_comes_back_equal(answer: Answer) -> None:
    """Whatever an answer holds, lone surrogates too, it is equal when it is read back."""
    assert from_json(Answer, to_json(answer)) == answer


@pytest.mark.parametrize("value", ["2024-05-01", date(2024, 5, 1), 1, 1.0, True, ("a", 2)])
def test_a_filter_keeps_the_type_of_its_value(value: object) -> None:
    """Dates are no strings afterwards, whole numbers no fractions, and truth no number."""
    condition = Condition("field", "=", value)  # type: ignore[arg-type]
    back = from_json(Condition, to_json(condition))
    assert back == condition
    assert type(back.value) is type(value)


@dataclass(frozen=True, slots=True)
class Older:
    size: int
    gone: str = "x"


@dataclass(frozen=True, slots=True)
class Newer:
    size: int
    kind: Literal["a", "b"] = "b"


def test_a_newer_class_reads_an_older_text() -> None:
    """A field that is gone is left out, and a new one has its default."""
    assert from_json(Newer, to_json(Older(3))) == Newer(3)


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"size": "3"}', '{"size": 1, "kind": "c"}', "{", "3"]
)
def test_what_is_no_such_value_is_refused(text: str) -> None:
    """A wrong type, a missing field, an unknown literal and broken JSON raise ValueError."""
    with pytest.raises(ValueError, match=r"\w"):
        from_json(Newer, text)
