"""The page behind a login: a real provider of OpenID Connect, a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.settings import Settings
from tests.browser import Visitor, free_port, open_browser, running_page
from tests.oidc_provider import OidcProvider

pytestmark = pytest.mark.chromium


def test_who_has_not_logged_in_sees_nothing(built_samples: Path, tmp_path: Path) -> None:
    """Neither documents nor a question box; logged in, one is named; logged out, all is gone."""
    port = free_port()
    file = tmp_path / "secrets.toml"
    settings = Settings(docs=Path("docs"), qdrant_path=built_samples)
    with OidcProvider() as provider:
        file.write_text(provider.secrets(f"http://localhost:{port}/oauth2callback"), "utf-8")
        flags = ("--secrets.files", str(file))
        with (
            running_page(settings, tmp_path, port=port, flags=flags) as page,
            open_browser() as browser,
        ):
            visitor = Visitor(browser, page, "?lang=en")
            visitor.button("Log in").wait_for()
            assert visitor.box.count() == 0
            assert "kettle" not in visitor.tab.locator("body").inner_text().lower()
            visitor.button("Log in").click()
            visitor.box.wait_for()
            assert visitor.tab.get_by_text("ada@example.org").is_visible()
            assert provider.tokens == 1
            visitor.tab.reload()
            visitor.box.wait_for()
            stranger = Visitor(browser, page)
            stranger.button("Log in").wait_for()
            assert stranger.box.count() == 0
            visitor.button("Log out").click()
            visitor.button("Log in").wait_for()
            assert visitor.box.count() == 0
            visitor.close()
            stranger.close()
