"""The page as a real process, and a headless Chromium that looks at it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

from rag.settings import VARIABLES, Settings
from tests.conftest import ROOT, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator
    from playwright.sync_api import Page as Tab

ARTEFACTS = ROOT / "tests" / "artefacts"

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    # The address bar's lists, which are pages of their own: a third of the browser's work.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
)  # fmt: skip


def environment(settings: Settings) -> dict[str, str]:
    """This process's environment with ``settings``, and nothing else, set by variables."""
    names = {variable.variable for variable in VARIABLES.values()}
    kept = {name: value for name, value in os.environ.items() if name not in names}
    default = Settings()
    values = {name: getattr(settings, name) for name in VARIABLES}
    own = {
        VARIABLES[name].variable: "off" if value is None else str(value)
        for name, value in values.items()
        if value != getattr(default, name)
    }
    return {**kept, "NO_PROXY": "localhost,127.0.0.1", **own}


@dataclass
class Page:
    """A running page."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path
    seconds_to_ready: float = field(default=0.0)


@contextmanager
def running_page(
    settings: Settings, folder: Path, *, port: int | None = None, flags: Sequence[str] = ()
) -> Iterator[Page]:
    """Run ``streamlit run app.py`` until the block ends; its output goes to ``folder``.

    ``flags`` are Streamlit's own.
    """
    port = port or free_port()
    log = folder / f"page-{port}.log"
    command = [
        sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"),
        "--server.port", str(port), "--server.headless", "true",
        *flags,
    ]  # fmt: skip
    if settings.history == Settings().history:  # not into this repository
        settings = settings.with_(history=folder / f"conversations-{port}.sqlite")
    began = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(settings), stdout=output, stderr=output
        )
        try:
            page = Page(f"http://localhost:{port}", process, log)
            _wait_until_ready(page)
            page.seconds_to_ready = time.monotonic() - began
            yield page
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A headless Chromium, closed when the block ends."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


_opened_with: WeakKeyDictionary[BrowserContext, dict[str, object]] = WeakKeyDictionary()
"""What the browser contexts of visitors were opened with."""


class Visitor:
    """One visitor's look at a page, in a browser context that nobody else has at the time.

    A context that a visitor has left is taken again: what it has cached halves the time that the
    page takes to come up.
    """

    def __init__(
        self,
        browser: Browser,
        page: Page,
        query: str = "",
        *,
        viewport: tuple[int, int] = (1280, 800),
        color_scheme: Literal["light", "dark"] = "light",
        reduced_motion: Literal["no-preference", "reduce"] = "no-preference",
        **context: object,
    ) -> None:
        """Open the page. ``context`` is playwright's: locale, permissions and so on."""
        self.fetched: list[str] = []
        options = {"locale": "en-US", **context}
        free = (c for c in browser.contexts if not c.pages and _opened_with.get(c) == options)
        self.context = next(free, None) or browser.new_context(**options)
        _opened_with[self.context] = options
        self.context.set_default_timeout(90_000)
        self.tab: Tab = self.context.new_page()
        self.tab.set_viewport_size({"width": viewport[0], "height": viewport[1]})
        self.tab.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        self.tab.on("request", lambda request: self.fetched.append(request.url))
        self.tab.goto(page.url + query)

    @property
    def box(self) -> Locator:
        """The question box."""
        return self.tab.get_by_test_id("stChatInputTextArea")

    @property
    def turns(self) -> Locator:
        """The questions with their answers, those under way too."""
        return self.tab.locator("article.turn")

    @property
    def answer(self) -> Locator:
        """The text of the last answer."""
        return self.turns.last.locator(".text")

    @property
    def cards(self) -> Locator:
        """The passages."""
        return self.tab.locator("section.card")

    def ask(self, question: str) -> None:
        """Send a question; do not wait for the answer."""
        self.box.fill(question)
        self.box.press("Enter")
        self.turns.get_by_text(question, exact=True).last.wait_for()

    def answered(self) -> None:
        """Wait until nothing is under way."""
        self.turns.last.locator("footer").wait_for()

    def button(self, name: str) -> Locator:
        """A button by the words on it, the last of them."""
        return self.tab.get_by_role("button", name=name, exact=True).last

    def picture(self, name: str) -> None:
        """Keep what is on screen, as an artefact of the tests."""
        ARTEFACTS.mkdir(exist_ok=True)
        self.tab.screenshot(path=ARTEFACTS / f"{name}.png")

    def close(self) -> None:
        """Leave, and leave nothing for the next one."""
        self.tab.evaluate("localStorage.clear()")
        self.context.clear_cookies()
        for tab in self.context.pages:
            tab.close()


def comes_into_view(locator: Locator, seconds: float = 10) -> bool:
    """Whether the top of an element gets on screen and stays there: pages scroll smoothly."""
    size = locator.page.viewport_size
    assert size is not None
    seen = None
    for _ in range(int(seconds / 0.1)):
        place = locator.bounding_box()
        top = place["y"] if place else -1
        if top == seen and 0 <= top < size["height"]:
            return True
        seen = top
        locator.page.wait_for_timeout(100)
    return False


def _wait_until_ready(page: Page) -> None:
    for _ in range(600):
        if page.process.poll() is not None:
            raise RuntimeError(page.log.read_text("utf-8", errors="replace"))
        try:
            with urllib.request.urlopen(f"{page.url}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("the page did not start within 30 s")
