"""The flags of ``ask.py``."""

from __future__ import annotations

import argparse
from pathlib import Path

from rag.cli import add_setting_flags

_FLAGS = (
    "collection", "qdrant_path", "qdrant_url", "window_size", "top_k", "mode",
    "merge_threshold", "max_context_characters", "chat_model", "prompt_file",
)  # fmt: skip


def ask_parser() -> argparse.ArgumentParser:
    """Return the parser of ``ask.py``."""
    parser = argparse.ArgumentParser(
        prog="ask.py",
        description="Answer a question from the documents, and show the passages it rests on.",
        epilog="Exit codes: 0 answered or refused, 1 a named error, 2 usage.",
    )
    parser.add_argument("question", nargs="?", help="the question; - reads it from standard input")
    parser.add_argument(
        "--batch", type=Path, metavar="FILE",
        help='JSONL file with rows {"id", "question"}, and "history" if one follows others',
    )  # fmt: skip
    parser.add_argument(
        "--evaluate", type=Path, metavar="FILE",
        help='JSONL file with rows {"question", "doc_id", "answers", "answer_start"}: say how well '
        "search finds the answers, what is sent and refused; the chat model is not asked",
    )  # fmt: skip
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw what --evaluate finds as SVG"
    )
    parser.add_argument(
        "--history", type=Path, metavar="FILE",
        help='the conversation that the question follows: JSON, [{"role", "text"}, …]',
    )  # fmt: skip
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


def check_usage(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Exit with a usage error where the flags do not go together."""
    filtered = bool(arguments.source or arguments.filter)
    ways = (arguments.question, arguments.batch, arguments.evaluate)
    given = sum(way is not None for way in ways)
    if arguments.check:
        if filtered or given:
            parser.error("--check goes with settings alone")
        return
    if given > 1:
        parser.error("give a question, --batch FILE or --evaluate FILE, not several of them")
    if arguments.history is not None and arguments.question is None:
        parser.error("--history goes with a question; rows of a file have their own")
    if arguments.plot is not None and arguments.evaluate is None:
        parser.error("--plot draws what --evaluate finds")
    if not given and not filtered:
        parser.error(
            "give a question, - to read it from standard input, "
            "--batch FILE, --evaluate FILE or a filter"
        )
