"""What a collection of so many sentences takes: python bench/growth.py [SENTENCES …].

Builds generated documents through the real build, into the embedded store, with stand-in vectors of
384 dimensions; then opens it in a new process and asks. Prints for each size the seconds of the
build without embedding, the disk it takes, at most and in the end, the memory of the build and of a
reader after 200 questions, and milliseconds to open. How long a search takes is a question for
``store.py``, which has real sentences. Memory is what the process holds itself; with ``+`` what it
has of its files in memory besides, which gives way when room is short.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import build as bench

ROOT = Path(__file__).parents[1]


def memory() -> tuple[float, float]:
    """The memory of this process, its own and that of mapped files, in megabytes (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    kilobytes = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith("Rss")}
    return int(kilobytes["RssAnon"]) / 1000, int(kilobytes["RssFile"]) / 1000


def disk_megabytes(folder: Path) -> float:
    """What a folder takes on the disk. Files may vanish meanwhile."""
    done = subprocess.run(["du", "-sk", str(folder)], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, check=False)  # fmt: skip
    return int(done.stdout.split()[0]) / 1000 if done.stdout else 0.0


def build(folder: Path) -> None:
    """Build, in this process, and print what it took."""
    bench.building.open_embeddings = lambda _: bench.StandIn()  # type: ignore[assignment]
    settings = bench.Settings(docs=folder / "docs", qdrant_path=folder / "store")
    seen: list[tuple[float, float, float]] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(1.0):
            seen.append((*memory(), disk_megabytes(folder / "store")))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        report = bench.building.build(settings, full=True)
    finally:
        ended.set()
        watching.join()
    seen.append((*memory(), disk_megabytes(folder / "store")))
    most = [max(column) for column in zip(*seen, strict=True)]
    print(json.dumps([report.sentences, report.seconds.total - report.seconds.embed, *most]))


def ask(folder: Path) -> None:
    """Open and ask, in this process, and print what it took."""
    from rag.keywords import query_vector
    from rag.stores import open_store

    before = memory()
    began = time.perf_counter()
    store = open_store(bench.Settings(qdrant_path=folder / "store"))
    opening = (time.perf_counter() - began) * 1000
    stand_in = bench.StandIn()
    for number in range(200):
        words = f"clean {bench.WORDS[number % len(bench.WORDS)]} part{number * 7} filter {number}"
        store.search(dense=stand_in.embed_query(words), keyword=query_vector(words), limit=60)
    own, mapped = (after - then for after, then in zip(memory(), before, strict=True))
    print(json.dumps([opening, own, mapped]))


def apart(what: str, folder: Path) -> list[float]:
    """Do a step in a process of its own and return what it printed."""
    command = [sys.executable, __file__, "--step", what, "--folder", str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    values: list[float] = json.loads(done.stdout.splitlines()[-1])
    return values


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--folder", type=Path, help="where to build; a disk of your choice")
    parser.add_argument("--step", choices=["build", "ask"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        (build if options.step == "build" else ask)(options.folder)
        return
    print(
        "sentences   build s  MB at most  disk MB, most     end  reader MB   open ms",
        flush=True,
    )
    for size in options.sizes:
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            folder = Path(name)
            bench.write_documents(folder / "docs", size, files=max(50, size // 1000))
            sentences, seconds, own, mapped, disk = apart("build", folder)
            left = disk_megabytes(folder / "store")
            opening, reader, read = apart("ask", folder)
            print(
                f"{sentences:9.0f} {seconds:9.1f} {own:5.0f} +{mapped:5.0f} {disk:13.0f} "
                f"{left:8.0f} {reader:4.0f} +{read:4.0f} {opening:9.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
