"""Print how well each way to search finds the answers of evaluation sets, and how fast.

    python bench/retrieval.py SET [SET …] [--plain] [--sweep]
    python bench/retrieval.py --speed 20000

SET is a folder as ``evaluation_sets.py`` reads it. Every row goes through the product's own store
and ``retrieve``: sentence hit@1 and @3 (a found sentence holds the answer, or touches the evidence
where a set lists evidence), window hit@1 and @3 (of the windows of two sentences around the first
1 or 3), MRR@10 of sentences, all in per cent; then, of the passages that would be sent, how many
questions' answers they hold and their characters, with and without auto-merging. ``--plain`` adds
dense search over sentences without titles; ``--sweep`` other weights, k and numbers of candidates.
``--speed`` times both legs over that many sentences of random vectors and words.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluation_sets import CachedEmbeddings, EvaluationSet, Question, Vectors, read_set

from rag.building.fingerprint import fingerprint
from rag.keywords import passage_vector, query_vector
from rag.nodes import ParsedSentence
from rag.retrieval import find_hits, retrieve
from rag.settings import Settings
from rag.stores import open_store, open_writer
from rag.stores.base import CollectionRecord, DocumentRecord, Point, Store
from rag.types import Document, Hit, Sentence
from rag.windows import fit_windows

WINDOW = 2
Texts = Callable[[ParsedSentence], str]

ROWS: dict[str, dict[str, Any]] = {
    "dense": {"mode": "dense"},
    "keyword": {"mode": "keyword"},
    "hybrid, reciprocal ranks, k 60, weight .5": {"rrf_k": 60, "keyword_weight": 0.5},
    "hybrid (default)": {},
}
SWEEP: dict[str, dict[str, Any]] = {
    **{f"scores, weight {w}": {"keyword_weight": w} for w in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)},
    **{
        f"ranks, k {k}, weight {w}": {"rrf_k": k, "keyword_weight": w}
        for k in (1, 5, 10, 30, 60)
        for w in (0.3, 0.5)
    },
    **{f"default, {c} candidates": {"candidates": c} for c in (10, 20, 30, 100, 200)},
}


@contextmanager
def collection(
    documents: Sequence[tuple[Document, Sequence[Sentence], Vectors, Sequence[str]]],
    embeddings: CachedEmbeddings,
) -> Iterator[Store]:
    """Build an embedded collection in a temporary folder, and open it."""
    print_ = fingerprint(embeddings)
    with TemporaryDirectory() as folder:
        settings = Settings(qdrant_path=Path(folder))
        with open_writer(settings, full=True, fingerprint=print_) as writer:
            for document, sentences, vectors, words in documents:
                points = [
                    Point(s, "", f"{document.path} {s.index}", v, passage_vector(text))
                    for s, v, text in zip(sentences, vectors, words, strict=True)
                ]
                writer.add(DocumentRecord.of(document, len(points)), points)
            writer.finish(CollectionRecord(print_, folder, WINDOW, time.time(), "bench"))
        store = open_store(settings)
        try:
            yield store
        finally:
            store.close()


def of_set(questions: EvaluationSet, embeddings: CachedEmbeddings, text: Texts) -> list[Any]:
    """Return the documents of a set as :func:`collection` takes them."""
    by_source: dict[str, list[ParsedSentence]] = {}
    for parsed in questions.sentences:
        by_source.setdefault(parsed.sentence.source, []).append(parsed)
    vectors = iter(embeddings.passages([text(parsed) for parsed in questions.sentences]))
    return [
        (
            document,
            [p.sentence for p in by_source[document.path]],
            np.stack([next(vectors) for _ in by_source[document.path]]),
            [text(p) for p in by_source[document.path]],
        )
        for document in questions.documents
        if document.path in by_source
    ]


class Judge:
    """Says which sentences and windows hold the answer of a question."""

    def __init__(self, sentences: Sequence[ParsedSentence]) -> None:
        self._by_source: dict[str, list[Sentence]] = {}
        for parsed in sentences:
            self._by_source.setdefault(parsed.sentence.source, []).append(parsed.sentence)

    def sentence(self, question: Question, hit: Hit) -> bool:
        """Whether the found sentence does."""
        found = hit.sentence
        return holds_answer(question, found.source, found.start, found.end)

    def window(self, question: Question, hit: Hit) -> bool:
        """Whether the window around it does."""
        sentences, at = self._by_source[hit.sentence.source], hit.sentence.index
        first, last = (
            sentences[max(0, at - WINDOW)],
            sentences[min(len(sentences) - 1, at + WINDOW)],
        )
        return holds_answer(question, hit.sentence.source, first.start, last.end)


def holds_answer(question: Question, source: str, start: int, end: int) -> bool:
    """Whether a place holds an answer, or touches the evidence where a set lists evidence."""
    if question.source != source:
        return False
    if question.match == "any":
        return any(start <= s and e <= end for s, e in question.spans)
    return any(s < end and start < e for s, e in question.spans)


def measure(
    store: Store, embeddings: CachedEmbeddings, asked: Sequence[Question], judge: Judge, row: Any
) -> list[float]:
    """Return the figures of one row, in per cent."""
    figures = []
    options = {"mode": "hybrid", "candidates": 60, **row}
    for question in asked:
        hits = find_hits(store, embeddings, question.text, top_k=10, **options).hits
        right = [judge.sentence(question, hit) for hit in hits] or [False]
        windows = [judge.window(question, hit) for hit in hits] or [False]
        reciprocal = next((1 / rank for rank, ok in enumerate(right, 1) if ok), 0.0)
        figures.append((right[0], any(right[:3]), windows[0], any(windows[:3]), reciprocal))
    return [100 * statistics.fmean(column) for column in zip(*figures, strict=True)]


def passages(
    store: Store, embeddings: CachedEmbeddings, asked: Sequence[Question], threshold: float | None
) -> tuple[float, float]:
    """Return the per cent of questions whose passages hold the answer, and their characters."""
    holds, characters = [], []
    for question in asked:
        found = retrieve(
            store, embeddings, question.text, mode="hybrid", top_k=6, window_size=WINDOW,
            candidates=60, merge_threshold=threshold,
        )  # fmt: skip
        windows = fit_windows(found.windows, 6000)
        holds.append(any(holds_answer(question, w.source, w.start, w.end) for w in windows))
        characters.append(sum(len(w.text) for w in windows))
    return 100 * statistics.fmean(holds), statistics.fmean(characters)


def quality(folders: Sequence[Path], *, plain: bool, sweep: bool) -> None:
    """Print a table for each set."""
    for folder in folders:
        questions = read_set(folder)
        embeddings = CachedEmbeddings(questions.name)
        asked = [q for q in questions.questions if q.answerable and q.spans]
        embeddings.queries([q.text for q in asked])
        judge = Judge(questions.sentences)
        print(f"\n{questions.name}: {len(asked)} questions, {len(questions.sentences)} sentences")
        print(f"{'':44}sent@1 sent@3  win@1  win@3    MRR")
        if plain:
            documents = of_set(questions, embeddings, lambda parsed: parsed.sentence.text)
            with collection(documents, embeddings) as store:
                row = measure(store, embeddings, asked, judge, ROWS["dense"])
                print(f"{'dense, without titles':44}" + "".join(f"{x:6.1f} " for x in row))
        documents = of_set(questions, embeddings, lambda parsed: parsed.embedded_text)
        with collection(documents, embeddings) as store:
            for name, row in (ROWS | SWEEP if sweep else ROWS).items():
                figures = measure(store, embeddings, asked, judge, row)
                print(f"{name:44}" + "".join(f"{x:6.1f} " for x in figures), flush=True)
            for threshold in (None, 0.5, 0.3):
                held, characters = passages(store, embeddings, asked, threshold)
                name = f"passages, merged above {threshold}" if threshold else "passages"
                print(f"{name:44}{held:6.1f} % hold the answer, {characters:.0f} characters")


def speed(count: int) -> None:
    """Print the milliseconds of a search with each mode, embedding aside, by turns."""
    chance, numbers = random.Random(1), np.random.default_rng(1)
    words = [f"word{i}" for i in range(20_000)]
    weights = [1 / (i + 1) for i in range(len(words))]  # as words are in any language
    texts = [" ".join(chance.choices(words, weights, k=20)) for _ in range(count)]
    vectors = numbers.standard_normal((count, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    sentences = [Sentence("a.md", i, i * 99, i * 99 + 90, text) for i, text in enumerate(texts)]
    embeddings = CachedEmbeddings("speed")
    embeddings.embed_query = lambda _: vectors[chance.randrange(count)]  # type: ignore[method-assign]
    document = Document("a.md", "", "", "")
    with collection([(document, sentences, vectors, texts)], embeddings) as store:
        times: dict[str, list[float]] = {"dense": [], "keyword": [], "hybrid": []}
        for _ in range(200):
            query = " ".join(chance.choices(words, weights, k=9))
            query_vector(query)
            for mode, took in times.items():
                found = find_hits(
                    store, embeddings, query,
                    mode=mode, top_k=6, candidates=60,  # type: ignore[arg-type]
                )  # fmt: skip
                took.append(found.retrieve_ms - found.embed_ms)
    print(f"{count} sentences: milliseconds of a search, median and 95th percentile of 200")
    for mode, took in times.items():
        print(
            f"{mode:8} {statistics.median(took):7.2f} {statistics.quantiles(took, n=20)[-1]:7.2f}"
        )
    added = [h - d for h, d in zip(times["hybrid"], times["dense"], strict=True)]
    print(f"hybrid - dense, by pairs: {statistics.median(added):.2f}")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--speed", type=int, metavar="SENTENCES")
    arguments = parser.parse_args()
    if arguments.speed:
        speed(arguments.speed)
    quality(arguments.sets, plain=arguments.plain, sweep=arguments.sweep)


if __name__ == "__main__":
    main()
