"""What works and what does not, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag import check
from rag.endpoints import chat_connection
from rag.settings import Settings
from tests.chat_server import ChatServer, Reply
from tests.test_reranking import RerankServer, by_length


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that answers "O", "K"."""
    with ChatServer(Reply(["O", "K"])) as server:
        yield server


def results(server: ChatServer, **settings: Any) -> dict[str, tuple[bool, str]]:
    """The checks of a server that has chat and embeddings, without a collection."""
    given = {
        "chat_model": "test-model", "openai_base_url": server.url,
        "embedding_model": "test-embeddings", **settings,
    }  # fmt: skip
    return {r.name: (r.ok, r.detail) for r in check.check(Settings(**given))}


def test_without_a_model_there_is_little_to_check(sample_settings: Settings) -> None:
    """The bundled embeddings, the collection and its size, and that no chat model is set."""
    found = list(check.check(sample_settings))
    assert [(each.name, each.ok) for each in found] == [
        ("Embedding model", True), ("Collection", True), ("Chat model", True),
    ]  # fmt: skip
    embedding, collection, chat = (each.detail for each in found)
    assert "a vector of 384 numbers" in embedding
    assert collection.startswith(f"window_db in {sample_settings.qdrant_path}: ")
    assert "documents" in collection
    assert chat == "none is set (RAG_CHAT_MODEL): found sentences are shown"


def test_all_that_works(server: ChatServer) -> None:
    """Endpoint, model, embeddings' size, streaming and tokens, each with what was seen."""
    server.default = Reply(["O", "K"], usage=(9, 2))
    found = results(server)
    assert found.pop("Collection")[0] is False
    assert all(ok for ok, _ in found.values())
    assert found["Embedding model"][1].startswith("test-embeddings: a vector of 8 numbers in ")
    assert found["Chat endpoint"][1] == (f"{server.url} answers; test-model is one of its 2 models")
    assert found["Chat model"][1] == "test-model answers"
    assert found["Streaming"][1].startswith("2 pieces, the first after 0.")
    assert found["Usage"][1] == "9 tokens sent, 2 made"


def test_each_result_comes_when_it_is_known(server: ChatServer) -> None:
    """Nothing is asked of the chat endpoint before the results before it were given."""
    settings = Settings(chat_model="test-model", openai_base_url=server.url)
    found = check.check(settings)
    assert [next(found).name, next(found).name] == ["Embedding model", "Collection"]
    assert server.requests == []
    assert next(found).name == "Chat endpoint"
    assert server.chats == []


def test_before_any_build(server: ChatServer) -> None:
    """A missing collection is a result that says what to run."""
    ok, detail = results(server)["Collection"]
    assert not ok
    assert "run: python store.py" in detail.lower()


def test_a_collection_of_another_model(server: ChatServer, sample_settings: Settings) -> None:
    """The collection is compared with the embedding model that is set."""
    ok, detail = results(server, qdrant_path=sample_settings.qdrant_path)["Collection"]
    assert not ok
    assert "test-embeddings" in detail
    assert detail.endswith("python store.py --full")


def test_a_dead_server_ends_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the endpoint does not answer the model is not asked."""
    monkeypatch.setattr(chat_connection, "ATTEMPTS", 1)
    with ChatServer() as server:
        pass
    found = results(server, embedding_model="bundled")
    ok, detail = found["Chat endpoint"]
    assert not ok
    assert detail.startswith(f"Cannot reach {server.url}")
    assert "Chat model" not in found


def test_a_model_that_cannot_be_asked() -> None:
    """Without key and base URL both models are failures, with the setting that is missing."""
    settings = Settings(chat_model="m", embedding_model="e")
    found = [(each.name, each.ok) for each in check.check(settings)]
    assert found == [("Embedding model", False), ("Chat endpoint", False)]


def test_a_wrong_key_is_shown_by_nobody() -> None:
    """A refusal is the server's words without the key that it echoes."""
    with ChatServer(api_key="right-key") as server:
        found = results(server, openai_api_key="wrong-key-1234")
    for name, variable in (("Embedding model", "OPENAI_API_KEY"), ("Chat endpoint", "OPENAI_API")):
        ok, detail = found[name]
        assert not ok
        assert "401" in detail
        assert f"check {variable}" in detail
        assert "wrong-key" not in detail


def test_a_model_that_is_not_listed(server: ChatServer) -> None:
    """The models there are, since names are mistyped; it is asked all the same."""
    server.default = Reply(status=404, error="no such model")
    found = results(server, chat_model="tset-model")
    assert found["Chat endpoint"] == (
        True,
        f"{server.url} answers; it does not list tset-model, but test-embeddings, test-model",
    )
    ok, detail = found["Chat model"]
    assert not ok
    assert "404: no such model; check RAG_CHAT_MODEL" in detail


def test_a_server_that_lists_no_models(server: ChatServer) -> None:
    """Not every server has a list; that is no failure."""
    server.lists_models = False
    assert results(server)["Chat endpoint"] == (
        True,
        f"{server.url} answers; it does not list its models",
    )


@pytest.mark.parametrize(
    ("reply", "name", "ok", "detail"),
    [
        (Reply([]), "Chat model", False, "test-model gave an empty answer"),
        (Reply([{"reasoning": "Hm."}]), "Chat model", False, "test-model thought and gave no"),
        (Reply([{"reasoning": "Hm."}, "OK"]), "Chat model", True, "answers, after thinking"),
        (Reply(["<think>", "Hm.</think>OK"]), "Chat model", True, "answers, after thinking"),
        (Reply(["OK"]), "Streaming", True, "1 pieces"),
        (Reply(["OK, that is what I reply."]), "Streaming", False, "1 pieces"),
        (Reply(["OK"]), "Usage", True, "not given; answers go without"),
        (Reply(["O"], cut="abrupt"), "Chat model", False, "broke off"),
    ],
)
def test_what_the_model_s_stream_was_like(
    server: ChatServer, reply: Reply, name: str, ok: bool, detail: str
) -> None:
    """Empty answers, thinking, an answer in one piece and missing counts are told apart."""
    server.default = reply
    found = results(server, embedding_model="bundled")
    assert found[name][0] is ok
    assert detail in found[name][1]


def test_usage_that_was_asked_for(server: ChatServer) -> None:
    """A server that does not count although asked is a failure."""
    assert results(server, embedding_model="bundled", stream_usage=True)["Usage"] == (
        False,
        "asked for (RAG_STREAM_USAGE) and not given; answers go without",
    )


def test_a_model_that_talks_too_long(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that thinks for minutes is stopped, and has answered."""
    monkeypatch.setattr(check, "PATIENCE_SECONDS", 0.1)
    server.default = Reply([{"reasoning": "Hm."}, 0.2, {"reasoning": "Hm."}], hang=True)
    found = results(server, embedding_model="bundled")
    assert found["Chat model"] == (True, "test-model answers, after thinking")
    assert server.chats[0].left.wait(5)


def test_a_reranker_and_a_prompt_are_tried_too(sample_settings: Settings, tmp_path: Path) -> None:
    """What every question would fail by is found before one is asked."""
    prompt = tmp_path / "prompt.txt"
    with RerankServer(by_length) as server:
        settings = sample_settings.with_(rerank_base_url=server.url, prompt_file=prompt)
        found = {result.name: result for result in check.check(settings)}
        assert found["Reranker"].ok
        assert len(server.requests) == 1
    assert not found["Prompt"].ok
    assert str(prompt) in found["Prompt"].detail
    prompt.write_text("You are a pirate.")
    found = {result.name: result for result in check.check(settings)}
    assert not found["Reranker"].ok
    assert found["Prompt"].detail == f"{prompt}: 17 characters"
