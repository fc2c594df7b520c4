"""An OpenAI-compatible embeddings server for tests: real HTTP, strict about what it takes.

    with EmbeddingServer() as server:
        Settings(embedding_model="test-embeddings", openai_base_url=server.url)
        server.failures.append((429, {"Retry-After": "0.1"}))
        server.inputs  # the lists of texts that came

A text's vector is made from its words, so that texts with common words are near each other.
"""

from __future__ import annotations

import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from tests.http_server import Exchange, HttpServer

Data = list[dict[str, Any]]


def words_vector(text: str, dimension: int) -> list[float]:
    """A vector that depends on the text's words alone; not of unit norm."""
    vector = [0.0] * dimension
    for word in text.lower().split() or [""]:
        vector[zlib.crc32(word.encode()) % dimension] += 2.0
    return vector


class EmbeddingServer(HttpServer):
    """Answers POST /v1/embeddings. ``failures`` are what the next requests get instead.

    ``most`` texts a request are taken; ``refused`` texts are answered with 400; ``alter`` changes
    the list of results before it is sent.
    """

    address = "http://127.0.0.1:{port}/v1"

    def __init__(self, *, dimension: int = 16, most: int = 2048) -> None:
        super().__init__()
        self.dimension = dimension
        self.most = most
        self.refused: set[str] = set()
        self.failures: deque[tuple[int, Mapping[str, str]]] = deque()
        self.alter: Callable[[Data], Any] = lambda data: data
        self.delay_seconds = 0.0
        self.inputs: list[list[str]] = []
        self.headers: list[Mapping[str, str]] = []
        self.times: list[float] = []
        self.together = 0
        """The most requests that were under way at a time."""
        self._running = 0
        self._lock = threading.Lock()

    @property
    def texts(self) -> list[str]:
        """All texts that came, in the order of the requests."""
        return [text for batch in self.inputs for text in batch]

    def answer(self, exchange: Exchange) -> None:
        body = exchange.json()
        with self._lock:
            self.headers.append({k.lower(): v for k, v in exchange.headers.items()})
            self.times.append(time.monotonic())
            self.inputs.append(body["input"])
            failure = self.failures.popleft() if self.failures else None
            self._running += 1
            self.together = max(self.together, self._running)
        time.sleep(self.delay_seconds)
        status, answer, headers = self._result(body, failure)
        with self._lock:
            self._running -= 1
        exchange.send(status, answer, headers)

    def _result(
        self, body: Any, failure: tuple[int, Mapping[str, str]] | None
    ) -> tuple[int, Any, Mapping[str, str]]:
        def error(status: int, message: str, headers: Mapping[str, str] = {}) -> Any:
            return status, {"error": {"message": message}}, headers

        if failure:
            return error(failure[0], "scripted failure", failure[1])
        texts = body["input"]
        if set(body) - {"model", "input", "encoding_format"}:
            return error(400, f"unknown parameters in {sorted(body)}")
        if not isinstance(texts, list) or not all(isinstance(t, str) and t for t in texts):
            return error(400, "input must be an array of strings")
        if len(texts) > self.most:
            return error(400, f"at most {self.most} texts")
        if self.refused.intersection(texts):
            return error(400, "text not allowed")
        data: Data = [
            {"object": "embedding", "index": i, "embedding": words_vector(text, self.dimension)}
            for i, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return 200, {
            "object": "list", "data": self.alter(data), "model": body["model"], "usage": usage,
        }, {}  # fmt: skip
