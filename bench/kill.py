"""Kill builds at random moments, and see that the collection answers and the next build succeeds.

    python bench/kill.py [--docs FOLDER] [--kills 100] [--seed 0]
    python bench/kill.py [--docs FOLDER] --ask 8 [--builds 20]

The first kills that many builds (``kill -9``) of a copy of the folder of documents, half of them
full builds: half after a random part of the time a build takes, half just after it began to write.
After each it opens the collection, reads it whole, compares with what it was before, builds, and
looks for litter. The second lets processes read it without pause while builds run, every other one
full, and counts errors and answers that are not of one generation. Without ``--docs`` a dozen small
files are made. Both end with 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from rag.build import build
from rag.errors import RagError
from rag.settings import Settings
from rag.stores import current_generation, open_store

ROOT = Path(__file__).parents[1]


def state(settings: Settings) -> str:
    """Return a digest of everything that a collection answers."""
    store = open_store(settings)
    try:
        digest = hashlib.sha256()
        counted = 0
        for sentence in store.sentences():
            digest.update(repr(sentence).encode())
            counted += 1
        if counted != store.info.sentences:
            raise AssertionError(f"{counted} sentences instead of {store.info.sentences}")
        return digest.hexdigest()
    finally:
        store.close()


def change(settings: Settings, rng: random.Random, i: int) -> None:
    """Change, add and remove some files of the folder, as people do."""
    everything = (path for path in settings.docs.rglob("*") if path.is_file())
    files = sorted(path for path in everything if not path.name.startswith("new-"))
    with rng.choice(files).open("a", encoding="utf-8") as file:
        file.write(f"\n\nChange {i} was made here. It says nothing.\n")
    (settings.docs / f"new-{i % 5}.md").write_text(f"# New\n\nThis is file {i}. It is new.\n")
    if i % 7 == 0 and (settings.docs / "new-3.md").exists():
        (settings.docs / "new-3.md").unlink()


def start_build(settings: Settings, *, full: bool) -> subprocess.Popen[bytes]:
    """Start a build in another process."""
    command = [sys.executable, str(ROOT / "store.py"), str(settings.docs), "--quiet"]
    command += ["--qdrant-path", str(settings.qdrant_path), *(["--full"] if full else [])]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def litter(settings: Settings) -> list[str]:
    """Return what lies in the collection's folder beside its one generation."""
    folder = settings.qdrant_path / settings.collection
    expected = {current_generation(settings), "current", "builder.lock"}
    return sorted(entry.name for entry in folder.iterdir() if entry.name not in expected)


def make_documents(folder: Path) -> None:
    """Write a dozen files of ten sentences."""
    folder.mkdir()
    for i in range(12):
        lines = [f"Device {i} has a part {n} that weighs {n * i + 3} grams." for n in range(10)]
        (folder / f"device-{i:02}.md").write_text(f"# Device {i}\n\n" + " ".join(lines) + "\n")


def wait_and_kill(
    process: subprocess.Popen[bytes], settings: Settings, rng: random.Random, seconds: float
) -> bool:
    """Kill a build at a random moment. Return whether it was still running."""
    if rng.random() < 0.5:
        time.sleep(rng.random() * seconds)
    else:
        folder = settings.qdrant_path / settings.collection
        while process.poll() is None and not list(folder.glob("*.new")):
            time.sleep(0.002)
        time.sleep(rng.random() * 0.3)
    running = process.poll() is None
    process.kill()
    process.wait()
    return running


def kill_builds(settings: Settings, kills: int, seed: int) -> Counter[str]:
    """Kill builds, and count what was right and wrong after each."""
    rng, seen = random.Random(seed), Counter[str]()
    build(settings)
    seconds = {}
    for full in (True, False):
        started = time.perf_counter()
        change(settings, rng, 0)
        start_build(settings, full=full).wait()
        seconds[full] = time.perf_counter() - started
    print(f"builds take {seconds[True]:.1f} s full, {seconds[False]:.1f} s otherwise")
    print(f"the collection takes {size_mb(settings)} MB")
    for i in range(kills):
        change(settings, rng, i)
        before, generation = state(settings), current_generation(settings)
        full = rng.random() < 0.5
        running = wait_and_kill(start_build(settings, full=full), settings, rng, seconds[full])
        switched = current_generation(settings) != generation
        seen["killed" if running else "finished before the kill"] += 1
        seen["killed after the switch"] += switched and running
        seen["killed while writing"] += any(name.endswith(".new") for name in litter(settings))
        try:
            if not switched and state(settings) != before:
                seen["WRONG: another answer"] += 1
            state(settings)
        except (RagError, AssertionError) as error:
            print(f"  kill {i}: {error}")
            seen["WRONG: no answer"] += 1
        report = build(settings)
        seen["texts embedded again after a kill"] += report.added
        if litter(settings):
            print(f"  kill {i}: {litter(settings)}")
            seen["WRONG: litter"] += 1
    print(f"the collection takes {size_mb(settings)} MB")
    return seen


def size_mb(settings: Settings) -> int:
    """Return the megabytes on disk."""
    done = subprocess.run(
        ["du", "-sm", str(settings.qdrant_path)], capture_output=True, text=True, check=True
    )
    return int(done.stdout.split()[0])


def ask_without_pause(settings: Settings, stop: Event, report: Queue[Counter[str]]) -> None:
    """Open and ask until told to stop."""
    seen = Counter[str]()
    while not stop.is_set():
        try:
            state(settings)
            seen["answers"] += 1
        except (RagError, AssertionError) as error:
            seen[f"WRONG: {error}"] += 1
    report.put(seen)


def ask_while_building(settings: Settings, processes: int, builds: int) -> Counter[str]:
    """Let processes ask while builds run, and count their answers and errors."""
    build(settings)
    context = multiprocessing.get_context("spawn")
    stop, report = context.Event(), context.Queue()
    askers = [
        context.Process(target=ask_without_pause, args=(settings, stop, report))
        for _ in range(processes)
    ]
    for asker in askers:
        asker.start()
    rng = random.Random(0)
    for i in range(builds):
        change(settings, rng, i)
        build(settings, full=i % 2 == 1)
    stop.set()
    seen = sum((report.get(timeout=120) for _ in askers), Counter[str]())
    for asker in askers:
        asker.join()
    seen["WRONG: litter"] += len(litter(settings))
    return seen


def main() -> None:
    """Run the one or the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ask", type=int, default=0, metavar="PROCESSES")
    parser.add_argument("--builds", type=int, default=20)
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        settings = Settings(docs=Path(folder) / "docs", qdrant_path=Path(folder) / "qdrant")
        if arguments.docs:
            shutil.copytree(arguments.docs, settings.docs)
        else:
            make_documents(settings.docs)
        started = time.perf_counter()
        if arguments.ask:
            seen = ask_while_building(settings, arguments.ask, arguments.builds)
        else:
            seen = kill_builds(settings, arguments.kills, arguments.seed)
        for what, times in sorted(seen.items()):
            if times:
                print(f"{times:6} {what}")
        print(f"{time.perf_counter() - started:.0f} s")
    sys.exit(any(times for what, times in seen.items() if what.startswith("WRONG")))


if __name__ == "__main__":
    main()
