"""Print what builds of generated documents take.

    python bench/build.py [unchanged] [delta] [share] [memory] [--whole] [--sentences 10000]
        [--folder /dev/shm]

* unchanged: `store.py` in a new process when nothing changed, and what it loads;
* delta: one of fifty files changed, against a full build, embedding aside (stand-in vectors), at
  four times the sentences;
* share: all that is not embedding, of a full build with the bundled model, whose time is
  extrapolated from a sample, or with --whole measured on everything (minutes);
* memory: the peak for a folder and for one four times as large, of files of the same size.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rag import build as building  # noqa: E402
from rag.embeddings import BundledEmbeddings  # noqa: E402
from rag.settings import Settings  # noqa: E402

WORDS = """kettle water button lid steam filter handle base cord scale vinegar lamp switch timer
heat pour fill press clean rinse wait open close turn hold check replace remove dry store the a
before after while until with without and or never always slowly carefully warm cold""".split()  # noqa: SIM905
FILES = 50
PARTS = 20_000
"""Different words beside ``WORDS``, the first of them common, the last rare, as in real text."""


class StandIn:
    """Vectors from a hash of the text, at next to no cost.

    They lie near a space of 32 dimensions, so that they have neighbours, as those of sentences do:
    of vectors drawn from all 384 an index takes several times as long to build, and finds little.
    """

    model, dimension, known_dimension, prefixes = "stand-in", 384, 384, ("", "")
    _axes = np.random.default_rng(0).normal(size=(32, 384)).astype(np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        """Return one vector."""
        return next(self.embed_passages([text]))[1][0]

    def embed_passages(self, texts: Sequence[str]) -> Iterator[tuple[int, np.ndarray]]:
        """Yield vectors in batches."""
        for first in range(0, len(texts), 64):
            batch = texts[first : first + 64]
            data = b"".join(hashlib.shake_256(text.encode()).digest(32) for text in batch)
            places = np.frombuffer(data, dtype=np.int8).reshape(len(batch), 32)
            rows = places.astype(np.float32) @ self._axes
            yield first, rows / np.linalg.norm(rows, axis=1, keepdims=True)


def write_documents(folder: Path, sentences: int, files: int = FILES) -> None:
    """Write Markdown files with so many sentences together, of some 14 words each."""
    chance = random.Random(7)
    for number in range(files):
        parts = [f"# Manual {number}\n"]
        for place in range(sentences // files):
            if place % 40 == 0:
                parts.append(f"\n## Part {place // 40}\n\n")
            chosen = chance.choices(WORDS, k=chance.randint(3, 11))
            chosen += [f"part{PARTS ** chance.random():.0f}" for _ in chosen]
            words = " ".join(chosen)
            parts.append(
                f"{words.capitalize()} {number}-{place}.{' ' if place % 5 < 4 else chr(10) * 2}"
            )
        path = folder / f"part{number % 5}" / f"manual{number:03}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(parts))


def aside(report: building.BuildReport) -> float:
    """Seconds of a build without embedding."""
    return report.seconds.total - report.seconds.embed


def clocked(settings: Settings, *, full: bool = False) -> tuple[building.BuildReport, float]:
    """Build; return the report and the seconds of processor time, which other programs spare."""
    began = time.process_time()
    return building.build(settings, full=full), time.process_time() - began


def nothing_changed(settings: Settings) -> None:
    """Time `store.py` on an unchanged folder, in new processes."""
    code = (
        "import json,sys,time; began=time.perf_counter(); from rag.commands.store import main\n"
        "main(sys.argv[1:])\n"
        "print(json.dumps([time.perf_counter()-began, 'llama_index' in sys.modules]))"
    )
    # The stand-in's fingerprint without a request: its name, at an endpoint that nobody asks.
    environ = {
        **os.environ, "RAG_EMBEDDING_MODEL": "stand-in", "OPENAI_BASE_URL": "http://127.0.0.1:9",
        "QDRANT_PATH": str(settings.qdrant_path), "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    walls, inner, heavy, report = [], [], False, {}
    for _ in range(5):
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", code, str(settings.docs), "--json"],
            capture_output=True, text=True, check=True, env=environ,
        )  # fmt: skip
        walls.append(time.perf_counter() - began)
        lines = done.stdout.splitlines()
        report, (seconds, loaded) = json.loads(lines[0]), json.loads(lines[1])
        inner.append(seconds)
        heavy = heavy or loaded
    print(
        f"nothing changed, {report['sentences']} sentences: {statistics.median(walls):.2f} s a "
        f"process ({statistics.median(inner):.2f} s in Python), {report['added']} embedded, "
        f"llama_index {'LOADED' if heavy else 'not loaded'}   [< 1 s]",
        flush=True,
    )


def one_file_changed(folder: Path, sentences: int) -> None:
    """Compare a full build with one of fifty files changed, embedding aside."""
    settings = Settings(docs=folder / "docs", qdrant_path=folder / "store")
    write_documents(settings.docs, sentences)
    full, cpu = clocked(settings, full=True)
    deltas, cpus = [], []
    for number in range(3):
        path = sorted(settings.docs.rglob("*.md"))[7 * number]
        text = path.read_text()
        path.write_text(text.replace("## Part 1\n", f"## Part 1\n\nA new line {number}.\n"))
        report, spent = clocked(settings)
        deltas.append(aside(report))
        cpus.append(spent)
        assert report.added >= 1
    delta = statistics.median(deltas)
    print(
        f"one of {FILES} files changed, {full.sentences} sentences: {delta:.2f} s of "
        f"{aside(full):.2f} s = {100 * delta / aside(full):.1f} %   [< 5 %]; of processor time "
        f"{statistics.median(cpus):.2f} of {cpu:.1f} s; full build: "
        f"{full.seconds}",
        flush=True,
    )


def share_of_the_rest(settings: Settings, *, whole: bool) -> None:
    """Print what a full build spends beside embedding, against the bundled model's time."""
    report = building.build(settings, full=True)
    rest = aside(report)
    if whole:
        building.open_embeddings = lambda _: BundledEmbeddings()  # type: ignore[assignment]
        real = building.build(settings, full=True)
        rest, embed = aside(real), real.seconds.embed
    else:
        from rag.documents import find_files, read_document
        from rag.nodes import parse_sentences

        files = find_files(settings.docs).files
        texts = [s.embedded_text for s in parse_sentences(read_document(files[0]), window_size=2)]
        model = BundledEmbeddings()
        model.embed_query("warm")
        began = time.perf_counter()
        for _ in model.embed_passages(texts[:200]):
            pass
        embed = (time.perf_counter() - began) / min(200, len(texts)) * report.sentences
    how = "measured" if whole else "extrapolated from 200 sentences"
    print(
        f"not embedding, {report.sentences} sentences: {rest:.2f} s of {rest + embed:.0f} s = "
        f"{100 * rest / (rest + embed):.1f} %   [<= 5 %]   {report.seconds}; bundled model {how}: "
        f"{report.sentences / embed:.0f} sentences a second",
        flush=True,
    )


def peak_megabytes(folder: Path, sentences: int, files: int) -> float:
    """Peak memory of a build in a process of its own."""
    write_documents(folder / "docs", sentences, files)
    code = (
        "import resource, sys; from bench.build import *\n"
        "building.open_embeddings = lambda _: StandIn(); folder = Path(sys.argv[1])\n"
        "building.build(Settings(docs=folder / 'docs', qdrant_path=folder / 'store'))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return float(done.stdout.splitlines()[-1])


def main() -> None:
    """Run what was asked for, or all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="unchanged, delta, share, memory; all")
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="where to build; a disk of your choice")
    parser.add_argument("--whole", action="store_true", help="embed everything with the model")
    arguments = parser.parse_args()
    parts = arguments.parts or ["unchanged", "delta", "memory", "share"]
    building.open_embeddings = lambda _: StandIn()  # type: ignore[assignment]
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        settings = Settings(docs=folder / "a" / "docs", qdrant_path=folder / "a" / "store")
        write_documents(settings.docs, arguments.sentences)
        if "unchanged" in parts:
            building.build(settings)
            nothing_changed(settings)
        if "delta" in parts:
            one_file_changed(folder / "b", 4 * arguments.sentences)
        if "memory" in parts:
            small = peak_megabytes(folder / "c", arguments.sentences, FILES)
            large = peak_megabytes(folder / "d", 4 * arguments.sentences, 4 * FILES)
            print(f"peak memory: {small:.0f} MB for {FILES} files, {large:.0f} for {4 * FILES}")
        if "share" in parts:
            share_of_the_rest(settings, whole=arguments.whole)


if __name__ == "__main__":
    main()
