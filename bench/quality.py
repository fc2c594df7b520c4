"""Print how our search and other pipelines answer the questions of evaluation sets.

    pip install -e '.[bench]'
    python bench/quality.py SET [SET …] [--questions 300] [--sentences 3000]

SET is a folder as ``evaluation_sets.py`` reads it; of a large one a fixed sample. Ours goes through
the product's own build and assistant with its default settings, and is what a chat model would be
sent: nothing where a question is refused as off-topic. The others are those of ``peers.py``. All
use the bundled embeddings, through one cache in ``bench/out/``.

A table for each set: *hit*, the share of questions with a passage that holds the answer (touches it
where a set lists evidence); characters sent; share of them sent twice; coverage, the share of the
answer's characters that are sent, and per 1,000 characters. *Ours, cut* sends at most as much as
the pipeline in its row does on average (``RAG_MAX_CONTEXT_CHARACTERS``); its difference in hit has
a 95 % interval by paired bootstrap. Then the bars, each held or not.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluation_sets import CachedEmbeddings, EvaluationSet, Question, read_set
from peers import Passage, peers

from rag import assistant as assisting
from rag import build as building
from rag import collection
from rag.assistant import Assistant
from rag.evaluation.gold import Gold, Place
from rag.evaluation.scores import coverage, finds
from rag.settings import Settings
from rag.types import Document, Window

WINDOWED = ("tutorial", "LlamaIndex", "Haystack, embedding", "Haystack, BM25")
"""The pipelines that send windows of sentences."""
RESAMPLES = 5000


@dataclass
class Column:
    """What one way to answer sent for each question, in the order of the questions."""

    hits: list[bool] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)
    twice: list[int] = field(default_factory=list)
    covered: list[float] = field(default_factory=list)
    refused: int = 0

    def add(self, gold: Gold, sent: Sequence[Passage]) -> None:
        """Judge what was sent for a question."""
        whole = _merged(sent)
        self.hits.append(any(finds(gold, passage) for passage in sent))
        self.characters.append(sum(len(passage.text) for passage in sent))
        self.twice.append(sum(p.end - p.start for p in sent) - sum(p.end - p.start for p in whole))
        self.covered.append(coverage(gold, [_window(p) for p in whole]))

    @property
    def mean_characters(self) -> float:
        """Characters sent for a question."""
        return statistics.fmean(self.characters)

    @property
    def per_thousand(self) -> float:
        """Per cent of the answers in 1,000 characters sent."""
        return 100_000 * statistics.fmean(self.covered) / self.mean_characters

    def row(self) -> str:
        """Return hit, characters, sent twice, coverage and coverage per 1,000 characters."""
        hit, covered = (100 * statistics.fmean(x) for x in (self.hits, self.covered))
        twice = 100 * sum(self.twice) / max(1, sum(self.characters))
        return (
            f"{hit:.1f} | {self.mean_characters:,.0f} | {twice:.0f} | {covered:.1f} | "
            f"{self.per_thousand:.0f}"
        )


@dataclass
class Result:
    """A set's columns: the others', ours as it comes, and ours cut to each of the others."""

    name: str
    ours: Column
    others: dict[str, Column]
    cut: dict[str, Column]
    hit_at_1: float
    plain_at_1: float

    def difference(self, name: str) -> tuple[float, float, float]:
        """Return how far our hit is ahead in points, with the ends of its 95 % interval."""
        pairs = np.array(self.cut[name].hits, float) - np.array(self.others[name].hits, float)
        chosen = np.random.default_rng(1).integers(len(pairs), size=(RESAMPLES, len(pairs)))
        low, high = np.percentile(pairs[chosen].mean(axis=1), [2.5, 97.5])
        return 100 * float(pairs.mean()), 100 * float(low), 100 * float(high)


@contextmanager
def built(questions: EvaluationSet, embeddings: CachedEmbeddings) -> Iterator[Settings]:
    """Build a set's documents as a user would, and yield the settings to ask them with.

    A document is a file of its title in a folder of its id, so that titles are found as usual.
    """
    with TemporaryDirectory() as name:
        docs = Path(name) / "docs"
        for document in questions.documents:
            file = docs / document.path.removesuffix(".txt") / _file_name(document)
            file.parent.mkdir(parents=True)
            file.write_text(document.text, encoding="utf-8")
        settings = Settings(docs=docs, qdrant_path=Path(name) / "qdrant")
        for module in (building, collection):
            module.open_embeddings = lambda _: embeddings  # type: ignore[attr-defined]
        building.build(settings)
        yield settings


def _file_name(document: Document) -> str:
    title = document.title.replace("/", "-")[:60].rstrip(". ")
    return f"{title}.{'md' if document.markdown else 'txt'}"


def ours(settings: Settings, asked: Sequence[Question], limit: int | None = None) -> Column:
    """Ask the questions as ``ask.py`` does, with ``limit`` as RAG_MAX_CONTEXT_CHARACTERS."""
    column = Column()
    with assisting.open_assistant(settings.with_(max_context_characters=limit)) as assistant:
        for question in asked:
            stream = assistant.ask(question.text)
            for _ in stream:
                pass
            answer = stream.answer
            off_topic = answer.refusal == "off-topic"
            sent = () if off_topic else answer.windows
            column.refused += off_topic
            column.add(gold_of(question), [_passage(window) for window in sent])
    return column


def at_1(settings: Settings, asked: Sequence[Question]) -> float:
    """Return the per cent of questions whose first sentence finds the answer."""
    with assisting.open_assistant(settings) as assistant:
        return 100 * statistics.fmean(_first_is_right(assistant, q) for q in asked)


def _first_is_right(assistant: Assistant, question: Question) -> bool:
    (hit,) = assistant.search(question.text, top_k=1)
    s = hit.sentence
    return finds(gold_of(question), Passage(_origin(s.source), s.start, s.end, s.text))


def plain_at_1(
    questions: EvaluationSet, embeddings: CachedEmbeddings, asked: Sequence[Question]
) -> float:
    """Return the same for dense search over the same sentences without their titles."""
    sentences = [parsed.sentence for parsed in questions.sentences]
    matrix = embeddings.passages([sentence.text for sentence in sentences])
    found = [sentences[int((matrix @ embeddings.embed_query(q.text)).argmax())] for q in asked]
    return 100 * statistics.fmean(finds(gold_of(q), s) for q, s in zip(asked, found, strict=True))


def gold_of(question: Question) -> Gold:
    """Return a question's gold, in the terms of ``ask.py --evaluate``."""
    places = tuple(Place(question.source, start, end) for start, end in question.spans)
    return Gold(True, question.match, places)  # type: ignore[arg-type]


def measure(folder: Path, count: int, sentences: int) -> Result:
    """Measure one set."""
    questions = read_set(folder, sentences=sentences)
    asked = [q for q in questions.questions if q.answerable and q.spans][:count]
    embeddings = CachedEmbeddings(questions.name)
    embeddings.queries([q.text for q in asked])
    others = {}
    for name, find in peers(questions, embeddings):
        others[name] = Column()
        for question in asked:
            others[name].add(gold_of(question), find(question.text))
    with built(questions, embeddings) as settings:
        cut = {name: ours(settings, asked, int(o.mean_characters)) for name, o in others.items()}
        first = at_1(settings, asked)
        result = Result(
            questions.name, ours(settings, asked), others, cut, first,
            plain_at_1(questions, embeddings, asked),
        )  # fmt: skip
    print(f"\n### {questions.name}: {len(asked)} questions, {len(questions.sentences)} sentences\n")
    print("| | hit | characters | twice, % | coverage | per 1,000 | ours, cut: hit | difference |")
    print("|---|---|---|---|---|---|---|---|")
    print(f"| **ours** | {result.ours.row()} | | |")
    for name, other in others.items():
        mean, low, high = result.difference(name)
        hit = 100 * statistics.fmean(cut[name].hits)
        print(f"| {name} | {other.row()} | {hit:.1f} | {mean:+.1f} ({low:+.1f} to {high:+.1f}) |")
    print(
        f"\nsentence hit@1: {first:.1f}, plain dense {result.plain_at_1:.1f}; refused as off-topic "
        f"{result.ours.refused} of {len(asked)}, which counts as nothing sent",
        flush=True,
    )
    return result


def bars(results: Sequence[Result]) -> None:
    """Print each bar with what was measured."""
    total = len(results)
    most = max(1, round(total * 4 / 6))
    print(f"\n### Bars, over {total} sets\n\n| bar | measured | |\n|---|---|---|")

    def bar(words: str, values: Sequence[object], held: bool) -> None:
        print(
            f"| {words} | {' · '.join(map(str, values))} | {'held' if held else '**not held**'} |"
        )

    for name in WINDOWED:
        found = [r.difference(name) for r in results]
        told = [f"{mean:+.1f}" for mean, _, _ in found]
        held = all(high >= 0 for _, _, high in found)
        bar(f"hit not behind {name} beyond the interval, on any", told, held)
        ahead = sum(mean > 0 for mean, _, _ in found)
        bar(f"hit ahead of {name}, on {most}", [f"{ahead} of {total}"], ahead >= most)
    ratios = [
        r.ours.per_thousand / max(r.others[name].per_thousand for name in WINDOWED) for r in results
    ]
    told = [f"{ratio:.2f}" for ratio in ratios]
    bar(f"coverage per 1,000 ≥ 1.5 × the best, on {most}", told, _at_least(ratios, 1.5) >= most)
    bar("coverage per 1,000 ≥ 1.2 × the best, on all", told, _at_least(ratios, 1.2) == total)
    chunks = [r.difference("chunks")[0] for r in results]
    bar("hit ahead of chunks at equal characters", [f"{d:+.1f}" for d in chunks], min(chunks) > 0)
    gains = [r.hit_at_1 - r.plain_at_1 for r in results]
    told = [f"{gain:+.1f}" for gain in gains]
    bar(f"sentence hit@1 ≥ 3 over plain dense, on {most}", told, _at_least(gains, 3) >= most)
    twice = sum(sum(column.twice) for r in results for column in (r.ours, *r.cut.values()))
    bar("nothing sent twice (characters)", [twice], twice == 0)


def _at_least(values: Sequence[float], least: float) -> int:
    return sum(value >= least for value in values)


def _origin(source: str) -> str:
    return source.partition("/")[0] + ".txt"


def _passage(window: Window) -> Passage:
    return Passage(_origin(window.source), window.start, window.end, window.text)


def _window(passage: Passage) -> Window:
    return Window(1, passage.source, passage.start, passage.end, passage.text, 0, 0, ())


def _merged(passages: Sequence[Passage]) -> list[Passage]:
    """Return the places of the passages, each once."""
    merged: list[Passage] = []
    for passage in sorted(passages, key=lambda p: (p.source, p.start)):
        last = merged[-1] if merged else None
        if last is not None and last.source == passage.source and passage.start <= last.end:
            merged[-1] = Passage(last.source, last.start, max(last.end, passage.end), "")
        else:
            merged.append(Passage(passage.source, passage.start, passage.end, ""))
    return merged


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--sentences", type=int, default=3000)
    arguments = parser.parse_args()
    results = [measure(s, arguments.questions, arguments.sentences) for s in arguments.sets]
    bars(results)


if __name__ == "__main__":
    main()
