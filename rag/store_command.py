"""What ``store.py`` does: arguments → a build or what is asked about it → text or JSON.

The report goes to standard output, everything else to stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.cli import add_setting_flags, printable, run, settings_from

if TYPE_CHECKING:
    from rag.report import BuildReport
    from rag.settings import Settings

_FLAGS = ("collection", "qdrant_path", "qdrant_url", "window_size")


def main(argv: Sequence[str]) -> int:
    """Run ``store.py``. Raises :class:`~rag.errors.RagError`; see :func:`rag.cli.run`."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    settings = settings_from(parser, arguments)
    _build(settings, arguments)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="store.py",
        description="Bring the collection up to date with the documents folder.",
        epilog="Exit codes: 0 done, 1 a named error, 2 usage.",
    )
    parser.add_argument(
        "docs", nargs="?", type=Path, metavar="DOCS", help="folder of documents [RAG_DOCS, docs]"
    )
    parser.add_argument("--full", action="store_true", help="embed everything again")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--quiet", action="store_true", help="print errors alone, and JSON if asked"
    )
    add_setting_flags(parser, *_FLAGS)
    return parser


def _build(settings: Settings, arguments: argparse.Namespace) -> None:
    from rag.build import build
    from rag.progress import ProgressLine

    line = ProgressLine(sys.stderr)
    try:
        report = build(
            settings, full=arguments.full, progress=None if arguments.quiet else line.show
        )
    finally:
        line.end()
    if not arguments.quiet:
        for skipped in report.skipped:
            _remark(f"Skipped {skipped.path}: {skipped.reason}")
        for note in report.notes:
            _remark(f"Note: {note}")
    if arguments.json:
        print(json.dumps(report_record(report), ensure_ascii=False))
    elif not arguments.quiet:
        print(printable(report_text(report)))


def report_record(report: BuildReport) -> dict[str, object]:
    """Turn a report into the object of the command-line contract."""
    from dataclasses import asdict

    record = asdict(report)
    record["seconds"] = {name: round(spent, 4) for name, spent in record["seconds"].items()}
    return record


def report_text(report: BuildReport) -> str:
    """Write a report for reading."""
    held = f"{report.sentences} sentences of {report.documents} documents"
    done = f"{report.added} added, {report.reused} reused, {report.removed} removed"
    sources = "\n".join(f"  {source}" for source in report.sources)
    return (
        f"{held} in collection {report.collection} ({report.location})\n"
        f"{done} in {report.seconds.total:.1f} s\n"
        f"Sources:\n{sources}"
    )


def _remark(text: str) -> None:
    sys.stderr.write(printable(" ".join(text.split())) + "\n")


def command() -> None:
    """Run as a console command, and exit."""
    sys.exit(run(main))
