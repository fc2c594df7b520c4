"""What ``ask.py`` does: a question, or a file of questions → answers with their passages.

The answer goes to standard output as it comes, then the passages; everything else to stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.cli import add_setting_flags, printable, run, settings_from
from rag.commands.output import answer_record, passages_text
from rag.commands.questions import read_row, read_rows
from rag.errors import RagError
from rag.types import Answer, Timings

if TYPE_CHECKING:
    from rag.assistant import Assistant
    from rag.settings import Settings
    from rag.types import Condition

_FLAGS = (
    "collection", "qdrant_path", "qdrant_url", "window_size", "top_k", "mode",
    "merge_threshold", "max_context_characters", "chat_model", "prompt_file",
)  # fmt: skip


def main(argv: Sequence[str]) -> int:
    """Run ``ask.py``. Raises :class:`~rag.errors.RagError`; see :func:`rag.cli.run`."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    filtered = bool(arguments.source or arguments.filter)
    if arguments.check:
        if filtered or arguments.question is not None or arguments.batch is not None:
            parser.error("--check goes with settings alone")
        return _check(settings_from(parser, arguments))
    if arguments.batch is not None and arguments.question is not None:
        parser.error("give a question or --batch FILE, not both")
    if arguments.batch is None and arguments.question is None and not filtered:
        parser.error("give a question, - to read it from standard input, --batch FILE or a filter")
    if arguments.question == "-":
        arguments.question = sys.stdin.read()
    if arguments.question is not None and not arguments.question.strip():
        parser.error("the question is empty")
    settings = settings_from(parser, arguments)

    from rag.assistant import open_assistant

    with open_assistant(settings) as assistant:
        where = assistant.where(arguments.source, arguments.filter)
        if arguments.batch is not None:
            return _batch(assistant, where, arguments)
        if arguments.question is None:
            _list(assistant, where, arguments)
        else:
            _single(assistant, where, arguments)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ask.py",
        description="Answer a question from the documents, and show the passages it rests on.",
        epilog="Exit codes: 0 answered or refused, 1 a named error, 2 usage.",
    )
    parser.add_argument("question", nargs="?", help="the question; - reads it from standard input")
    parser.add_argument(
        "--batch", type=Path, metavar="FILE", help='JSONL file with rows {"id", "question"}'
    )
    parser.add_argument(
        "--check", action="store_true", help="try the collection and the models, say what works"
    )
    parser.add_argument(
        "--source", action="append", default=[], metavar="GLOB",
        help="search only documents whose path matches; repeatable, one must match",
    )  # fmt: skip
    parser.add_argument(
        "--filter", action="append", default=[], metavar="EXPRESSION",
        help="key=value, !=, <, <=, >, >=, 'key in a,b', 'key not in a,b', 'key contains x'; "
        "repeatable, all must hold; without a question what matches is listed",
    )  # fmt: skip
    parser.add_argument("--retrieve-only", action="store_true", help="find passages, do not answer")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--no-stream", action="store_true", help="print the answer when it is whole"
    )
    add_setting_flags(parser, *_FLAGS)
    return parser


def _list(assistant: Assistant, where: Sequence[Condition], arguments: argparse.Namespace) -> None:
    """Print what the filters let through; what they let nothing through for, when that is all."""
    windows = tuple(assistant.listed(where))
    nothing = None if windows else assistant.why_nothing(where)
    answer = Answer(
        "", "", "", windows, refusal="filter" if nothing else None,
        notes=(nothing,) if nothing else (),
    )  # fmt: skip
    _print(answer, arguments)


def _check(settings: Settings) -> int:
    """Print each thing that was tried as a line, as it is known; 1 if any failed."""
    from rag.check import check

    failed = False
    for result in check(settings):
        failed = failed or not result.ok
        line = f"{'ok' if result.ok else 'failed'} {result.name}: {result.detail}"
        print(printable(line), flush=True)
    return int(failed)


def _single(
    assistant: Assistant, where: Sequence[Condition], arguments: argparse.Namespace
) -> None:
    streamed = not (arguments.json or arguments.no_stream)
    answer = _answer(assistant, arguments.question, where, arguments, print_pieces=streamed)
    if not streamed and not arguments.json and answer.text:
        print(printable(answer.text))
    if answer.text and not arguments.json:
        print()
    _print(answer, arguments)


def _print(answer: Answer, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json.dumps(answer_record(answer), ensure_ascii=False))
        return
    for remark in (answer.cut_reason, *answer.notes):
        if remark:
            sys.stderr.write(printable(f"Note: {remark}\n"))
    bold, plain = _mark()
    shown = printable(passages_text(answer.windows, ("⟦", "⟧")))
    print(shown.replace("⟦", bold).replace("⟧", plain), end="")


def _answer(
    assistant: Assistant,
    question: str,
    where: Sequence[Condition],
    arguments: argparse.Namespace,
    *,
    print_pieces: bool = False,
) -> Answer:
    if arguments.retrieve_only:
        began = time.perf_counter()
        windows = tuple(assistant.retrieve(question, where=where))
        took = (time.perf_counter() - began) * 1000
        return Answer(question, question, "", windows, timings=Timings(retrieve=took, total=took))
    stream = assistant.ask(question, where=where)
    for piece in stream:
        if print_pieces:
            print(printable(piece), end="", flush=True)
    if print_pieces and stream.answer.text:
        print()
    return stream.answer


def _mark() -> tuple[str, str]:
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        return "\x1b[1;4m", "\x1b[0m"
    return "⟦", "⟧"


def _batch(assistant: Assistant, where: Sequence[Condition], arguments: argparse.Namespace) -> int:
    rows = read_rows(arguments.batch)
    failed = 0
    for done, row in enumerate(rows, start=1):
        row_id: str | int | None = done
        try:
            row_id, question = read_row(row, done)
            record: object = answer_record(_answer(assistant, question, where, arguments), row_id)
        except RagError as error:
            record = {"id": row_id, "error": " ".join(str(error).split())}
            failed += 1
        print(json.dumps(record, ensure_ascii=False), flush=True)
        _progress(done, len(rows), failed)
    return 1 if failed else 0


def _progress(done: int, total: int, failed: int) -> None:
    ending = "\n" if done == total else "\r"
    if not sys.stderr.isatty() and done != total:
        return
    bar = "█" * (done * 24 // total)
    failures = f", {failed} failed" if failed else ""
    sys.stderr.write(f"{bar:<24} {done}/{total} questions{failures}{ending}")
    sys.stderr.flush()


def command() -> None:
    """Run as a console command, and exit."""
    sys.exit(run(main))
