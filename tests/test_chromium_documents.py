"""The documents view in a real browser: uploads while chat goes on, two languages, keyboard alone.

The embeddings come from a small server that can hold a build up for as long as a test wants.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rag.page.frontend import FOLDER
from rag.settings import Settings
from tests.browser import Page, Visitor, open_browser, running_page
from tests.embedding_server import EmbeddingServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.chromium

TOASTER = b"# Toaster\n\nThe toaster glows blue when it is done.\n"


class HeldServer(EmbeddingServer):
    """Embeddings that wait for ``go`` when a text says that something glows."""

    def __init__(self) -> None:
        super().__init__(dimension=256)
        self.go = threading.Event()
        self.go.set()

    def _result(self, body: Any, failure: Any) -> Any:
        if any("glows" in text for text in body["input"]):
            self.go.wait(60)
        return super()._result(body, failure)


@dataclass
class Site:
    """A page over a few documents."""

    page: Page
    browser: Browser
    server: HeldServer
    docs: Path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One page and one browser for all tests."""
    folder = tmp_path_factory.mktemp("documents")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "kettle.md").write_text(
        "# Kettle\n\nBefore first use, boil two kettles.\nE07 means that the lid is open.\n",
        "utf-8",
    )
    (docs / "水壶.md").write_text("# 水壶\n\n首次使用前请煮两壶清水。\n", "utf-8")
    (docs / "photo.png").write_bytes(b"\x89PNG")
    with HeldServer() as server, open_browser() as browser:
        settings = Settings(
            docs=docs, qdrant_path=folder / "store", embedding_model="test-embeddings",
            openai_base_url=server.url, openai_api_key="key",
        )  # fmt: skip
        with running_page(settings, folder) as page:
            yield Site(page, browser, server, docs)


@pytest.fixture
def visit(site: Site) -> Iterator[Any]:
    """Open the page as a new visitor."""
    visitors: list[Visitor] = []

    def look(query: str = "", **context: Any) -> Visitor:
        visitors.append(Visitor(site.browser, site.page, query, **context))
        visitors[-1].box.wait_for()
        return visitors[-1]

    yield look
    site.server.go.set()
    for visitor in visitors:
        visitor.close()


def file(visitor: Visitor, name: str) -> Locator:
    """The row of a file."""
    return visitor.tab.locator("li.file").filter(has_text=name)


def upload(visitor: Visitor, *files: tuple[str, bytes]) -> None:
    """Bring files, as if they had been dropped."""
    visitor.tab.locator("input[type=file]").set_input_files(
        [{"name": name, "mimeType": "", "buffer": data} for name, data in files]
    )


def test_chat_goes_on_while_an_upload_is_read(site: Site, visit: Any) -> None:
    """Answered from the old until the build is done, cancelled or not; then from the new; removed
    once one is sure, it is answered from no more.
    """
    visitor = visit()
    visitor.button("Documents").click()
    assert "files of type .png are not read" in file(visitor, "photo.png").inner_text()
    site.server.go.clear()
    upload(visitor, ("../toaster.md", TOASTER), ("bomb.zip", b"PK\x03\x04"))
    visitor.tab.get_by_text("Added: toaster.md").wait_for()
    visitor.tab.get_by_text("Not added: bomb.zip").wait_for()
    visitor.tab.get_by_role("progressbar").wait_for()
    visitor.ask("What colour is the toaster: red, blue?")
    visitor.answered()
    assert "blue" not in visitor.answer.inner_text()
    visitor.button("Cancel").click()
    site.server.go.set()
    visitor.tab.get_by_role("progressbar").wait_for(state="detached")
    visitor.button("Documents").click()
    file(visitor, "toaster.md").get_by_text("Not read yet").wait_for()

    visitor.button("Update documents").click()
    file(visitor, "toaster.md").get_by_text("1 sentence").wait_for()
    visitor.ask("Which toaster is blue?")
    visitor.answered()
    assert "The toaster glows blue" in visitor.answer.inner_text()
    assert visitor.cards.first.locator(".place").inner_text().startswith("uploads/toaster.md")

    visitor.button("Documents").click()
    row = file(visitor, "toaster.md")
    row.get_by_role("button", name="Remove: uploads/toaster.md").click()
    row.get_by_role("button", name="Cancel").click()
    row.get_by_role("button", name="Remove: uploads/toaster.md").click()
    row.get_by_role("button", name="Remove", exact=True).click()
    visitor.tab.get_by_text("Removed: toaster.md").wait_for()
    row.wait_for(state="detached")
    visitor.tab.get_by_text("3 sentences").first.wait_for()
    visitor.ask("Is any toaster blue?")
    visitor.answered()
    assert "blue" not in visitor.answer.inner_text()
    assert file(visitor, "kettle.md").count() == 0, "a question brings the passages back"


def test_files_that_were_not_sent_are_named_beside_those_taken(
    site: Site, visit: Any, tmp_path: Path
) -> None:
    """Streamlit's uploader says it, and is gone as soon as the others are read."""
    files = [tmp_path / name for name in ("large <b>.md", "gone.md", "lamp.md", "larger.md")]
    for path in files:
        path.write_bytes(b"x" * 20_000_001 if path.stem != "lamp" else b"Lamp.\n")
    visitor = visit()
    visitor.button("Documents").click()
    box = visitor.tab.locator("input[type=file]")
    box.set_input_files(files[:2])
    chips = visitor.tab.get_by_test_id("stFileChip")
    chips.filter(has_text="gone.md").get_by_role("button").click()
    chips.filter(has_text="gone.md").wait_for(state="detached")
    box.set_input_files(files[2:])
    visitor.tab.get_by_text("Added: lamp.md").wait_for()
    for name in ("large <b>.md", "larger.md"):
        visitor.tab.get_by_text(f"Not added: {name}").wait_for()
    assert visitor.tab.get_by_text("20 MB are allowed").count() == 2
    visitor.picture("not-sent")
    row = file(visitor, "lamp.md")
    row.get_by_text("1 sentence").wait_for()
    row.get_by_role("button").click()
    row.get_by_role("button", name="Remove", exact=True).click()
    row.wait_for(state="detached")
    visitor.button("Documents").click()
    visitor.button("Documents").click()
    file(visitor, "kettle.md").wait_for()
    assert visitor.tab.get_by_text("Not added").count() == 0


def test_files_of_the_documents_folder_cannot_be_removed(site: Site, visit: Any) -> None:
    """They have no button for it, and what has changed is said."""
    kettle = site.docs / "kettle.md"
    text = kettle.read_text("utf-8")
    visitor = visit()
    kettle.write_text(text + "New.\n", "utf-8")
    visitor.button("Documents").click()
    file(visitor, "kettle.md").get_by_text("Changed since it was read").wait_for()
    assert file(visitor, "kettle.md").get_by_role("button").count() == 0
    kettle.write_text(text, "utf-8")


SHOWN = """() => {
  const found = [];
  const look = (node) => {
    if (node.nodeType === 3) return found.push(node.textContent);
    if (node.nodeType !== 1 && node.nodeType !== 11) return;
    if (node.nodeType === 1) {
      if (["SCRIPT", "STYLE", "NOSCRIPT", "svg"].includes(node.tagName)) return;
      // A word that a font draws as a picture.
      if (/Icon/.test(node.dataset.testid)) return;
      if (node.role === "img" && node.ariaHidden === "true") return;
      const contents = getComputedStyle(node).display === "contents"; // has no box, its children do
      if (!contents && !node.checkVisibility()) return;
      for (const name of ["aria-label", "title", "placeholder", "alt"]) {
        if (node.getAttribute(name)) found.push(node.getAttribute(name));
      }
      if (node.shadowRoot) node.shadowRoot.childNodes.forEach(look);
    }
    node.childNodes.forEach(look);
  };
  look(document.body);
  return found;
}"""
"""All that is shown or read aloud, in shadow trees too."""

KEPT = (
    r"English|test-embeddings|.*toaster.*|\S+\.(?:md|png)|\.[a-z]+\b|OCR|MB|kB|Before.*|E07.*"
    "|JSON|Markdown"
)
"""Names, units and what the documents themselves say."""


def foreign(said: Iterable[str]) -> set[str]:
    """What of it is neither Chinese nor a name that stays."""
    return {
        text.strip()
        for text in said
        if re.search("[A-Za-z]{2}", re.sub(KEPT, "", text)) and "Kettle" not in text
    }


def test_the_chinese_page_is_chinese(site: Site, visit: Any, tmp_path: Path) -> None:
    """Question, answer, passages, documents, upload and refusal: no word of another language."""
    visitor = visit(locale="zh-CN")
    visitor.tab.locator("html[lang=zh-Hans]").wait_for(state="attached")
    said = list(visitor.tab.evaluate(SHOWN))
    visitor.ask("首次使用前请煮两壶清水。")
    visitor.answered()
    assert "煮两壶清水" in visitor.answer.inner_text()
    said += visitor.tab.evaluate(SHOWN)
    visitor.cards.first.get_by_role("button", name="打开文档").click()
    visitor.tab.locator(".document").wait_for()
    said += visitor.tab.evaluate(SHOWN)
    visitor.button("文档").click()
    upload(visitor, ("灯.md", "# 灯\n\n这盏灯是圆的。".encode()), ("图.png", b"\x89PNG"))
    visitor.tab.get_by_text("已添加：灯.md").wait_for()
    visitor.tab.get_by_text("未添加：图.png").wait_for()
    file(visitor, "灯.md").get_by_text("1 个句子").wait_for()
    visitor.picture("documents-chinese")
    said += visitor.tab.evaluate(SHOWN)
    file(visitor, "灯.md").get_by_role("button").click()
    said += visitor.tab.evaluate(SHOWN)
    file(visitor, "灯.md").get_by_role("button", name="移除", exact=True).click()
    visitor.tab.get_by_text("已移除：灯.md").wait_for()
    large = tmp_path / "大.md"  # a path: what is given itself goes through the driver
    large.write_bytes(b"x" * 20_000_001)
    visitor.tab.locator("input[type=file]").set_input_files(large)
    chip = visitor.tab.get_by_test_id("stFileChip")
    chip.get_by_role("alert").get_by_text("未添加：文件太大。").wait_for()
    assert "大.md" in chip.inner_text()
    assert visitor.tab.get_by_text("未添加：大.md").count() == 0, "said once"
    visitor.picture("too-large-chinese")
    said += visitor.tab.evaluate(SHOWN)
    visitor.tab.get_by_text("English", exact=True).click()
    visitor.button("Documents").wait_for()
    assert "lang=en" in visitor.tab.url
    assert foreign(said) == set()


def test_an_empty_folder_asks_for_the_first_documents(site: Site, tmp_path: Path) -> None:
    """Files are dropped in, read, and asked about; the last one removed, it asks again."""
    docs = tmp_path / "docs"
    docs.mkdir()
    settings = Settings(
        docs=docs, qdrant_path=tmp_path / "store", embedding_model="test-embeddings",
        openai_base_url=site.server.url, openai_api_key="key",
    )  # fmt: skip
    with running_page(settings, tmp_path) as page:
        visitor = Visitor(site.browser, page, locale="zh-CN")
        visitor.tab.get_by_text("先添加要提问的文档").wait_for()
        visitor.picture("no-documents-chinese")
        said = visitor.tab.evaluate(SHOWN)
        visitor.tab.get_by_text("English", exact=True).click()
        visitor.tab.get_by_text("Add documents to ask about").wait_for()
        visitor.tab.get_by_text("中文", exact=True).click()
        visitor.tab.get_by_text("先添加要提问的文档").wait_for()
        upload(visitor, ("图.png", b"\x89PNG"))
        visitor.tab.get_by_text("未添加：图.png").wait_for()
        upload(visitor, ("toaster.md", TOASTER), ("图.png", b"\x89PNG"))
        file(visitor, "toaster.md").get_by_text("1 个句子").wait_for()
        assert visitor.tab.get_by_text("未添加：图.png").is_visible()
        visitor.ask("Which toaster is blue?")
        visitor.answered()
        assert "The toaster glows blue" in visitor.answer.inner_text()
        visitor.button("文档").click()
        file(visitor, "toaster.md").get_by_role("button").click()
        file(visitor, "toaster.md").get_by_role("button", name="移除", exact=True).click()
        visitor.tab.get_by_text("先添加要提问的文档").wait_for()
        (docs / "kettle.md").write_text("Boil the kettle.", "utf-8")
        visitor.button("读取文档").click()
        visitor.box.wait_for()
        assert visitor.tab.get_by_text("1 个句子").first.is_visible()
        visitor.close()
    assert foreign(text.replace(str(docs), "") for text in said) == set()


HAS_FOCUS = "node => node.getRootNode().activeElement === node"


def tab_to(target: Locator, key: str = "Tab") -> None:
    """Press a key until an element has the focus."""
    target.wait_for()
    for _ in range(60):
        if target.evaluate(HAS_FOCUS):
            return
        target.page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {target}")


def test_the_keyboard_alone_does_everything(site: Site, visit: Any) -> None:
    """Ask, follow a citation, open the document, come back, upload, remove, set: no mouse."""
    visitor = visit()
    keyboard = visitor.tab.keyboard
    toaster = {"name": "toaster.md", "mimeType": "", "buffer": TOASTER}
    visitor.tab.on("filechooser", lambda chooser: chooser.set_files([toaster]))
    tab_to(visitor.box)
    keyboard.type("What must I boil before first use?")
    keyboard.press("Enter")
    visitor.turns.first.wait_for()
    visitor.answered()
    tab_to(visitor.answer.get_by_role("link", name="[1]"), "Shift+Tab")
    keyboard.press("Enter")
    card = visitor.tab.locator("section.card.here")
    card.wait_for()
    assert card.evaluate(HAS_FOCUS)
    tab_to(card.get_by_role("button", name="Open document"))
    keyboard.press("Enter")
    back = visitor.button("← Back to the passages")
    back.wait_for()
    assert back.evaluate(HAS_FOCUS)
    keyboard.press("Enter")
    visitor.cards.first.wait_for()
    tab_to(visitor.button("Documents"), "Shift+Tab")
    keyboard.press("Enter")
    file(visitor, "kettle.md").wait_for()
    tab_to(visitor.button("Choose files"))
    keyboard.press("Enter")
    row = file(visitor, "toaster.md")
    row.get_by_text("1 sentence").wait_for()
    tab_to(row.get_by_role("button", name="Remove: uploads/toaster.md"))
    keyboard.press("Enter")
    tab_to(row.get_by_role("button", name="Remove", exact=True), "Shift+Tab")
    keyboard.press("Enter")
    visitor.tab.get_by_text("Removed: toaster.md").wait_for()
    slider = visitor.tab.get_by_role("slider").first
    tab_to(slider)
    keyboard.press("ArrowRight")
    visitor.tab.wait_for_url(re.compile("window=3"))
    tab_to(visitor.tab.get_by_role("radio", name="English"))
    keyboard.press("ArrowRight")
    keyboard.press("Space")
    visitor.button("文档").wait_for()


CALLED_AGAIN = """async script => {
    const {default: draw} = await import(
        URL.createObjectURL(new Blob([script], {type: "text/javascript"})));
    const parent = document.body.appendChild(document.createElement("div"));
    let heard = 0;
    const call = () => draw({
        data: {rows: [], words: {}}, parentElement: parent, setTriggerValue: () => heard++,
    });
    const asked = () => {
        heard = 0;
        document.dispatchEvent(new CustomEvent("passage", {detail: {passage: 1}}));
        return heard;
    };
    const first = call();
    const counts = [asked()];
    first();
    const second = call();
    counts.push(asked());
    const third = call();
    second();
    counts.push(asked());
    third();
    counts.push(asked());
    return counts;
}"""


def test_a_list_that_is_drawn_again_still_leads_to_passages(site: Site) -> None:
    """Streamlit may end a component's call and make another on the same root, in any order."""
    tab = site.browser.new_page()
    script = "\n".join((FOLDER / name).read_text("utf-8") for name in ("nodes.js", "documents.js"))
    assert tab.evaluate(CALLED_AGAIN, script) == [1, 1, 1, 0]
    tab.close()


DRAWN_WHILE_ASKING = """async script => {
    const {default: draw} = await import(
        URL.createObjectURL(new Blob([script], {type: "text/javascript"})));
    const parent = document.body.appendChild(document.createElement("div"));
    const said = [];
    const words = {cancel: "Cancel", remove: "Remove", remove_sure: "Sure?", uploaded: "uploaded"};
    const file = (path, facts) => ({path, facts, state: "same", note: "", removable: true});
    const show = (...rows) => draw({
        data: {rows, words}, parentElement: parent, setTriggerValue: (_, value) => said.push(value),
    });
    const shown = () => [...parent.querySelectorAll("li")].map(item => item.innerText);
    show(file("uploads/b", "1 min"), file("uploads/c", "1 min"));
    parent.querySelector("li button").click();
    const asking = [document.activeElement.textContent, parent.querySelectorAll("button").length];
    show(file("uploads/a", "1 min"), file("uploads/b", "2 min"), file("uploads/d", "1 min"));
    asking.push(document.activeElement.textContent, shown().map(text => text.split("\\n")[0]));
    asking.push(parent.querySelector("li:nth-child(2) .facts").textContent);
    parent.querySelector("li:nth-child(2) .primary").click();
    show();
    return [...asking, said, shown()];
}"""


def test_a_list_that_is_drawn_again_leaves_a_question_as_it_is(site: Site) -> None:
    """Whether to remove a file: asked on while others come and go, with the focus where it is."""
    tab = site.browser.new_page()
    script = "\n".join((FOLDER / name).read_text("utf-8") for name in ("nodes.js", "documents.js"))
    assert tab.evaluate(DRAWN_WHILE_ASKING, script) == [
        "Cancel", 3, "Cancel", ["a", "b", "d"], "2 minuploaded",
        [{"what": "remove", "source": "uploads/b"}], [],
    ]  # fmt: skip
    tab.close()
