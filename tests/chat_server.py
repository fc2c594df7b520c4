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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

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


class ChatServer:
    """The server. ``allowed``: the only parameters that it takes, for a strict one."""

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
        self.default: Script = default or Reply()
        self.models = models
        self.lists_models = True
        self.allowed = allowed
        self.dimension = dimension
        self.api_key = api_key
        self.script: deque[Script] = deque()
        self.requests: list[Request] = []
        self.stopping = threading.Event()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL, with /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def port(self) -> int:
        """The port, free when the server was made."""
        return int(self._server.server_address[1])

    @property
    def chats(self) -> list[Request]:
        """The requests for an answer."""
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    def start(self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop, and let hanging replies go."""
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

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


class _Server(ThreadingHTTPServer):
    owner: ChatServer
    daemon_threads = True
    block_on_close = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that leave are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the tests' output clean."""

    def do_GET(self) -> None:
        owner = self.server.owner
        owner.requests.append(Request(self.path, self.headers, None))
        if self._refused(owner):
            return
        if owner.lists_models and self.path.rstrip("/").endswith("/models"):
            self._json(
                200,
                {"object": "list", "data": [{"id": m, "object": "model"} for m in owner.models]},
            )
        else:
            self._json(404, {"error": {"message": f"no such path: {self.path}"}})

    def do_POST(self) -> None:
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"null")
        request = Request(self.path, self.headers, body)
        owner.requests.append(request)
        if self._refused(owner):
            return
        if self.path.endswith("/chat/completions"):
            self._chat(owner, request)
        elif self.path.endswith("/embeddings"):
            self._embeddings(owner, body)
        else:
            self._json(404, {"error": {"message": f"no such path: {self.path}"}})

    def _refused(self, owner: ChatServer) -> bool:
        if owner.api_key is None or self.headers.get("Authorization") == f"Bearer {owner.api_key}":
            return False
        given = self.headers.get("Authorization", "none")
        self._json(401, {"error": {"message": f"Incorrect API key provided: {given}"}})
        return True

    def _embeddings(self, owner: ChatServer, body: Any) -> None:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not all(isinstance(text, str) for text in texts):
            self._json(400, {"error": {"message": "input must be a string or a list of strings"}})
            return
        data = [
            {"object": "embedding", "index": i, "embedding": owner.vector(text)}
            for i, text in enumerate(texts)
        ]
        self._json(200, {"object": "list", "data": data, "model": body["model"]})

    def _chat(self, owner: ChatServer, request: Request) -> None:
        unknown = set(request.body) - set(owner.allowed or request.body)
        if unknown:
            message = f"Unrecognized request argument: {', '.join(sorted(unknown))}"
            self._json(400, {"error": {"message": message, "type": "invalid_request_error"}})
            return
        reply = owner.take(request)
        try:
            self._wait(reply.delay_seconds)
            if reply.body is not None:
                self._send(reply.status, reply.body, reply.content_type, reply.headers)
            elif reply.status != 200:
                error = (
                    reply.error if isinstance(reply.error, Mapping) else {"message": reply.error}
                )
                self._json(reply.status, {"error": error}, reply.headers)
            elif request.body.get("stream"):
                self._stream(request, reply)
            else:
                self._whole(reply)
        except OSError:
            request.left.set()
            self.close_connection = True
        finally:
            request.ended.set()

    def _whole(self, reply: Reply) -> None:
        text = "".join(piece for piece in reply.pieces if isinstance(piece, str))
        message = {"role": "assistant", "content": text}
        answer = {"choices": [{"index": 0, "message": message, "finish_reason": reply.finish}]}
        self._json(200, {**_HEAD, "object": "chat.completion", **answer, **_usage(reply)})

    def _stream(self, request: Request, reply: Reply) -> None:
        send = self._begin(reply)
        for piece in reply.pieces:
            self._piece(piece, send)
            if self._gone():
                raise ConnectionResetError
        if reply.hang:
            self._hang()
        if reply.cut:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
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
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header(
            *(("Transfer-Encoding", "chunked") if chunked else ("Connection", "close"))
        )
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()

        def send(data: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
            self.wfile.flush()

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
            if self.server.owner.stopping.is_set():
                return
            if self._gone():
                raise ConnectionResetError
            left = 0.01 if until is None else min(0.01, max(0.0, until - time.monotonic()))
            time.sleep(left)

    def _hang(self) -> None:
        while not self.server.owner.stopping.wait(0.01):
            if self._gone():
                raise ConnectionResetError
        raise ConnectionAbortedError

    def _gone(self) -> bool:
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""

    def _json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        self._send(status, json.dumps(value).encode(), "application/json", headers or {})

    def _send(self, status: int, data: bytes, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


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
