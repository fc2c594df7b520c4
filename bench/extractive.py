"""Print how often answers made of found sentences hold the right one, and their length.

    python bench/extractive.py SET [SET …]

SET is a folder as ``evaluation_sets.py`` reads it; all of its documents are searched, those that
are left out elsewhere too. Rows: the product's answers, the top sentence alone, and the top
sentences as far as they fit into a length, once shorter and once longer on average than the
product's, with what that is at the product's own length, by interpolation. An answer is right
when it holds one of the gold answers, letter by letter; characters are those of its sentences,
without markers. Halves are by documents: :data:`rag.answers.extractive.MIN_SHARE` was chosen on
the first and is reported on the second and on all; ``--sweep`` shows others.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluation_sets import CachedEmbeddings, Question, read_set
from retrieval import collection, of_set

import rag.answers.extractive as extractive
from rag.citations import strip_citations
from rag.retrieval import Retrieved, retrieve
from rag.settings import Settings

Maker = Callable[[Retrieved], str]
Figures = tuple[float, float]
"""Per cent right, and characters on average."""


def product(found: Retrieved) -> str:
    """Return the product's answer without its markers."""
    return strip_citations("".join(extractive.extract(found.windows)))


def up_to(characters: int) -> Maker:
    """Return a maker of answers of the top sentences that fit; the first always does."""

    def make(found: Retrieved) -> str:
        answer = found.hits[0].sentence.text
        for hit in found.hits[1:]:
            if len(answer) + len(hit.sentence.text) > characters:
                break
            answer += f"\n{hit.sentence.text}"
        return answer

    return make


def figures(asked: Sequence[tuple[Question, Retrieved]], make: Maker) -> Figures:
    """Return the figures of a way to make answers."""
    answers = [(question, make(found)) for question, found in asked]
    right = [any(gold in answer for gold in question.answers) for question, answer in answers]
    return 100 * statistics.fmean(right), statistics.fmean(len(answer) for _, answer in answers)


def report(asked: Sequence[tuple[Question, Retrieved]]) -> None:
    """Print the rows of a table."""
    ours = figures(asked, product)
    shorter, longer = (0, (0.0, 0.0)), (0, (0.0, 0.0))
    for limit in range(20, 1200, 10):
        now = limit, figures(asked, up_to(limit))
        if now[1][1] > ours[1]:
            longer = now
            break
        shorter = now
    part = (ours[1] - shorter[1][1]) / (longer[1][1] - shorter[1][1])
    between = shorter[1][0] + part * (longer[1][0] - shorter[1][0])
    for name, row in (
        ("answers", ours),
        ("top sentence alone", figures(asked, up_to(0))),
        (f"top sentences up to {shorter[0]}", shorter[1]),
        (f"top sentences up to {longer[0]}", longer[1]),
        ("top sentences, as long", (between, ours[1])),
    ):
        print(f"    {name:28}{row[0]:5.1f} %  {row[1]:5.0f} characters", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--sweep", action="store_true", help="other shares, on the first half")
    arguments = parser.parse_args()
    settings = Settings()
    for folder in arguments.sets:
        questions = read_set(folder, all_documents=True)
        embeddings = CachedEmbeddings(questions.name)
        documents = of_set(questions, embeddings, lambda parsed: parsed.embedded_text)
        with collection(documents, embeddings) as store:
            asked = [
                (
                    question,
                    retrieve(
                        store, embeddings, question.text, mode="hybrid", top_k=settings.top_k,
                        window_size=settings.window_size, candidates=settings.candidates,
                        min_share=settings.min_share,
                    ),
                )
                for question in questions.questions
                if question.answerable
            ]  # fmt: skip
        halves: tuple[list[tuple[Question, Retrieved]], ...] = ([], [])
        for question, found in asked:
            halves[zlib.crc32(question.source.encode()) % 2].append((question, found))
        if arguments.sweep:
            chosen = extractive.MIN_SHARE
            for share in (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9):
                extractive.MIN_SHARE = share
                print(f"{questions.name}, first half, share {share}:")
                report(halves[0])
            extractive.MIN_SHARE = chosen
        for name, part in (("second half", halves[1]), ("all", asked)):
            print(f"{questions.name}, {name}: {len(part)} questions")
            report(part)


if __name__ == "__main__":
    main()
