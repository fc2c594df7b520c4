"""Uploaded files: their names, what is taken and what is not, and how a build reads them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.build import build
from rag.building.forecast import forecast
from rag.building.status import read_status
from rag.documents import find_documents
from rag.errors import DocumentError, SettingsError
from rag.settings import Settings
from rag.upload_folder import locate, uploads_folder
from rag.uploads import LONGEST_NAME_BYTES, Uploads, safe_name


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A documents folder with one file, and no uploads yet."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "kettle.md").write_text("# Kettle\n\nBoil two kettles before first use.\n", "utf-8")
    return Settings(docs=docs, qdrant_path=tmp_path / "store")


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("manual.pdf", "manual.pdf"),
        ("../../etc/passwd.md", "passwd.md"),
        ("C:\\Users\\me\\说明书.docx", "说明书.docx"),
        ("folder/", "folder"),
        ("a\x00b\x1b[31m\u202e.md", "ab[31m.md"),
        (".ragignore", "ragignore"),
        ("...md", "md"),
        ("~$open.docx", "$open.docx"),
        ("CON.md", "_CON.md"),
        ("com1.tar.md", "_com1.tar.md"),
        ('a<b>c:d"e|f?g*h.md', "a_b_c_d_e_f_g_h.md"),
        (" spaces . ", "spaces"),
        ("", "document"),
        ("\u200b", "document"),
    ],
)
def test_names_are_made_plain(given_name: str, kept: str) -> None:
    """Folders, control characters, forbidden ones and names of devices go; the suffix stays."""
    assert safe_name(given_name) == kept


@given(st.text(max_size=400))
def test_any_name_becomes_one_that_can_be_written(name: str) -> None:
    """Whatever it was: one visible part, short enough, the same when made plain again."""
    plain = safe_name(name)
    assert plain
    assert plain[0] not in ".~ "
    assert not set(plain) & set('/\\<>:"|?*\0')
    assert len(plain.encode()) <= LONGEST_NAME_BYTES
    assert safe_name(plain) == plain


def test_a_long_name_keeps_its_suffix() -> None:
    """It is cut at a whole character."""
    plain = safe_name("说" * 200 + ".pdf")
    assert plain.endswith("说.pdf")
    assert len(plain.encode()) <= LONGEST_NAME_BYTES


def test_a_second_file_of_a_name_gets_a_number(settings: Settings) -> None:
    """Even where only the case differs; the very same file is kept once."""
    uploads = Uploads(settings)
    assert uploads.take("a.md", b"One.") == "uploads/a.md"
    assert uploads.take("A.md", b"Two.") == "uploads/A (2).md"
    assert uploads.take("a.md", b"One.") == "uploads/a.md"
    assert sorted(file.name for file in uploads.folder.iterdir()) == ["A (2).md", "a.md"]


def test_visitors_who_upload_at_once_lose_nothing(settings: Settings) -> None:
    """Each has an object of his own; files of one name all stay, each under a number."""
    contents = [[f"Text {number} of {visitor}." for number in range(40)] for visitor in range(4)]
    begin = threading.Barrier(len(contents))

    def visit(texts: list[str]) -> list[str]:
        begin.wait(60)
        return [Uploads(settings).take("a.md", text.encode()) for text in texts]

    with ThreadPoolExecutor(len(contents)) as visitors:
        paths = [path for taken in visitors.map(visit, contents) for path in taken]
    assert len(set(paths)) == len(paths)
    kept = {file.read_text("utf-8") for file in uploads_folder(settings).iterdir()}
    assert kept == {text for texts in contents for text in texts}


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.zip", b"PK\x03\x04", "files of this type"),
        ("a.pdf", b"# Markdown", "is not a PDF file"),
        ("a.docx", b"PK\x05\x06" + b"\0" * 18, "is a ZIP archive, not a DOCX file"),
        ("a.md", b"\x89PNG\r\n\x1a\n\0\0\0", "is not text"),
        ("a.txt", b"", "holds no text"),
        ("a.txt", b" \n", "holds no text"),
        ("a.txt", b"x" * 1_000_001, "is 1.0 MB long; 1 MB are allowed"),
    ],
)
def test_the_content_decides(settings: Settings, name: str, data: bytes, why: str) -> None:
    """What is not of its name's type, holds no text or is too large is refused; nothing is left."""
    uploads = Uploads(settings.with_(max_upload_megabytes=1))
    with pytest.raises(DocumentError, match=why):
        uploads.take(name, data)
    assert not uploads.folder.exists() or not list(uploads.folder.iterdir())


def test_a_full_folder_takes_no_more(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of files is bounded."""
    monkeypatch.setattr("rag.uploads.MOST_FILES", 1)
    uploads = Uploads(settings)
    uploads.take("a.md", b"One.")
    with pytest.raises(DocumentError, match="finds no room"):
        uploads.take("b.md", b"Two.")


def test_only_uploads_are_removed(settings: Settings) -> None:
    """Not a document, not what a path leads out to."""
    uploads = Uploads(settings)
    path = uploads.take("a.md", b"One.")
    for other in ("kettle.md", "uploads/../docs/kettle.md", "uploads/", "uploads/none.md", "\0"):
        assert not uploads.has(other)
        with pytest.raises(DocumentError, match="was not uploaded"):
            uploads.remove(other)
    uploads.remove(path)
    assert not uploads.has(path)
    assert (settings.docs / "kettle.md").exists()


def test_a_build_reads_both_folders(settings: Settings) -> None:
    """An upload is the document `uploads/…` of the same collection, until it is removed."""
    Uploads(settings).take("toaster.md", b"# Toaster\n\nThe toaster glows blue.")
    planned = forecast(settings)
    assert planned.new == ("kettle.md", "uploads/toaster.md")
    report = build(settings)
    assert report.sources == ("kettle.md", "uploads/toaster.md")
    status = read_status(settings)
    assert status.is_current
    assert status.info.record.docs == str(settings.docs.resolve())
    Uploads(settings).take("lamp.md", b"The lamp is round.")
    assert read_status(settings).new == ("uploads/lamp.md",)
    Uploads(settings).remove("uploads/toaster.md")
    assert build(settings).sources == ("kettle.md", "uploads/lamp.md")


def test_rules_for_documents_do_not_leave_uploads_out(settings: Settings) -> None:
    """Who uploads a file wants it read; but the number of documents counts both."""
    Uploads(settings).take("lamp.txt", b"The lamp is round.")
    included = settings.with_(include="*.md")
    paths = [file.path for file in find_documents(included).files]
    assert paths == ["kettle.md", "uploads/lamp.txt"]
    with pytest.raises(DocumentError, match="holds more than"):
        find_documents(settings.with_(max_files=1))


def test_a_document_comes_before_an_upload_of_its_path(settings: Settings) -> None:
    """The documents folder may have a folder `uploads` of its own."""
    (settings.docs / "uploads").mkdir()
    own = settings.docs / "uploads" / "a.md"
    own.write_text("Own.", "utf-8")
    uploaded = Uploads(settings).folder / "a.md"
    Uploads(settings).take("a.md", b"Uploaded.")
    found = find_documents(settings)
    assert [f.absolute for f in found.files if f.path == "uploads/a.md"] == [own]
    assert [each.path for each in found.skipped] == ["uploads/a.md"]
    assert locate("uploads/a.md", settings.docs, uploaded.parent) == own
    own.unlink()
    assert locate("uploads/a.md", settings.docs, uploaded.parent) == uploaded


def test_neither_folder_may_be_in_the_other(settings: Settings) -> None:
    """Files would be read twice, under two names."""
    inside = settings.docs / "in"
    inside.mkdir()
    for folder in (inside, settings.docs.parent):
        with pytest.raises(SettingsError, match="neither may be in the other"):
            find_documents(settings.with_(uploads=folder))


def test_the_folder_stands_beside_the_documents(settings: Settings, tmp_path: Path) -> None:
    """Unless it is named."""
    assert uploads_folder(settings) == tmp_path / "docs-uploads"
    assert uploads_folder(settings.with_(uploads=Path("x"))) == Path("x")
