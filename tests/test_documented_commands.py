"""The commands that the documentation shows run here, or are listed with the reason why not."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from rag.commands import ask, store
from rag.settings import VARIABLES
from tests.conftest import ROOT
from tests.local_qdrant import LocalQdrant

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "bench/README.md")
TEXTS = {name: (ROOT / name).read_text("utf-8") for name in DOCUMENTS}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
COMPOSE = (ROOT / "docker-compose.yml").read_text("utf-8")
SERVICES = yaml.safe_load(COMPOSE)["services"]

NOT_RUN = {
    "pip install -e . && streamlit run app.py": "installs, and serves without end",
    "pip install -e '.[test]' && pytest": "installs, and is what runs this test",
    "pip install -e '.[test,lint]'": "installs",
    "pytest && ruff check . && ruff format --check . && mypy": "is what runs this test",
    "export QDRANT_API_KEY=$(openssl rand -hex 32)": "is for the containers alone",
    "docker compose up -d": "needs Docker and downloads; its services are looked up below",
    "docker compose run --rm page python store.py": "likewise",
}
"""Lines of blocks that cannot run in a test, and why. ``.ci/run`` runs those that install."""

PRINTED = {
    'python ask.py "How long is the warranty?"': "products is 24 months.\n",
    "for window in stream.answer.windows:": "small_appliance_kb/warranty.md 12 ",
    "QDRANT_URL=http://localhost:6333 python store.py": " of 1 documents in collection window_db (http://",
    "python ask.py --evaluate questions.jsonl --plot figures.svg": "1 questions with an answer",
}
"""What blocks with these lines print, among other things."""


class Block(NamedTuple):
    """A fenced block: its language, empty where none is named, and its lines."""

    language: str
    lines: Sequence[str]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a Markdown text, in order."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    return [Block(language, tuple(content.splitlines())) for language, content in found]


BLOCKS = [block for text in TEXTS.values() for block in blocks(text)]
RUN = [
    block
    for block in BLOCKS
    if block.language in ("bash", "python") and not set(block.lines) <= set(NOT_RUN)
]


def inline(text: str) -> list[str]:
    """What stands in backticks outside of blocks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))


def commands(program: str) -> list[list[str]]:
    """The words of each command of ``program`` that is shown, in blocks and in the prose."""
    lines = [line for block in BLOCKS if block.language == "bash" for line in block.lines]
    shown = [*lines, *(span for text in TEXTS.values() for span in inline(text))]
    # Variables may stand before a command, and && joins several.
    parts = [part for line in shown for part in line.split(" && ")]
    found = [re.match(rf"(?:[A-Z_]+=\S+ )*({program}\b.*)", part) for part in parts]
    return [shlex.split(match[1]) for match in found if match]


def flags(words: Sequence[str]) -> set[str]:
    """The long flags among the words of a command."""
    return {word.partition("=")[0] for word in words if re.match(r"--\w", word)}


def known_flags(
    main: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str]
) -> set[str]:
    """The flags that a command's help names."""
    with pytest.raises(SystemExit):
        main(["--help"])
    return set(re.findall(r"--[\w-]+", capsys.readouterr().out))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder as a user has it; its documents, and those at home, are a part of one."""
    for name in ("store.py", "ask.py", "rag"):
        (tmp_path / name).symlink_to(ROOT / name)
    name = "small_appliance_kb/warranty.md"
    text = (ROOT / "docs" / name).read_text("utf-8").partition("\n- ")[0]  # embedded twice
    for folder in ("docs", "home/manuals"):
        (tmp_path / folder / name).parent.mkdir(parents=True)
        (tmp_path / folder / name).write_text(text, "utf-8")
    rows = [line for block in BLOCKS if block.language == "json" for line in block.lines]
    (tmp_path / "questions.jsonl").write_text("\n".join(rows), "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    return tmp_path


def test_blocks_run(desk: Path) -> None:
    """Each block runs as it stands, in the documentation's order, and prints what it is for."""
    expected = dict(PRINTED)
    with LocalQdrant() as server:
        for block in RUN:
            text = "\n".join(block.lines).replace("http://localhost:6333", server.url)
            shell = ["bash", "-euo", "pipefail", "-c"]
            call = [sys.executable, "-c"] if block.language == "python" else shell
            done = subprocess.run(
                [*call, text], cwd=desk, capture_output=True, text=True, timeout=120, check=False
            )
            assert done.returncode == 0, f"{text}\n{done.stderr}"
            for line in expected.keys() & {line.strip() for line in block.lines}:
                assert expected.pop(line) in done.stdout, f"{text}\n{done.stdout}"
        assert server.client.get_aliases().aliases[0].alias_name == "window_db"
    assert not expected
    assert (desk / "figures.svg").read_text("utf-8").startswith(("<svg", "<?xml"))


def test_what_is_not_run_is_listed() -> None:
    """A block runs whole or not at all, and the list names nothing that is no longer shown."""
    assert {block.language for block in BLOCKS} <= {"", "bash", "python", "json", "toml"}
    run = {line for block in RUN for line in block.lines}
    assert not run & set(NOT_RUN)
    assert set(NOT_RUN) <= {line for block in BLOCKS for line in block.lines}


def test_flags_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    """Each flag that is shown with a command is one of its own, as are those that stand alone."""
    known = {
        "store.py": known_flags(store.main, capsys), "ask.py": known_flags(ask.main, capsys),
    }  # fmt: skip
    shown = [words[words[0] == "python" :] for words in commands(r"(?:python )?(?:store|ask)\.py")]
    assert len(shown) > 10
    for script, *rest in shown:
        assert flags(rest) <= known[script], (script, rest)
    alone = {flag for text in TEXTS.values() for span in inline(text) for flag in flags([span])}
    bench = "".join(path.read_text("utf-8") for path in (ROOT / "bench").glob("*.py"))
    others = {flag.split()[0] for flag in alone} - known["store.py"] - known["ask.py"]
    assert {flag for flag in others if f'"{flag}"' not in bench} <= {"--server.address"}


def test_benchmarks_are_there() -> None:
    """Each benchmark that is shown exists and knows its flags; the table names all of them."""
    usage = [
        shlex.split(line)[1:]
        for path in (ROOT / "bench").glob("*.py")
        for line in re.findall(r"^ {4}(python bench/.*)", path.read_text("utf-8"), re.M)
    ]
    for script, *rest in [*usage, *(words[1:] for words in commands(r"python bench/"))]:
        source = (ROOT / script).read_text("utf-8")
        asked = {flag.strip("[]") for flag in flags([word.strip("[]") for word in rest])}
        assert all(f'"{flag}"' in source for flag in asked), (script, rest)
    table = set(re.findall(r"`(\w+\.py)`", TEXTS["bench/README.md"]))
    texts = {path.name: path.read_text("utf-8") for path in (ROOT / "bench").glob("*.py")}
    assert {name for name, text in texts.items() if "__main__" in text} <= table <= set(texts)


def test_containers_are_there() -> None:
    """Each service that a Docker command names exists, in the profile that the command opens."""
    heads = [shlex.split(line) for line in re.findall(r"^# .*: +(docker .*)", COMPOSE, re.M)]
    shown = [*heads, *commands("docker compose")]
    assert len(shown) >= 6
    for words in shown:
        opened = {words[i + 1] for i, word in enumerate(words) if word == "--profile"}
        verb = next(i for i, word in enumerate(words) if word in ("up", "run"))
        named = [word for word in words[verb + 1 :] if not word.startswith("-")]
        for name in named[:1] if words[verb] == "run" else named:
            assert name in SERVICES, words
            assert set(SERVICES[name].get("profiles", ())) <= opened, words


def test_names_are_known() -> None:
    """Each variable, extra and console command that is named is one that we have."""
    text = "\n".join(TEXTS.values())
    ours = {setting.variable for setting in VARIABLES.values()} | {"QDRANT_TEST_URL"}
    assert set(re.findall(r"\b(?:RAG|QDRANT|OPENAI)_[A-Z_]+\b", text)) <= ours
    extras = {name for group in re.findall(r"'\.\[([\w,]+)\]'", text) for name in group.split(",")}
    assert extras
    assert extras <= set(PROJECT["optional-dependencies"])
    assert set(re.findall(r"`(sentence-window-\w+)`", text)) == set(PROJECT["scripts"])


def test_login_example_is_read() -> None:
    """The TOML that asks for a login has the keys that Streamlit looks for."""
    (example,) = (block for block in BLOCKS if block.language == "toml")
    assert set(tomllib.loads("\n".join(example.lines))["auth"]) == {
        "redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url",
    }  # fmt: skip
