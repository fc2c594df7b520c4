"""Settings → a connection to an OpenAI-compatible endpoint; its failures → named errors.

Knows the wire's errors, not what is asked. Keys and headers never reach a message.
"""

from __future__ import annotations

import functools
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from json import JSONDecodeError
from urllib.request import getproxies

import httpx
import openai

from rag.errors import ModelError, ModelRejected, ModelUnreachable, SettingsError
from rag.settings import Settings

OPENAI = "https://api.openai.com/v1"
"""Where a key without a base URL belongs."""

NO_KEY = "no-key"
"""Sent where a base URL is set and no key: local servers want none, the client wants one."""

CONNECT_SECONDS = 10.0
"""The longest wait for a connection. A server that is there accepts in far less."""

_TOO_LONG = (
    "context length", "context_length", "context window", "contextwindow", "context size",
    "context_size", "maximum context", "prompt is too long", "input is too long",
    "too many tokens", "input tokens exceed", "max_model_len", "reduce the length",
)  # fmt: skip
"""How OpenAI, Azure, vLLM, llama.cpp, LM Studio, LiteLLM and DashScope say that it is too long."""


class TooLong(ModelRejected):
    """The messages are longer than the model's context."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked: ``url`` without a key in it, ``model`` by its name there."""

    model: str
    url: str
    key: str
    settings: Settings

    @classmethod
    def of_chat(cls, settings: Settings) -> Endpoint:
        """Return the chat model's endpoint. Raises SettingsError: no key and no base URL."""
        if not settings.openai_api_key and not settings.openai_base_url:
            raise SettingsError(
                f"RAG_CHAT_MODEL is {settings.chat_model}, but there is neither OPENAI_API_KEY nor "
                "OPENAI_BASE_URL: set the key, or the address of an OpenAI-compatible server"
            )
        return cls(
            settings.chat_model or "",
            (settings.openai_base_url or OPENAI).rstrip("/"),
            settings.openai_api_key or NO_KEY,
            settings,
        )

    def client(self) -> httpx.Client:
        """Open a client for it, with the timeouts and proxy trust of the settings."""
        return httpx.Client(
            verify=_certificates(),
            trust_env=self.settings.openai_trust_env,
            timeout=self.timeout(),
            follow_redirects=True,
        )

    def timeout(self) -> httpx.Timeout:
        """Return seconds without a sign of the server; less for the connection itself."""
        seconds = self.settings.openai_timeout_seconds
        return httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what the libraries raise inside into ModelRejected, TooLong or ModelUnreachable."""
        try:
            yield
        except openai.APIStatusError as error:
            raise self._rejected(error) from error
        except (openai.APITimeoutError, httpx.TimeoutException) as error:
            raise ModelUnreachable(
                f"No sign of {self.url} within {self.settings.openai_timeout_seconds:g} seconds "
                f"(model {self.model}); RAG_OPENAI_TIMEOUT sets how long to wait"
            ) from error
        except (openai.APIConnectionError, httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelUnreachable(self._unreached(error)) from error
        except openai.APIError as error:  # an error event inside a stream
            said = self.clean(error.message)
            kind = TooLong if _is_too_long(said, error.body) else ModelRejected
            raise kind(f"{self.url} (model {self.model}) reported: {said}") from error
        except (JSONDecodeError, UnicodeDecodeError) as error:
            raise ModelError(
                f"{self.url} does not speak OpenAI's protocol: it sent something that is not JSON; "
                "check OPENAI_BASE_URL (it often ends in /v1)"
            ) from error

    def clean(self, text: str) -> str:
        """Return ``text`` as one short line without any secret of the settings."""
        secrets = [self.key, *self.settings.openai_headers.values()]
        for secret in secrets:
            if len(secret) >= 4:
                text = text.replace(secret, "…")
        line = " ".join(text.split())
        return line if len(line) <= 200 else line[:199] + "…"

    def _rejected(self, error: openai.APIStatusError) -> ModelRejected:
        status, said = error.status_code, self.clean(_said(error))
        where = f"{self.url} (model {self.model})"
        if status in (400, 413, 422, 500) and _is_too_long(said, error.body):
            return TooLong(f"{where}: the question with its passages is too long: {said}", status)
        advice = {
            401: "check OPENAI_API_KEY",
            403: "check that OPENAI_API_KEY, or RAG_OPENAI_HEADERS, may use this model",
            404: "check RAG_CHAT_MODEL, and OPENAI_BASE_URL (it often ends in /v1)",
            429: "wait, or check the quota of OPENAI_API_KEY",
        }.get(status, "see the server's log" if status >= 500 else "check RAG_CHAT_MODEL")
        return ModelRejected(f"{where} answered {status}: {said}; {advice}", status)

    def _unreached(self, error: Exception) -> str:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        hint = "check OPENAI_BASE_URL, and that the server is running"
        if self.settings.openai_trust_env and getproxies():
            hint += "; a proxy is set in the environment, RAG_OPENAI_TRUST_ENV=false goes without"
        return f"Cannot reach {self.url} (model {self.model}): {self.clean(str(cause))}; {hint}"


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


@functools.lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()  # reads the certificate store: some 25 ms
