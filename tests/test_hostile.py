"""Hostile texts in documents, answers and names of files: nothing runs, nothing is fetched.

In Chromium, with all that it asks of the network, at two widths; and in the terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rag.build import build
from rag.cli import run
from rag.commands.ask import main as ask_main
from rag.commands.store import main as store_main
from rag.settings import Settings
from tests.browser import Visitor, open_browser, running_page
from tests.chat_server import ChatServer, Reply
from tests.embedding_server import EmbeddingServer
from tests.hostile_texts import BOMBS, NAMES, TEXTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Locator

GROUPS = [TEXTS[at : at + 10] for at in range(0, len(TEXTS), 10)]
COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@contextmanager
def hostile(folder: Path) -> Iterator[tuple[Settings, ChatServer]]:
    """Settings with the texts as documents, of hostile names and titles, and a chat model."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    names = [name for name in NAMES if name[0] != "." and "/" not in name and len(name) < 100]
    for number, (group, name) in enumerate(zip(GROUPS, names, strict=False)):
        title = f"# Group {number} {group[0]}"
        (docs / name).write_text("\n\n".join([title, f"Danger {number}.", *group]), "utf-8")
    with EmbeddingServer(dimension=64) as embeddings, ChatServer() as chat:
        settings = Settings(
            docs=docs, qdrant_path=folder / "store", embedding_model="test-embeddings",
            embedding_base_url=embeddings.url, embedding_api_key="key", top_k=30, window_size=8,
            max_context_characters=300_000, chat_model="test-model", openai_base_url=chat.url,
            openai_api_key="key", uploads=folder / "uploads",
        )  # fmt: skip
        build(settings)
        yield settings, chat


HARM = """() => {
  const bad = [];
  const look = (root) => {
    const own = root instanceof ShadowRoot;
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) look(node.shadowRoot);
      if (own && /^(script|img|iframe|object|embed|link|svg|video|form|base|meta|math|marquee)$/i
          .test(node.tagName) && !node.closest("button")) bad.push(node.outerHTML.slice(0, 80));
      for (const { name, value } of node.attributes) {
        if (/^on/.test(name) || /^\\s*(javascript|data:text)/i.test(value) ||
            (/^(src|href|action|data)$/.test(name) && /evil/.test(value))) {
          bad.push(node.outerHTML.slice(0, 80));
        }
      }
      if (node.tagName === "A" && own && !/^#passage-\\d+$/.test(node.getAttribute("href"))) {
        bad.push(node.outerHTML.slice(0, 80));
      }
    }
  };
  look(document);
  if (window.hit !== undefined) bad.push(`ran: ${window.hit}`);
  const panes = document.querySelectorAll(".st-key-chat, .st-key-passages");
  const wide = [document.documentElement, ...panes]
    .filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => `${box.className || box.tagName} is ${box.scrollWidth} wide`);
  return [...bad, ...wide];
}"""
"""What came of hostile texts: elements, attributes, effects, and boxes that are too wide."""


def drawn(visitor: Visitor) -> None:
    """Nothing of what is on the page does harm, at either width."""
    size = visitor.tab.viewport_size
    for width, height in ((1280, 800), (390, 844)):
        visitor.tab.set_viewport_size({"width": width, "height": height})
        assert visitor.tab.evaluate(HARM) == []
    visitor.tab.set_viewport_size(size)


def documents(visitor: Visitor) -> Locator:
    """The rows of the documents view."""
    return visitor.tab.locator("li.file")


def drop(visitor: Visitor, files: Sequence[tuple[str, bytes]]) -> None:
    """Bring files of any name, as a page's own script could."""
    visitor.tab.locator("input[type=file]").evaluate(
        """(input, files) => {
          const all = new DataTransfer();
          for (const [name, text] of files) all.items.add(new File([text], name));
          input.files = all.files;
          input.dispatchEvent(new Event("change", { bubbles: true }));
        }""",
        [[name, data.decode("latin-1")] for name, data in files],
    )


def open_documents(visitor: Visitor, shown: set[str]) -> None:
    """Open the documents of the passages, those that are not in ``shown`` yet."""
    for at in range(visitor.cards.count()):
        card = visitor.cards.nth(at)
        path = re.split(r":\d+(?:–\d+)?$", card.locator(".place").inner_text())[0]
        if path in shown:
            continue
        shown.add(path)
        card.get_by_role("button", name="Open document").click()
        visitor.tab.locator(".document").wait_for()
        drawn(visitor)
        visitor.button("← Back to the passages").click()
        visitor.cards.first.wait_for()


@pytest.mark.chromium
def test_hostile_texts_do_nothing_in_the_page(tmp_path: Path) -> None:
    """As answers, passages, whole documents, prompts, titles, names and uploads: text, and no more;
    the network sees the page's own address alone, and nothing is wider than its place.
    """
    with (
        hostile(tmp_path) as (settings, chat),
        running_page(settings, tmp_path) as page,
        open_browser() as browser,
    ):
        visitor = Visitor(browser, page)
        visitor.tab.on("dialog", lambda dialog: pytest.fail(dialog.message))
        visitor.box.wait_for()
        drawn(visitor)
        shown: set[str] = set()
        for number, group in enumerate(GROUPS):
            chat.script.append(Reply(["\n\n".join(group)]))
            visitor.ask(f"{group[1][:200]} Danger {number}?")
            visitor.answered()
            drawn(visitor)
            open_documents(visitor, shown)
        assert "<script>window.hit=1</script>" in visitor.turns.first.inner_text()
        visitor.picture("hostile")
        assert len(shown) == len(GROUPS)
        visitor.button("Prompt").click()
        visitor.tab.get_by_role("dialog").wait_for()
        assert visitor.tab.evaluate("window.hit") is None
        visitor.tab.keyboard.press("Escape")
        visitor.tab.get_by_role("dialog").wait_for(state="hidden")
        visitor.button("Documents").click()
        documents(visitor).first.wait_for()
        files = [(name, f"Harmless {at}.".encode()) for at, name in enumerate(NAMES)]
        drop(visitor, [*files, *BOMBS])
        visitor.tab.get_by_text("Not added").nth(len(BOMBS) - 1).wait_for()
        documents(visitor).nth(len(GROUPS) + len(NAMES) - 1).wait_for()
        drawn(visitor)
        visitor.picture("hostile-uploads")
        strangers = [u for u in visitor.fetched if not re.match(r"http://localhost|blob:|data:", u)]
        assert strangers == []
        visitor.close()
    kept = {f.relative_to(tmp_path).parts[0] for f in tmp_path.rglob("*evil*") if f.is_file()}
    assert kept == {"docs", "uploads"}
    assert len(list((tmp_path / "uploads").iterdir())) == len(NAMES)


def test_hostile_texts_do_nothing_in_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listed, answered, and in reports on the build: no control sequence, no turned text."""
    with hostile(tmp_path) as (settings, chat):
        from tests.browser import environment

        for name, value in environment(settings).items():
            monkeypatch.setenv(name, value)
        assert run(ask_main, ["--source", "*"]) == 0
        for group in GROUPS:
            chat.script.append(Reply(["\n\n".join(group)]))
            assert run(ask_main, [f"Danger? {group[3]}"]) == 0
        assert run(store_main, ["--status"]) == 0
        assert run(store_main, []) == 0
    out, err = capsys.readouterr()
    assert "<script>window.hit=1</script>" in out
    assert "Group 4" in out
    assert COMMANDS.findall(out + err) == []
