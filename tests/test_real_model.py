"""Answers by a real llama.cpp server, with a small model: what is said matters less than how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rag.answering import answer
from rag.answers.stream import STOPPED, AnswerStream
from rag.check import check
from rag.endpoints.chat_connection import ChatConnection
from rag.prompt import Message
from rag.settings import Settings
from rag.types import Window
from tests.llama_server import LlamaServer
from tests.windows import window

pytestmark = pytest.mark.real_model

KETTLE = window("The kettle is green. It boils in four minutes.", "It boils in four minutes.")
STORY = "Write a long story about the kettle. Tell everything that happens, step by step."


@pytest.fixture(scope="module")
def llama() -> Iterator[LlamaServer]:
    """The server, with room for some five hundred tokens."""
    with LlamaServer(context=512) as server:
        yield server


def settings(llama: LlamaServer, **more: Any) -> Settings:
    """Settings that ask it."""
    return Settings(**{"chat_model": "smollm2", "openai_base_url": llama.url, **more})


def ask(llama: LlamaServer, question: str, *windows: Window, **more: Any) -> AnswerStream:
    """Ask it."""
    return answer(question, question, windows or (KETTLE,), settings=settings(llama, **more))


def test_it_streams_and_counts(llama: LlamaServer) -> None:
    """Several pieces, tokens counted as asked for, and no more of them than were allowed."""
    stream = ask(llama, STORY, stream_usage=True, max_answer_tokens=12)
    pieces = list(stream)
    done = stream.answer
    assert "".join(pieces).rstrip() == done.text != ""
    assert len(pieces) > 3
    assert done.usage is not None
    assert done.usage.output_tokens == 12
    assert done.usage.input_tokens > 100
    assert "RAG_MAX_ANSWER_TOKENS" in done.cut_reason


def test_a_stop_in_the_middle(llama: LlamaServer) -> None:
    """What came stays; the server, which takes one at a time, answers the next question."""
    with ask(llama, STORY) as stream:
        first = next(iter(stream))
    assert stream.answer.text.startswith(first.strip())
    assert stream.answer.cut_reason == STOPPED
    # The story would have taken longer than this.
    assert ask(llama, STORY, max_answer_tokens=4, openai_timeout_seconds=5).answer.text


def test_too_long_a_context(llama: LlamaServer) -> None:
    """Its refusal is understood: it is sent fewer whole sentences, and the answer says so."""
    sentences = [f"Kettle number {number} is green." for number in range(70)]
    stream = ask(llama, "How?", window(" ".join(sentences), sentences[35]), max_answer_tokens=4)
    assert stream.answer.text
    (part,) = stream.answer.windows
    assert sentences[35] in part.text
    assert 0 < part.last - part.first < 69
    assert stream.answer.notes[0].startswith("The passages were too long for smollm2")


def test_another_model_s_name(llama: LlamaServer) -> None:
    """It answers to any name; the check says which model it has."""
    results = {result.name: result for result in check(settings(llama, chat_model="gpt-4o"))}
    assert "does not list gpt-4o, but " in results["Chat endpoint"].detail
    assert "gguf" in results["Chat endpoint"].detail
    assert results["Chat model"].ok
    assert results["Streaming"].ok


def test_a_server_that_dies_and_comes_back(llama: LlamaServer) -> None:
    """Killed in the middle: what came is kept and marked as cut; back again, it answers."""
    stream = ask(llama, STORY)
    first = next(iter(stream))
    llama.kill()
    done = stream.answer
    assert done.text.startswith(first.strip())
    assert done.cut
    assert "broke off in the middle of the answer" in done.cut_reason
    llama.start()
    connection = ChatConnection(settings(llama, max_answer_tokens=4))
    assert "".join(d.text for d in connection.stream([Message("user", "Say yes.")]))
