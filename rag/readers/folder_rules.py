"""Patterns in ``.gitignore``'s language → whether a path of the documents folder is left out.

They stand in settings, and in files ``.ragignore`` in any folder, where a deeper one has the last
word. Knows paths alone, but for reading ``.ragignore`` files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import DocumentError, SettingsError
from rag.types import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".ragignore"


class FolderRules:
    """The rules of one folder; those of subfolders come as they are walked into."""

    def __init__(self, selection: Selection) -> None:
        self.left_out = 0
        """Files and folders that were left out so far."""
        self._include = _setting("RAG_INCLUDE", selection.include)
        self._exclude = _setting("RAG_EXCLUDE", selection.exclude)
        self._files: dict[str, GitIgnoreSpec] = {}

    def enter(self, folder: Path, prefix: str) -> None:
        """Take in the rules that stand in ``folder``, ``prefix`` from the root."""
        file = folder / IGNORE_FILE
        try:
            lines = file.read_text("utf-8-sig").splitlines()
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, UnicodeDecodeError) as error:
            # What it would leave out must not be read because it cannot be.
            raise DocumentError(f"{file} cannot be read: {error}", str(file)) from None
        try:
            self._files[prefix] = _spec(lines)
        except ValueError as error:
            raise DocumentError(f"{file}: {error}", str(file)) from None

    def leave_out(self, path: str, *, folder: bool) -> bool:
        """Whether to leave out ``path``, and everything in it if it is a folder."""
        named = f"{path}/" if folder else path
        out = self._ignores(named)
        if not folder and self._include and not out:
            out = not self._include.match_file(named)
        self.left_out += out
        return out

    def _ignores(self, named: str) -> bool:
        if self._exclude and self._exclude.match_file(named):
            return True
        if not self._files:
            return False
        parts = named.rstrip("/").split("/")
        for depth in range(len(parts) - 1, -1, -1):  # the deepest rules first
            prefix = "/".join(parts[:depth])
            spec = self._files.get(prefix)
            within = named[len(prefix) + 1 :] if prefix else named
            verdict = spec.check_file(within).include if spec else None
            if verdict is not None:
                return verdict
        return False


def _setting(variable: str, patterns: str) -> GitIgnoreSpec | None:
    lines = [pattern.strip() for pattern in patterns.replace("\n", ",").split(",")]
    if not any(lines):
        return None
    try:
        return _spec(lines)
    except ValueError as error:
        raise SettingsError(f"{variable} is {patterns!r}: {error}") from None


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)
