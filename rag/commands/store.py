"""What ``store.py`` does: arguments → a build, or what is asked about it → text or JSON.

Reports go to standard output, everything else to stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rag.cli import add_setting_flags, printable, run, settings_from
from rag.errors import RagError, StoreBusy

if TYPE_CHECKING:
    from rag.building.parts import Part
    from rag.commands.store_output import Record
    from rag.settings import Settings

_FLAGS = ("collection", "qdrant_path", "qdrant_url", "window_size")


def main(argv: Sequence[str]) -> int:
    """Run ``store.py``. Raises :class:`~rag.errors.RagError`; see :func:`rag.cli.run`."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    settings = settings_from(parser, arguments)
    other = arguments.status or arguments.dry_run or arguments.watch or arguments.switch
    if arguments.part and other:
        parser.error("--part builds; it goes with --full alone")
    if not (arguments.docs or arguments.part or arguments.switch or arguments.status):
        settings = _own_folder(settings, arguments)
    if arguments.switch:
        _switch(settings, arguments)
    elif arguments.status:
        _status(settings, arguments)
    elif arguments.dry_run:
        _dry_run(settings, arguments)
    elif arguments.watch:
        _watch(settings, arguments)
    else:
        _build(settings, arguments)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="store.py",
        description="Bring the collection up to date with the documents folder.",
        epilog="Exit codes: 0 done, 1 a named error, 2 usage.",
    )
    parser.add_argument(
        "docs", nargs="?", type=Path, metavar="DOCS", help="folder of documents [RAG_DOCS]"
    )
    parser.add_argument("--full", action="store_true", help="embed everything again")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--dry-run", action="store_true", help="say what a build would do, and how long it takes"
    )
    instead.add_argument(
        "--status", action="store_true", help="list the documents and what changed since the build"
    )
    instead.add_argument(
        "--watch", action="store_true", help="build again whenever files change, until Ctrl-C"
    )
    instead.add_argument(
        "--switch", action="store_true", help="use the collection that was built in parts"
    )
    parser.add_argument(
        "--part", type=_part, metavar="K/N",
        help="build the Kth of N parts of a new collection on a server, beside the others",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--quiet", action="store_true", help="print errors alone, and JSON if asked"
    )
    add_setting_flags(parser, *_FLAGS)
    return parser


def _part(text: str) -> Part:
    from rag.building.parts import Part

    try:
        return Part.of_text(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _own_folder(settings: Settings, arguments: argparse.Namespace) -> Settings:
    """Return settings with the folder that the collection was built from, where none is named."""
    from rag.building.previous import own_folder

    own = own_folder(settings)
    if own != settings and not arguments.quiet:
        _remark(f"Documents: {own.docs}, as before; for others: python store.py FOLDER")
    return own


def _build(settings: Settings, arguments: argparse.Namespace) -> None:
    from rag.build import build
    from rag.commands.progress import ProgressLine
    from rag.commands.store_output import report_record, report_text

    line = ProgressLine(sys.stderr)
    try:
        report = build(
            settings, full=arguments.full, part=arguments.part,
            progress=None if arguments.quiet else line.show,
        )  # fmt: skip
    finally:
        line.end()
    if not arguments.quiet:
        for skipped in report.skipped:
            _remark(f"Skipped {skipped.path}: {skipped.reason}")
        for note in report.notes:
            _remark(f"Note: {note}")
    _print(arguments, report_record(report), report_text(report))


def _switch(settings: Settings, arguments: argparse.Namespace) -> None:
    from rag.commands.store_output import switch_record, switch_text
    from rag.stores.server_switch import switch_parts

    info = switch_parts(settings)
    _print(arguments, switch_record(info), switch_text(info))


def _status(settings: Settings, arguments: argparse.Namespace) -> None:
    from rag.building.status import read_status
    from rag.commands.store_output import status_record, status_text

    status = read_status(settings, arguments.docs)
    _print(arguments, status_record(status), status_text(status))


def _dry_run(settings: Settings, arguments: argparse.Namespace) -> None:
    from rag.building.forecast import forecast
    from rag.commands.store_output import forecast_record, forecast_text

    found = forecast(settings, full=arguments.full)
    _print(arguments, forecast_record(found), forecast_text(found))


def _watch(settings: Settings, arguments: argparse.Namespace) -> None:
    from threading import Event

    from rag.building.watch import watch
    from rag.documents import find_documents
    from rag.upload_folder import uploads_folder

    find_documents(settings)  # a folder that is not there is an error now, not later
    uploads = uploads_folder(settings)
    if not arguments.quiet:
        _remark(f"Watching {settings.docs} and {uploads}; Ctrl-C ends it")
    try:
        watch([settings.docs, uploads], partial(_watched, settings, arguments), Event())
    except KeyboardInterrupt:
        sys.stderr.write("\n")


def _watched(settings: Settings, arguments: argparse.Namespace) -> bool:
    """Build; an error is shown and does not end the watch. False: another build is running."""
    try:
        _build(settings, arguments)
    except StoreBusy:
        return False
    except RagError as error:
        _remark(f"Error: {error}")
    else:
        arguments.full = False  # once is enough
    return True


def _print(arguments: argparse.Namespace, record: Record, text: str) -> None:
    if arguments.json:
        print(json.dumps(record, ensure_ascii=False), flush=True)
    elif not arguments.quiet:
        print(printable(text), flush=True)


def _remark(text: str) -> None:
    sys.stderr.write(printable(" ".join(text.split())) + "\n")


def command() -> None:
    """Run as a console command, and exit."""
    sys.exit(run(main))
