"""Print how fast the embedded store answers, how much its index misses, and the same of local mode.

    python bench/store.py SET [SET …] [--sizes 2000 20000 100000] [--local 20000]

SET is a folder as ``evaluation_sets.py`` reads it. Sizes are sentences, of 384 dimensions with the
product's own payloads; what is beyond the sets are jittered copies. All calls go through
``rag.stores``: a search fetches 60 sentences with all that a hit shows, of which a store keeps
some thousand; so the first search after opening stands by itself. Times are medians in
milliseconds, the least of five one after another; ``recall`` is the share of the exact ten
nearest among the first ten found. Up to ``--local`` sentences the same is done with
``QdrantClient(path=…)``. A bar that is missed is marked ``!``.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from store_corpus import Corpus, Query, Vectors, read_corpus

from rag.settings import Settings
from rag.stores import open_store, open_writer
from rag.stores.base import (
    CollectionRecord,
    DocumentRecord,
    Fingerprint,
    Point,
    Store,
    Writer,
)
from rag.types import Condition

LIMIT = 60  # the default of RAG_CANDIDATES
ROUNDS = 60
Where = tuple[Condition, ...]
BARS = {2_000: 1.0, 20_000: 3.0, 100_000: 5.0, 1_000_000: 10.0}
"""Most milliseconds of a dense search, by size."""
FINGERPRINT = Fingerprint("bench", 384, 1, "bench", "bench")


@dataclass
class Exact:
    """The ten highest cosines of each query, gathered while the points go by."""

    queries: tuple[Query, ...]

    def __post_init__(self) -> None:
        self.matrix = np.stack([query.dense for query in self.queries])
        self.best: list[list[float]] = [[] for _ in self.queries]

    def watch(
        self, documents: Iterable[tuple[DocumentRecord, list[Point]]]
    ) -> Iterator[tuple[DocumentRecord, list[Point]]]:
        """Pass documents on, and remember the best of them."""
        waiting: list[Vectors] = []
        for record, points in documents:
            waiting += [point.dense for point in points]
            if len(waiting) >= 4000:
                self._compare(waiting)
                waiting.clear()
            yield record, points
        if waiting:
            self._compare(waiting)

    def _compare(self, vectors: list[Vectors]) -> None:
        scores = self.matrix @ np.stack(vectors).T
        for best, row in zip(self.best, scores, strict=True):
            best[:] = sorted([*best, *np.sort(row)[-10:].tolist()], reverse=True)[:10]

    def recall(self, store: Store) -> float:
        """Return the share of the nearest that a search finds; of equals any will do."""
        shares = []
        for query, best in zip(self.queries, self.best, strict=True):
            found = store.search(dense=query.dense, limit=LIMIT).dense[:10]
            shares.append(sum(s.score > best[-1] - 1e-5 for s in found) / 10)
        return statistics.mean(shares)


def median_ms(call: Callable[[int], object], rounds: int = ROUNDS) -> float:
    """Return the median time of a call: of five runs that of the quietest."""
    medians = []
    for _ in range(5):
        times = []
        for i in range(rounds):
            started = time.perf_counter()
            call(i)
            times.append(time.perf_counter() - started)
        medians.append(statistics.median(times))
    return min(medians) * 1000


def first_search_ms(corpus: Corpus, settings: Settings) -> float:
    """Return the median time of a dense search by a store that has read no sentence yet."""
    times = []
    for query in corpus.queries[:20]:
        store = open_store(settings)
        started = time.perf_counter()
        store.search(dense=query.dense, limit=LIMIT)
        times.append(time.perf_counter() - started)
        store.close()
    return statistics.median(times) * 1000


def bar(value: float, most: float) -> str:
    """Spell a value, with a mark if it is too much."""
    return f"{value:8.2f}{'!' if value > most else ' '}"


def build(writer: Writer, documents: Iterable[tuple[DocumentRecord, list[Point]]]) -> float:
    """Build, and return the seconds that finishing took: indexing, writing out, switching."""
    record = CollectionRecord(FINGERPRINT, "/bench", 2, time.time(), "bench")
    with writer:
        for document, points in documents:
            writer.add(document, points)
        started = time.perf_counter()
        writer.finish(record)
        return time.perf_counter() - started


def measure(corpus: Corpus, size: int, folder: Path) -> None:
    """Build a collection of ``size`` sentences and print what it does."""
    settings = Settings(qdrant_path=folder)
    exact = Exact(corpus.queries[:200])
    started = time.perf_counter()
    writer = open_writer(settings, full=True, fingerprint=FINGERPRINT)
    finishing = build(writer, exact.watch(corpus.take(size)))
    seconds = time.perf_counter() - started
    disk = subprocess.run(["du", "-sm", str(folder)], capture_output=True, text=True, check=True)
    print(
        f"\n{size:,} sentences: built in {seconds:.1f} s ({finishing:.1f} s of them finishing), "
        f"{disk.stdout.split()[0]} MB"
    )
    opening = median_ms(lambda _: open_store(settings).close(), 5)
    print(f"  open                        {bar(opening, 400)} ms")
    print(f"  first search after opening  {first_search_ms(corpus, settings):8.2f}  ms")
    store = open_store(settings)
    report(store, corpus, size)
    recall = exact.recall(store)
    print(f"  recall@10                   {recall:8.4f}{'!' if recall < 0.98 else ' '}")
    store.close()
    change_one_of_fifty(corpus, settings, size, seconds)


def report(store: Store, corpus: Corpus, size: int) -> None:
    """Print the times of searches and reads."""
    queries, documents = corpus.queries, store.documents()
    names = [document.path for document in documents if document.sentences > 10]
    random.Random(0).shuffle(names)

    def search(i: int, legs: str, where: Where = ()) -> object:
        query = queries[i % len(queries)]
        dense = query.dense if "d" in legs else None
        keyword = query.keyword if "k" in legs else None
        return store.search(dense=dense, keyword=keyword, limit=LIMIT, where=where)

    one = [(Condition("source", "=", names[i % len(names)]),) for i in range(ROUNDS)]
    tenth = (Condition("source", "in", tuple(names[: len(names) // 10 + 1])),)
    page = (Condition("page", "=", 1),)
    dense = median_ms(lambda i: search(i, "d"))
    hybrid = median_ms(lambda i: search(i, "dk"))
    most = BARS.get(size, 10.0)
    print(f"  dense                       {bar(dense, most)} ms (at most {most:g})")
    print(f"  keyword                     {bar(median_ms(lambda i: search(i, 'k')), 1e9)} ms")
    print(f"  hybrid                      {bar(hybrid, 2.5 * dense)} ms (at most 2.5 times dense)")
    filters = {"in one source": one, "in a tenth of all": [tenth], "with a page": [page]}
    for name, wheres in filters.items():
        for legs, plain in (("d", dense), ("dk", hybrid)):

            def filtered(i: int, legs: str = legs, wheres: list[Where] = wheres) -> object:
                return search(i, legs, wheres[i % len(wheres)])

            both = "dense" if legs == "d" else "hybrid"
            print(f"  {f'{both}, {name}':27} {bar(median_ms(filtered), 2 * plain)} ms")
    keys = [[(names[(i + j) % len(names)], j) for j in range(LIMIT)] for i in range(ROUNDS)]
    print(f"  60 sentences by their keys  {bar(median_ms(lambda i: store.read(keys[i])), 1e9)} ms")


def change_one_of_fifty(corpus: Corpus, settings: Settings, size: int, full: float) -> None:
    """Put a fiftieth of all sentences in again, as when one file of fifty changed."""
    documents = list(corpus.take(min(size, sum(len(p) for _, p in corpus.documents))))
    left, changed = size // 50, []
    for document, points in documents:
        if left >= len(points) > 0:
            changed.append((document, points))
            left -= len(points)
    started = time.perf_counter()
    build(open_writer(settings, fingerprint=FINGERPRINT), changed)
    seconds = time.perf_counter() - started
    print(
        f"  a fiftieth put in again     {seconds:8.2f}  s, {seconds / full:.1%} of the full build"
    )


def measure_local_mode(corpus: Corpus, size: int, folder: Path) -> None:
    """Do the same with qdrant-client's local mode, as far as it can."""
    from qdrant_client import QdrantClient, models

    from rag.stores.server_points import client_sparse, collection_parameters, sentence_point

    def opened() -> QdrantClient:
        return QdrantClient(path=str(folder), force_disable_check_same_thread=True)

    client = opened()
    client.create_collection("bench", **collection_parameters(corpus.dimension, {}))
    started = time.perf_counter()
    for record, points in corpus.take(size):
        if points:
            client.upsert("bench", [sentence_point(point, record.modified) for point in points])
    seconds = time.perf_counter() - started
    client.close()
    started = time.perf_counter()
    client = opened()
    opening = (time.perf_counter() - started) * 1000
    print(f"  QdrantClient(path=…): built in {seconds:.1f} s")
    print(f"    open                      {opening:8.2f}  ms")
    sources = [record.path for record, points in corpus.take(size) if len(points) > 10]

    def search(i: int, legs: str, source: str | None = None) -> object:
        query = corpus.queries[i % len(corpus.queries)]
        match = models.MatchValue(value=source or "")
        condition = models.FieldCondition(key="metadata.source", match=match)
        wanted = models.Filter(must=[condition]) if source else None
        requests = [
            models.QueryRequest(
                query=query.dense.tolist() if leg == "d" else client_sparse(query.keyword),
                using="dense" if leg == "d" else "keyword",
                limit=LIMIT,
                filter=wanted,
                with_payload=True,
            )
            for leg in legs
        ]
        return client.query_batch_points("bench", requests)

    for name, call in (
        ("dense", lambda i: search(i, "d")),
        ("hybrid", lambda i: search(i, "dk")),
        ("dense, in one source", lambda i: search(i, "d", sources[i % len(sources)])),
    ):
        print(f"    {name:25} {median_ms(call, 20):8.2f}  ms")
    client.close()


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--sizes", nargs="+", type=int, default=[2_000, 20_000, 100_000])
    parser.add_argument("--local", type=int, default=20_000, help="most sentences for local mode")
    arguments = parser.parse_args()
    corpus = read_corpus(arguments.sets)
    real = sum(len(points) for _, points in corpus.documents)
    print(f"{real:,} real sentences, {len(corpus.queries)} real questions, limit {LIMIT}")
    for size in arguments.sizes:
        with TemporaryDirectory() as folder:
            measure(corpus, size, Path(folder))
        if size <= arguments.local:
            with TemporaryDirectory() as folder:
                measure_local_mode(corpus, size, Path(folder))


if __name__ == "__main__":
    main()
