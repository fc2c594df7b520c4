"""Which files of a folder are documents, and that one bad file spoils nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest

from rag.build import build
from rag.documents import File, find_documents, find_files, read_document
from rag.errors import DocumentError, SettingsError
from rag.nodes import parse_sentences
from rag.readers import READERS
from rag.settings import Settings
from rag.types import Document, Selection
from tests.conftest import SAMPLES
from tests.test_readers_docx import docx, paragraph, run
from tests.test_readers_pdf import lines, pdf


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder of small documents."""
    folder = tmp_path / "docs"
    for name in ("a.md", "b.txt", "old/c.md", "old/d.md", "new/e.md", "new/deep/f.txt"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Text of {name}.")
    return folder


def found(folder: Path, include: str = "", exclude: str = "") -> list[str]:
    """The paths found."""
    return [file.path for file in find_files(folder, Selection(include, exclude)).files]


@pytest.mark.parametrize(
    ("include", "exclude", "paths"),
    [
        ("", "", ["a.md", "b.txt", "new/deep/f.txt", "new/e.md", "old/c.md", "old/d.md"]),
        ("*.md", "", ["a.md", "new/e.md", "old/c.md", "old/d.md"]),
        ("", "old/", ["a.md", "b.txt", "new/deep/f.txt", "new/e.md"]),
        ("new/, /a.*", "", ["a.md", "new/deep/f.txt", "new/e.md"]),
        ("*.md", "old, !old/c.md", ["a.md", "new/e.md"]),
        ("", "*.md\n!/old/d.md", ["b.txt", "new/deep/f.txt", "old/d.md"]),
        ("**/f.txt,b.*", "deep/", ["b.txt"]),
    ],
)
def test_patterns_are_those_of_gitignore(
    docs: Path, include: str, exclude: str, paths: list[str]
) -> None:
    """What is left out is left out whole, and is no reason to report."""
    assert found(docs, include, exclude) == paths
    assert not find_files(docs, Selection(include, exclude)).skipped


def test_settings_name_the_patterns(docs: Path) -> None:
    """They come from the environment like every setting."""
    environ = {"RAG_DOCS": str(docs), "RAG_INCLUDE": "*.md", "RAG_EXCLUDE": "old/"}
    folder = find_documents(Settings.from_env(environ))
    assert [file.path for file in folder.files] == ["a.md", "new/e.md"]
    with pytest.raises(SettingsError, match=r"RAG_EXCLUDE is 'a, !'"):
        find_documents(Settings.from_env(environ | {"RAG_EXCLUDE": "a, !"}))


def test_ragignore_files_count_where_they_stand(docs: Path) -> None:
    """A deeper one has the last word; none is a document."""
    (docs / ".ragignore").write_text("# comment\n*.txt\n/old/*\n!/old/c.md\n", "utf-8-sig")
    assert found(docs) == ["a.md", "new/e.md", "old/c.md"]
    (docs / "new" / ".ragignore").write_text("e.md\n!*.txt\n")
    assert found(docs) == ["a.md", "new/deep/f.txt", "old/c.md"]


def test_a_ragignore_that_cannot_be_read_stops_the_search(docs: Path) -> None:
    """What it would leave out must not be read by mistake."""
    (docs / ".ragignore").write_bytes(b"secret\xff\n")
    with pytest.raises(DocumentError, match=r"\.ragignore cannot be read"):
        found(docs)
    (docs / ".ragignore").write_text("!\n")
    with pytest.raises(DocumentError, match=r"\.ragignore: Invalid git pattern: '!'"):
        found(docs)


def test_links_and_unsupported_files_that_are_left_out_are_not_named(
    docs: Path, tmp_path: Path
) -> None:
    """A pattern silences what would be named as skipped."""
    (docs / "picture.png").write_bytes(b"png")
    (docs / "out").symlink_to(tmp_path)
    assert {skipped.path for skipped in find_files(docs).skipped} == {"picture.png", "out"}
    assert not find_files(docs, Selection(exclude="*.png, /out")).skipped


def test_a_folder_of_too_many_documents_is_refused_with_what_to_do(docs: Path) -> None:
    """The number that is allowed is a setting."""
    settings = Settings(docs=docs, max_files=5)
    with pytest.raises(DocumentError, match=r"more than 5 documents\. Leave some out .RAG_EXCLUDE"):
        find_documents(settings)
    assert len(find_documents(settings.with_(exclude="old/c.md")).files) == 5


def test_when_all_is_left_out_the_message_says_by_what(docs: Path) -> None:
    """An empty result is not an empty folder."""
    with pytest.raises(DocumentError, match=r"6 left out by RAG_INCLUDE, RAG_EXCLUDE or \.rag"):
        find_files(docs, Selection(include="*.pdf"))


def document(path: Path) -> Document:
    """The document of a file."""
    return read_document(File(path.name, path, 0, 0.0))


def _is_refused(path: Path) -> bool:
    try:
        document(path)
    except DocumentError as error:
        return "is being written" in str(error)
    return False


def test_a_file_that_is_written_meanwhile_has_a_reason(tmp_path: Path) -> None:
    """What is read is never half of one version and half of another."""
    path = tmp_path / "a.txt"
    path.write_text("Line of text.\n" * 1_000_000)  # takes a while to read
    code = f"f = open({str(path)!r}, 'a')\nwhile True:\n    f.write('More.\\n'); f.flush()"
    writer = subprocess.Popen([sys.executable, "-c", code])
    try:
        size = path.stat().st_size
        while path.stat().st_size == size:
            time.sleep(0.01)
        assert any(_is_refused(path) for _ in range(50))  # the writer may rest during a reading
    finally:
        writer.kill()
        writer.wait()
    assert len(document(path).text) == path.stat().st_size


@pytest.mark.parametrize(
    "name",
    [
        "with space.md", "it's \"quoted\".md", "emoji 🫖.md", "水壶.md", "semi;colon&amp.md",
        unicodedata.normalize("NFD", "café.md"), "percent%20.md", "[brackets].md", "-dash.md",
        "new\nline.md",
    ],
)  # fmt: skip
def test_any_name_is_read(tmp_path: Path, name: str) -> None:
    """A file's name is kept as it is, and its title is made of it."""
    (tmp_path / name).write_text("Text.")
    (file,) = find_files(tmp_path).files
    assert file.path == name
    assert read_document(file).title


def bad_files() -> dict[str, bytes]:
    """A folder's worth of files that cannot be read, and the reasons."""
    picture = "q 500 0 0 700 50 50 cm /I Do Q"
    return {
        "empty.pdf": b"",
        "cut.pdf": pdf(lines("Some text."))[:200],
        "scan.pdf": pdf(picture),
        "no.docx": b"no archive",
        "empty.html": b"<script>x()</script>",
        "binary.txt": bytes(range(256)) * 9,
        "empty.md": b"",
        "blank.csv": b",,\n,,\n",
    }


def test_one_bad_file_of_each_kind_spoils_nothing(tmp_path: Path) -> None:
    """Each is named with its reason; the good ones of the folder are built, and found again."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, data in bad_files().items():
        (folder / name).write_bytes(data)
    (folder / "good.pdf").write_bytes(pdf(lines("The lamp is green.")))
    (folder / "good.docx").write_bytes(docx(paragraph(run("The lamp is red."))))
    (folder / "good.html").write_text("<h1>Lamp</h1><p>The lamp is blue.")
    (folder / "good.csv").write_text("lamp,colour\nK1,white\n")
    (folder / "good.md").write_text("---\nbad: [\n---\nThe lamp is black.\n")
    settings = Settings(docs=folder, qdrant_path=tmp_path / "store")
    report = build(settings)
    assert report.sources == ("good.csv", "good.docx", "good.html", "good.md", "good.pdf")
    assert report.sentences == 5
    assert {skipped.path: skipped.reason for skipped in report.skipped} == {
        "empty.pdf": "holds no text: it is empty",
        "cut.pdf": "is damaged, or no PDF file",
        "scan.pdf": "holds no text: its 1 pages are pictures, as of a scan. Make them text by OCR "
        "first, as with ocrmypdf",
        "no.docx": "is not a DOCX file, or damaged: it is no ZIP archive",
        "empty.html": "holds no text",
        "binary.txt": "is not text: it holds NUL bytes",
        "empty.md": "holds no text: it is empty",
        "blank.csv": "holds no text",
    }
    assert any("good.md: front matter not read" in note for note in report.notes)
    again = build(settings)
    assert (again.sentences, again.added, again.removed) == (5, 0, 0)


def test_there_is_a_small_sample_of_each_format() -> None:
    """The first start shows every format, and embeds them in little time."""
    files = find_files(SAMPLES / "formats").files
    kinds = {READERS[Path(file.path).suffix] for file in files}
    assert kinds == set(READERS.values()) - {"rag.readers.text"}
    documents = [read_document(file) for file in files]
    parsed = [parse_sentences(each, window_size=1) for each in documents]
    assert 30 <= sum(map(len, parsed)) <= 40


def test_a_file_that_went_away_or_cannot_be_opened_has_a_reason(tmp_path: Path) -> None:
    """Between the search and the reading anything may happen."""
    with pytest.raises(DocumentError, match="cannot be read: no such file"):
        document(tmp_path / "gone.md")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "a.md").write_text("Text.")
    (skipped,) = find_files(tmp_path).skipped
    assert (skipped.path, skipped.reason) == ("pipe.md", "is not a regular file")
