"""The connection to a Qdrant server: how it is opened, and its errors, named.

Knows nothing of collections. ``qdrant_client`` is imported when a server is asked for.
"""

from __future__ import annotations

import atexit
import math
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from json import JSONDecodeError
from typing import TYPE_CHECKING, TypeVar

from rag.errors import (
    SettingsError,
    StoreError,
    StoreUnreachable,
    shown_address,
    without_passwords,
)

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

    from rag.settings import Settings

T = TypeVar("T")

_TRIES = 4
"""Times a write is sent before it fails; the pauses between are 0.5, 1 and 2 seconds."""

_BUSY = (408, 429, 500, 502, 503, 504)
"""Answers that may be others a moment later."""


def connect(settings: Settings) -> QdrantClient:
    """Return the client for the server of the settings. Nothing is sent yet.

    Stores of one server share a client: making one costs more than a search.
    """
    return _client(
        settings.qdrant_url or "",
        settings.qdrant_api_key,
        settings.qdrant_grpc,
        math.ceil(settings.qdrant_timeout_seconds),
    )


@lru_cache(maxsize=8)
def _client(url: str, api_key: str | None, grpc: bool, timeout_seconds: int) -> QdrantClient:
    from qdrant_client import QdrantClient

    with warnings.catch_warnings():
        # Plain HTTP inside a private network is for the owner of the network to judge.
        warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
        try:
            client = QdrantClient(
                url=url,
                api_key=api_key,
                prefer_grpc=grpc,
                timeout=timeout_seconds,
                check_compatibility=False,  # would ask the server now, and only warn
            )
        except ValueError as error:
            raise SettingsError(
                f"QDRANT_URL is {shown_address(url)!r}: {_one_line(str(error))}"
            ) from None
    atexit.register(client.close)
    return client


@contextmanager
def translated(action: str, url: str) -> Iterator[None]:
    """Turn what the client raises into :class:`StoreUnreachable` or :class:`StoreError`.

    ``action`` completes "Cannot …".
    """
    from grpc import RpcError  # type: ignore[import-untyped]
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import ApiException

    try:
        yield
    except (ApiException, QdrantException, RpcError, ValueError, OSError) as error:
        raise _named(error, action, shown_address(url)) from error


def retried(call: Callable[[], T], *, pause_seconds: float = 0.5) -> T:
    """Call again a few times while the server is busy or away. ``call`` may be repeated safely."""
    from grpc import RpcError
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ApiException

    for tried in range(1, _TRIES + 1):
        wait = pause_seconds * 2 ** (tried - 1)
        try:
            return call()
        except ResourceExhaustedResponse as error:
            if tried == _TRIES:
                raise
            wait = max(wait, error.retry_after_s)
        except (ApiException, RpcError) as error:
            if tried == _TRIES or _status(error) not in (None, *_BUSY):
                raise
        time.sleep(wait)
    raise AssertionError


def _status(error: BaseException) -> int | None:
    """Return the HTTP status of an error; None if there was no answer at all."""
    from grpc import Call, StatusCode

    if isinstance(error, Call):
        codes = {
            StatusCode.UNAUTHENTICATED: 401,
            StatusCode.PERMISSION_DENIED: 403,
            StatusCode.NOT_FOUND: 404,
            StatusCode.INVALID_ARGUMENT: 400,
            StatusCode.ALREADY_EXISTS: 409,
            StatusCode.UNIMPLEMENTED: 501,
        }
        return codes.get(error.code())
    status: int | None = getattr(error, "status_code", None)
    return status


def _is_silence(error: BaseException) -> bool:
    """Whether a gRPC call got no answer, or none in time."""
    from grpc import Call, StatusCode

    silence = (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED)
    return isinstance(error, Call) and error.code() in silence


def not_found(error: StoreError) -> bool:
    """Whether an error says that the collection is not there."""
    cause = error.__cause__
    return cause is not None and (_status(cause) == 404 or "not found" in str(cause))


def _named(error: Exception, action: str, url: str) -> StoreError:
    from pydantic import ValidationError
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    status = _status(error)
    if status in (401, 403):
        return StoreUnreachable(
            f"The Qdrant server at {url} refused the key ({status}). Set QDRANT_API_KEY to one "
            "that it accepts.",
            url,
        )
    if isinstance(error, UnexpectedResponse):
        text = error.content.decode("utf-8", "replace")
        return StoreError(f"Cannot {action} at {url}: it answered {status}: {_one_line(text)}")
    source = error.source if isinstance(error, ResponseHandlingException) else error
    if isinstance(source, (JSONDecodeError, ValidationError)):
        return StoreUnreachable(
            f"The server at {url} does not answer like Qdrant. Set QDRANT_URL to a Qdrant server.",
            url,
        )
    if isinstance(error, ResponseHandlingException) or _is_silence(error):
        reason = _details(source) or type(source).__name__
        return StoreUnreachable(
            f"No answer from the Qdrant server at {url} ({reason}). Start it, for example: docker "
            "compose up -d qdrant; or unset QDRANT_URL to use the embedded store.",
            url,
        )
    return StoreError(f"Cannot {action} at {url}: {_details(error)}")


def _details(error: Exception) -> str:
    from grpc import Call

    return _one_line(error.details() if isinstance(error, Call) else str(error))


def _one_line(text: str) -> str:
    return without_passwords(" ".join(text.split()))[:300]
