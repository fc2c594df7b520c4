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
from typing import Literal
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
    kind: Literal["chat", "embedding"] = "chat"

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

    @classmethod
    def of_embeddings(cls, settings: Settings) -> Endpoint:
        """Return the embedding model's endpoint. Raises SettingsError likewise."""
        key = settings.embedding_api_key or settings.openai_api_key
        url = settings.embedding_base_url or settings.openai_base_url
        if not key and not url:
            raise SettingsError(
                f"RAG_EMBEDDING_MODEL is {settings.embedding_model}, but there is neither "
                "OPENAI_API_KEY nor OPENAI_BASE_URL: set the key, or the address of a server"
            )
        url = (url or OPENAI).rstrip("/")
        return cls(settings.embedding_model, url, key or NO_KEY, settings, "embedding")

    def client(self) -> httpx.Client:
        """Open a client for it, with the timeouts and proxy trust of the settings."""
        return httpx.Client(
            verify=certificates(),
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
                f"check {self.variable('url')} (it often ends in /v1)"
            ) from error

    def clean(self, text: str) -> str:
        """Return ``text`` as one short line without any secret of the settings."""
        secrets = [self.key, *self.settings.openai_headers.values()]
        for secret in secrets:
            if len(secret) >= 4:
                text = text.replace(secret, "…")
        line = " ".join(text.split())
        return line if len(line) <= 200 else line[:199] + "…"

    def variable(self, what: Literal["model", "key", "url"]) -> str:
        """Return the name of the variable that sets the model, its key or its address."""
        own = self.kind == "embedding"
        if what == "model":
            return "RAG_EMBEDDING_MODEL" if own else "RAG_CHAT_MODEL"
        if what == "key":
            own = own and self.settings.embedding_api_key is not None
            return "RAG_EMBEDDING_API_KEY" if own else "OPENAI_API_KEY"
        own = own and self.settings.embedding_base_url is not None
        return "RAG_EMBEDDING_BASE_URL" if own else "OPENAI_BASE_URL"

    def _rejected(self, error: openai.APIStatusError) -> ModelRejected:
        status, said = error.status_code, self.clean(_said(error))
        where = f"{self.url} (model {self.model})"
        if status in (400, 413, 422, 500) and _is_too_long(said, error.body):
            return TooLong(f"{where}: too long for the model: {said}", status)
        model, key, url = (self.variable(name) for name in ("model", "key", "url"))
        advice = {
            401: f"check {key}",
            403: f"check that {key}, or RAG_OPENAI_HEADERS, may use this model",
            404: f"check {model}, and {url} (it often ends in /v1)",
            429: f"wait, or check the quota of {key}",
        }.get(status, "see the server's log" if status >= 500 else f"check {model}")
        return ModelRejected(f"{where} answered {status}: {said}; {advice}", status)

    def _unreached(self, error: Exception) -> str:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        hint = f"check {self.variable('url')}, and that the server is running"
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
def certificates() -> ssl.SSLContext:
    """Return what servers are verified with; read once, since that takes some 50 ms."""
    return httpx.create_ssl_context()
