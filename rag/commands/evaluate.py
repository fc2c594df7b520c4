"""What ``ask.py --evaluate`` does: a file of questions whose answers are known → figures of search.

Each question is asked as a user would ask it, without the chat model.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING

from rag.cli import printable
from rag.commands.questions import read_row, read_rows
from rag.errors import RagError, SettingsError
from rag.evaluation.gold import Gold, read_gold
from rag.evaluation.report import report_text, summarise
from rag.evaluation.scores import DEEPEST, DEPTHS, Score, coverage, first_rank, group_of

if TYPE_CHECKING:
    from pathlib import Path

    from rag.assistant import Assistant
    from rag.commands.questions import Row
    from rag.types import Condition

Progress = Callable[[int, int, int], None]
"""Called with how many questions are done, how many there are, and how many failed."""


def evaluate(
    assistant: Assistant,
    file: Path,
    where: Sequence[Condition] = (),
    *,
    plot: Path | None = None,
    as_json: bool = False,
    progress: Progress,
) -> int:
    """Ask the questions of ``file``, print the figures, draw them into ``plot``; return the exit.

    A row that fails is reported, and makes it 1. Raises :class:`~rag.errors.SettingsError` when
    ``file`` cannot be read or ``plot`` not be written.
    """
    if plot is not None and plot.suffix.lower() != ".svg":
        raise SettingsError(f"--plot draws SVG, which every browser shows: name it {plot.stem}.svg")
    sources = [document.path for document in assistant.documents()]
    rows = read_rows(file)
    scores: list[Score] = []
    failures: list[dict[str, str | int | None]] = []
    source_text = cache(assistant.source)
    for number, line in enumerate(rows, 1):
        row_id: str | int | None = number
        try:
            row = read_row(line, number)
            row_id = row.id
            gold = read_gold(json.loads(line), number, sources, source_text)
            scores.append(score(assistant, row, gold, where))
        except RagError as error:
            failures.append({"id": row_id, "error": " ".join(str(error).split())})
        progress(number, len(rows), len(failures))
    report = summarise(scores)
    if as_json:
        record = {**_setup(assistant), **report, "failed": len(failures)}
        record["rows"] = [*map(asdict, scores), *failures]
        print(json.dumps(record, ensure_ascii=False))
    else:
        for failure in failures:
            sys.stderr.write(printable(f"{failure['id']}: {failure['error']}\n"))
        print(printable(f"{_title(assistant)}\n{report_text(report)}"))
    if plot is not None:
        from rag.evaluation.chart import chart

        try:
            plot.write_text(chart(report, scores, f"{file.name} · {_title(assistant)}"), "utf-8")
        except OSError as error:
            raise SettingsError(f"Cannot write {plot}: {error}") from None
    return 1 if failures else 0


def score(assistant: Assistant, row: Row, gold: Gold, where: Sequence[Condition]) -> Score:
    """Ask a question, and say how well what was found and sent fits its gold."""
    stream = assistant.ask(row.question, row.history, where=where)
    for _ in stream:
        pass
    answer = stream.answer
    hits = assistant.search(answer.query, top_k=DEEPEST, where=where)
    size = assistant.settings.window_size
    held = [k for k in DEPTHS if first_rank(gold, assistant.windows(hits[:k], size))]
    sent = () if answer.refused else answer.windows
    return Score(
        id=row.id,
        group=group_of(gold),
        sentence_rank=first_rank(gold, [hit.sentence for hit in hits]),
        window_depth=held[0] if held else None,
        coverage=coverage(gold, sent),
        characters=sum(len(window.text) for window in sent),
        refusal=answer.refusal,
        embed_ms=answer.timings.embed,
        search_ms=answer.timings.search,
        total_ms=answer.timings.total,
    )


def _setup(assistant: Assistant) -> dict[str, object]:
    """Return what the figures depend on."""
    settings, info = assistant.settings, assistant.info
    return {
        "collection": info.collection,
        "generation": info.generation,
        "documents": info.documents,
        "sentences": info.sentences,
        "embedding_model": info.record.fingerprint.embedding_model,
        "mode": settings.mode,
        "top_k": settings.top_k,
        "window_size": settings.window_size,
        "max_context_characters": settings.max_context_characters,
    }


def _title(assistant: Assistant) -> str:
    setup = _setup(assistant)
    return (
        f"{setup['collection']}: {setup['sentences']} sentences of {setup['documents']} documents, "
        f"{setup['embedding_model']}, {setup['mode']}, top {setup['top_k']}, "
        f"window {setup['window_size']}"
    )
