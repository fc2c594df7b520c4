"""Print what each way to choose the sentences that are sent costs, and what it finds.

    python bench/context.py SET [SET …]

SET is a folder as ``evaluation_sets.py`` reads it. Every row goes through the product's own store
and ``retrieve``: of the passages that would be sent, the per cent of questions whose answer they
hold (touch, where a set lists evidence), the share of the evidence's characters in them, their
characters and number, and the per cent of answers held per 1,000 characters.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluation_sets import CachedEmbeddings, Question, read_set
from retrieval import collection, holds_answer, of_set

from rag.retrieval import retrieve
from rag.settings import Settings
from rag.types import Window
from rag.windows import fit_windows

DEFAULT = Settings()
ROWS: dict[str, dict[str, Any]] = {
    "all six": {"min_share": 0.0},
    "the first": {"min_share": 0.0, "top_k": 1},
    "the first three": {"min_share": 0.0, "top_k": 3},
    "all six, window 1": {"min_share": 0.0, "window_size": 1},
    **{f"share {share}": {"min_share": share} for share in (0.4, 0.5, 0.55, 0.6, 0.7, 0.8)},
    "share 0.55, window 1": {"min_share": 0.55, "window_size": 1},
    "share 0.55, of dense": {"min_share": 0.55, "mode": "dense"},
    "share 0.55, of keyword": {"min_share": 0.55, "mode": "keyword"},
}


def covered(question: Question, windows: Sequence[Window]) -> float:
    """Return the share of the answer's characters that ``windows`` hold, 0 to 1."""
    held = [
        sum(
            max(0, min(w.end, end) - max(w.start, start))
            for w in windows
            if w.source == question.source
        )
        / (end - start)
        for start, end in question.spans
        if end > start
    ]
    return (max if question.match == "any" else statistics.fmean)(held) if held else 0.0


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    for folder in parser.parse_args().sets:
        questions = read_set(folder)
        embeddings = CachedEmbeddings(questions.name)
        asked = [q for q in questions.questions if q.answerable and q.spans]
        embeddings.queries([q.text for q in asked])
        print(f"\n{questions.name}: {len(asked)} questions, {len(questions.sentences)} sentences")
        print(f"{'':24} held  evidence  characters  passages  held per 1,000")
        documents = of_set(questions, embeddings, lambda parsed: parsed.embedded_text)
        with collection(documents, embeddings) as store:
            for name, row in ROWS.items():
                options = {
                    "mode": "hybrid", "top_k": DEFAULT.top_k, "candidates": DEFAULT.candidates,
                    "window_size": DEFAULT.window_size, **row,
                }  # fmt: skip
                figures: list[tuple[float, ...]] = []
                for question in asked:
                    found = retrieve(store, embeddings, question.text, **options)
                    windows = fit_windows(found.windows, DEFAULT.max_context_characters)
                    figures.append((
                        any(holds_answer(question, w.source, w.start, w.end) for w in windows),
                        covered(question, windows),
                        sum(len(window.text) for window in windows),
                        len(windows),
                    ))  # fmt: skip
                held, share, characters, count = map(statistics.fmean, zip(*figures, strict=True))
                print(
                    f"{name:24}{100 * held:5.1f}{100 * share:10.1f}{characters:12.0f}{count:10.1f}"
                    f"{100_000 * held / characters:16.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
