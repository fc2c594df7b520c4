"""Environment, .env file and flags become one checked value."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from rag.errors import SettingsError
from rag.settings import VARIABLES, Settings


def test_defaults_are_the_contract() -> None:
    """Without any variable the settings are those of the README's table."""
    settings = Settings.from_env({})
    assert (settings.docs, settings.qdrant_path) == (Path("docs"), Path(".qdrant"))
    assert settings.collection == "window_db"
    assert (settings.window_size, settings.top_k, settings.mode) == (2, 6, "hybrid")
    assert settings.max_context_characters == 6000
    assert settings.embedding_model == "bundled"
    assert settings.chat_model is None
    assert settings.openai_trust_env is True


def test_environment_and_overrides() -> None:
    """A variable sets its setting, an argument that is not None wins over it."""
    environ = {"RAG_TOP_K": " 3 ", "RAG_MODE": "dense", "RAG_DOCS": "manuals"}
    settings = Settings.from_env(environ, mode="keyword", top_k=None)
    assert (settings.top_k, settings.mode, settings.docs) == (3, "keyword", Path("manuals"))


def test_an_override_wins_over_a_wrong_variable() -> None:
    """A variable that a flag replaces is not read at all."""
    assert Settings.from_env({"RAG_TOP_K": "many"}, top_k=4).top_k == 4


def test_empty_counts_as_unset() -> None:
    """A variable that is empty or blank is as if it were not there."""
    assert Settings.from_env({"RAG_TOP_K": "", "RAG_CHAT_MODEL": "  "}) == Settings()


def test_dotenv_lies_under_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The .env file of the working folder is read, and the process's environment wins."""
    Path(".env").write_text("RAG_TOP_K=3\nRAG_WINDOW_SIZE=1\n", encoding="utf-8")
    monkeypatch.setenv("RAG_TOP_K", "5")
    settings = Settings.from_env()
    assert (settings.top_k, settings.window_size) == (5, 1)


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030"])
def test_dotenv_of_another_encoding_is_a_named_error(encoding: str) -> None:
    """A .env file that is not UTF-8 is said so, with what to do."""
    Path(".env").write_text("RAG_DOCS=手册\n", encoding=encoding)
    with pytest.raises(SettingsError, match=r"^Cannot read \.env: .*; save it as UTF-8$"):
        Settings.from_env()


def test_dotenv_that_cannot_be_read_is_a_named_error() -> None:
    """What the system says of a .env file is the error."""
    Path(".env").symlink_to("/proc/self/mem")  # nobody may read its first bytes, not even root
    with pytest.raises(SettingsError, match=r"^Cannot read \.env: Input/output error$"):
        Settings.from_env()


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("RAG_TOP_K", "0", "RAG_TOP_K is 0: at least 1"),
        ("RAG_TOP_K", "many", "RAG_TOP_K is 'many': expected a whole number"),
        ("RAG_WINDOW_SIZE", "-1", "RAG_WINDOW_SIZE is -1: at least 0"),
        ("RAG_MODE", "fuzzy", "RAG_MODE is 'fuzzy': dense, keyword or hybrid"),
        ("RAG_OPENAI_TRUST_ENV", "perhaps", "expected true or false"),
        ("RAG_OPENAI_TIMEOUT", "nan", "RAG_OPENAI_TIMEOUT is nan: expected a finite number"),
        ("QDRANT_TIMEOUT", "inf", "QDRANT_TIMEOUT is inf: expected a finite number"),
        ("RAG_DOCS", "~nosuchuser/docs", "expected a path; ~nosuchuser is no user's home folder"),
        ("RAG_COLLECTION", "../elsewhere", "RAG_COLLECTION holds '/'"),
        ("RAG_COLLECTION", "..", "RAG_COLLECTION is '..'"),
        ("QDRANT_COLLECTION_PARAMS", "[1]", "expected a JSON object"),
    ],
)
def test_wrong_values_are_named(variable: str, value: str, told: str) -> None:
    """A value that cannot work names its variable, what was found and what was expected."""
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({variable: value})
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "X-Api-Key: s3cret\nX-Team: a: b",
        "X-Api-Key: s3cret\\nX-Team: a: b",
        '{"X-Api-Key": "s3cret", "X-Team": "a: b"}',
    ],
)
def test_headers_by_line_or_json(text: str) -> None:
    """Headers are a line each, or a JSON object; a colon may stand in a value."""
    headers = Settings.from_env({"RAG_OPENAI_HEADERS": text}).openai_headers
    assert headers == {"X-Api-Key": "s3cret", "X-Team": "a: b"}


def test_keys_do_not_show() -> None:
    """Neither repr nor an error shows a key or a header's value."""
    secrets = {
        "OPENAI_API_KEY": "sk-1", "QDRANT_API_KEY": "sk-2", "RAG_EMBEDDING_API_KEY": "sk-3",
        "RAG_OPENAI_HEADERS": "X-Api-Key: sk-4",
    }  # fmt: skip
    assert "sk-" not in repr(Settings.from_env(secrets))
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"RAG_OPENAI_HEADERS": "sk-5"})
    assert "sk-" not in str(caught.value)


def test_a_prefix_keeps_its_blank() -> None:
    """The blank at the end of a prefix is a part of it."""
    environ = {"RAG_EMBEDDING_QUERY_PREFIX": "query: "}
    assert Settings.from_env(environ).embedding_query_prefix == "query: "


def test_every_setting_has_one_variable() -> None:
    """Each field of Settings has a variable of its own, and each flag stands once."""
    assert list(VARIABLES) == [f.name for f in fields(Settings)]
    variables = [v.variable for v in VARIABLES.values()]
    flags = [v.flag for v in VARIABLES.values() if v.flag]
    assert len(set(variables)) == len(variables)
    assert len(set(flags)) == len(flags)
