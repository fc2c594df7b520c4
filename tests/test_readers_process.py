"""Files that may do anything to their reader, read in a process of their own."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.readers import READERS, Content, is_supported, missing, read_content, reading_process
from rag.readers.reading_process import _Process

DATA = Path(__file__).parent / "data"
PDF = (DATA / "steam-mop-m3.en.pdf").read_bytes()


@pytest.fixture
def process() -> Iterator[_Process]:
    """A process of this test's."""
    own = _Process()
    yield own
    own.close()


def readers(folder: Path, monkeypatch: pytest.MonkeyPatch, **bodies: str) -> None:
    """Let files with the suffix `.name` be read by a module with that body, here and there."""
    for name, body in bodies.items():
        code = f"from rag.readers import Content\ndef read(data):\n    {body}\n"
        (folder / f"reader_{name}.py").write_text(code)
    table = dict(READERS) | {f".{name}": f"reader_{name}" for name in bodies}
    monkeypatch.setattr("rag.readers.READERS", table)
    monkeypatch.setattr(
        reading_process,
        "_START",
        f"import sys; sys.path[:0] = [{str(folder)!r}, sys.argv[1]]; import rag.readers; "
        f"rag.readers.READERS = {table!r}; "
        "from rag.readers.reading_process import serve; serve()",
    )


def test_content_comes_back_whole(process: _Process) -> None:
    """Text, blocks, pages and title are what the reader made in its process."""
    from rag.readers.pdf import read

    assert process.read("x.pdf", PDF) == read(PDF)


def test_reasons_come_back_and_the_process_goes_on(process: _Process) -> None:
    """A file that is refused costs the next one nothing."""
    with pytest.raises(ValueError, match="no ZIP archive"):
        process.read("x.docx", b"nothing")
    before = process._child
    assert process.read("x.html", b"<p>Text.").text == "Text."
    assert process._child is before


def test_whatever_a_file_does_to_its_reader_is_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, process: _Process
) -> None:
    """A crash, a loop, a bomb, a fault, a print: each is answered, and the next file is read."""
    readers(
        tmp_path,
        monkeypatch,
        crash="import os; os.abort()",
        loop="\n    while True: pass",
        bomb="return Content('x' * 10**11)",
        fault="raise KeyError('styles')",
        deep="f = lambda: f(); f()",
        loud="print('loud'); import os; os.write(1, b'loud'); return Content('fine')",
        good="return Content(data.decode())",
    )
    monkeypatch.setattr(reading_process, "SECONDS", 20.0)
    for suffix, reason in (
        ("crash", "its reader crashed"),
        *([("bomb", "needs more than 2000 MB of memory")] if sys.platform == "linux" else []),
        ("fault", "is damaged, or not of its type: KeyError: 'styles'"),
        ("deep", "is nested too deeply"),
    ):
        with pytest.raises(ValueError, match=reason):
            process.read(f"a.{suffix}", b"")
        assert process.read("a.good", suffix.encode()).text == suffix
    assert process.read("a.loud", b"").text == "fine"
    monkeypatch.setattr(reading_process, "SECONDS", 0.5)
    with pytest.raises(ValueError, match="takes more than 0 seconds to read"):
        process.read("a.loop", b"")
    monkeypatch.setattr(reading_process, "SECONDS", 20.0)
    assert process.read("a.good", b"after").text == "after"


def test_a_process_that_ended_is_replaced(process: _Process) -> None:
    """It ends itself when it has had nothing to do; nobody need notice."""
    process.read("x.html", b"<p>One.")
    child = process._child
    assert child
    child.kill()
    child.wait()
    assert process.read("x.html", b"<p>Two.").text == "Two."


def test_it_ends_with_nothing_to_do(monkeypatch: pytest.MonkeyPatch, process: _Process) -> None:
    """After a while without a file its memory is given back."""
    start = reading_process._START.replace(
        "serve; serve()", "serve, __name__ as n; sys.modules[n].IDLE_SECONDS = 0.2; serve()"
    )
    monkeypatch.setattr(reading_process, "_START", start)
    process.read("x.html", b"<p>One.")
    assert process._child
    assert process._child.wait(timeout=20) == 0


def test_threads_may_ask_at_once(process: _Process) -> None:
    """Each gets the answer to its own file."""
    answers: dict[int, Content] = {}

    def ask(n: int) -> None:
        answers[n] = process.read("x.html", f"<p>{n}.".encode())

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: content.text for n, content in answers.items()} == {n: f"{n}." for n in range(8)}


def test_risky_formats_are_read_there_and_plain_ones_here() -> None:
    """Text is decoded in this process; the suffix decides, whatever its case."""
    child = reading_process._process()
    child.close()
    assert read_content("a.MD", b"# Text").text == "# Text"
    assert read_content("a.tsv", b"a\tb\n1\t2\n").text == "a: 1 | b: 2"
    assert child._child is None
    assert read_content("a.HTM", b"<p>Text.").text == "Text."
    assert child._child
    assert child._child.pid != os.getpid()


def test_a_missing_library_is_named_with_its_command() -> None:
    """The reason says what to install."""
    assert str(missing("mammoth")) == "needs the package mammoth: pip install mammoth"


@pytest.mark.parametrize(
    ("suffix", "package"), [("pdf", "pypdfium2"), ("docx", "mammoth"), ("html", "selectolax")]
)
def test_without_its_library_a_format_is_refused_in_words(
    suffix: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other formats are read all the same."""
    from rag.readers import docx, html, pdf

    blocked = {"pdf": "pypdfium2", "docx": "mammoth", "html": "selectolax.lexbor"}[suffix]
    monkeypatch.setitem(sys.modules, blocked, None)
    read = {"pdf": pdf.read, "docx": docx.read, "html": html.read}[suffix]
    with pytest.raises(ValueError, match=f"pip install {package}"):
        read(b"%PDF-1.4")


def test_suffixes_count_whatever_their_case() -> None:
    """A file of another suffix is not read."""
    assert is_supported("a/b.PDF")
    assert is_supported("x.tar.Html")
    assert not is_supported("pdf")
    assert not is_supported("a.doc")
