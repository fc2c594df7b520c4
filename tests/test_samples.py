"""Real questions to the sample documents, answered from the right place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rag.assistant import Assistant, open_assistant
from rag.building.fingerprint import fingerprint
from rag.building.journal import journal_path, open_journal
from rag.documents import File, read_document
from rag.embeddings import open_embeddings
from rag.settings import Settings
from tests.conftest import SAMPLE_VECTORS, SAMPLES
from tests.data.make_sample_vectors import sample_texts
from tests.sample_questions import QUESTIONS, SampleQuestion


@pytest.fixture(scope="module")
def assistant(built_samples: object) -> Iterator[Assistant]:
    """An assistant over the sample documents."""
    with open_assistant(Settings(docs=SAMPLES, qdrant_path=built_samples)) as opened:
        yield opened


def source_text(path: str) -> str:
    """The text that offsets count in."""
    file = SAMPLES / path
    if file.suffix in (".md", ".txt"):
        return file.read_text("utf-8")
    return read_document(File(path, file, file.stat().st_size, file.stat().st_mtime)).text


def test_the_vectors_they_come_with_are_the_model_s(tmp_path: Path) -> None:
    """All of them, for the texts as they are: otherwise run tests/data/make_sample_vectors.py."""
    settings = Settings(docs=SAMPLES, qdrant_path=tmp_path)
    shutil.copyfile(SAMPLE_VECTORS, journal_path(settings, full=False))
    model, texts = open_embeddings(settings), sample_texts(settings)
    with open_journal(settings, fingerprint(model), full=False) as journal:
        assert len(journal) == len(texts)
        kept = journal.vectors(texts)
    some = list(texts)[::100]
    for first, made in model.embed_passages([texts[digest] for digest in some]):
        for digest, vector in zip(some[first : first + len(made)], made, strict=True):
            np.testing.assert_allclose(kept[digest], vector, atol=2e-3)


def test_there_are_enough_questions() -> None:
    """21 questions in two languages over at least eight documents."""
    chinese = [q for q in QUESTIONS if any("\u4e00" <= c <= "\u9fff" for c in q.question)]
    assert len(QUESTIONS) >= 21
    assert len(chinese) >= 11
    assert len(QUESTIONS) - len(chinese) >= 10
    assert len({q.source for q in QUESTIONS}) >= 8


@pytest.mark.parametrize("sample", QUESTIONS, ids=lambda q: q.question)
def test_the_right_document_and_sentence(assistant: Assistant, sample: SampleQuestion) -> None:
    """The best passage is of the right document, the right sentence is found, all is exact."""
    stream = assistant.ask(sample.question)
    text = "".join(stream)
    answer = stream.answer
    assert text == answer.text
    assert not answer.refused
    assert answer.citations
    assert answer.windows[0].source == sample.source
    found = [(w.source, h.sentence.text) for w in answer.windows for h in w.hits]
    assert (sample.source, sample.sentence) in found
    for window in answer.windows:
        source = source_text(window.source)
        assert window.text == source[window.start : window.end]
        for hit in window.hits:
            assert hit.sentence.text == source[hit.sentence.start : hit.sentence.end]


def test_the_answer_to_the_tutorial_question(assistant: Assistant) -> None:
    """The steps come whole, in order, under their lead-in, and each line is cited."""
    answer = assistant.ask("电热水壶第一次使用前要做什么？").answer
    lines = [line for line in answer.text.splitlines() if line]
    assert lines[0].startswith("第一次使用前")
    assert [line[:2] for line in lines[2:7]] == ["1.", "2.", "3.", "4.", "5."]
    assert all(line.endswith("[1]") for line in lines[1:])


def test_twelve_months_is_not_twenty_four(assistant: Assistant) -> None:
    """The warranty that is asked for is found before its near-duplicate."""
    for months, other in (("12", "24"), ("24", "12")):
        windows = assistant.retrieve(f"Which products have a warranty of {months} months?")
        best = min((h for w in windows for h in w.hits), key=lambda hit: hit.rank)
        assert months in best.sentence.text
        assert other not in best.sentence.text


def test_every_document_is_rebuilt_exactly(assistant: Assistant) -> None:
    """A document's text, put together from its stored sentences, is the file's.

    For formats other than plain text and Markdown it is the text that was extracted.
    """
    records = assistant.documents()
    assert len(records) >= 12
    for record in records:
        assert assistant.source(record.path) == source_text(record.path)
    assert 600 <= sum(r.sentences for r in records) <= 1000
