"""What the documentation says, held against the code."""

from __future__ import annotations

import re
import tomllib
from dataclasses import MISSING, Field, fields
from pathlib import Path

from rag.settings import Settings, Variable
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def default_of(field: Field[object]) -> str:
    """A setting's default as the table shows it."""
    value = None if field.default is MISSING else field.default
    if value is None or value == "":
        return "–"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def settings_table() -> str:
    """The table of settings, made from the code."""
    rows = ["| variable | flag | default | meaning |", "|---|---|---|---|"]
    for field in fields(Settings):
        variable: Variable = field.metadata["variable"]
        flag = f"`{variable.flag}`" if variable.flag else "–"
        rows.append(
            f"| `{variable.variable}` | {flag} | {default_of(field)} | {variable.meaning} |"
        )
    return "\n".join(rows)


def test_the_settings_table_is_true() -> None:
    """README lists every setting with its variable, flag, default and meaning."""
    shown = re.search(r"<!-- settings:.*?-->\n(.*?)\n<!-- /settings -->", README, re.S)
    assert shown
    assert shown[1] == settings_table()


def test_the_first_commands_are_the_promised_ones() -> None:
    """The first block of README holds the two commands that do all the set-up."""
    block = re.search(r"```bash\n(.*?)```", README, re.S)
    assert block
    assert block[1].splitlines() == [
        "pip install -e . && streamlit run app.py",
        "pip install -e '.[test]' && pytest",
    ]


def test_links_lead_somewhere() -> None:
    """Each relative link in the documentation names a file of the repository."""
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"):
        text = (ROOT / name).read_text("utf-8")
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
            assert (ROOT / target).exists(), f"{name} links to {target}"


def test_modules_named_in_the_documentation_exist() -> None:
    """Each path in backticks that looks like one of ours is there."""
    for name in ("README.md", "CONTRIBUTING.md"):
        for path in re.findall(
            r"`((?:rag|tests|bench)/[\w/.]*)`", (ROOT / name).read_text("utf-8")
        ):
            assert (ROOT / path).exists(), f"{name} names {path}"


def test_every_dependency_has_a_reason() -> None:
    """In pyproject a comment stands above each direct dependency."""
    lines = (ROOT / "pyproject.toml").read_text("utf-8").splitlines()
    project = tomllib.loads("\n".join(lines))["project"]
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *extras["test"]]:
        if requirement.startswith(("pytest>", "sentence-window-chat[")):
            continue
        at = next(i for i, line in enumerate(lines) if line.strip().startswith(f'"{requirement}'))
        assert lines[at - 1].strip().startswith("#"), requirement


def test_no_path_of_a_machine() -> None:
    """Nothing in the repository's texts names a home folder."""
    for path in [*ROOT.glob("*.md"), *Path(ROOT / "rag").rglob("*.py")]:
        assert not re.search(r"/(home|Users)/\w", path.read_text("utf-8")), path
