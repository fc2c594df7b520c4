"""One question's way to a chat model: tried again while nothing has come, stopped from any thread.

messages ─ chat_model.py → deltas ─ here → deltas, whole or with the reason why not
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx

from rag.endpoints.chat_model import Delta, stream_deltas
from rag.endpoints.endpoint import Endpoint
from rag.endpoints.faults import named_errors
from rag.endpoints.retries import is_timeout, wait_seconds
from rag.errors import ModelError, ModelRejected, ModelUnreachable

if TYPE_CHECKING:
    from rag.prompt import Message
    from rag.settings import Settings

ATTEMPTS = 3
"""How often a question is sent when the server is busy, failing or starting: after .5 and 1 s."""

MAX_RETRY_AFTER_SECONDS = 20.0
"""The longest Retry-After that is waited for; a server that asks for more is reported at once."""


class ChatConnection:
    """One question's connection to a chat model. :meth:`stop` may come from any thread."""

    def __init__(self, settings: Settings) -> None:
        """Raises :class:`~rag.errors.SettingsError` where there is neither key nor base URL."""
        self._endpoint = Endpoint.of_chat(settings)
        self._stopped = threading.Event()
        self._socket: socket.socket | None = None
        self._whole = False

    @property
    def name(self) -> str:
        """The model's name at its endpoint."""
        return self._endpoint.model

    def stream(self, messages: Sequence[Message]) -> Iterator[Delta]:
        """Send ``messages`` and yield what comes, until the end or :meth:`stop`.

        Before the first delta a refused, failing or busy server is tried again; after it never.
        Raises :class:`~rag.errors.ModelError`; its kind ``TooLong`` before the first delta alone.
        """
        for attempt in range(ATTEMPTS):
            begun = False
            try:
                for delta in self._once(messages):
                    begun = True
                    yield delta
            except ModelError as error:
                if self._stopped.is_set():
                    return
                if begun:
                    raise self._broken(error) from error
                wait = wait_seconds(error, attempt, longest=MAX_RETRY_AFTER_SECONDS)
                if wait is None or attempt == ATTEMPTS - 1:
                    raise
            else:
                if begun and not self._whole and not self._stopped.is_set():
                    raise self._broken(None)
                return
            if self._stopped.wait(wait):
                return

    def stop(self) -> None:
        """End the stream, and the connection with it, so that the server stops as well."""
        self._stopped.set()
        line = self._socket
        if line is not None:
            with suppress(OSError):  # it has ended by itself
                # Not SSLSocket's own: that would pull the rug from under the reading thread.
                socket.socket.shutdown(line, socket.SHUT_RDWR)

    def _once(self, messages: Sequence[Message]) -> Iterator[Delta]:
        self._whole = False
        with self._endpoint.client() as client, named_errors(self._endpoint):
            client.event_hooks = {"request": [self._watch], "response": [self._listen]}
            for delta in stream_deltas(self._endpoint, client, messages):
                if self._stopped.is_set():
                    return
                self._whole = self._whole or bool(delta.finish)
                yield delta

    def _broken(self, error: ModelError | None) -> ModelError:
        """Say why a stream ended early: what the server said, or that it was silent, or nothing."""
        if isinstance(error, ModelRejected) or is_timeout(error):
            return error
        return ModelUnreachable(f"{self._endpoint.shown} broke off in the middle of the answer")

    def _watch(self, request: httpx.Request) -> None:
        """Note the socket of the connection when it is made: what :meth:`stop` has to close."""

        def trace(event: str, info: Mapping[str, Any]) -> None:
            if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
                self._socket = info["return_value"].get_extra_info("socket")
                if self._stopped.is_set():
                    self.stop()

        request.extensions["trace"] = trace

    def _listen(self, response: httpx.Response) -> None:
        """Look for the protocol's last line, which openai reads and does not tell of.

        A server that cannot stream answers with one JSON object: that becomes a stream of one.
        """
        if not isinstance(response.stream, httpx.SyncByteStream):
            return
        kind = response.headers.get("content-type", "")
        if response.is_success and kind.startswith("application/json"):
            response.stream = _Whole(response.stream)
        response.stream = _Listened(response.stream, self._heard_end)

    def _heard_end(self) -> None:
        self._whole = True


class _Listened(httpx.SyncByteStream):
    """A response's bytes, passed on; calls ``ended`` when ``[DONE]`` has passed."""

    def __init__(self, inner: httpx.SyncByteStream, ended: Callable[[], None]) -> None:
        self._inner = inner
        self._ended = ended

    def __iter__(self) -> Iterator[bytes]:
        tail = b""
        for piece in self._inner:
            tail = (tail + piece)[-64:]
            if b"[DONE]" in tail:
                self._ended()
            yield piece

    def close(self) -> None:
        self._inner.close()


class _Whole(httpx.SyncByteStream):
    """A response that came at once, as the lines of a stream."""

    def __init__(self, inner: httpx.SyncByteStream) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        body = b"".join(self._inner)
        if body.lstrip().startswith(b"{"):
            # A line break between JSON's tokens is a blank; within a string there is none.
            body = b"data: " + b" ".join(body.splitlines()) + b"\n\ndata: [DONE]\n\n"
        yield body

    def close(self) -> None:
        self._inner.close()
