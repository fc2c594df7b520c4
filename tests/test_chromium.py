"""The page in a real browser: what visitors do, on a real process with a scripted chat model."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rag.settings import Settings
from tests.browser import Page, Visitor, comes_into_view, open_browser, running_page
from tests.chat_server import ChatServer, Reply

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.chromium

QUESTION = "How long is the warranty, and what must I do before first use?"
ANSWER = "Boil it **twice** [1], then [2]. Not [9]."

COMPOSE = """box => box.dispatchEvent(new KeyboardEvent(
    'keydown', {key: 'Enter', keyCode: 13, isComposing: true, bubbles: true}))"""
"""Enter, as a browser reports it while an input method's list of candidates is open."""


@dataclass
class Site:
    """A page over the sample documents, and the chat model behind it."""

    page: Page
    server: ChatServer
    browser: Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def _site(
    browser: Browser, built_samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    with ChatServer(Reply([ANSWER])) as server:
        settings = Settings(
            docs=Path("docs"),
            qdrant_path=built_samples,
            top_k=12,
            chat_model="test-model",
            openai_base_url=server.url,
            follow_ups="rule",
        )
        with running_page(settings, tmp_path_factory.mktemp("page")) as page:
            yield Site(page, server, browser)


@pytest.fixture
def site(_site: Site) -> Site:
    """The page, its model having nothing left over from another test."""
    _site.server.script.clear()
    _site.server.requests.clear()
    return _site


Look = Callable[..., Visitor]


@pytest.fixture
def visit(site: Site) -> Iterator[Look]:
    """Open the page as a new visitor."""
    visitors: list[Visitor] = []

    def look(query: str = "", **context: Any) -> Visitor:
        visitors.append(Visitor(site.browser, site.page, query, **context))
        visitors[-1].box.wait_for()
        return visitors[-1]

    yield look
    for visitor in visitors:
        visitor.close()


def test_an_answer_streams_and_its_citations_lead_to_passages(site: Site, visit: Look) -> None:
    """Text is there before the answer's end; `[2]` brings card 2 into view; `[9]` is plain text."""
    go = threading.Event()
    site.server.script.append(Reply(["Boil it **twice** [1], ", go, "then [2]. Not [9]."]))
    visitor = visit()
    bottom = visitor.box.bounding_box()
    visitor.ask(QUESTION)
    visitor.answer.get_by_text("twice", exact=True).wait_for()
    assert visitor.cards.count() >= 2, "the passages are there before the answer's end"
    assert "then" not in visitor.answer.inner_text()
    go.set()
    visitor.answered()
    assert visitor.answer.inner_text() == "Boil it twice [1], then [2]. Not [9]."
    assert visitor.answer.locator("a").all_inner_texts() == ["[1]", "[2]"]
    assert visitor.tab.locator("section.card mark.strong").count() >= 1
    chats = len(site.server.chats)

    visitor.answer.get_by_role("link", name="[2]").click()
    card = visitor.tab.locator("section.card[data-numbers='2']")
    visitor.tab.locator("section.card.here").wait_for()
    assert card.get_attribute("aria-current") == "true"
    assert comes_into_view(card)
    assert len(site.server.chats) == chats
    assert visitor.box.bounding_box() == bottom
    visitor.picture("answer")


def test_moving_the_slider_while_an_answer_streams_loses_nothing(site: Site, visit: Look) -> None:
    """The answer goes on through reruns, and ends whole; what is asked meanwhile comes next."""
    go = threading.Event()
    site.server.script.append(Reply(["One ", go, "two."]))
    site.server.script.append(Reply(["Three."]))
    visitor = visit()
    visitor.ask(QUESTION)
    visitor.answer.get_by_text("One").wait_for()
    visitor.tab.get_by_role("slider").first.press("ArrowRight")
    visitor.tab.wait_for_url(re.compile("window=3"))
    visitor.ask("And then?")
    visitor.turns.last.get_by_text("Asked next").wait_for()
    go.set()
    visitor.answer.get_by_text("Three.").wait_for()
    visitor.answered()
    texts = visitor.tab.locator("article.turn .text").all_inner_texts()
    assert texts == ["One two.", "Three."]
    assert len(site.server.chats) == 2


def test_a_page_that_did_not_arrive_is_drawn_again(site: Site, visit: Look) -> None:
    """A busy server may drop the end of a drawing; the answer under way finds it missing."""
    go = threading.Event()
    site.server.script.append(Reply(["One ", go, "two."]))
    visitor = visit()
    visitor.ask(QUESTION)
    visitor.answer.get_by_text("One").wait_for()
    visitor.tab.evaluate("window.sentenceWindowPage = 0")
    visitor.tab.wait_for_function("window.sentenceWindowPage > 0")
    go.set()
    visitor.answered()
    assert visitor.answer.inner_text() == "One two."


def test_stop_keeps_what_came(site: Site, visit: Look) -> None:
    """The text stays, marked as stopped, and the model's server sees the connection close."""
    site.server.script.append(Reply(["Half an answer"], hang=True))
    visitor = visit()
    visitor.ask(QUESTION)
    visitor.answer.get_by_text("Half an answer").wait_for()
    visitor.button("Stop").click()
    visitor.answered()
    assert visitor.answer.inner_text() == "Half an answer"
    assert visitor.turns.last.get_by_text("Stopped.").is_visible()
    assert site.server.chats[-1].left.wait(5)
    assert visitor.cards.count() >= 1


def test_the_window_slider_redraws_and_answers_again(site: Site, visit: Look) -> None:
    """No model is asked for other windows, until one asks to answer again with them."""
    visitor = visit()
    visitor.ask(QUESTION)
    visitor.answered()
    before = "".join(visitor.cards.locator(".text").all_inner_texts())
    visitor.tab.get_by_role("slider").first.press("Home")
    visitor.tab.locator(".resized").wait_for()
    after = "".join(visitor.cards.locator(".text").all_inner_texts())
    assert len(after) < len(before)
    assert len(site.server.chats) == 1
    visitor.button("Answer again with these windows").click()
    visitor.turns.nth(1).locator("footer").wait_for()
    assert len(site.server.chats) == 2
    assert len(site.server.chats[1].question) < len(site.server.chats[0].question)

    visitor.turns.first.get_by_role("button", name="Passages").click()
    visitor.tab.locator(".of").wait_for()
    assert "".join(visitor.cards.locator(".text").all_inner_texts()) == before


def test_what_was_left_out_is_shown_when_asked_for(site: Site, visit: Look) -> None:
    """Found sentences that were not worth sending come into view by a click; no model is asked."""
    visitor = visit()
    visitor.ask("How long do chicken wings take in the air fryer?")
    visitor.answered()
    marks = visitor.cards.locator("mark")
    before = marks.count()
    more = visitor.tab.get_by_role("button", name="Show what else was found")
    count = int(re.findall(r"\d+", more.inner_text())[0])
    more.click()
    marks.nth(before + count - 1).wait_for()
    assert marks.count() == before + count
    assert more.count() == 0
    assert len(site.server.chats) == 1


def test_a_turn_can_be_copied_edited_and_asked_again(site: Site, visit: Look) -> None:
    """Copy brings the sources along; Enter in an input method's choice does not send an edit."""
    visitor = visit(permissions=["clipboard-read", "clipboard-write"])
    visitor.ask(QUESTION)
    visitor.answered()
    visitor.button("Copy").click()
    visitor.button("Copied").wait_for()
    copied = visitor.tab.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(ANSWER)
    assert re.search(r"\[1\] .+ — small_appliance_kb/\S+:\d+", copied)

    visitor.button("Prompt").click()
    prompt = visitor.tab.get_by_role("dialog")
    prompt.get_by_text(QUESTION).wait_for()
    visitor.tab.keyboard.press("Escape")
    prompt.wait_for(state="hidden")

    site.server.script.append(Reply(["O", "K."]))
    visitor.button("Check what works").click()
    trial = visitor.tab.get_by_role("dialog")
    trial.get_by_text("Tokens used · works").wait_for()
    for name in ("Search model", "Documents", "Chat model's server", "Chat model", "Word by word"):
        assert trial.get_by_text(f"{name} · works").is_visible()
    visitor.picture("check")
    visitor.tab.keyboard.press("Escape")
    trial.wait_for(state="hidden")

    visitor.turns.first.get_by_role("button", name="Edit").click()
    editor = visitor.turns.first.get_by_role("textbox")
    editor.fill("What does E07 mean?")
    editor.evaluate(COMPOSE)
    assert len(site.server.chats) == 2
    editor.press("Enter")
    visitor.turns.get_by_text("What does E07 mean?").wait_for()
    visitor.answered()
    assert visitor.turns.count() == 1
    assert len(site.server.chats) == 3
    site.server.script.append(Reply(["Another answer."]))
    visitor.button("Try again").click()
    visitor.answer.get_by_text("Another answer.").wait_for()
    visitor.answered()
    assert visitor.turns.count() == 1


def test_enter_while_an_input_method_composes_does_not_send(site: Site, visit: Look) -> None:
    """In the question box, too, it only chooses a candidate."""
    visitor = visit()
    visitor.box.fill("nihao")
    visitor.box.evaluate(COMPOSE)
    visitor.tab.wait_for_timeout(300)
    assert visitor.turns.count() == 0
    assert visitor.box.input_value() == "nihao"


def test_a_document_opens_at_its_passage(site: Site, visit: Look) -> None:
    """The whole file is there, its hits are marked, and a citation leads back."""
    visitor = visit()
    visitor.ask(QUESTION)
    visitor.answered()
    name = visitor.cards.first.locator(".place").inner_text().partition(":")[0]
    visitor.cards.first.get_by_role("button", name="Open document").click()
    target = visitor.tab.locator("mark.target")
    target.wait_for()
    assert comes_into_view(target)
    shown = visitor.tab.locator(".document .text").inner_text()
    from tests.conftest import SAMPLES

    assert shown.strip() == (SAMPLES / name).read_text("utf-8").strip()
    visitor.answer.get_by_role("link", name="[2]").click()
    visitor.tab.locator("section.card.here").wait_for()
    assert visitor.tab.locator(".document").count() == 0


def test_foreign_text_never_runs_and_is_never_fetched(site: Site, visit: Look) -> None:
    """HTML, images and links of a question or an answer show as they are written."""
    hostile = (
        '<img src="http://evil.example/a.png" onerror="window.hit=1"> '
        "![a](http://evil.example/b.png) [c](javascript:window.hit=2) $x$ "
        "<script>window.hit=3</script>"
    )
    site.server.script.append(Reply([hostile]))
    visitor = visit()
    visitor.ask(hostile)
    visitor.answered()
    assert visitor.answer.inner_text() == hostile
    assert visitor.tab.evaluate("window.hit") is None
    assert visitor.answer.locator("a, img, script").count() == 0
    assert [
        url for url in visitor.fetched if not re.match(r"(http://localhost|blob:|data:)", url)
    ] == []


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(status=401, error="Incorrect API key"), "The model's server said no."),
        (Reply(["Half"], cut="abrupt"), "The answer ends early"),
        (Reply([], finish="stop"), "The model could not do what was asked."),
    ],
)
def test_a_misbehaving_model_server_is_a_sentence(
    site: Site, visit: Look, reply: Reply, said: str
) -> None:
    """Whatever it does, the turn says so in words and the page goes on."""
    site.server.script.append(reply)
    visitor = visit()
    visitor.ask(QUESTION)
    visitor.answered()
    assert said in visitor.turns.last.inner_text()
    visitor.ask("Once more?")
    visitor.answered()
    assert visitor.answer.inner_text().startswith("Boil it twice")


def test_two_visitors_are_apart_and_a_reload_keeps_the_settings(site: Site, visit: Look) -> None:
    """Neither sees the other's questions; what was set stands in the URL."""
    go = threading.Event()
    site.server.script.append(Reply(["First ", go, "visitor."]))
    site.server.script.append(Reply(["Second visitor."]))
    one, two = visit(), visit()
    one.ask("One?")
    one.answer.get_by_text("First").wait_for()
    two.ask("Two?")
    two.answered()
    assert two.answer.inner_text() == "Second visitor."
    go.set()
    one.answered()
    assert one.answer.inner_text() == "First visitor."
    assert (one.turns.count(), two.turns.count()) == (1, 1)

    one.tab.get_by_role("slider").first.press("ArrowLeft")
    one.tab.wait_for_url(re.compile("window=1"))
    one.tab.reload()
    one.box.wait_for()
    assert one.tab.get_by_role("slider").first.input_value() == "1"


def test_a_narrow_screen_has_it_all(site: Site, visit: Look) -> None:
    """At 390 pixels nothing is cut off at the side, and a citation still leads to its card."""
    site.server.script.append(Reply(["第一次使用前先煮两壶清水 [1]。"]))
    visitor = visit(viewport=(390, 844), locale="zh-CN")
    visitor.ask("电热水壶第一次使用前要做什么？")
    visitor.answered()
    assert visitor.tab.evaluate("document.documentElement.scrollWidth") <= 390
    for locator in (visitor.turns.last, visitor.cards.first, visitor.box):
        place = locator.bounding_box()
        assert place is not None
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= 390
    visitor.answer.get_by_role("link", name="[1]").click()
    visitor.tab.locator("section.card.here").wait_for()
    assert comes_into_view(visitor.tab.locator("section.card.here"))
    visitor.picture("narrow")


def test_dark_is_dark(site: Site, visit: Look) -> None:
    """A browser that asks for dark gets it, in the components too."""
    visitor = visit(color_scheme="dark")
    visitor.ask(QUESTION)
    visitor.answered()
    colours = visitor.cards.first.evaluate(
        "card => { const s = getComputedStyle(card); return [s.backgroundColor, s.color] }"
    )
    ground, ink = (sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for colour in colours)
    assert ground < 64
    assert ink > 192
    visitor.picture("dark")


def test_the_first_run_builds_and_answers(browser: Browser, tmp_path: Path) -> None:
    """From nothing: one build that two tabs watch, then an answer in each language, marked."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "kettle.md").write_text(
        "# Kettle\n\nBefore first use, boil two full kettles and pour them away.\n"
        "E07 means that the lid is open.\n", "utf-8",
    )  # fmt: skip
    (docs / "水壶.md").write_text(
        "# 水壶\n\n首次使用前请煮两壶清水。\nE07 表示盖子没有盖好。\n", "utf-8"
    )
    settings = Settings(docs=docs, qdrant_path=tmp_path / "store")
    with running_page(settings, tmp_path) as page:
        one, two = Visitor(browser, page), Visitor(browser, page, locale="zh-CN")
        for visitor in (one, two):
            visitor.box.wait_for()
        assert one.tab.get_by_text("2 documents · 4 sentences").is_visible()
        assert len(list((tmp_path / "store" / "window_db").glob("20*"))) == 1
        one.ask("What must I do before first use?")
        one.answered()
        assert "boil two full kettles" in one.answer.inner_text()
        mark = one.tab.locator("section.card mark.strong").first
        assert "boil two full kettles" in mark.inner_text()
        one.answer.locator("a.cite").first.click()
        one.tab.locator("section.card.here").wait_for()
        two.ask("首次使用前要做什么？")
        two.answered()
        assert "首次使用前请煮两壶清水" in two.answer.inner_text()
        assert two.tab.get_by_text("对话模型", exact=True).is_visible()
        one.close()
        two.close()
