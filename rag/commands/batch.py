"""A file of questions → a JSON object a line, in order, with a bar on stderr.

Knows nothing of how a question is answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from rag.commands.progress import show_questions
from rag.commands.questions import Row, read_row, read_rows
from rag.errors import RagError


def run_batch(file: Path, answer: Callable[[Row], object]) -> int:
    """Print what ``answer`` makes of each row, and return the exit code: 1 if any failed.

    A row that fails prints its error, and the others go on. Raises
    :class:`~rag.errors.SettingsError` when the file cannot be read.
    """
    lines = read_rows(file)
    failed = 0
    for done, line in enumerate(lines, start=1):
        row_id: str | int | None = done
        try:
            row = read_row(line, done)
            row_id = row.id
            record = answer(row)
        except RagError as error:
            record = {"id": row_id, "error": " ".join(str(error).split())}
            failed += 1
        print(json.dumps(record, ensure_ascii=False), flush=True)
        show_questions(done, len(lines), failed)
    return 1 if failed else 0
