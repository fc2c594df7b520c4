"""What openai and httpx raise → named errors that say what to do about it.

Knows the wire's failures, not what was asked. Keys and headers never reach a message.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from urllib.request import getproxies

import httpx
import openai

from rag.endpoints.endpoint import Endpoint
from rag.errors import ModelError, ModelRejected, ModelUnreachable, SettingsError

_TOO_LONG = (
    "context length", "context_length", "context window", "contextwindow", "context size",
    "context_size", "maximum context", "prompt is too long", "input is too long",
    "too many tokens", "input tokens exceed", "max_model_len", "reduce the length",
)  # fmt: skip
"""How OpenAI, Azure, vLLM, llama.cpp, LM Studio, LiteLLM and DashScope say that it is too long."""


class TooLong(ModelRejected):
    """The messages are longer than the model's context."""


@contextmanager
def named_errors(endpoint: Endpoint) -> Iterator[None]:
    """Turn what the libraries raise inside into a ModelError, or a SettingsError.

    A server that said no: :class:`~rag.errors.ModelRejected`, of which :class:`TooLong` is a kind;
    one that did not answer: :class:`~rag.errors.ModelUnreachable`.
    """
    where = f"{endpoint.shown} (model {endpoint.model})"
    try:
        yield
    except openai.APIStatusError as error:
        raise _rejected(endpoint, where, error) from error
    except (openai.APITimeoutError, httpx.TimeoutException) as error:
        seconds = endpoint.settings.openai_timeout_seconds
        raise ModelUnreachable(
            f"No sign of {where} within {seconds:g} seconds; "
            "RAG_OPENAI_TIMEOUT sets how long to wait"
        ) from error
    except (openai.APIConnectionError, httpx.HTTPError) as error:
        raise ModelUnreachable(_unreached(endpoint, where, error)) from error
    except openai.APIError as error:  # an error event inside a stream
        said = endpoint.clean(error.message)
        kind = TooLong if _is_too_long(said, error.body) else ModelRejected
        raise kind(f"{where} reported: {said}") from error
    except (JSONDecodeError, UnicodeDecodeError) as error:
        raise ModelError(
            f"{where} does not speak OpenAI's protocol: it sent something that is not JSON; "
            f"check {endpoint.variable('url')} (it often ends in /v1)"
        ) from error
    except UnicodeEncodeError as error:
        raise SettingsError(
            f"{endpoint.variable('key')} or RAG_OPENAI_HEADERS holds a character beyond ASCII"
        ) from error


def _rejected(endpoint: Endpoint, where: str, error: openai.APIStatusError) -> ModelRejected:
    status, said = error.status_code, endpoint.clean(_said(error))
    if status in (400, 413, 422, 500) and _is_too_long(said, error.body):
        return TooLong(f"{where}: too long for the model: {said}", status)
    model, key, url = (endpoint.variable(name) for name in ("model", "key", "url"))
    wait = error.response.headers.get("retry-after", "")
    advice = {
        401: f"check {key}",
        403: f"check that {key}, or RAG_OPENAI_HEADERS, may use this model",
        404: f"check {model}, and {url} (it often ends in /v1)",
        429: f"wait{f' {wait} seconds' * wait.isdecimal()}, or check the quota of {key}",
    }.get(status, "see the server's log" if status >= 500 else f"check {model}")
    return ModelRejected(f"{where} answered {status}: {said}; {advice}", status)


def _unreached(endpoint: Endpoint, where: str, error: Exception) -> str:
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    hint = f"check {endpoint.variable('url')}, and that the server is running"
    if endpoint.settings.openai_trust_env and getproxies().keys() - {"no"}:
        hint += "; a proxy is set in the environment, RAG_OPENAI_TRUST_ENV=false goes without"
    return f"Cannot reach {where}: {endpoint.clean(str(cause))}; {hint}"


def _said(error: openai.APIStatusError) -> str:
    """Return what the server said, in its own words where it used the protocol's form."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, dict) else inner
        if isinstance(message, str) and message:
            return message
    text = error.response.text if error.response.is_closed else ""
    return text if text and "<" not in text[:20] else error.response.reason_phrase or "no reason"


def _is_too_long(said: str, body: object) -> bool:
    text = f"{said} {body}".lower()
    return any(phrase in text for phrase in _TOO_LONG)
