"""The page behind a login: a real provider of OpenID Connect, a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rag.settings import Settings
from tests.browser import Page, Visitor, free_port, open_browser, running_page
from tests.oidc_provider import OidcProvider

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.chromium


@dataclass
class Site:
    """A page that asks for a login, and who gives it."""

    page: Page
    provider: OidcProvider
    browser: Browser

    def visitor(self, subject: str, email: str = "ada@example.org", query: str = "") -> Visitor:
        """A person in a browser of their own, logged in."""
        self.provider.subject, self.provider.email = subject, email
        visitor = Visitor(self.browser, self.page, query or "?lang=en")
        visitor.button("Log in").click()
        visitor.box.wait_for()
        return visitor


@pytest.fixture(scope="module")
def site(built_samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("login")
    port = free_port()
    file = folder / "secrets.toml"
    settings = Settings(docs=Path("docs"), qdrant_path=built_samples)
    with OidcProvider() as provider:
        file.write_text(provider.secrets(f"http://localhost:{port}/oauth2callback"), "utf-8")
        flags = ("--secrets.files", str(file))
        with (
            running_page(settings, folder, port=port, flags=flags) as page,
            open_browser() as browser,
        ):
            yield Site(page, provider, browser)


def test_who_has_not_logged_in_sees_nothing(site: Site) -> None:
    """Neither documents nor a question box; logged in, one is named; logged out, all is gone."""
    visitor = Visitor(site.browser, site.page, "?lang=en")
    visitor.button("Log in").wait_for()
    assert visitor.box.count() == 0
    assert "kettle" not in visitor.tab.locator("body").inner_text().lower()
    before = site.provider.tokens
    visitor.button("Log in").click()
    visitor.box.wait_for()
    assert visitor.tab.get_by_text("ada@example.org").is_visible()
    assert site.provider.tokens == before + 1
    visitor.tab.reload()
    visitor.box.wait_for()
    stranger = Visitor(site.browser, site.page)
    stranger.button("Log in").wait_for()
    assert stranger.box.count() == 0
    visitor.button("Log out").click()
    visitor.button("Log in").wait_for()
    assert visitor.box.count() == 0
    visitor.close()
    stranger.close()


def test_conversations_belong_to_who_is_logged_in(site: Site) -> None:
    """Listed for them on any machine, and for nobody else, who has no use of their address."""
    question = "How long is the warranty of the kettle?"
    ada = site.visitor("ada")
    ada.ask(question)
    ada.answered()
    ada.tab.wait_for_url(re.compile(r"[?&]c="))
    address = ada.tab.url
    ada.close()

    again = site.visitor("ada", "ada.lovelace@example.org")  # the person, not the address
    again.button(question).click()
    again.turns.get_by_text(question, exact=True).wait_for()
    again.close()

    other = site.visitor("bob", "ada@example.org")
    assert other.tab.get_by_text(question, exact=True).count() == 0
    other.tab.goto(address)
    other.tab.get_by_text("There is no such conversation.").wait_for()
    assert other.turns.count() == 0
    other.close()
