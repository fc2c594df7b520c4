"""What `store.py` prints, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.cli import run
from rag.commands.store import main
from tests.conftest import ROOT
from tests.embedding_server import EmbeddingServer


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """An embeddings server."""
    with EmbeddingServer() as running:
        yield running


@pytest.fixture
def docs(server: EmbeddingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two documents, in a working folder whose environment names the server."""
    monkeypatch.setenv("RAG_EMBEDDING_MODEL", "test-embeddings")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "kettle.md").write_text("# Kettle\n\nFill the kettle. Press OK.\n")
    (folder / "toaster.md").write_text("# Toaster\n\nPut the bread in.\n")
    (folder / "film.mkv").write_bytes(b"x")
    return folder


def store(*arguments: str) -> int:
    """Run the command as `store.py` does; its exit code."""
    return run(main, arguments)


def test_a_build_prints_what_is_stored_and_where(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sentences, collection, place and sources go to stdout, what was skipped to stderr."""
    assert store() == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "3 sentences of 2 documents in collection window_db (.qdrant)"
    assert out.splitlines()[1].startswith("3 added, 0 reused, 0 removed in ")
    assert out.splitlines()[2:] == ["Sources:", "  kettle.md", "  toaster.md"]
    assert err == "Skipped film.mkv: files of type .mkv are not read\n"


def test_json_is_one_object_of_the_contract(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--json prints all fields, and nothing else on stdout."""
    assert store(str(docs), "--json", "--collection", "other", "--window-size", "0") == 0
    report = json.loads(capsys.readouterr().out)
    generation, seconds = report.pop("generation"), report.pop("seconds")
    assert generation
    assert seconds.keys() == {"read", "split", "embed", "write", "total"}
    assert report == {
        "collection": "other", "location": ".qdrant", "documents": 2, "sentences": 3, "added": 3,
        "reused": 0, "removed": 0,
        "skipped": [{"path": "film.mkv", "reason": "files of type .mkv are not read"}],
        "sources": ["kettle.md", "toaster.md"], "embedding_model": "test-embeddings",
        "window_size": 0, "notes": [],
    }  # fmt: skip


def test_a_collection_keeps_its_folder(
    docs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where none is named the build goes on with the folder that the collection was built from."""
    manuals = docs.with_name("manuals")
    manuals.mkdir()
    (manuals / "lamp.md").write_text("Switch the lamp on.\n")
    assert store("manuals") == 0
    (manuals / "radio.md").write_text("Switch the radio on.\n")
    capsys.readouterr()
    for arguments in (["--dry-run", "--json"], ["--json"], ["--full", "--json"]):
        assert store(*arguments) == 0
        out, err = capsys.readouterr()
        assert json.loads(out).get("sentences", 2) == 2
        assert f"Documents: {manuals}, as before" in err
    assert store("docs", "--json") == 0
    assert json.loads(capsys.readouterr().out)["sources"] == ["kettle.md", "toaster.md"]
    monkeypatch.setenv("RAG_DOCS", "manuals")
    assert store("--json") == 0
    assert json.loads(capsys.readouterr().out)["sources"] == ["lamp.md", "radio.md"]
    monkeypatch.delenv("RAG_DOCS")
    manuals.rename(docs.with_name("gone"))
    assert store() == 1
    assert "manuals" in capsys.readouterr().err


def test_the_default_folder_moves_with_the_program(
    docs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program folder with its documents and its collection may be renamed."""
    assert store() == 0
    moved = docs.parent.with_name("moved")
    docs.parent.rename(moved)
    monkeypatch.chdir(moved)
    capsys.readouterr()
    assert store("--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["sources"] == ["kettle.md", "toaster.md"]
    assert "as before" not in err


def test_quiet_prints_nothing(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--quiet leaves errors alone."""
    assert store("--quiet") == 0
    assert capsys.readouterr() == ("", "")
    assert store("nowhere", "--quiet") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Error: The documents folder nowhere does not exist")


def test_an_error_is_one_line_and_exit_1(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without documents, another model: one line each, no traceback."""
    (docs.parent / "empty").mkdir()
    for arguments in (["empty"], ["nowhere"]):
        assert store(*arguments) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("Error: ")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--window-size", "-1"], ["--nonsense"], ["--status", "--watch"], ["a", "b"],
        ["--part", "2/8", "--status"], ["--part", "2/8", "--switch"],
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_2(docs: Path, arguments: list[str]) -> None:
    """Flags that do not exist, do not go together or have wrong values."""
    with pytest.raises(SystemExit) as caught:
        store(*arguments)
    assert caught.value.code == 2


def test_status_lists_documents_and_what_changed_since(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Changed, gone and new files are told apart; nothing is embedded or refused."""
    assert store("--status") == 1
    assert "python store.py" in capsys.readouterr().err
    store("--quiet")
    assert store("--status") == 0
    out = capsys.readouterr().out
    assert out.startswith("3 sentences of 2 documents in collection window_db (.qdrant)\nBuilt ")
    assert "since" not in out
    assert "python store.py" not in out
    (docs / "kettle.md").write_text("# Kettle\n\nFill it.\n")
    (docs / "toaster.md").unlink()
    (docs / "new.md").write_text("New.")
    assert store("--status") == 0
    out = capsys.readouterr().out
    assert "kettle.md  changed since\n" in out
    assert "toaster.md  gone since\n" in out
    assert "New: new.md\n" in out
    assert out.endswith("Run: python store.py\n")
    assert store("--status", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert [(d["path"], d["sentences"], d["since"]) for d in record["documents"]] == [
        ("kettle.md", 2, "changed"), ("toaster.md", 1, "gone"),
    ]  # fmt: skip
    assert (record["new"], record["current"], record["dimension"]) == (["new.md"], False, 16)


def test_status_looks_at_the_folder_that_was_built(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without DOCS the recorded folder counts; one that went away, or another model, is a note."""
    docs.rename(docs.parent / "manuals")
    store("manuals", "--quiet")
    assert store("--status", "--json") == 0
    assert json.loads(capsys.readouterr().out)["current"]
    (docs.parent / "manuals").rename(docs.parent / "elsewhere")
    monkeypatch.setenv("RAG_EMBEDDING_MODEL", "other")
    assert store("--status") == 0
    out = capsys.readouterr().out
    assert out.count("gone since") == 2
    assert "does not exist" in out
    assert "other is set. Rebuild it: python store.py --full" in out


def test_status_tells_windows_of_another_size(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another window size is something for a build to do, and said."""
    store("--quiet", "--window-size", "1")
    assert store("--status", "--json", "--window-size", "1") == 0
    assert json.loads(capsys.readouterr().out)["current"]
    assert store("--status", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert not record["current"]
    assert record["notes"] == ["Windows of 1 are stored, 2 is set. Run: python store.py"]
    store("--quiet")
    assert store("--status", "--json") == 0
    assert json.loads(capsys.readouterr().out)["current"]


def test_a_dry_run_says_what_a_build_would_do_and_does_nothing(
    docs: Path, server: EmbeddingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts, files and tokens before the first build and after; no request, no collection."""
    assert store("--dry-run", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["added"], record["reused"], record["new"]) == (3, 0, ["kettle.md", "toaster.md"])
    assert record["tokens"] > 0
    assert record["seconds"] is None
    assert server.inputs == []
    assert not Path(".qdrant").exists()
    store("--quiet")
    asked = len(server.inputs)
    (docs / "kettle.md").write_text("# Kettle\n\nFill the kettle. Press STOP.\n")
    (docs / "toaster.md").unlink()
    assert store("--dry-run") == 0
    out = capsys.readouterr().out
    assert out.startswith("Would embed 1 sentences (1 texts, 19 characters, about ")
    assert "and reuse 1\n" in out
    assert "  changed  kettle.md\n  removed  toaster.md\n  skipped  film.mkv: " in out
    assert len(server.inputs) == asked
    assert store("--dry-run", "--full", "--json") == 0
    assert json.loads(capsys.readouterr().out)["added"] == 2
    assert store("--status", "--json") == 0
    assert json.loads(capsys.readouterr().out)["sentences"] == 3


def test_a_dry_run_measures_the_bundled_model(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without an endpoint the time is estimated from some of the texts."""
    monkeypatch.delenv("RAG_EMBEDDING_MODEL")
    assert store("--dry-run", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["seconds"] > 0
    assert record["tokens"] is None


def test_help_is_quick_because_it_loads_nothing(docs: Path) -> None:
    """--help imports neither numpy nor a store."""
    code = "import sys, atexit; from rag.commands.store import main\n"
    code += (
        "atexit.register(lambda: print({'numpy', 'qdrant_edge', 'dotenv'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code + "main(['--help'])"],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    assert "--dry-run" in done.stdout
    assert done.stdout.endswith("set()\n")


def watching(*arguments: str) -> subprocess.Popen[str]:
    """Start `store.py --watch` in the working folder."""
    return subprocess.Popen(
        [sys.executable, ROOT / "store.py", "--watch", "--json", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Tests that run in the background of a shell ignore Ctrl-C, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )  # fmt: skip


def test_watch_builds_once_for_a_burst_and_ends_on_ctrl_c(
    docs: Path, server: EmbeddingServer
) -> None:
    """Builds at the start, after a burst once, after an upload, goes on after an error, exits 0."""
    process = watching()
    assert process.stdout
    assert process.stderr
    try:
        assert json.loads(process.stdout.readline())["sentences"] == 3
        for number in range(20):
            (docs / f"new{number}.md").write_text(f"# New\n\nNumber {number}.\n")
            time.sleep(0.01)
        assert json.loads(process.stdout.readline())["sentences"] == 23
        server.failures.append((401, {}))
        (docs / "bad.md").write_text("# Bad\n\nNot taken.\n")
        while not process.stderr.readline().startswith("Error: "):
            assert process.poll() is None
        (docs / "good.md").write_text("# Good\n\nTaken.\n")
        assert json.loads(process.stdout.readline())["sentences"] == 25
        (docs.parent / "docs-uploads").mkdir()
        (docs.parent / "docs-uploads" / "lamp.md").write_text("# Lamp\n\nUploaded.\n")
        found = json.loads(process.stdout.readline())
        while not found["added"]:  # the new folder was seen before the file in it
            found = json.loads(process.stdout.readline())
        assert found["sentences"] == 26
    finally:
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert rest == ""
    assert "Traceback" not in err


def test_watch_builds_in_full_until_it_did(docs: Path, server: EmbeddingServer) -> None:
    """A full build that failed is tried again at the next change; the one after it is not full."""
    store("--quiet")
    server.failures.append((401, {}))
    process = watching("--full")
    assert process.stdout
    assert process.stderr
    try:
        while not process.stderr.readline().startswith("Error: "):
            assert process.poll() is None
        for number, added in enumerate([4, 1]):
            (docs / f"new{number}.md").write_text(f"# New\n\nNumber {number}.\n")
            assert json.loads(process.stdout.readline())["added"] == added
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
