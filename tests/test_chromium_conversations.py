"""Conversations in a real browser: sentences and their sources, follow-ups, reloads, the list."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rag.build import build
from rag.settings import Settings
from tests.browser import Page, Visitor, comes_into_view, open_browser, running_page
from tests.chat_server import ChatServer, Reply

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.chromium

KETTLE = """\
# Aqua X200 kettle

Before the first use, boil two full kettles of water and pour them away.
The filter is dishwasher safe.

## Warranty

The warranty is 30 days for the base and 2 years for the heater.
"""
QUESTION = "How long is the warranty of the Aqua X200 kettle?"
ANSWER = "The **warranty** is 90 days for the base [1]. The heater has a warranty of 2 years [1]."


@dataclass
class Site:
    """A page over one document, the chat model behind it, and the file of its conversations."""

    page: Page
    server: ChatServer
    browser: Browser
    history: Path
    settings: Settings


@pytest.fixture(scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("conversations")
    (folder / "docs").mkdir()
    (folder / "docs" / "kettle.md").write_text(KETTLE, "utf-8")
    with ChatServer(Reply([ANSWER])) as server, open_browser() as browser:
        settings = Settings(
            docs=folder / "docs", qdrant_path=folder / "store", chat_model="test-model",
            openai_base_url=server.url, history=folder / "history.sqlite",
        )  # fmt: skip
        build(settings)
        with running_page(settings, folder) as page:
            yield Site(page, server, browser, folder / "history.sqlite", settings)


@pytest.fixture
def site(_site: Site) -> Site:
    """The page, without conversations, its model having nothing left over from another test."""
    _site.server.script.clear()
    if _site.history.exists():
        with closing(sqlite3.connect(_site.history)) as file, file:
            file.execute("DELETE FROM turns")
            file.execute("DELETE FROM conversations")
    return _site


def visit(site: Site, query: str = "", **context: Any) -> Visitor:
    visitor = Visitor(site.browser, site.page, query, **context)
    visitor.box.wait_for()
    return visitor


def checked(visitor: Visitor) -> None:
    """Wait until the last answer is checked and stored."""
    visitor.answered()
    visitor.turns.last.get_by_text("1 supported · 1 not found").wait_for()
    visitor.tab.wait_for_url(re.compile(r"[?&]c="))


def test_a_sentence_leads_to_its_source(site: Site) -> None:
    """By a click or by the keyboard; what differs is said with both values."""
    visitor = visit(site)
    visitor.ask(QUESTION)
    checked(visitor)
    turn = visitor.turns.last
    source = visitor.tab.locator("section.card .source")
    assert source.count() == 0
    turn.locator(".claim.supported").first.click()
    source.wait_for()
    assert source.inner_text() == "The warranty is 30 days for the base and 2 years for the heater."
    assert comes_into_view(source)
    turn.locator(".claim.missing").first.focus()
    visitor.tab.keyboard.press("Enter")
    assert comes_into_view(source)
    said = turn.locator(".unfounded li").inner_text()
    assert said.startswith("The warranty is 90 days for the base.")
    assert "“90 days”, passage 1 “30 days”" in said
    assert visitor.answer.inner_text() == ANSWER.replace("**", "")
    visitor.picture("support")
    visitor.close()

    narrow = visit(site, viewport=(390, 844), locale="zh-CN")
    narrow.ask(QUESTION)
    narrow.turns.last.get_by_text("1 句有依据").wait_for()
    narrow.turns.last.locator(".claim.supported").first.click()
    assert comes_into_view(narrow.tab.locator(".source"))
    assert narrow.tab.evaluate("document.documentElement.scrollWidth") <= 390
    narrow.picture("support-narrow")
    narrow.close()


def test_a_follow_up_shows_what_was_searched(site: Site) -> None:
    """The model's rewrite stands above the answer; what it did not rewrite well is said so."""
    rewrite = "Is the filter of the Aqua X200 kettle dishwasher safe?"
    site.server.script.extend(
        [Reply([ANSWER]), Reply([rewrite]), Reply(["Yes [1]."]), Reply(["I will not."])]
    )
    visitor = visit(site)
    visitor.ask(QUESTION)
    visitor.answered()
    assert visitor.turns.last.locator(".searched").count() == 0
    visitor.ask("Is its filter dishwasher safe?")
    visitor.answered()
    assert visitor.turns.last.locator(".searched").inner_text() == f"Searched for: {rewrite}"
    visitor.ask("And what about it?")
    visitor.answered()
    assert visitor.turns.last.locator(".searched").count() == 0
    assert visitor.turns.last.get_by_text("searched as typed").is_visible()
    visitor.close()


def test_a_reload_goes_on(site: Site) -> None:
    """Turns, marks, ratings and passages are there again; an answer under way goes on."""
    visitor = visit(site)
    visitor.ask(QUESTION)
    checked(visitor)
    visitor.button("Good answer").click()
    visitor.button("Comment").click()
    visitor.turns.last.locator("input.comment").fill("Nearly right")
    visitor.turns.last.locator("input.comment").press("Enter")
    visitor.turns.last.get_by_text("Comment: Nearly right").wait_for()

    def shown() -> list[str]:
        cards = visitor.cards.evaluate_all("cards => cards.map(card => card.innerHTML)")
        turn = visitor.turns.last.evaluate("turn => turn.innerHTML")
        return [turn, *cards]

    before = shown()
    visitor.tab.reload()
    visitor.answered()
    visitor.turns.last.locator(".claim").first.wait_for()
    assert shown() == before

    go = threading.Event()
    site.server.script.append(Reply(["It is ", go, "dishwasher safe [1]."]))
    visitor.ask("Is the filter of the Aqua X200 kettle dishwasher safe?")
    visitor.answer.get_by_text("It is").wait_for()
    visitor.tab.reload()
    visitor.answer.get_by_text("It is").wait_for()
    go.set()
    visitor.answer.get_by_text("dishwasher safe").wait_for()
    visitor.answered()
    assert visitor.turns.count() == 2
    visitor.close()


def test_conversations_are_listed_searched_and_managed(site: Site) -> None:
    """One opens, renames, exports and deletes them; each keeps its own passages."""
    visitor = visit(site)
    visitor.ask(QUESTION)
    checked(visitor)
    visitor.button("Good answer").click()
    visitor.button("New chat").click()
    visitor.tab.get_by_text("What would you like to know?").wait_for()
    site.server.script.append(Reply(["Boil two kettles [1]."]))
    visitor.ask("What must I do before the first use of the Aqua X200?")
    visitor.answered()
    visitor.button(QUESTION).click()
    visitor.answer.get_by_text("90 days").wait_for()
    assert visitor.turns.count() == 1

    here = visitor.tab.locator("[class*=st-key-conversation-here]")
    here.get_by_role("button", name="Rename, export, delete").click()
    dialog = visitor.tab.get_by_role("dialog")
    with visitor.tab.expect_download() as download:
        dialog.get_by_role("button", name="Export as JSON").click()
    told = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert told["turns"][0]["answer"]["support"][0]["found"] == "30 days"
    with visitor.tab.expect_download() as download:
        dialog.get_by_role("button", name="Export as Markdown").click()
    assert f"## 1. {QUESTION}" in Path(download.value.path()).read_text("utf-8")
    dialog.get_by_label("Title").fill("Guarantee")
    dialog.get_by_label("Title").press("Enter")
    dialog.wait_for(state="hidden")
    visitor.button("Guarantee").wait_for()
    visitor.picture("conversations")
    with visitor.tab.expect_download() as download:
        visitor.button("Export good answers").click()
    row = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert (row["question"], row["doc_id"]) == (QUESTION, "kettle.md")

    here.get_by_role("button", name="Rename, export, delete").click()
    dialog.get_by_role("button", name="Delete").click()
    dialog.get_by_text("Delete this conversation for good?").wait_for()
    dialog.get_by_role("button", name="Delete").click()
    dialog.wait_for(state="hidden")
    visitor.tab.get_by_text("What would you like to know?").wait_for()
    assert visitor.tab.get_by_role("button", name="Guarantee").count() == 0
    assert visitor.tab.get_by_role("button", name="What must I do").count() == 1
    visitor.close()


def test_a_killed_page_loses_the_unfinished_turn_alone(site: Site, tmp_path: Path) -> None:
    """Started again, it shows the turns before, and the conversation goes on."""
    with running_page(site.settings, tmp_path) as page:
        visitor = Visitor(site.browser, page)
        visitor.ask(QUESTION)
        checked(visitor)
        site.server.script.append(Reply(["Half"], hang=True))
        visitor.ask("Is the filter of the Aqua X200 kettle dishwasher safe?")
        visitor.answer.get_by_text("Half").wait_for()
        page.process.kill()
        link = "/?" + visitor.tab.url.partition("?")[2]
        visitor.close()
    visitor = visit(site, link)
    visitor.turns.last.get_by_text("1 supported · 1 not found").wait_for()
    assert visitor.turns.count() == 1
    visitor.ask(QUESTION)
    visitor.turns.nth(1).locator("footer").wait_for()
    assert visitor.turns.count() == 2
    visitor.close()


def test_a_file_that_cannot_be_written_is_a_remark(site: Site) -> None:
    """The answer stays, with its marks; an id that leads nowhere is said so, too."""
    visitor = visit(site, "/?c=nowhere")
    visitor.tab.get_by_text("There is no such conversation.").wait_for()
    file = sqlite3.connect(site.history)
    file.execute("CREATE TRIGGER full BEFORE INSERT ON turns BEGIN SELECT raise(FAIL, 'full'); END")
    file.commit()
    try:
        visitor.ask(QUESTION)
        checked(visitor)
        visitor.tab.get_by_text("This conversation is not being kept.").wait_for()
        assert visitor.answer.inner_text() == ANSWER.replace("**", "")
    finally:
        file.execute("DROP TRIGGER full")
        file.commit()
        file.close()
    visitor.close()
