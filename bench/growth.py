"""What a collection of so many sentences takes: python bench/growth.py [SENTENCES …].

Builds generated documents through the real build, into the embedded store, with stand-in vectors of
384 dimensions; then opens it in a new process and asks. Prints for each size the seconds of the
build without embedding, the disk it takes, the memory of the build and of a reader after 200
questions (resident, with what of the files is mapped in), and milliseconds to open and to search.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import build as bench

ROOT = Path(__file__).parents[1]


def resident_megabytes() -> float:
    """The memory of this process now, in megabytes (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def build(folder: Path) -> None:
    """Build, in this process, and print what it took."""
    import resource

    bench.building.open_embeddings = lambda _: bench.StandIn()  # type: ignore[assignment]
    settings = bench.Settings(docs=folder / "docs", qdrant_path=folder / "store")
    report = bench.building.build(settings, full=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps([report.sentences, report.seconds.total - report.seconds.embed, peak]))


def ask(folder: Path) -> None:
    """Open and ask, in this process, and print what it took."""
    from rag.keywords import query_vector
    from rag.stores import open_store

    before = resident_megabytes()
    began = time.perf_counter()
    store = open_store(bench.Settings(qdrant_path=folder / "store"))
    opening = (time.perf_counter() - began) * 1000
    stand_in, times = bench.StandIn(), []
    for number in range(200):
        words = f"clean {bench.WORDS[number % len(bench.WORDS)]} filter {number}"
        began = time.perf_counter()
        store.search(dense=stand_in.embed_query(words), keyword=query_vector(words), limit=60)
        times.append((time.perf_counter() - began) * 1000)
    print(json.dumps([opening, statistics.median(times), resident_megabytes() - before]))


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
    print("sentences  build s  disk MB  build MB  reader MB  open ms  search ms", flush=True)
    for size in options.sizes:
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            folder = Path(name)
            bench.write_documents(folder / "docs", size, files=max(50, size // 1000))
            sentences, seconds, peak = apart("build", folder)
            du = ["du", "-sk", str(folder / "store")]
            disk = subprocess.run(du, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
            opening, search, reader = apart("ask", folder)
            print(
                f"{sentences:9.0f} {seconds:8.1f} {int(disk[0]) / 1000:8.0f} {peak:9.0f} "
                f"{reader:10.0f} {opening:8.0f} {search:10.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
