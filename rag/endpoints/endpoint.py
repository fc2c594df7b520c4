"""Settings → where a model is asked, and a connection to it. Knows not what is asked."""

from __future__ import annotations

import functools
import re
import ssl
from dataclasses import dataclass
from typing import Literal

import httpx

from rag.errors import SettingsError, shown_address, without_passwords
from rag.settings import Settings

OPENAI = "https://api.openai.com/v1"
"""Where a key without a base URL belongs."""

NO_KEY = "no-key"
"""Sent where a base URL is set and no key: local servers want none, the client wants one."""

CONNECT_SECONDS = 10.0
"""The longest wait for a connection. A server that is there accepts in far less."""


SECRET_PART = 8
"""Characters of a part of a header's value from which on it is taken for a secret, not a word."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked: at ``url``, by the name ``model``, with ``key``. A reranker may have
    neither name nor key; both are then empty.

    Raises :class:`~rag.errors.SettingsError` when ``url`` is none that could be asked.
    """

    model: str
    url: str
    key: str
    settings: Settings
    kind: Literal["chat", "embedding", "rerank"] = "chat"

    def __post_init__(self) -> None:
        """Refuse an address without http, which is forgotten easily."""
        try:
            usable = httpx.URL(self.url).scheme in ("http", "https")
        except httpx.InvalidURL:
            usable = False
        if not usable:
            expected = "an address such as http://localhost:11434/v1"
            raise SettingsError(f"{self.variable('url')} is {self.shown}: expected {expected}")

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
        """Return the embedding model's endpoint, where there is a key or a base URL."""
        key = settings.embedding_api_key or settings.openai_api_key or NO_KEY
        url = (settings.embedding_base_url or settings.openai_base_url or OPENAI).rstrip("/")
        return cls(settings.embedding_model, url, key, settings, "embedding")

    @classmethod
    def of_rerank(cls, settings: Settings) -> Endpoint:
        """Return the reranking model's endpoint, which ``rerank_base_url`` names."""
        url = (settings.rerank_base_url or "").rstrip("/")
        model, key = settings.rerank_model or "", settings.rerank_api_key or ""
        return cls(model, url, key, settings, "rerank")

    @property
    def shown(self) -> str:
        """The address for messages: without a password or a key in it."""
        return self.clean(shown_address(self.url.partition("?")[0]))

    def client(self) -> httpx.Client:
        """Open a client for it, with the timeouts and proxy trust of the settings.

        Raises :class:`~rag.errors.SettingsError` when the environment names a proxy that cannot be
        used.
        """
        try:
            return httpx.Client(
                verify=certificates(),
                trust_env=self.settings.openai_trust_env,
                timeout=self.timeout(),
                follow_redirects=True,
            )
        except (ValueError, ImportError, httpx.InvalidURL) as error:
            raise SettingsError(
                f"The proxy in the environment cannot be used: {self.clean(str(error))}; "
                "RAG_OPENAI_TRUST_ENV=false goes without"
            ) from error

    def timeout(self) -> httpx.Timeout:
        """Return seconds without a sign of the server; less for the connection itself."""
        seconds = self.settings.openai_timeout_seconds
        return httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))

    def clean(self, text: str) -> str:
        """Return ``text`` as one short line without any secret of the settings."""
        secrets = [s for s in (self.key, *self.settings.openai_headers.values()) if len(s) >= 4]
        for value in self.settings.openai_headers.values():  # "Bearer sk-…": the part that counts
            parts = (*value.split(), *re.split(r"[\s,;:=\"']+", value))
            secrets += [part for part in parts if len(part) >= SECRET_PART]
        for secret in sorted(secrets, key=len, reverse=True):
            if secret != NO_KEY:
                text = text.replace(secret, "…")
        line = " ".join(without_passwords(text).split())
        return line if len(line) <= 200 else line[:199] + "…"

    def variable(self, what: Literal["model", "key", "url"]) -> str:
        """Return the name of the variable that sets the model, its key or its address."""
        if self.kind == "rerank":
            names = ("RAG_RERANK_MODEL", "RAG_RERANK_API_KEY", "RAG_RERANK_BASE_URL")
            return names[("model", "key", "url").index(what)]
        own = self.kind == "embedding"
        if what == "model":
            return "RAG_EMBEDDING_MODEL" if own else "RAG_CHAT_MODEL"
        if what == "key":
            own = own and self.settings.embedding_api_key is not None
            return "RAG_EMBEDDING_API_KEY" if own else "OPENAI_API_KEY"
        own = own and self.settings.embedding_base_url is not None
        return "RAG_EMBEDDING_BASE_URL" if own else "OPENAI_BASE_URL"


@functools.lru_cache(maxsize=1)
def certificates() -> ssl.SSLContext:
    """Return what servers are verified with; read once, since that takes some 50 ms."""
    return httpx.create_ssl_context()
