"""What a chat endpoint is sent, and how whatever it sends is read."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from rag.endpoints.chat_model import Delta, list_models, stream_deltas
from rag.endpoints.endpoint import Endpoint
from rag.endpoints.faults import named_errors
from rag.errors import ModelError, ModelRejected, ModelUnreachable, SettingsError
from rag.prompt import Message
from rag.settings import Settings
from rag.types import Usage
from tests.chat_server import ChatServer, Reply

HELLO = (Message("user", "Hello?"),)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that answers "Hello."."""
    with ChatServer() as server:
        yield server


def deltas(server: ChatServer, *messages: Message, **settings: Any) -> list[Delta]:
    """Ask once, and return all that came."""
    return list(streamed(server, *messages, **settings))


def streamed(server: ChatServer, *messages: Message, **settings: Any) -> Iterator[Delta]:
    """Ask once, and yield what comes."""
    given = {"chat_model": "test-model", "openai_base_url": server.url, **settings}
    endpoint = Endpoint.of_chat(Settings(**given))
    with endpoint.client() as client, named_errors(endpoint):
        yield from stream_deltas(endpoint, client, messages or HELLO)


def said(found: list[Delta]) -> str:
    """The text of deltas."""
    return "".join(delta.text for delta in found)


def event(**chunk: Any) -> bytes:
    """A server-sent event with exactly this object."""
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def test_nothing_is_sent_that_was_not_set(server: ChatServer) -> None:
    """Model, messages by their roles, and that the answer be streamed: that is all."""
    messages = (Message("system", "Be brief."), *HELLO, Message("assistant", "Hi."), *HELLO)
    assert said(deltas(server, *messages)) == "Hello."
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].body == {
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"},
            {"role": "assistant", "content": "Hi."}, {"role": "user", "content": "Hello?"},
        ],
        "stream": True,
    }  # fmt: skip


@pytest.mark.parametrize("model", ["test-model", "gpt-4o", "gpt-5-mini", "o1", "o3-mini"])
@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({}, {}),
        ({"temperature": 0.0}, {"temperature": 0.0}),
        ({"max_answer_tokens": 50}, {"max_tokens": 50}),
        ({"stream_usage": True}, {"stream_options": {"include_usage": True}}),
    ],
)
def test_a_setting_sends_its_parameter_alone(
    server: ChatServer, model: str, settings: Mapping[str, Any], sent: Mapping[str, Any]
) -> None:
    """Each setting adds its parameter, for a model of any name."""
    deltas(server, chat_model=model, **settings)
    body = server.requests[0].body
    assert body.pop("messages") == [{"role": "user", "content": "Hello?"}]
    assert body == {"model": model, "stream": True, **sent}


def test_openai_has_another_name_for_the_length(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenAI and Azure are sent ``max_completion_tokens``: newer models refuse the old name."""
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.port}")  # plays all servers
    for host in ("api.openai.com", "me.openai.azure.com", "openai.com.example"):
        deltas(server, openai_base_url=f"http://{host}/v1", max_answer_tokens=50)
    named = [sorted(set(r.body) - {"messages", "model", "stream"}) for r in server.requests]
    assert named == [["max_completion_tokens"], ["max_completion_tokens"], ["max_tokens"]]


def test_a_strict_server_is_content() -> None:
    """A server that refuses every other parameter answers; what is set is sent all the same."""
    with ChatServer(allowed=("model", "messages", "stream")) as server:
        assert said(deltas(server)) == "Hello."
        with pytest.raises(ModelRejected, match="Unrecognized request argument: temperature"):
            deltas(server, temperature=0.5)


def test_a_base_url_is_enough(server: ChatServer) -> None:
    """Without a key a placeholder is sent, since the client wants one; slashes do not matter."""
    assert said(deltas(server, openai_base_url=f"{server.url}/")) == "Hello."
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].headers["Authorization"] == "Bearer no-key"


def test_langchain_s_variables_change_nothing(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers are text even where another program's variable asks LangChain for blocks."""
    monkeypatch.setenv("LC_OUTPUT_VERSION", "v1")
    assert said(deltas(server)) == "Hello."


def test_neither_key_nor_base_url() -> None:
    """Without both there is no endpoint: a named error says which to set."""
    with pytest.raises(SettingsError, match="neither OPENAI_API_KEY nor OPENAI_BASE_URL"):
        Endpoint.of_chat(Settings(chat_model="test-model"))
    endpoint = Endpoint.of_chat(Settings(chat_model="test-model", openai_api_key="sk-1"))
    assert endpoint.url == "https://api.openai.com/v1"


def test_key_and_headers_are_sent(server: ChatServer) -> None:
    """The key as a bearer token, and the headers as they are set."""
    deltas(server, openai_api_key="sk-1", openai_headers={"X-Api-Key": "gate", "X-Team": "a b"})
    headers = server.requests[0].headers
    assert headers["Authorization"] == "Bearer sk-1"
    assert (headers["X-Api-Key"], headers["X-Team"]) == ("gate", "a b")


def test_a_header_replaces_the_key(server: ChatServer) -> None:
    """A gateway with an authorization of its own gets that one."""
    deltas(server, openai_headers={"Authorization": "Basic abc"})
    assert server.requests[0].headers["Authorization"] == "Basic abc"


def test_what_no_header_can_hold() -> None:
    """A key with a character beyond ASCII is a named error, which does not show it."""
    with ChatServer() as server, pytest.raises(SettingsError, match="OPENAI_API_KEY") as caught:
        deltas(server, openai_api_key="sk-1…")
    assert "sk-1" not in str(caught.value)


def test_bytes_that_are_no_text_are_sent_as_question_marks(server: ChatServer) -> None:
    """A lone surrogate, as a terminal makes of a stray byte, does not stop the question."""
    deltas(server, Message("user", "caf\udce9 水 🫖"))
    assert server.requests[0].question == "caf? 水 🫖"


def test_pieces_come_as_the_server_sends_them(server: ChatServer) -> None:
    """A piece is given out while the server still waits to send the next."""
    seen = threading.Event()
    server.script.append(Reply(["The ", seen, "kettle."]))
    pieces = []
    for delta in streamed(server):
        pieces.append(delta.text)
        seen.set()
    assert pieces == ["The ", "kettle.", ""]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (event(choices=[]), Delta()),
        (event(choices=None), Delta()),
        (event(id="x"), Delta()),
        (event(choices=[None]), Delta()),
        (event(choices=[{"delta": None}]), Delta()),
        (event(choices=[{"index": 0, "delta": {"role": "assistant", "content": None}}]), Delta()),
        (event(choices=[{"delta": {"content": 7}}]), Delta()),
        (event(choices=[{"delta": {"content": "It", "tool_calls": None}}]), Delta("It")),
        (event(choices=[{"message": {"content": "It"}}]), Delta("It")),
        (event(choices=[{"delta": {"reasoning_content": "Hm"}}]), Delta("", "Hm")),
        (event(choices=[{"delta": {"reasoning": "Hm", "content": ""}}]), Delta("", "Hm")),
        (
            event(choices=[{"delta": {"content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]},
                {"type": "text", "text": "It"},
            ]}}]),
            Delta("It", "Hm"),
        ),
        (event(choices=[], usage={"prompt_tokens": 7, "completion_tokens": 2}),
         Delta(usage=Usage(7, 2))),
        (event(choices=[], usage={"prompt_tokens": None}), Delta()),
        (event(choices=[], usage={}), Delta()),
        (b": keep-alive\n\n", Delta()),
        (b"event: message\r\n" + event(choices=[{"delta": {"content": "It"}}]), Delta("It")),
        (b"data: []\n\n", Delta()),
        (b"data: 7\n\n", Delta()),
        (b"data: null\n\n", Delta()),
    ],
)  # fmt: skip
def test_strange_chunks_are_read(server: ChatServer, raw: bytes, expected: Delta) -> None:
    """Whatever of a chunk is missing, null or of another type: the rest is read."""
    server.script.append(Reply(["A", raw, "B"]))
    inside = [Delta("A"), *([expected] if expected != Delta() else []), Delta("B")]
    assert deltas(server) == [*inside, Delta(finish="stop")]


def test_usage_comes_when_it_is_given(server: ChatServer) -> None:
    """Tokens are read whether or not they were asked for, and are None when not given."""
    server.script.append(Reply(usage=(120, 8)))
    assert deltas(server)[-1].usage == Usage(120, 8)
    assert all(delta.usage is None for delta in deltas(server, stream_usage=True))


def test_an_error_inside_the_stream(server: ChatServer) -> None:
    """An error event after the first piece is a named error with the server's words."""
    server.script.append(Reply(["The ", event(error={"message": "the GPU is on fire"})]))
    stream = streamed(server)
    assert next(stream).text == "The "
    with pytest.raises(ModelRejected, match="the GPU is on fire"):
        next(stream)


@pytest.mark.parametrize("body", [b"data: {broken\n\n", b"data: \xff\xfe\n\n"])
def test_what_is_not_json(server: ChatServer, body: bytes) -> None:
    """A stream of something else is named, with the variable to look at."""
    server.script.append(Reply(body=body, content_type="text/event-stream"))
    with pytest.raises(ModelError, match="not JSON; check OPENAI_BASE_URL"):
        deltas(server)


@pytest.mark.parametrize(
    ("body", "kind"), [(b"<html>Welcome</html>", "text/html"), (b"", "text/event-stream")]
)
def test_what_is_no_stream(server: ChatServer, body: bytes, kind: str) -> None:
    """A page, or nothing at all, holds no answer; that is for the caller to say."""
    server.script.append(Reply(body=body, content_type=kind))
    assert deltas(server) == []


def test_models_are_listed(server: ChatServer) -> None:
    """The names that the endpoint lists, in order."""
    endpoint = Endpoint.of_chat(Settings(chat_model="b", openai_base_url=server.url))
    server.models = ("b", "a")
    with endpoint.client() as client:
        assert list_models(endpoint, client) == ["a", "b"]


def test_proxies_are_trusted_or_not(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment is used, and named when it fails; or ignored by setting."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("NO_PROXY", "")
    with pytest.raises(ModelUnreachable, match="RAG_OPENAI_TRUST_ENV=false goes without"):
        deltas(server)
    assert said(deltas(server, openai_trust_env=False)) == "Hello."


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "gopher://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    """A proxy of an unknown kind is a named error, and does no harm where it is not trusted."""
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.setenv("NO_PROXY", "")
    with pytest.raises(SettingsError, match="RAG_OPENAI_TRUST_ENV=false goes without"):
        deltas(server)
    assert said(deltas(server, openai_trust_env=False)) == "Hello."
