"""What happens when a chat endpoint refuses, fails, is slow, breaks off, or is stopped."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import pytest

from rag.endpoints import chat_connection
from rag.endpoints.chat_connection import ChatConnection
from rag.endpoints.faults import TooLong
from rag.errors import ModelError, ModelRejected, ModelUnreachable, SettingsError
from rag.prompt import Message
from rag.settings import Settings
from rag.types import Usage
from tests.chat_server import ChatServer, Reply

HELLO = [Message("user", "Hello?")]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that answers "Hello."."""
    with ChatServer() as server:
        yield server


def connection(url: str, **settings: Any) -> ChatConnection:
    """A connection to the test's model."""
    given = {"chat_model": "test-model", "openai_base_url": url, **settings}
    return ChatConnection(Settings(**given))


def read(asked: ChatConnection) -> tuple[str, ModelError | None]:
    """The text that comes, and the error that ends it."""
    text = ""
    try:
        for delta in asked.stream(HELLO):
            text += delta.text
    except ModelError as error:
        return text, error
    return text, None


@pytest.mark.parametrize(
    ("status", "said", "advice"),
    [
        (400, "bad temperature", "check RAG_CHAT_MODEL"),
        (401, "who are you", "check OPENAI_API_KEY"),
        (403, "not for you", "check that OPENAI_API_KEY, or RAG_OPENAI_HEADERS, may use"),
        (404, "no such model", "check RAG_CHAT_MODEL, and OPENAI_BASE_URL (it often ends in /v1)"),
        (422, "odd", "check RAG_CHAT_MODEL"),
        (500, "out of memory", "see the server's log"),
        (529, "overloaded", "see the server's log"),
    ],
)
def test_a_refusal_says_what_to_do(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, status: int, said: str, advice: str
) -> None:
    """Address, model, status, the server's own words and what to look at, in one line."""
    monkeypatch.setattr(chat_connection, "ATTEMPTS", 1)
    server.script.append(Reply(status=status, error=f"{said}\n twice"))
    text, error = read(connection(server.url))
    assert text == ""
    assert isinstance(error, ModelRejected)
    assert error.status == status
    assert str(error).startswith(
        f"{server.url} (model test-model) answered {status}: {said} twice; {advice}"
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_would_be_refused_again_is_sent_once(server: ChatServer, status: int) -> None:
    """A wrong key, model or parameter is not tried again."""
    server.default = Reply(status=status, error="no")
    assert isinstance(read(connection(server.url))[1], ModelRejected)
    assert len(server.chats) == 1


def test_a_page_instead_of_an_error(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gateway's HTML is not shown: the status's own name stands in."""
    monkeypatch.setattr(chat_connection, "ATTEMPTS", 1)
    server.script.append(Reply(status=502, body=b"<html><h1>nginx</h1></html>"))
    _, error = read(connection(server.url))
    assert str(error).endswith("answered 502: Bad Gateway; see the server's log")


def test_a_busy_server_is_asked_again(server: ChatServer) -> None:
    """429 and 503 are tried again, not before Retry-After says so; then the answer comes."""
    server.script += [
        Reply(status=429, error="slow down", headers={"Retry-After": "1"}),
        Reply(status=503, error="loading", headers={"Retry-After": formatdate(0, usegmt=True)}),
    ]
    assert read(connection(server.url)) == ("Hello.", None)
    first, second, third = (request.time for request in server.chats)
    assert second - first >= 1
    assert third - second >= 0.9  # its date is long past: the second wait is 1 s by itself
    assert [r.body for r in server.chats] == [server.chats[0].body] * 3


def test_a_failing_server_is_given_up(server: ChatServer) -> None:
    """After the third failure its words are the error."""
    server.default = Reply(status=500, error="out of memory")
    _, error = read(connection(server.url))
    assert "answered 500: out of memory" in str(error)
    assert len(server.chats) == 3


@pytest.mark.parametrize(
    ("retry_after", "advice"),
    [("60", "wait 60 seconds, or"), (formatdate(time.time() + 3600, usegmt=True), "wait, or")],
    ids=["seconds", "date"],
)
def test_a_long_wait_is_reported(server: ChatServer, retry_after: str, advice: str) -> None:
    """A server that asks for more patience than a reader has is not waited for."""
    server.default = Reply(status=429, error="slow down", headers={"Retry-After": retry_after})
    _, error = read(connection(server.url))
    assert str(error).endswith(f"slow down; {advice} check the quota of OPENAI_API_KEY")
    assert len(server.chats) == 1


def test_a_used_up_quota_is_reported(server: ChatServer) -> None:
    """A 429 that no waiting helps against is not tried again."""
    error = {"message": "You exceeded your quota", "code": "insufficient_quota"}
    server.default = Reply(status=429, error=error)
    assert "exceeded your quota" in str(read(connection(server.url))[1])
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"message": "too many", "code": "context_length_exceeded"}),
        (400, "the request exceeds the available context size. try increasing the context size"),
        (400, "This model's maximum context length is 4096 tokens. However, you requested 9000"),
        (413, "prompt is too long: 9000 tokens > 4096 maximum"),
        (500, "the request exceeds the available context size"),
    ],
)
def test_too_long_is_an_error_of_its_own(server: ChatServer, status: int, error: Any) -> None:
    """However a server says that the messages are too long; once is enough."""
    server.default = Reply(status=status, error=error)
    assert type(read(connection(server.url))[1]) is TooLong
    assert len(server.chats) == 1


def test_too_long_inside_a_stream(server: ChatServer) -> None:
    """Some servers say it in an event of a stream that began well."""
    said = {"error": {"message": "maximum context length is 4096", "code": 400}}
    server.default = Reply([b"data: " + json.dumps(said).encode() + b"\n\n"])
    assert type(read(connection(server.url))[1]) is TooLong


def test_a_server_that_is_not_there() -> None:
    """A refused connection is tried again, then named with its address and what to check."""
    with ChatServer() as server:
        url = server.url
    _, error = read(connection(url))
    assert isinstance(error, ModelUnreachable)
    assert str(error).startswith(f"Cannot reach {url} (model test-model): ")
    assert "refused" in str(error)
    assert str(error).endswith("; check OPENAI_BASE_URL, and that the server is running")


def test_a_server_that_is_starting() -> None:
    """One that comes up between two attempts answers."""
    with ChatServer() as gone:
        port = gone.port
    asked = connection(f"http://127.0.0.1:{port}/v1")
    got: list[tuple[str, ModelError | None]] = []
    thread = threading.Thread(target=lambda: got.append(read(asked)))
    thread.start()
    time.sleep(0.2)
    with ChatServer(port=port):
        thread.join()
    assert got == [("Hello.", None)]


@pytest.mark.parametrize("url", ["localhost:11434/v1", "http://[::1/v1", "ftp://127.0.0.1/v1"])
def test_what_is_no_address(url: str) -> None:
    """An address without http, or that none could be, is a wrong setting."""
    with pytest.raises(SettingsError, match=f"^OPENAI_BASE_URL is {re.escape(url)}: expected an"):
        connection(url)


def test_a_silent_server_is_given_up(server: ChatServer) -> None:
    """A server that accepts and says nothing is an error in time, and is not asked again."""
    server.default = Reply(delay_seconds=30)
    _, error = read(connection(server.url, openai_timeout_seconds=0.2))
    assert isinstance(error, ModelUnreachable)
    assert str(error) == (
        f"No sign of {server.url} (model test-model) within 0.2 seconds; "
        "RAG_OPENAI_TIMEOUT sets how long to wait"
    )
    assert len(server.chats) == 1
    assert server.chats[0].left.wait(5)


BREAKS = {
    "abrupt": Reply(["The ", "kettle"], cut="abrupt"),
    "clean": Reply(["The ", "kettle"], cut="clean", finish=None, done=False),
    "no end": Reply(["The ", "kettle"], finish=None, done=False),
    "silence": Reply(["The ", "kettle"], hang=True),
    "error": Reply(["The ", "kettle", b'data: {"error": {"message": "on fire"}}\n\n']),
}


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("abrupt", "broke off in the middle of the answer"),
        ("clean", "broke off in the middle of the answer"),
        ("no end", "broke off in the middle of the answer"),
        ("silence", "within 0.5 seconds"),
        ("error", "on fire"),
    ],
)
def test_a_stream_that_breaks_off_is_never_begun_again(
    server: ChatServer, how: str, reason: str
) -> None:
    """After the first piece what came is given out, then the reason; nothing is sent twice."""
    server.default = BREAKS[how]
    text, error = read(connection(server.url, openai_timeout_seconds=0.5))
    assert text == "The kettle"
    assert reason in str(error)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    "reply", [Reply(done=False), Reply(finish=None), Reply(done=False, finish="length")]
)
def test_either_end_of_the_protocol_will_do(server: ChatServer, reply: Reply) -> None:
    """A finish reason without ``[DONE]``, or that alone, ends an answer well."""
    server.default = reply
    assert read(connection(server.url)) == ("Hello.", None)


def test_a_server_that_does_not_stream(server: ChatServer) -> None:
    """An answer that comes as one object, whatever was asked for, is read as a stream of one."""
    message = {"role": "assistant", "content": "Boil it\n\ntwice [1]. 煮两次。"}
    answer = {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7},
    }
    for indent in (None, 2):
        body = json.dumps(answer, ensure_ascii=False, indent=indent).encode()
        server.script.append(Reply(body=body, content_type="application/json; charset=utf-8"))
        deltas = list(connection(server.url).stream(HELLO))
        assert "".join(delta.text for delta in deltas) == message["content"]
        assert [delta.usage for delta in deltas if delta.usage] == [Usage(5, 7)]


def test_an_end_that_comes_in_two_packets(server: ChatServer) -> None:
    """``[DONE]`` is seen however the connection cuts it."""
    server.default = Reply(["Hello.", b"data: [DO", 0.05, b"NE]\n\n"], finish=None, done=False)
    assert read(connection(server.url)) == ("Hello.", None)


def test_a_connection_that_breaks_before_the_first_piece(server: ChatServer) -> None:
    """Nothing has come, so it is asked again."""
    server.script.append(Reply([{"role": "assistant"}], cut="abrupt"))
    assert read(connection(server.url)) == ("Hello.", None)
    assert len(server.chats) == 2


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Reply(delay_seconds=30), ""),
        (Reply([{"role": "assistant"}], hang=True), ""),
        (Reply(["The "], hang=True), "The "),
    ],
)
def test_stop_ends_it_at_the_server_too(server: ChatServer, reply: Reply, text: str) -> None:
    """Stopped from another thread, wherever it stands, it ends at once and hangs up."""
    server.default = reply
    asked = connection(server.url)
    got: list[tuple[str, ModelError | None]] = []
    thread = threading.Thread(target=lambda: got.append(read(asked)))
    thread.start()
    while not server.chats:
        time.sleep(0.01)
    time.sleep(0.1)
    asked.stop()
    thread.join(10)
    assert got == [(text, None)]
    assert server.chats[0].left.wait(5)
    assert len(server.chats) == 1


def test_stop_while_it_waits_to_ask_again(server: ChatServer) -> None:
    """A stop during the wait after a 429 ends it without another request."""
    server.default = Reply(status=429, error="slow down", headers={"Retry-After": "15"})
    asked = connection(server.url)
    thread = threading.Thread(target=read, args=(asked,))
    thread.start()
    while not server.chats:
        time.sleep(0.01)
    asked.stop()
    thread.join(10)
    assert not thread.is_alive()
    assert len(server.chats) == 1


def test_stop_before_it_begins(server: ChatServer) -> None:
    """What was stopped before it was asked gives nothing."""
    asked = connection(server.url)
    asked.stop()
    assert read(asked) == ("", None)


def test_a_reader_that_leaves_hangs_up(server: ChatServer) -> None:
    """Closing the iterator ends the request."""
    server.default = Reply(["The "], hang=True)
    stream = connection(server.url).stream(HELLO)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert server.chats[0].left.wait(5)


SECRETS = {
    "openai_api_key": "sk-very-secret-1",
    "openai_headers": {
        "X-Api-Key": "gate-secret-2", "X-Also": "gate-secret-2-longer",
        "Authorization": "Bearer gate-secret-4", "Cookie": "team=red; session=gate-secret-5",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=401, error="Incorrect API key provided: sk-very-secret-1"),
        Reply(status=403, error="X-Api-Key gate-secret-2-longer or gate-secret-2: no"),
        Reply(status=401, error="Incorrect API key provided: gate-secret-4, gate-secret-5"),
        Reply(status=400, body=b"Bearer sk-very-secret-1", content_type="text/plain"),
        Reply(["It", b'data: {"error": {"message": "sk-very-secret-1: no"}}\n\n']),
        Reply(body=b"data: sk-very-secret-1\n\n", content_type="text/event-stream"),
    ],
)
def test_no_secret_reaches_a_message(server: ChatServer, reply: Reply) -> None:
    """Key, headers and a password in the address are masked, whoever echoes them."""
    server.default = reply
    url = server.url.replace("//", "//me:pass-secret-3@")
    _, error = read(connection(url, **SECRETS))
    assert error is not None
    assert "127.0.0.1" in str(error)
    for secret in ("secret", "longer", "me:"):
        assert secret not in str(error)
    assert "secret" not in repr(Settings(**SECRETS))


def test_words_that_a_header_has_too_stay(server: ChatServer) -> None:
    """Only what is long enough for a secret is masked: the message can still be read."""
    server.default = Reply(status=401, error="The Bearer token of team red has no session")
    _, error = read(connection(server.url, **SECRETS))
    assert "The Bearer token of team red has no session" in str(error)


def test_no_secret_of_a_dead_server_s_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password in the address is not shown when nobody answers there."""
    monkeypatch.setattr(chat_connection, "ATTEMPTS", 1)
    for url in ("http://me:secret@127.0.0.1:9/v1", "http://127.0.0.1:9/v1?key=secret"):
        _, error = read(connection(url))
        assert "127.0.0.1:9/v1 " in str(error)
        assert "secret" not in str(error)


def test_a_key_that_no_header_can_hold(server: ChatServer) -> None:
    """It is the setting that is wrong: nothing is sent."""
    with pytest.raises(SettingsError):
        read(connection(server.url, openai_api_key="sk-é"))
    assert server.chats == []
