"""A request to a model's endpoint that failed → how long to wait before it is sent again."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import TypeGuard

import httpx
import openai

from rag.endpoints.faults import TooLong
from rag.errors import ModelError, ModelUnreachable

LONGEST_BACKOFF_SECONDS = 8.0
"""Half a second, doubled each time, up to this."""


def wait_seconds(error: ModelError, attempt: int, *, longest: float) -> float | None:
    """Return how long to wait before asking again; None when that cannot help.

    ``attempt`` counts from 0. ``longest`` is the longest Retry-After, in seconds, that is waited
    for; a server that asks for more is reported at once.
    """
    cause = error.__cause__
    if is_timeout(error) or isinstance(error, TooLong):
        return None  # it has been waited for long enough, or would be too long again
    backoff: float = min(0.5 * 2**attempt, LONGEST_BACKOFF_SECONDS)
    if isinstance(error, ModelUnreachable):
        return backoff
    if not isinstance(cause, openai.APIStatusError) or cause.code == "insufficient_quota":
        return None
    if cause.status_code not in (408, 429) and cause.status_code < 500:
        return None
    asked = _retry_after(cause.response.headers.get("retry-after", ""))
    return max(backoff, asked) if asked <= longest else None


def is_timeout(error: ModelError | None) -> TypeGuard[ModelError]:
    """Whether the endpoint gave no sign in time."""
    cause = error.__cause__ if error else None
    return isinstance(cause, openai.APITimeoutError | httpx.TimeoutException)


def _retry_after(header: str) -> float:
    """Return the seconds that a Retry-After header asks for: a number, or a date. 0 for neither."""
    try:
        return float(header)
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(header).timestamp() - time.time()
    except ValueError:
        return 0.0
