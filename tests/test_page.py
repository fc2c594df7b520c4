"""The page as a script: what is drawn for each state, without a browser."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from rag.settings import Settings
from tests.browser import environment
from tests.chat_server import ChatServer, Reply
from tests.conftest import ROOT

QUESTION = "How long is the warranty on the battery?"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Let no test find what another has opened."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def open_page(monkeypatch: pytest.MonkeyPatch, settings: Settings, **query: str) -> AppTest:
    """Run the page once, as a visitor's first look."""
    for name, value in environment(settings).items():
        monkeypatch.setenv(name, value)
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, text in query.items():
        page.query_params[name] = text
    return page.run()


def data(page: AppTest, key: str) -> dict[str, Any]:
    """What a component was given to draw."""
    found = [e.proto for e in page.get("bidi_component") if e.proto.id.endswith(f"-{key}")]
    assert len(found) == 1, f"{key} is drawn {len(found)} times"
    return dict(json.loads(found[0].json or found[0].mixed.json))


def ask(page: AppTest, question: str) -> AppTest:
    """Ask, and run the page until the answer has joined the conversation."""
    page.chat_input[0].set_value(question).run()
    deadline = time.monotonic() + 120
    while data(page, "turns")["busy"] or data(page, "live")["turns"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
        page.run()
    return page


def text_of(page: AppTest) -> str:
    """All plain text that Streamlit's own elements show."""
    elements = [*page.text, *page.caption, *page.subheader, *page.error, *page.markdown]
    return "\n".join(str(element.value) for element in elements)


def test_the_first_look_shows_what_is_loaded(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """Documents, sentences and models stand in the sidebar; three suggestions wait in the chat."""
    page = open_page(monkeypatch, sample_settings)
    assert not page.exception
    shown = text_of(page)
    assert re.search(r"\b[1-9]\d* documents · [1-9]\d* sentences", shown)
    assert "bundled/multilingual-e5-small" in shown
    assert "none: answers quote the documents" in shown
    assert len([b for b in page.button if b.key and b.key.startswith("suggestion-")]) == 3
    assert data(page, "evidence")["cards"] == []


def test_a_question_is_answered_beside_its_passages(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """The turn has citations, and the cards hold the marked sentences and their places."""
    page = ask(open_page(monkeypatch, sample_settings), QUESTION)
    (turn,) = data(page, "turns")["turns"]
    assert turn["question"] == QUESTION
    assert '"cite"' in json.dumps(turn["blocks"])
    assert turn["copy"].count("warranty") >= 1
    evidence = data(page, "evidence")
    first = evidence["cards"][0]
    assert first["cited"]
    assert any(piece["rank"] == 1 for card in evidence["cards"] for piece in card["pieces"])
    assert ":" in first["place"]
    assert "Sources:\n[1] " in turn["copy"]


def test_a_suggestion_is_a_question(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """Clicked, it is asked, and the invitation goes."""
    page = open_page(monkeypatch, sample_settings, lang="zh")
    page.button(key="suggestion-0").click().run()
    assert not [b for b in page.button if b.key and b.key.startswith("suggestion-")]
    while data(page, "turns")["busy"]:
        time.sleep(0.1)
        page.run()
    (turn,) = data(page, "turns")["turns"]
    assert turn["question"] == "电热水壶第一次使用前要做什么？"
    assert "kettle-k1.zh.md" in turn["tips"][0]


def test_asking_twice_leaves_no_ghost(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """Two questions are two turns with their own answers, and nothing else."""
    page = ask(open_page(monkeypatch, sample_settings), QUESTION)
    page = ask(page, "What does E07 mean?")
    turns = data(page, "turns")["turns"]
    assert [turn["question"] for turn in turns] == [QUESTION, "What does E07 mean?"]
    assert turns[0]["blocks"] != turns[1]["blocks"]
    assert [turn["selected"] for turn in turns] == [False, True]
    assert data(page, "live")["turns"] == []


def test_the_slider_redraws_without_the_model(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """Other windows, the same numbers, no request; the page says so and offers to answer again."""
    with ChatServer(Reply(["The battery is covered for 12 months [1]."])) as server:
        settings = sample_settings.with_(chat_model="test-model", openai_base_url=server.url)
        page = ask(open_page(monkeypatch, settings), QUESTION)
        before = data(page, "evidence")
        page.slider(key="window").set_value(0).run()
        after = data(page, "evidence")
        assert len(server.chats) == 1
    assert before["resized"] == ""
    assert "0 sentences" in after["resized"]
    sizes = [sum(len(p["text"]) for c in e["cards"] for p in c["pieces"]) for e in (before, after)]
    assert sizes[1] < sizes[0]
    assert 1 in after["cards"][0]["numbers"]


def test_settings_come_from_the_url(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """A shared link has the sender's window size, number of sentences and mode."""
    page = open_page(monkeypatch, sample_settings, window="4", top="3", mode="keyword")
    assert page.slider(key="window").value == 4
    page = ask(page, QUESTION)
    whys = [why for card in data(page, "evidence")["cards"] for why in card["why"]]
    assert len(whys) == 3
    assert all("Close in meaning" not in why for why in whys)


def test_a_source_filter_is_kept_to(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """With one document chosen, nothing else is found."""
    page = open_page(monkeypatch, sample_settings)
    path = "small_appliance_kb/kettle-k1.md"
    page.multiselect(key="source").select(path).run()
    page = ask(page, QUESTION)
    assert {card["source"] for card in data(page, "evidence")["cards"]} == {path}


def test_a_dead_model_server_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """The turn says what to do, and the passages are there all the same."""
    with ChatServer() as server:
        url = server.url
    settings = sample_settings.with_(chat_model="test-model", openai_base_url=url)
    page = ask(open_page(monkeypatch, settings), QUESTION)
    (turn,) = data(page, "turns")["turns"]
    assert turn["fault"].startswith("The model's server does not answer.")
    assert url in turn["detail"]
    assert data(page, "evidence")["cards"]
    assert not page.exception


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"RAG_TOP_K": "many"}, "A setting is not right."),
        (
            {"RAG_DOCS": "no-such-folder", "QDRANT_PATH": "none", "RAG_MAX_UPLOAD_MB": "0"},
            "The documents cannot be read.",
        ),
    ],
)
def test_a_named_error_is_a_sentence_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variables: dict[str, str], sentence: str
) -> None:
    """Never a traceback: what happened, in the page's words and in the error's own."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    deadline = time.monotonic() + 120
    while not page.error:
        assert time.monotonic() < deadline
        time.sleep(0.1)
        page.run()
    assert not page.exception
    assert page.error[0].value.startswith(sentence)
    assert page.text[0].value


def test_a_stale_collection_can_be_rebuilt(
    monkeypatch: pytest.MonkeyPatch, own_samples: Settings
) -> None:
    """Another embedding model is named, and a button reads the documents again."""
    other = own_samples.with_(embedding_model="other", embedding_base_url="http://127.0.0.1:9/v1")
    page = open_page(monkeypatch, other)
    assert not page.exception
    assert page.error
    assert page.button(key="build").label == "Read the documents again"


@pytest.mark.parametrize(
    ("locale", "asks"), [("zh", "向你的文档提问"), ("en", "Ask your documents")]
)
def test_the_page_speaks_two_languages(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings, locale: str, asks: str
) -> None:
    """Every string comes from the language that the visitor has chosen."""
    page = open_page(monkeypatch, sample_settings, lang=locale)
    assert page.chat_input[0].placeholder == asks


def test_new_chat_begins_anew(monkeypatch: pytest.MonkeyPatch, sample_settings: Settings) -> None:
    """The conversation goes, and the invitation is back."""
    page = ask(open_page(monkeypatch, sample_settings), QUESTION)
    page.button(key="new-chat").click().run()
    assert data(page, "turns")["turns"] == []
    assert data(page, "evidence")["cards"] == []
    assert page.button(key="suggestion-0")
