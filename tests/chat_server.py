"""An OpenAI-compatible server for tests: real HTTP on a free port, its answers scripted.

    with ChatServer() as server:
        server.script.append(Reply(["The kettle ", 0.1, "boils [1]."]))
        Settings(chat_model="test-model", openai_base_url=server.url)
        ...
        server.requests[0].body["messages"]

Speaks /v1/chat/completions (streamed and not), /v1/models and /v1/embeddings. Each chat request
takes the next reply of ``script``, or ``default`` when none is left.
"""

from __future__ import annotations

import hashlib
import json
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, Literal

from tests.http_server import Exchange, HttpServer

Piece = str | float | bytes | Mapping[str, Any] | threading.Event
"""Text to send; seconds to wait; bytes to send as they are; a delta; an event to wait for."""


@dataclass
class Reply:
    """How one chat request is answered."""

    pieces: Sequence[Piece] = ("Hello.",)
    status: int = 200
    error: str | Mapping[str, Any] = ""
    """With a status other than 200: the message, or the whole "error" object."""
    body: bytes | None = None
    """Sent as it is, in place of an answer or error, as ``content_type``."""
    content_type: str = "text/html"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0
    """Before the status line."""
    finish: str | None = "stop"
    done: bool = True
    """Whether ``data: [DONE]`` ends the stream."""
    usage: tuple[int, int] | None = None
    """Prompt and completion tokens, in a last chunk without choices."""
    cut: Literal["", "abrupt", "clean"] = ""
    """Close the connection after the pieces: without HTTP's last chunk, or as if all were well."""
    hang: bool = False
    """After the pieces send nothing more, until the client leaves or the server stops."""


@dataclass
class Request:
    """A request as it came, at ``time`` (monotonic seconds).

    ``left`` is set when the client closed it before the reply's end, ``ended`` after either.
    """

    path: str
    headers: Message
    """By name in any case."""
    body: Any
    time: float = field(default_factory=time.monotonic)
    left: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def question(self) -> str:
        """The last message's content."""
        return str(self.body["messages"][-1]["content"])


Script = Reply | Callable[[Request], Reply]


class ChatServer(HttpServer):
    """The server. ``allowed``: the only parameters that it takes, for a strict one."""

    address = "http://127.0.0.1:{port}/v1"

    def __init__(
        self,
        default: Script | None = None,
        *,
        models: Sequence[str] = ("test-model", "test-embeddings"),
        allowed: Sequence[str] | None = None,
        dimension: int = 8,
        api_key: str | None = None,
        port: int = 0,
    ) -> None:
        super().__init__(port)
        self.default: Script = default or Reply()
        self.models = models
        self.lists_models = True
        self.allowed = allowed
        self.dimension = dimension
        self.api_key = api_key
        self.script: deque[Script] = deque()
        self.requests: list[Request] = []
        self.stopping = threading.Event()

    @property
    def chats(self) -> list[Request]:
        """The requests for an answer."""
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    def __exit__(self, *exception: object) -> None:
        self.stopping.set()  # lets hanging replies go
        super().__exit__(*exception)

    def answer(self, exchange: Exchange) -> None:
        request = Request(exchange.path, exchange.headers, exchange.json())
        self.requests.append(request)
        key = exchange.headers.get("Authorization", "none")
        asked = exchange.command, exchange.path.rpartition("/v1")[2].strip("/")
        if self.api_key is not None and key != f"Bearer {self.api_key}":
            exchange.send(401, {"error": {"message": f"Incorrect API key provided: {key}"}})
        elif asked == ("POST", "chat/completions"):
            _Chat(self, exchange, request).answer()
        elif asked == ("POST", "embeddings"):
            exchange.send(*self._embeddings(request.body))
        elif asked == ("GET", "models") and self.lists_models:
            data = [{"id": model, "object": "model"} for model in self.models]
            exchange.send(200, {"object": "list", "data": data})
        else:
            exchange.send(404, {"error": {"message": f"no such path: {exchange.path}"}})

    def take(self, request: Request) -> Reply:
        """Return the reply for ``request``."""
        script = self.script.popleft() if self.script else self.default
        return script(request) if callable(script) else script

    def vector(self, text: str) -> list[float]:
        """Return the unit vector that /v1/embeddings gives for ``text``: always the same."""
        seed = hashlib.shake_256(text.encode()).digest(self.dimension)
        values = [byte - 127.5 for byte in seed]
        norm = sum(value * value for value in values) ** 0.5
        return [value / norm for value in values]

    def _embeddings(self, body: Any) -> tuple[int, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not all(isinstance(text, str) for text in texts):
            return 400, {"error": {"message": "input must be a string or a list of strings"}}
        data = [
            {"object": "embedding", "index": i, "embedding": self.vector(text)}
            for i, text in enumerate(texts)
        ]
        return 200, {"object": "list", "data": data, "model": body["model"]}


class _Chat:
    """One chat request, answered as the script says."""

    def __init__(self, server: ChatServer, exchange: Exchange, request: Request) -> None:
        self.server = server
        self.exchange = exchange
        self.request = request

    def answer(self) -> None:
        unknown = set(self.request.body) - set(self.server.allowed or self.request.body)
        if unknown:
            message = f"Unrecognized request argument: {', '.join(sorted(unknown))}"
            error = {"message": message, "type": "invalid_request_error"}
            self.exchange.send(400, {"error": error})
            return
        reply = self.server.take(self.request)
        try:
            self._wait(reply.delay_seconds)
            if reply.body is not None:
                kind = {"Content-Type": reply.content_type}
                self.exchange.send(reply.status, reply.body, {**kind, **reply.headers})
            elif reply.status != 200:
                whole = isinstance(reply.error, Mapping)
                error = reply.error if whole else {"message": reply.error}
                self.exchange.send(reply.status, {"error": error}, reply.headers)
            elif self.request.body.get("stream"):
                self._stream(reply)
            else:
                self._whole(reply)
        except OSError:
            self.request.left.set()
            self.exchange.close_connection = True
        finally:
            self.request.ended.set()

    def _whole(self, reply: Reply) -> None:
        text = "".join(piece for piece in reply.pieces if isinstance(piece, str))
        message = {"role": "assistant", "content": text}
        answer = {"choices": [{"index": 0, "message": message, "finish_reason": reply.finish}]}
        self.exchange.send(200, {**_HEAD, "object": "chat.completion", **answer, **_usage(reply)})

    def _stream(self, reply: Reply) -> None:
        send = self._begin(reply)
        for piece in reply.pieces:
            self._piece(piece, send)
            if self._gone():
                raise ConnectionResetError
        if reply.hang:
            self._hang()
        if reply.cut:
            self.exchange.close_connection = True
            self.exchange.connection.shutdown(socket.SHUT_RDWR)
            return
        if reply.finish:
            send(_event({"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]}))
        if reply.usage:
            send(_event({"choices": [], **_usage(reply)}))
        if reply.done:
            send(b"data: [DONE]\n\n")
        send(b"")

    def _begin(self, reply: Reply) -> Callable[[bytes], None]:
        """Send the headers; return what sends a piece of the body, its end when it is empty."""
        chunked = reply.cut != "clean"
        body = {"Transfer-Encoding": "chunked"} if chunked else {"Connection": "close"}
        self.exchange.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", **body, **reply.headers}.items():
            self.exchange.send_header(name, value)
        self.exchange.end_headers()

        def send(data: bytes) -> None:
            out = self.exchange.wfile
            out.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
            out.flush()

        return send

    def _piece(self, piece: Piece, send: Callable[[bytes], None]) -> None:
        if isinstance(piece, bytes):
            send(piece)
        elif isinstance(piece, str | Mapping):
            delta = {"content": piece} if isinstance(piece, str) else piece
            send(_event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}))
        else:
            self._wait(piece)

    def _wait(self, piece: float | threading.Event) -> None:
        """Wait for seconds or an event, unless the server stops or the client leaves."""
        until = time.monotonic() + piece if isinstance(piece, float | int) else None
        while until is None or time.monotonic() < until:
            if isinstance(piece, threading.Event) and piece.is_set():
                return
            if self.server.stopping.is_set():
                return
            if self._gone():
                raise ConnectionResetError
            left = 0.01 if until is None else min(0.01, max(0.0, until - time.monotonic()))
            time.sleep(left)

    def _hang(self) -> None:
        while not self.server.stopping.wait(0.01):
            if self._gone():
                raise ConnectionResetError
        raise ConnectionAbortedError

    def _gone(self) -> bool:
        readable, _, _ = select.select([self.exchange.connection], [], [], 0)
        return bool(readable) and self.exchange.connection.recv(1, socket.MSG_PEEK) == b""


_HEAD = {"id": "chatcmpl-1", "created": 1, "model": "test-model"}


def _event(value: Mapping[str, Any]) -> bytes:
    return (
        b"data: "
        + json.dumps({**_HEAD, "object": "chat.completion.chunk", **value}).encode()
        + b"\n\n"
    )


def _usage(reply: Reply) -> dict[str, Any]:
    if reply.usage is None:
        return {}
    sent, made = reply.usage
    return {
        "usage": {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made}
    }
