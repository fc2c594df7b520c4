"""The list of conversations as a script draws it: who sees which."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from rag.settings import Settings
from tests.test_page import ask, data, open_page

FIRST = "How long is the warranty on the battery?"
SECOND = "What does E07 mean?"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Let no test find what another has opened."""
    st.cache_resource.clear()
    address = config.get_option("server.address")
    yield
    config.set_option("server.address", address)
    st.cache_resource.clear()


def listed(page: AppTest) -> list[str]:
    """The titles in the sidebar, once the last turn is stored."""
    while page.session_state["session"].keeper.busy:
        time.sleep(0.05)
    page.run()
    labels = [button.label for button in page.button if (button.key or "").startswith("open-")]
    return [label.replace("\\", "") for label in labels]


def two_conversations(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> AppTest:
    """Ask a question, and another in a new chat."""
    page = ask(open_page(monkeypatch, settings), FIRST)
    assert listed(page) == [FIRST]
    page.button(key="new-chat").click().run()
    return ask(page, SECOND)


def test_on_this_machine_all_are_listed(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """The last is on top and looked at, which its link says too; another opens with a click."""
    config.set_option("server.address", "localhost")
    page = two_conversations(monkeypatch, sample_settings)
    assert listed(page) == [SECOND, FIRST]
    link = page.query_params["c"]
    open_first = [b for b in page.button if (b.key or "").startswith("open-")][1]
    open_first.click().run()
    assert not page.exception
    assert page.query_params["c"] != link
    (turn,) = data(page, "turns")["turns"]
    assert turn["question"] == FIRST


def test_where_others_can_look_a_link_is_needed(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings
) -> None:
    """Without a login only the conversation whose link one has is shown."""
    config.set_option("server.address", "0.0.0.0")
    page = two_conversations(monkeypatch, sample_settings)
    assert listed(page) == [SECOND]
    link = page.query_params["c"]
    assert listed(open_page(monkeypatch, sample_settings, c=link)) == [SECOND]
    assert listed(open_page(monkeypatch, sample_settings)) == []


def test_nothing_is_kept_when_that_is_off(
    monkeypatch: pytest.MonkeyPatch, sample_settings: Settings, tmp_path: Path
) -> None:
    """There is no list, no link and no file."""
    config.set_option("server.address", "localhost")
    off = ask(open_page(monkeypatch, replace(sample_settings, history=None)), FIRST)
    assert listed(off) == []
    assert "c" not in off.query_params
    assert list(tmp_path.glob(".conversations*")) == []
