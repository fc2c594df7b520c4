"""The page for those who see it badly or not at all: axe-core in both themes, names, motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import pytest

from rag.settings import Settings
from tests.browser import Page, Visitor, open_browser, running_page
from tests.chat_server import ChatServer, Reply
from tests.embedding_server import EmbeddingServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.chromium

ANSWER = "**Boil** it [1], `twice` [2].\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n1. one\n"
HEBREW = "לפני השימוש הראשון יש להרתיח שני קומקומים (E07) ולשפוך."


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Browser, Page]]:
    """A page over documents in two directions, with a chat model, and a browser."""
    folder = tmp_path_factory.mktemp("accessible")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "kettle.md").write_text(
        "# Kettle\n\nBoil two kettles before first use (E07).\n", "utf-8"
    )
    (docs / "hebrew.md").write_text(f"# קומקום\n\n{HEBREW}\n", "utf-8")
    (docs / "photo.png").write_bytes(b"\x89PNG")
    with EmbeddingServer() as embeddings, ChatServer(Reply([ANSWER])) as chat:
        settings = Settings(
            docs=docs, qdrant_path=folder / "store", embedding_model="test-embeddings",
            embedding_base_url=embeddings.url, embedding_api_key="key", chat_model="test-model",
            openai_base_url=chat.url, openai_api_key="key",
        )  # fmt: skip
        with running_page(settings, folder) as page, open_browser() as browser:
            yield browser, page


def faults(visitor: Visitor) -> list[str]:
    """What axe-core calls serious or critical, once nothing moves any more."""
    from axe_playwright_python.sync_playwright import Axe

    visitor.tab.locator("[data-test-script-state=notRunning]").wait_for()
    visitor.tab.locator("[data-stale=true]").first.wait_for(state="detached")
    found = Axe().run(visitor.tab).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:200]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    place: tuple[Browser, Page], scheme: Literal["light", "dark"]
) -> None:
    """On the first look, at an answer, at a document, at the files: in both themes."""
    visitor = Visitor(*place, color_scheme=scheme, reduced_motion="reduce")
    visitor.box.wait_for()
    assert faults(visitor) == []
    visitor.ask("What must I do before first use (E07)?")
    visitor.answered()
    assert faults(visitor) == []
    visitor.cards.first.get_by_role("button", name="Open document").click()
    visitor.tab.locator(".document").wait_for()
    assert faults(visitor) == []
    visitor.button("Documents").click()
    visitor.tab.locator("li.file").first.wait_for()
    assert faults(visitor) == []
    assert not any("axe" in url for url in visitor.fetched), "the page itself does not load it"
    visitor.picture(f"accessible-{scheme}")
    visitor.close()


def test_marks_and_states_are_announced(place: tuple[Browser, Page]) -> None:
    """A mark says that it is a found sentence, and its rank; nothing moves where that is asked."""
    visitor = Visitor(*place, reduced_motion="reduce")
    visitor.box.wait_for()
    visitor.ask("What must I do before first use (E07)?")
    visitor.answered()
    mark = visitor.tab.locator("mark.strong")
    snapshot = mark.locator("xpath=..").aria_snapshot()
    assert "Found sentence, rank 1" in snapshot
    assert visitor.answer.get_by_role("link", name="[1]").count() >= 1
    moving = visitor.tab.evaluate(
        "document.getAnimations().filter(a => a.playState === 'running').length"
    )
    assert moving == 0
    visitor.close()


def test_text_from_right_to_left_stands_right(place: tuple[Browser, Page]) -> None:
    """A Hebrew sentence begins at the right edge of its card, an English one at the left."""
    visitor = Visitor(*place)
    visitor.box.wait_for()
    for question, right in ((HEBREW, True), ("Boil two kettles before first use?", False)):
        visitor.ask(question)
        visitor.answered()
        edges = visitor.cards.first.locator("mark.strong").evaluate(
            """mark => {
              const line = mark.getClientRects()[0];
              const box = mark.parentElement.getBoundingClientRect();
              return [line.left - box.left, box.right - line.right];
            }"""
        )
        assert (edges[1] < 2) is right, edges
    visitor.close()
