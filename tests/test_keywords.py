"""Terms, their weights, and what a question shares with a sentence."""

from __future__ import annotations

import subprocess
import sys
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.keywords import (
    QUESTION_WORD_WEIGHT,
    content_length,
    matched_terms,
    passage_vector,
    query_vector,
)
from rag.stores.base import SparseVector
from tests.conftest import ROOT


def share(query: str, text: str) -> float:
    """What the engine computes of a query and a stored text, with every IDF 1."""
    stored = weights(passage_vector(text))
    return sum(w * stored.get(term, 0.0) for term, w in weights(query_vector(query)).items())


def weights(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices, vector.values, strict=True))


def has(text: str, term: str) -> bool:
    return crc32(term.encode()) in passage_vector(text).indices


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Error E07 on the RTX-4090", ["e07", "07", "rtx4090", "rtx", "4090", "error"]),
        ("holds 1.7L at 220-240V", ["1.7l", "1.7", "l", "220", "240", "v"]),
        ("1,000 items, 1,7 litres, 3/4 full", ["1000", "1.7", "3/4", "3", "4"]),
        ("on 2024-01-05 at 12:30", ["2024-01-05", "2024", "05", "12:30", "12"]),
        ("do not, and no more: don't", ["not", "no", "dont"]),
        ("不要加水，没有", ["不", "没", "加水", "没有"]),
        ("首次使用RTX4090显卡", ["首次", "次使", "rtx4090", "4090", "显卡"]),
        ("かなカナ ภาษาไทย", ["かな", "カナ", "ภา"]),
        ("한국어는 쉽다", ["한국어는", "한국", "국어", "쉽다"]),
        ("किताब और शब्द", ["किताब", "शब्द"]),
        ("Straße CAFÉ İstanbul", ["strasse", "cafe", "istanbul"]),
        ("５㎏ at 100℃", ["5kg", "5", "kg", "100", "c"]),
        ("٤٢ كِتَاب", ["42", "كتاب"]),
        ("Wi-Fi e-mail", ["wifi", "email", "fi"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    """Words, numbers, negations, codes whole and in parts, pairs of unspaced script are terms."""
    assert [term for term in terms if not has(text, term)] == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("rtx 4090", "The RTX-4090 fits."),
        ("RTX4090", "The rtx-4090 fits."),
        ("e-07", "Display shows E07."),
        ("1.7 l", "It holds 1.7L."),
        ("1000 pages", "A book of 1,000 pages."),
        ("cafe", "Das Café ist zu."),
        ("batteries", "One battery is inside."),
        ("水壶", "请清洗水壶。"),
    ],
)
def test_spellings_meet(query: str, text: str) -> None:
    """A question finds what is spelled another way."""
    assert share(query, text) > 0


@pytest.mark.parametrize(
    ("query", "text"),
    [("34", "It is 3/4 full."), ("17", "It holds 1.7L."), ("水", "火山"), ("cat", "concatenate")],
)
def test_different_things_do_not_meet(query: str, text: str) -> None:
    """Numbers and words that merely look alike share nothing."""
    assert share(query, text) == 0


def test_repetition_saturates_and_length_counts() -> None:
    """A second occurrence adds less than the first, and a long sentence weighs less per term."""
    once, twice = share("kettle", "kettle lid"), share("kettle", "kettle kettle lid")
    assert once < twice < 2 * once
    assert share("kettle", "kettle " + "and then " * 40) < once


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        ("What is the fee for a late filing fee?", 3),
        ("滤网多久清洗一次？", 4),
        ("RTX 4090 显卡", 3),
        ("필터 청소", 2),
    ],
)
def test_length_in_content_words(text: str, length: int) -> None:
    """Words count once; a word of unspaced script is about four terms."""
    assert content_length(text) == length


def test_question_words_weigh_less_in_a_query() -> None:
    """In a query "what" counts less than a noun, and "not" as much as one."""
    vector = weights(query_vector("what kettle not"))
    assert vector[crc32(b"what")] == QUESTION_WORD_WEIGHT < vector[crc32(b"kettle")] == 1
    assert vector[crc32(b"not")] == 1


@pytest.mark.parametrize("text", ["", " \n", "?!…，。", "😀🎉", "\x00\x07\x1b", "\ud800"])
def test_texts_without_words_have_no_terms(text: str) -> None:
    """Punctuation, emoji, control characters and lone surrogates give an empty vector."""
    assert passage_vector(text) == query_vector(text) == SparseVector()


def test_hashes_are_the_same_in_every_process() -> None:
    """Vectors do not depend on Python's hash seed."""
    code = "from rag.keywords import passage_vector; print(passage_vector('E07 水壶 kettle'))"
    seeds = ("1", "2")
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
        ).stdout
        for seed in seeds
    }  # fmt: skip
    assert printed == {f"{passage_vector('E07 水壶 kettle')}\n"}


@given(st.text())
def test_any_text_gives_a_proper_vector(text: str) -> None:
    """Indices are distinct 32-bit numbers, weights are positive, and a text finds itself."""
    vector = passage_vector(text)
    assert len(set(vector.indices)) == len(vector.indices) == len(vector.values)
    assert all(0 <= i < 2**32 for i in vector.indices)
    assert all(value > 0 for value in vector.values)
    assert set(query_vector(text).indices) == set(vector.indices)


@pytest.mark.parametrize(
    ("query", "text", "terms"),
    [
        ("How is the Kettle cleaned?", "Your kettle must be CLEANED first.", ("kettle", "CLEANED")),
        ("rtx 4090", "An RTX-4090 or RTX-4080.", ("RTX-4090", "RTX")),
        ("what is E07", "E07 (e-07) means", ("E07", "e-07")),
        ("水壶怎么清洗", "首次使用前请清洗水壶。", ("清洗水壶",)),
        ("第一次清洗水壶", "水壶的清洗。", ("水壶", "清洗")),
        ("水 是什么", "水很好。", ("水",)),
        ("水壶", "饮水。", ()),
        ("the of and", "the of and", ()),
        ("is it not 12 V", "It is not 12 V.", ("not", "12", "V")),
        ("", "Text.", ()),
    ],
)
def test_matched_terms(query: str, text: str, terms: tuple[str, ...]) -> None:
    """Shared terms are given as the text spells them, once each, without empty words."""
    assert matched_terms(query, text) == terms


@given(st.text(), st.text())
def test_matched_terms_stand_in_the_text(query: str, text: str) -> None:
    """Whatever is matched is a piece of the text."""
    assert all(term and term in text for term in matched_terms(query, text))
