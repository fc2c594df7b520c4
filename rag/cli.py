"""What the commands share: flags for settings, and one place where errors become exit codes.

0 answered or refused · 1 a named error, in one line on stderr · 2 usage · 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence

from rag.errors import RagError, SettingsError
from rag.settings import VARIABLES, Settings

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and line feed, DEL, C1: terminal commands
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks: text reads otherwise than it is
    "\ud800-\udfff]"  # lone surrogates: cannot be written
)


def printable(text: str) -> str:
    """Return ``text`` without what would command a terminal rather than show on it."""
    return _CONTROL.sub("", text)


def add_setting_flags(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add the flags of the settings ``names``; one that is not given stays None."""
    group = parser.add_argument_group("settings (a flag wins over the environment and .env)")
    for name in names:
        variable = VARIABLES[name]
        if variable.flag is None:
            raise ValueError(f"{name} has no flag")
        group.add_argument(
            variable.flag,
            dest=name,
            type=_parser(variable.parse),
            metavar=variable.variable.rpartition("_")[2],
            help=f"{variable.meaning} [{variable.variable}]",
        )


def settings_from(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> Settings:
    """Read the settings: the environment, with the flags that were given on top.

    Raises :class:`~rag.errors.SettingsError` for a wrong variable; a wrong flag is a usage error.
    """
    given = {n: getattr(arguments, n) for n in VARIABLES if getattr(arguments, n, None) is not None}
    try:
        return Settings.from_env(**given)
    except SettingsError as error:
        Settings.from_env()  # raises where the environment is at fault
        parser.error(str(error))


def run(command: Callable[[Sequence[str]], int], argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; a named error is one line on stderr."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
    try:
        code = command(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except RagError as error:
        sys.stderr.write(printable(f"Error: {' '.join(str(error).split())}\n"))
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        return 130
    except BrokenPipeError:  # the reader has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _parser(parse: Callable[[str], object]) -> Callable[[str], object]:
    def parsed(text: str) -> object:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{text!r}: expected {error}") from None

    return parsed
