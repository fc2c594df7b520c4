"""Who may upload, and what becomes of several files at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit import config

from rag.page.uploading import Outcome, may_upload, take
from rag.settings import Settings
from rag.uploads import Uploads


@pytest.fixture(autouse=True)
def _address() -> Iterator[None]:
    """Leave the page's address as it was."""
    before = config.get_option("server.address")
    yield
    config.set_option("server.address", before)


@pytest.mark.parametrize(
    ("address", "changes", "may"),
    [
        ("localhost", {}, True),
        ("127.0.0.1", {}, True),
        ("0.0.0.0", {}, False),
        (None, {}, False),
        ("0.0.0.0", {"uploads": Path("given")}, True),
        ("localhost", {"max_upload_megabytes": 0}, False),
        ("localhost", {"max_upload_megabytes": 0, "uploads": Path("given")}, False),
    ],
)
def test_uploads_are_for_this_machine_unless_a_folder_is_named(
    address: str | None, changes: dict[str, object], may: bool
) -> None:
    """A page that others reach takes none by itself; 0 MB takes none anywhere."""
    config.set_option("server.address", address)
    assert may_upload(Settings(**changes)) is may  # type: ignore[arg-type]


def test_each_file_has_its_own_outcome(tmp_path: Path) -> None:
    """One that is refused does not keep the others out; no files are no outcome."""
    uploads = Uploads(Settings(docs=tmp_path / "docs"))
    files = [("a.md", b"One."), ("../b.zip", b"PK"), ("c.pdf", b"no"), ("a.md", b"Two.")]
    outcome = take(uploads, files)
    assert outcome.taken == ("a.md", "a (2).md")
    assert [name for name, _ in outcome.refused] == ["b.zip", "c.pdf"]
    assert take(uploads, []) == Outcome()
