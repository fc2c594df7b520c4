"""A folder → its files, and a file → a document."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

import pytest

from rag.documents import digest_file, find_files, read_document, title_of
from rag.errors import DocumentError
from rag.readers.folder_search import MAX_FILE_BYTES
from rag.types import Document
from tests.conftest import ROOT


def paths(folder: Path) -> list[str]:
    """The paths of the files found."""
    return [file.path for file in find_files(folder).files]


def reasons(folder: Path) -> dict[str, str]:
    """What was skipped, and why."""
    return {skipped.path: skipped.reason for skipped in find_files(folder).skipped}


def read(folder: Path, path: str) -> Document:
    """The document at `path`."""
    return read_document(next(file for file in find_files(folder).files if file.path == path))


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with one document."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Kettle\n\nIt boils.\n")
    return folder


def test_files_come_from_subfolders_in_the_order_of_their_paths(docs: Path) -> None:
    """Subfolders are searched; paths are relative, with slashes, sorted."""
    (docs / "z" / "deep").mkdir(parents=True)
    (docs / "z" / "deep" / "b.TXT").write_text("Text.")
    (docs / "B.markdown").write_text("Text.")
    assert paths(docs) == ["B.markdown", "a.md", "z/deep/b.TXT"]
    assert find_files(docs).files[1].absolute == docs / "a.md"


def test_hidden_files_and_folders_are_left_out_in_silence(docs: Path) -> None:
    """What begins with a dot is neither read nor named."""
    (docs / ".git").mkdir()
    (docs / ".git" / "x.md").write_text("Text.")
    (docs / ".hidden.md").write_text("Text.")
    assert paths(docs) == ["a.md"]
    assert reasons(docs) == {}


def test_what_cannot_be_read_is_named_and_the_rest_is_found(docs: Path, tmp_path: Path) -> None:
    """Unknown types, folders named like files, pipes, large files and bad links have a reason."""
    (docs / "film.mkv").write_bytes(b"x")
    (docs / "noext").write_text("x")
    (docs / "folder.md").mkdir()
    os.mkfifo(docs / "pipe.txt")
    with (docs / "large.txt").open("wb") as large:
        large.truncate(MAX_FILE_BYTES + 1)
    (tmp_path / "outside.md").write_text("Text.")
    (docs / "out.md").symlink_to(tmp_path / "outside.md")
    (docs / "broken.md").symlink_to(docs / "nothing.md")
    (docs / "loop.md").symlink_to(docs / "loop.md")
    (docs / "up").symlink_to(docs)
    (docs / "same.md").symlink_to(docs / "a.md")
    assert paths(docs) == ["a.md"]
    found = reasons(docs)
    expected = {
        "film.mkv": ".mkv", "noext": "(none)", "folder.md": "folder", "pipe.txt": "regular file",
        "large.txt": "50 MB", "out.md": "out of the folder", "broken.md": "nowhere",
        "loop.md": "nowhere", "up": "read there", "same.md": "a.md",
    }  # fmt: skip
    assert found.keys() == expected.keys()
    assert all(words in found[path] for path, words in expected.items())


def test_links_inside_the_folder_are_followed_once(docs: Path) -> None:
    """A file that only links lead to is read under one of them: mounted volumes are so."""
    (docs / "..data").mkdir()
    (docs / "..data" / "mounted.md").write_text("Text.")
    (docs / "mounted.md").symlink_to("..data/mounted.md")
    (docs / "linked").symlink_to("..data")
    assert paths(docs) == ["a.md", "linked/mounted.md"]
    assert reasons(docs).keys() == {"mounted.md"}


def test_a_link_to_the_documents_folder_itself_is_followed(docs: Path, tmp_path: Path) -> None:
    """The folder may be named through a link."""
    (tmp_path / "link").symlink_to(docs)
    assert paths(tmp_path / "link") == ["a.md"]


def test_names_are_kept_as_the_file_system_has_them(docs: Path) -> None:
    """Chinese, blanks, emoji and decomposed letters stay; a name that is no Unicode is skipped."""
    names = ["水壶 说明.md", "☕.md", unicodedata.normalize("NFD", "café.md")]
    for name in names:
        (docs / name).write_text("Text.")
    os.close(os.open(os.fsencode(docs) + b"/bad\xff.md", os.O_CREAT))
    assert set(names) <= set(paths(docs))
    assert list(reasons(docs)) == ["bad\\udcff.md"]


def test_files_without_permission_are_named() -> None:
    """A file and a folder that may not be opened have a reason each, to a user without rights."""
    code = """if True:
        import os, sys
        from pathlib import Path
        from rag.documents import find_files, read_document
        from rag.errors import DocumentError
        if os.geteuid() == 0:
            os.setuid(65534)
        folder = find_files(Path(sys.argv[1]))
        print([(s.path, s.reason) for s in folder.skipped])
        try:
            read_document(folder.files[0])
        except DocumentError as error:
            print(error.path, error)
    """
    with tempfile.TemporaryDirectory() as name:  # not in pytest's, which is its owner's alone
        docs = Path(name)
        docs.chmod(0o755)
        (docs / "locked").mkdir(0)
        (docs / "secret.md").touch(0)
        done = subprocess.run(
            [sys.executable, "-c", code, name], capture_output=True, text=True, cwd=ROOT, check=True
        )
        (docs / "locked").chmod(0o700)
    assert done.stdout.splitlines() == [
        "[('locked', 'cannot be read: permission denied')]",
        "secret.md cannot be read: permission denied",
    ]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (None, "does not exist"),
        ((), "is empty"),
        (("film.mkv",), "holds nothing that can be read"),
        ((".hidden.md",), "is empty"),
    ],
)
def test_a_folder_without_documents_is_an_error_that_says_why(
    tmp_path: Path, files: tuple[str, ...] | None, words: str
) -> None:
    """Missing, empty, and full of what is not read: three messages, each with what to run."""
    folder = tmp_path / "docs"
    if files is not None:
        folder.mkdir()
        for file in files:
            (folder / file).write_text("x")
    with pytest.raises(DocumentError, match=words) as caught:
        find_files(folder)
    assert "python store.py" in str(caught.value)


def test_a_file_in_place_of_the_folder_is_an_error(docs: Path) -> None:
    """The name of a file is not a folder."""
    with pytest.raises(DocumentError, match="is a file, not a folder"):
        find_files(docs / "a.md")


def test_a_document_is_what_the_files_bytes_say(docs: Path) -> None:
    """Text with line feeds, digest and size of the bytes, title from the first heading."""
    data = b"\xef\xbb\xbf# The *Kettle*\r\n\r\nIt boils.\rPour.\n"
    (docs / "a.md").write_bytes(data)
    document = read(docs, "a.md")
    assert document.text == "# The *Kettle*\n\nIt boils.\nPour.\n"
    assert document.title == "The Kettle"
    assert document.digest == hashlib.sha256(data).hexdigest() == digest_file(
        find_files(docs).files[0]
    )  # fmt: skip
    assert document.size == len(data)
    assert document.modified == (docs / "a.md").stat().st_mtime
    assert document.markdown


def test_a_text_file_has_the_title_of_its_name(docs: Path) -> None:
    """Separators become blanks, but those between digits."""
    (docs / "user_guide-k1.txt").write_text("# no heading here\nText.")
    assert read(docs, "user_guide-k1.txt").title == "user guide k1"
    assert not read(docs, "user_guide-k1.txt").markdown
    assert title_of("a/2024-05-01_notes.md") == "2024-05-01 notes"
    assert title_of("___.md") == "___"


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_a_file_without_text_has_a_reason(docs: Path, text: str) -> None:
    """An empty file is not a document."""
    (docs / "a.md").write_text(text)
    with pytest.raises(DocumentError, match="holds no text"):
        read(docs, "a.md")


def test_a_file_that_is_no_text_has_a_reason_and_its_path(docs: Path) -> None:
    """Bytes that are no text in any encoding are refused, with the path."""
    (docs / "a.md").write_bytes(bytes(range(256)))
    with pytest.raises(DocumentError) as caught:
        read(docs, "a.md")
    assert caught.value.path == "a.md"


def test_a_file_that_went_away_has_a_reason(docs: Path) -> None:
    """Between the search and the reading a file may be removed."""
    file = find_files(docs).files[0]
    (docs / "a.md").unlink()
    for act in (read_document, digest_file):
        with pytest.raises(DocumentError, match="no such file"):
            act(file)
