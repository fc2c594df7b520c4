"""A small HTTP server that answers every request of a Qdrant client with the same answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

OK = {"result": True, "status": "ok", "time": 0.0}
REFUSED = {"status": {"error": "Must provide an API key or an Authorization bearer token"}}


class QdrantServer:
    """``statuses`` are given in turn, the last one again and again; ``requests`` are kept."""

    def __init__(self, statuses: Sequence[int], body: object = OK) -> None:
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.statuses = list(statuses)
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.hanging = Event()  # set: answer; clear while ``statuses`` is empty: never answer
        self.url = ""

    def status(self) -> int | None:
        if not self.statuses:
            return None
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


@contextmanager
def serve(*statuses: int, body: object = OK) -> Iterator[QdrantServer]:
    """Run a server; without statuses it takes requests and never answers."""
    server = QdrantServer(statuses, body)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            server.requests.append((self.command, self.path, dict(self.headers)))
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status = server.status()
            if status is None:
                server.hanging.wait()
                return
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(server.body)))
            self.end_headers()
            self.wfile.write(server.body)

        do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.hanging.set()
        http.shutdown()
        thread.join()
        http.server_close()
