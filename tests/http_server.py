"""What the tests' servers share: real HTTP on a free port of this machine, answered in threads.

class Echo(HttpServer):
    def answer(self, exchange: Exchange) -> None:
        exchange.send(200, {"path": exchange.path, "said": exchange.json()})

with Echo() as server:
    server.url
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class Exchange(BaseHTTPRequestHandler):
    """A request (``command``, ``path``, ``headers``, ``body``), and what sends its answer."""

    protocol_version = "HTTP/1.1"
    server: _Listener
    body = b""

    def handle_one(self) -> None:
        """Read the body and let the server answer."""
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.owner.answer(self)

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = handle_one  # noqa: N815

    def json(self) -> Any:
        """The body's value; None without a body."""
        return json.loads(self.body or b"null")

    def send(self, status: int, value: object, headers: Mapping[str, str] | None = None) -> None:
        """Send ``value`` as JSON, or bytes as they are; ``headers`` may name another type."""
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        length = {"Content-Length": str(len(data))}
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", **(headers or {}), **length}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep the tests' output clean."""


class HttpServer:
    """A server that listens from when it is made on and answers between ``with`` and its end."""

    address = "http://127.0.0.1:{port}"

    def __init__(self, port: int = 0) -> None:
        self._listener = _Listener(("127.0.0.1", port), Exchange)
        self._listener.owner = self
        self._thread = threading.Thread(
            target=self._listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def answer(self, exchange: Exchange) -> None:
        """Answer one request, in a thread of its own."""
        raise NotImplementedError

    @property
    def port(self) -> int:
        """The port, free when the server was made."""
        return self._listener.server_port

    @property
    def url(self) -> str:
        """The base URL."""
        return self.address.format(port=self.port)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()


class _Listener(ThreadingHTTPServer):
    owner: HttpServer
    request_queue_size = 64

    def handle_error(self, *client: Any) -> None:
        """Say nothing of clients that leave: they are part of the tests."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(*client)
