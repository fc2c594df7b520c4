"""A small HTTP server that answers every request of a Qdrant client with the same answer."""

from __future__ import annotations

from threading import Event

from tests.http_server import Exchange, HttpServer

OK = {"result": True, "status": "ok", "time": 0.0}
REFUSED = {"status": {"error": "Must provide an API key or an Authorization bearer token"}}


class QdrantServer(HttpServer):
    """``statuses`` are given in turn, the last one again and again; ``requests`` are kept.

    Without statuses it takes requests and never answers.
    """

    def __init__(self, *statuses: int, body: object = OK) -> None:
        super().__init__()
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.statuses = list(statuses)
        self.body = body
        self._stopping = Event()

    def answer(self, exchange: Exchange) -> None:
        self.requests.append((exchange.command, exchange.path, dict(exchange.headers)))
        if not self.statuses:
            self._stopping.wait()
            exchange.close_connection = True
            return
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        exchange.send(status, self.body)

    def __exit__(self, *exception: object) -> None:
        self._stopping.set()
        super().__exit__(*exception)
