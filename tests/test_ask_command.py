"""`ask.py`, run as a process: what scripts and people see."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from rag.build import build
from rag.settings import Settings
from tests.chat_server import ChatServer, Reply
from tests.conftest import ROOT, SAMPLES
from tests.sample_questions import QUESTIONS

TUTORIAL = "电热水壶第一次使用前要做什么？"


def ask(
    *arguments: str, stdin: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ask.py in the current folder."""
    return subprocess.run(
        [sys.executable, str(ROOT / "ask.py"), *arguments], capture_output=True, text=True,
        encoding="utf-8", input=stdin, env={**os.environ, **(env or {})}, check=False, timeout=60,
    )  # fmt: skip


@pytest.fixture
def store(built_samples: Path) -> tuple[str, str]:
    """The flag that names the store of the sample documents."""
    return ("--qdrant-path", str(built_samples))


def test_an_answer_then_its_passages(store: tuple[str, str]) -> None:
    """The answer comes first, then numbered passages with their place and the found sentences."""
    done = ask(TUTORIAL, *store)
    assert done.returncode == 0
    answer, _, passages = done.stdout.partition("\n[1] ")
    assert "[1]" in answer
    assert passages.startswith("small_appliance_kb/kettle-k1.zh.md:")
    assert "⟦" in passages
    assert done.stderr == ""


def test_a_terminal_shows_the_documents_own_brackets(tmp_path: Path) -> None:
    """On a terminal found sentences are bold; brackets that a document has are shown."""
    settings = Settings(docs=tmp_path / "docs", qdrant_path=tmp_path / "qdrant", top_k=1)
    settings.docs.mkdir()
    (settings.docs / "kettle.md").write_text("Fill ⟦the kettle. Boil it twice.\n", "utf-8")
    build(settings)
    master, terminal = pty.openpty()
    arguments = ["Fill the kettle?", "--qdrant-path", str(settings.qdrant_path), "--top-k", "1"]
    subprocess.run(
        [sys.executable, str(ROOT / "ask.py"), *arguments, "--retrieve-only"],
        stdout=terminal, env={**os.environ, "NO_COLOR": ""}, check=True, timeout=60,
    )  # fmt: skip
    os.close(terminal)
    shown = os.read(master, 10_000).decode()
    os.close(master)
    assert "\x1b[1;4mFill ⟦the kettle.\x1b[0m Boil it twice." in shown


def test_json_holds_exact_slices(store: tuple[str, str]) -> None:
    """With --json one object is printed, and each text is a slice of its source."""
    done = ask(TUTORIAL, *store, "--json")
    record = json.loads(done.stdout)
    assert (record["question"], record["answerer"], record["refused"]) == (
        TUTORIAL,
        "extractive",
        False,
    )
    for passage in record["passages"]:
        source = (SAMPLES / passage["source"]).read_text("utf-8")
        assert passage["text"] == source[passage["start"] : passage["end"]]
        for highlight in passage["highlights"]:
            sentence = source[highlight["start"] : highlight["end"]]
            assert sentence
            assert sentence == sentence.strip()


def test_retrieve_only_answers_nothing(store: tuple[str, str]) -> None:
    """With --retrieve-only there are passages, and what they took, and no answer."""
    record = json.loads(ask(TUTORIAL, *store, "--json", "--retrieve-only").stdout)
    assert record["answer"] == ""
    assert record["citations"] == []
    assert record["passages"][0]["source"] == "small_appliance_kb/kettle-k1.zh.md"
    took = record["timings"]
    assert 0 < took["search_ms"] < took["retrieve_ms"] < took["total_ms"]
    assert 0 < took["embed_ms"] < took["retrieve_ms"]
    question = "What does E07 mean?"
    found, answered = (
        json.loads(ask(question, *store, "--json", *flags).stdout)
        for flags in (["--retrieve-only"], [])
    )
    assert found["left_out"] == answered["left_out"] != []
    assert found["passages"] == answered["passages"]


def test_the_question_from_standard_input(store: tuple[str, str]) -> None:
    """A dash reads the question from standard input."""
    record = json.loads(ask("-", *store, "--json", stdin=f"{TUTORIAL}\n").stdout)
    assert record["passages"][0]["source"] == "small_appliance_kb/kettle-k1.zh.md"


def test_standard_input_in_another_encoding(store: tuple[str, str]) -> None:
    """Bytes that are not UTF-8 are replaced, also where Python is told to be strict."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "ask.py"), "-", *store, "--json"], capture_output=True,
        input="Wie lange gilt die Gewähr für K1?".encode("latin-1"), check=False, timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["question"] == "Wie lange gilt die Gew\ufffdhr f\ufffdr K1?"


def test_windows_of_any_size_have_the_same_hits(store: tuple[str, str]) -> None:
    """The window changes what is shown around the hits, never the hits or their scores."""

    def found(size: str) -> list[dict[str, object]]:
        record = json.loads(ask(TUTORIAL, *store, "--json", "--window-size", size).stdout)
        hits = [h for passage in record["passages"] for h in passage["highlights"]]
        return sorted(hits, key=lambda hit: hit["rank"])

    assert found("0") == found("2")


def test_a_question_that_follows_others(store: tuple[str, str], tmp_path: Path) -> None:
    """It is searched with what the turns before were about, and the query is shown."""
    said = [
        {"role": "user", "text": "How do I use the Aqua X200 kettle for the first time?"},
        {"role": "assistant", "text": "Boil it twice."},
    ]
    history = tmp_path / "history.json"
    history.write_text(json.dumps(said), "utf-8")
    done = ask("How do I clean it?", *store, "--history", str(history))
    assert done.returncode == 0
    assert "searched: How do I clean it? (Aqua X200" in done.stderr
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"question": "How do I clean it?", "history": said}), "utf-8")
    for flags in ([], ["--retrieve-only"]):
        record = json.loads(ask("--batch", str(rows), *store, *flags).stdout)
        assert record["query"].startswith("How do I clean it? (Aqua X200")
        assert record["question"] == "How do I clean it?"


def test_what_the_passages_do_not_have_is_said(store: tuple[str, str], tmp_path: Path) -> None:
    """A number that differs is remarked upon, with both values, and stands in the JSON object."""
    altered = "Before the first use of K1, boil 7 full kettles of water [1]."
    question = "What must I do before using the kettle K1 for the first time?"
    with ChatServer(Reply([altered])) as server:
        env = {"RAG_CHAT_MODEL": "m", "OPENAI_BASE_URL": server.url}
        told = ask(question, *store, env=env)
        record = json.loads(ask(question, *store, "--json", env=env).stdout)
    assert "Note: not found in the passages: Before the first use" in told.stderr
    assert "(another number: 7; passage" in told.stderr
    (support,) = record["support"]
    assert (support["verdict"], support["reason"], support["said"]) == (
        "not found in the passages", "number", "7",
    )  # fmt: skip
    passage = record["passages"][support["passage"] - 1]
    at = support["source_start"] - passage["start"]
    assert passage["text"][at : support["source_end"] - passage["start"]]


def test_batch_keeps_order_and_goes_on(store: tuple[str, str], tmp_path: Path) -> None:
    """Rows are answered in order; one that fails is reported, the rest go on, the exit says so."""
    rows = [{"id": q.source, "question": q.question} for q in QUESTIONS[:3]]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join([lines[0], "not json", *lines[1:], ""]), encoding="utf-8")
    done = ask("--batch", str(file), *store)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [r["id"] for r in records] == [rows[0]["id"], 2, rows[1]["id"], rows[2]["id"]]
    assert set(records[1]) == {"id", "error"}
    assert [r["passages"][0]["source"] for i, r in enumerate(records) if i != 1] == [
        q.source for q in QUESTIONS[:3]
    ]
    assert "4/4 questions, 1 failed" in done.stderr


def test_an_evaluation_asks_no_model(store: tuple[str, str], tmp_path: Path) -> None:
    """Questions with known answers become a table; a chat model that is set is never asked."""
    rows = [
        {"question": q.question, "doc_id": q.source, "answers": [q.sentence]} for q in QUESTIONS[:4]
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with ChatServer(Reply(["Hm."])) as server:
        env = {"RAG_CHAT_MODEL": "m", "OPENAI_BASE_URL": server.url}
        done = ask("--evaluate", str(file), "--plot", str(tmp_path / "a.svg"), *store, env=env)
        assert server.requests == []
    assert done.returncode == 0, done.stderr
    assert "4 questions with an answer, 0 without" in done.stdout
    assert "4/4 questions" in done.stderr
    assert (tmp_path / "a.svg").read_text("utf-8").startswith("<svg")


def test_a_check_says_what_works(store: tuple[str, str]) -> None:
    """With --check each part is a line; one that fails makes the exit 1, the others go on."""
    done = ask("--check", *store)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        "ok Embedding model", "ok Collection", "ok Chat model",
    ]  # fmt: skip
    with ChatServer(Reply(["O", "K"]), api_key="right") as server:
        env = {"RAG_CHAT_MODEL": "m", "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "right"}
        done = ask("--check", env=env)
        assert (done.returncode, done.stderr) == (1, "")
        assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
            "ok Embedding model", "failed Collection", "ok Chat endpoint", "ok Chat model",
            "ok Streaming", "ok Usage",
        ]  # fmt: skip


def test_before_any_build() -> None:
    """Without a collection: exit 1, one line, the command that builds one."""
    done = ask("What?")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "run: python store.py" in done.stderr.lower()


@pytest.mark.parametrize(
    "arguments",
    [
        [], [" "], ["What?", "--batch", "x"], ["What?", "--top-k", "0"], ["What?", "--top-k", "x"],
        ["What?", "--mode", "fuzzy"], ["What?", "--window-size", "-1"], ["What?", "--no-such-flag"],
        ["What?", "--check"], ["--check", "--batch", "x"], ["--check", "--source", "x"],
        ["What?", "--evaluate", "x"], ["--batch", "x", "--evaluate", "x"], ["What?", "--plot", "x"],
        ["--batch", "x", "--history", "y"],
    ],
)  # fmt: skip
def test_usage_errors(arguments: list[str]) -> None:
    """A wrong call exits with 2 and says what is wrong, without a traceback."""
    done = ask(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage:")
    assert "Traceback" not in done.stderr


def test_a_wrong_variable_is_a_named_error() -> None:
    """A wrong environment variable is no usage error: exit 1, the variable named."""
    done = ask("What?", env={"RAG_TOP_K": "many"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Error: RAG_TOP_K is 'many': expected a whole number\n"


def test_help_lists_the_settings_and_loads_nothing() -> None:
    """--help names each flag with its variable."""
    done = ask("--help")
    assert done.returncode == 0
    assert "RAG_WINDOW_SIZE" in done.stdout
    assert Settings().collection  # the settings themselves are cheap to make


def test_a_reader_that_stops_early(store: tuple[str, str]) -> None:
    """A closed pipe, as `head` leaves, is no error."""
    command = f'"{sys.executable}" "{ROOT / "ask.py"}" "$1" "$2" "$3" | head -c 10'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command, "ask", TUTORIAL, *store],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_source_filter(store: tuple[str, str]) -> None:
    """With --source only documents whose path matches are searched."""
    done = ask("warranty 12 months", *store, "--json", "--source", "*kettle-k1*")
    sources = {passage["source"] for passage in json.loads(done.stdout)["passages"]}
    assert sources <= {"small_appliance_kb/kettle-k1.md", "small_appliance_kb/kettle-k1.zh.md"}
    assert sources


def test_a_filter_that_matches_nothing_is_a_refusal(store: tuple[str, str]) -> None:
    """A filter that lets no document through is said so, and nothing is answered."""
    done = ask(TUTORIAL, *store, "--json", "--source", "no-such-file.md")
    record = json.loads(done.stdout)
    assert (done.returncode, record["refused"], record["refusal"]) == (0, True, "filter")
    assert record["passages"] == []
    assert any("matched no document" in note for note in record["notes"])


def test_filters_without_a_question_list_in_document_order(store: tuple[str, str]) -> None:
    """Without a question the filters' sentences are listed, each document from start to end."""
    done = ask(*store, "--json", "--filter", "source = small_appliance_kb/kettle-k2.md")
    passages = json.loads(done.stdout)["passages"]
    text = (SAMPLES / "small_appliance_kb/kettle-k2.md").read_text("utf-8")
    assert [p["rank"] for p in passages] == list(range(1, len(passages) + 1))
    assert all(p["text"] == text[p["start"] : p["end"]] for p in passages)
    assert sum(len(p["text"]) for p in passages) > 0.9 * len(text.partition("\n")[2])
    assert all(p["highlights"] == [] for p in passages)


def test_an_odd_filter_is_a_named_error(store: tuple[str, str]) -> None:
    """A filter that cannot be read is one line that says how to write it."""
    done = ask(TUTORIAL, *store, "--filter", "; drop")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: The filter")
    assert done.stderr.count("\n") == 1
