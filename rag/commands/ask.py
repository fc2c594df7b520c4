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
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.cli import printable, run, settings_from
from rag.commands.ask_flags import ask_parser, check_usage
from rag.commands.batch import run_batch
from rag.commands.output import AnswerRecord, answer_record
from rag.commands.passages import passages_text
from rag.commands.progress import show_questions
from rag.commands.questions import Row, read_history
from rag.commands.support_output import support_remarks
from rag.ranking.cutting import left_out
from rag.types import Answer, Timings

if TYPE_CHECKING:
    from rag.assistant import Assistant
    from rag.settings import Settings
    from rag.types import Condition


def main(argv: Sequence[str]) -> int:
    """Run ``ask.py``. Raises :class:`~rag.errors.RagError`; see :func:`rag.cli.run`."""
    parser = ask_parser()
    arguments = parser.parse_args(argv)
    check_usage(parser, arguments)
    if arguments.check:
        return _check(settings_from(parser, arguments))
    if arguments.question == "-":
        arguments.question = sys.stdin.read()
    if arguments.question is not None and not arguments.question.strip():
        parser.error("the question is empty")
    settings = settings_from(parser, arguments)
    if arguments.evaluate is not None:
        settings = replace(settings, chat_model=None)

    from rag.assistant import open_assistant

    with open_assistant(settings) as assistant:
        where = assistant.where(arguments.source, arguments.filter)
        if arguments.batch is not None:
            return run_batch(
                arguments.batch,
                lambda row: _record(assistant, _answer(assistant, row, where, arguments), row.id),
            )
        if arguments.evaluate is not None:
            return _evaluate(assistant, where, arguments)
        if arguments.question is None:
            _list(assistant, where, arguments)
        else:
            _single(assistant, where, arguments)
    return 0


def _list(assistant: Assistant, where: Sequence[Condition], arguments: argparse.Namespace) -> None:
    """Print what the filters let through; what they let nothing through for, when that is all."""
    windows = tuple(assistant.listed(where))
    nothing = None if windows else assistant.why_nothing(where)
    answer = Answer(
        "", "", "", windows, refusal="filter" if nothing else None,
        notes=(nothing,) if nothing else (),
    )  # fmt: skip
    _print(assistant, answer, arguments)


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
    history = read_history(arguments.history) if arguments.history else ()
    row = Row(None, arguments.question, history)
    answer = _answer(assistant, row, where, arguments, print_pieces=streamed)
    if not streamed and not arguments.json and answer.text:
        print(printable(answer.text))
    if answer.text and not arguments.json:
        print()
    _print(assistant, answer, arguments)


def _record(assistant: Assistant, answer: Answer, row_id: str | int | None = None) -> AnswerRecord:
    return answer_record(answer, row_id, assistant.support(answer))


def _print(assistant: Assistant, answer: Answer, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json.dumps(_record(assistant, answer), ensure_ascii=False))
        return
    searched = f"searched: {answer.query}" if answer.rewritten else ""
    unfounded = support_remarks(answer.text, assistant.support(answer))
    for remark in (searched, answer.cut_reason, *answer.notes, *unfounded):
        if remark:
            sys.stderr.write(printable(f"Note: {remark}\n"))
    print(passages_text(answer.windows, _mark()), end="")


def _answer(
    assistant: Assistant,
    row: Row,
    where: Sequence[Condition],
    arguments: argparse.Namespace,
    *,
    print_pieces: bool = False,
) -> Answer:
    if arguments.retrieve_only:
        began = time.perf_counter()
        query = assistant.standalone(row.question, row.history)
        rewrite_ms = (time.perf_counter() - began) * 1000
        found = assistant.look_up(query.text, where)
        timings = Timings(
            found.embed_ms, found.search_ms, found.retrieve_ms,
            total=(time.perf_counter() - began) * 1000, rewrite=rewrite_ms,
        )  # fmt: skip
        return Answer(
            row.question, query.text, "", found.windows, timings=timings,
            left_out=left_out(found.hits, found.windows),
        )  # fmt: skip
    stream = assistant.ask(row.question, row.history, where=where)
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


def _evaluate(
    assistant: Assistant, where: Sequence[Condition], arguments: argparse.Namespace
) -> int:
    from rag.commands.evaluate import evaluate

    return evaluate(
        assistant, arguments.evaluate, where,
        plot=arguments.plot, as_json=arguments.json, progress=show_questions,
    )  # fmt: skip


def command() -> None:
    """Run as a console command, and exit."""
    sys.exit(run(main))
