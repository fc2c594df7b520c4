"""Whether the documents hold the answer, and what happens when they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag.assistant import Assistant, open_assistant
from rag.build import build
from rag.errors import SettingsError
from rag.ranking.refusal import LONGEST, SURE, Signals, answerable, refusal
from rag.ranking.refuser import sample_keys
from rag.ranking.signals import measure_signals
from rag.settings import Settings
from rag.stores.base import DocumentRecord, Legs, Scored
from rag.types import Hit, Mode, Sentence
from tests.chat_server import ChatServer
from tests.conftest import SAMPLES
from tests.embedding_server import EmbeddingServer
from tests.sample_questions import QUESTIONS

NEAR = Signals(700, nearest=0.88, level=0.74, coverage=0.6)
FAR = Signals(700, nearest=0.80, level=0.74, coverage=0.0)
BETWEEN = Signals(700, nearest=0.82, level=0.74, coverage=0.1)


# The score.


def test_each_signal_counts_as_it_should() -> None:
    """Nearer, more terms, fewer sentences that could have come near: more likely an answer."""
    middle = answerable(BETWEEN)
    assert middle is not None
    for better in (
        replace(BETWEEN, nearest=0.84), replace(BETWEEN, coverage=0.3), replace(BETWEEN, size=50),
    ):  # fmt: skip
        assert (answerable(better) or 0) > middle
    for worse in (replace(BETWEEN, level=0.76, nearest=0.82), replace(BETWEEN, coverage=0.0)):
        assert (answerable(worse) or 1) < middle


def test_a_score_is_between_nothing_and_one() -> None:
    """Whatever the signals, even absurd ones, the score is a number from 0 to 1."""
    for nearest in (-1.0, 0.0, 1.0):
        for size in (0, 1, 10**9):
            score = answerable(Signals(size, nearest, 0.0, 1.0))
            assert score is not None
            assert 0 <= score <= 1


def test_two_kinds_of_refusal() -> None:
    """Far from everything is off-topic, nearly near is not found, near is answered."""
    score = answerable(BETWEEN)
    assert score is not None
    assert refusal(NEAR, 0.5) is None
    assert refusal(FAR, 0.5) == "off-topic"
    assert refusal(BETWEEN, score / SURE - 0.01) == "not-found"
    assert refusal(BETWEEN, min(1.0, score / SURE + 0.01)) == "off-topic"
    assert refusal(BETWEEN, score) is None
    assert refusal(FAR, 0.0) is None


def test_where_nothing_tells_nothing_is_refused() -> None:
    """Without cosines and terms, or across languages, there is no score; all terms found is 1."""
    for unknown in (Signals(700), replace(FAR, foreign=True), replace(FAR, length=LONGEST + 1)):
        assert answerable(unknown) is None
        assert refusal(unknown, 1.0) is None
    assert answerable(replace(FAR, complete=True, foreign=True)) == 1.0
    assert refusal(replace(FAR, length=LONGEST), 0.5) is not None


# The signals.


def scored(*texts: str, best: float = 0.9) -> tuple[Scored, ...]:
    """Sentences as a leg finds them, each a tenth behind the one before."""
    return tuple(
        Scored(Sentence("a.md", i, 0, 1, text), best - i / 10) for i, text in enumerate(texts)
    )


def measured(query: str, *texts: str, mode: Mode = "keyword") -> Signals:
    """The signals of a search whose legs both found these."""
    found = scored(*texts)
    legs = Legs((), found) if mode == "keyword" else Legs(found, found)
    return measure_signals(query, legs, Hit(found[0].sentence, 1), mode, size=100)


def test_rare_terms_count_more() -> None:
    """A term that every found sentence holds says less than one that a single one holds."""
    texts = ("The kettle boils.", "The kettle rings.", "The kettle stops.", "A lid.")
    common, rare = (
        measured("kettle lid blockchain", *some).coverage for some in (texts[:3], texts[3:])
    )
    assert common is not None
    assert rare is not None
    assert 0 < common < rare < 1


def test_question_words_are_no_terms() -> None:
    """A question of question words has no terms to find; a code is found whole, wherever it is."""
    assert measured("What is it?", "A kettle.").coverage is None
    assert measured("e07?", "Nothing.", "| E07 | Jammed |").complete
    assert not measured("e07 kettle", "Nothing.", "| E07 | Jammed |").complete


@pytest.mark.parametrize(
    ("query", "text", "foreign"),
    [
        ("How long is the warranty?", "The warranty is 24 months.", False),
        ("How long is the warranty?", "保修 24 个月。", True),
        ("warranty", "保修 24 个月。", True),
        ("保修多久？", "The warranty is 24 months.", True),
        ("保修多久？", "K1 保修 24 个月。", False),
        ("Wie lange ist die Garantie?", "The warranty is 24 months of it.", True),
        ("E07", "The warranty is 24 months.", False),
    ],
)
def test_another_language(query: str, text: str, foreign: bool) -> None:
    """A question in another language than what was found is known."""
    assert measured(query, text).foreign is foreign


def test_a_sample_is_spread_evenly() -> None:
    """The sample takes each sentence of a small collection, and of a large one every n-th."""
    small, empty, large = (
        DocumentRecord(name, "", "", 0, 0.0, sentences)
        for name, sentences in (("a.md", 2), ("b.md", 0), ("c.md", 998))
    )
    assert sample_keys([small, empty], 9) == [("a.md", 0), ("a.md", 1)]
    keys = sample_keys([small, empty, large], 100)
    assert keys[:3] == [("a.md", 0), ("c.md", 8), ("c.md", 18)]
    assert len(set(keys)) == 100
    assert sample_keys([], 9) == []


# What users see.


@pytest.fixture(scope="module")
def assistant(built_samples: Path) -> Iterator[Assistant]:
    """An assistant over the sample documents."""
    with open_assistant(Settings(docs=SAMPLES, qdrant_path=built_samples)) as opened:
        yield opened


@pytest.mark.parametrize("mode", ["dense", "hybrid", "keyword"])
def test_sample_questions_are_answered(assistant: Assistant, mode: Mode) -> None:
    """No question on the sample documents is refused, nor one word or a code alone."""
    asked = [*(sample.question for sample in QUESTIONS), "E07", "kettle", "descale", "保修", "除垢"]
    refused = [question for question in asked if assistant.ask(question, mode=mode).answer.refused]
    assert refused == []


@pytest.mark.parametrize(
    "question",
    ["What is the capital of France?", "Who won the 2016 election?", "量子力学是谁提出的？"],
)
def test_other_topics_are_refused(assistant: Assistant, question: str) -> None:
    """A question on something else is off-topic; the nearest passages are shown, none is cited."""
    answer = assistant.ask(question).answer
    assert answer.refusal == "off-topic"
    assert answer.windows == tuple(assistant.retrieve(question))
    assert answer.citations == ()
    assert answer.text in ("The documents are about something else.", "文档讲的是别的内容。")


def test_the_threshold_is_a_setting(assistant: Assistant) -> None:
    """``off`` refuses nothing, 1 all that is not certain; what is no share is named."""
    question = "What is the capital of France?"
    settings = assistant.settings
    for text, refused in (("off", None), ("0", None), ("0.9", "off-topic")):
        changed = replace(settings, refuse=Settings.from_env({"RAG_REFUSE": text}).refuse)
        with open_assistant(changed) as other:
            assert other.ask(question).answer.refusal == refused
    with pytest.raises(SettingsError, match="RAG_REFUSE"):
        Settings.from_env({"RAG_REFUSE": "never"})
    with pytest.raises(SettingsError, match="at most 1"):
        Settings(refuse=1.5)


def test_across_languages_all_is_answered(assistant: Assistant) -> None:
    """An English question to Chinese documents alone is not refused."""
    where = assistant.where(["*.zh.*"])
    answer = assistant.ask("How much water do I boil before the first use?", where=where).answer
    assert not answer.refused
    assert answer.windows[0].source.endswith("kettle-k1.zh.md")


def test_no_model_is_asked_off_topic(assistant: Assistant) -> None:
    """With a chat model too an off-topic question is refused, and sent to nobody."""
    with ChatServer() as server:
        settings = replace(assistant.settings, chat_model="m", openai_base_url=server.url)
        with open_assistant(settings) as other:
            assert other.ask("Who won the 2016 election?").answer.refusal == "off-topic"
            assert server.chats == []
            assert other.ask("How do I descale my kettle?").answer.answerer == "m"


FIVE = "Fill the kettle. Boil it twice. Pour the water away. Dry it well. The lid is hot."


@pytest.mark.parametrize("mode", ["dense", "hybrid", "keyword"])
def test_a_collection_of_five_sentences(tmp_path: Path, mode: Mode) -> None:
    """One small file: its own questions are answered, one on something else is off-topic."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "kettle.md").write_text(f"# Kettle\n\n{FIVE}\n", "utf-8")
    settings = Settings(docs=tmp_path / "docs", qdrant_path=tmp_path / "qdrant", mode=mode)
    build(settings)
    with open_assistant(settings) as assistant:
        for question in ("How often must the kettle boil?", "Is the lid hot?", "lid", "water"):
            assert not assistant.ask(question).answer.refused, question
        if mode == "hybrid":
            assert assistant.ask("Who won the 2016 election?").answer.refusal == "off-topic"


def test_other_embeddings_are_gone_by_terms_alone(tmp_path: Path) -> None:
    """With an endpoint's embeddings cosines do not count: terms do, and dense search refuses none.

    The weights for cosines are the bundled model's.
    """
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "kettle.md").write_text(f"# Kettle\n\n{FIVE}\n", "utf-8")
    with EmbeddingServer() as server:
        settings = Settings(
            docs=tmp_path / "docs", qdrant_path=tmp_path / "qdrant", openai_base_url=server.url,
            embedding_model="test-embeddings",
        )  # fmt: skip
        build(settings)
        with open_assistant(settings) as assistant:
            assert not assistant.ask("How often must the kettle boil?").answer.refused
            odd = "Which senator won the disputed Nebraska election recount in 2016?"
            assert assistant.ask(odd).answer.refused
            assert not assistant.ask(odd, mode="dense").answer.refused
