"""What the page's process holds on to, and what a build costs those who ask meanwhile.

    python bench/soak.py [--questions 500] [--builds 20] [--sessions 20] [--asked 10]

* soak: questions in conversations that come and go, and builds of a folder that changes, as the
  page makes them but for the drawing: memory, threads and open files after each tenth of it;
* share: sessions that ask at their own pace, without and with a build under way, by turns:
  milliseconds from question to whole answer, and the quotient of the 95th percentiles.

The bundled model, extractive answers. Linux: memory and files are read from /proc.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.build import write_documents  # noqa: E402
from rag import open_assistant  # noqa: E402
from rag.build import build  # noqa: E402
from rag.page.arenas import bound_arenas  # noqa: E402
from rag.page.building import Builder  # noqa: E402
from rag.page.exchange import Options, Pending  # noqa: E402
from rag.page.library import Library  # noqa: E402
from rag.page.session import Session  # noqa: E402
from rag.settings import Settings  # noqa: E402

OPTIONS = Options(2, 6, "hybrid")
THINK_SECONDS = (2.0, 6.0)
"""Between an answer and the next question of a session."""


def held() -> tuple[float, int, int]:
    """Resident memory in MB, threads, open files of this process."""
    gc.collect()
    status = Path("/proc/self/status").read_text("utf-8")
    resident = int(status.partition("VmRSS:")[2].split()[0]) / 1000
    return resident, threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))


def question(chance: random.Random) -> str:
    """A question about one of the generated manuals."""
    part = chance.choice(["filter", "lamp", "switch", "lid", "cord"])
    return f"How do I clean the {part} {chance.randrange(40)} before {chance.randrange(9)}?"


def answered(session: Session, library: Library, text: str) -> float:
    """Ask, wait, and return the milliseconds."""
    began = time.perf_counter()
    session.ask(library, Pending(text, OPTIONS))
    while session.live is not None and not session.live.done:
        time.sleep(0.005)
    session.finish(library)
    return (time.perf_counter() - began) * 1000


def change(docs: Path, number: int) -> None:
    """Rewrite the end of one of the files."""
    files = sorted(docs.rglob("*.md"))
    file = files[number % len(files)]
    kept = file.read_text("utf-8").partition("\n\nChanged")[0]
    news = " ".join(f"Changed lamp {number}-{at} is warm." for at in range(10))
    file.write_text(f"{kept}\n\n{news}\n", "utf-8")


def soak(settings: Settings, questions: int, builds: int) -> None:
    """Ask and build in turn, and print what is held after each tenth; a fifth of it comes before,
    so that all that is loaded once, and the largest buffers, are there.
    """
    bound_arenas()  # as the page does
    library, builder = Library(open_assistant(settings)), Builder(settings)
    builder.serve(library.assistant)
    _ask_and_build(library, builder, questions // 5, max(1, builds // 5))
    print("   done     MB  threads  files", flush=True)
    seen = [held()]
    for tenth in range(11):
        if tenth:
            _ask_and_build(library, builder, questions // 10, builds // 10)
            seen.append(held())
        resident, threads, files = seen[-1]
        print(f"{tenth * questions // 10:7} {resident:6.0f} {threads:8} {files:6}", flush=True)
    most, least = max(each[0] for each in seen), min(each[0] for each in seen)
    print(f"memory {seen[-1][0] / seen[0][0] - 1:+.1%}, at most {most / least - 1:.1%} apart; "
          f"threads {seen[-1][1] - seen[0][1]:+}, files {seen[-1][2] - seen[0][2]:+}; "
          f"{builder.state.ended} builds")  # fmt: skip


def _ask_and_build(library: Library, builder: Builder, questions: int, builds: int) -> None:
    """Ask so many questions, in conversations of 25, and build so often between them."""
    chance = random.Random(questions)
    session = Session()
    for number in range(1, questions + 1):
        answered(session, library, question(chance))
        if number % 25 == 0:
            session = session.renewed()
        if number % (questions // builds) == 0:
            change(library.assistant.settings.docs, 1000 + builder.state.ended)
            builder.start()
            while builder.state.running:
                time.sleep(0.05)
            report = builder.state.report
            assert report, builder.state.error
            assert report.added


def share(settings: Settings, sessions: int, asked: int) -> None:
    """Ask from many sessions, without and with a build, twice each by turns."""
    library = Library(open_assistant(settings))
    stop, took = threading.Event(), {False: [], True: []}

    def builds() -> None:
        number = 0
        builder = Builder(settings)
        builder.serve(library.assistant)
        while not stop.is_set():
            for _ in range(8):
                number += 1
                change(settings.docs, number)
            builder.start()
            while builder.state.running:
                time.sleep(0.05)

    for building in (False, True, False, True):
        stop.clear()
        maker = threading.Thread(target=builds)
        if building:
            maker.start()
        together([lambda seed=seed, to=took[building]: _visit(library, seed, asked, to)
                  for seed in range(sessions)])  # fmt: skip
        stop.set()
        if building:
            maker.join()
        ordered = sorted(took[building])
        name = "with a build" if building else "without"
        print(f"{name:<13} p50 {statistics.median(ordered):6.0f}   p95 {_p95(ordered):6.0f}   "
              f"n {len(ordered)}", flush=True)  # fmt: skip
    print(f"p95 with / without: {_p95(sorted(took[True])) / _p95(sorted(took[False])):.2f}")


def _p95(ordered: list[float]) -> float:
    return ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]


def _visit(library: Library, seed: int, asked: int, took: list[float]) -> None:
    chance = random.Random(seed)
    session = Session()
    for _ in range(asked):
        time.sleep(chance.uniform(*THINK_SECONDS))
        took.append(answered(session, library, question(chance)))


def together(tasks: list[Callable[[], None]]) -> None:
    """Run all at once, each in a thread."""
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--builds", type=int, default=20)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--asked", type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_documents(folder / "docs", 300, 20)
        for number in range(20):
            change(folder / "docs", number)
        settings = Settings(docs=folder / "docs", qdrant_path=folder / "store")
        print(f"{build(settings).sentences} sentences", flush=True)
        if arguments.questions:
            soak(settings, arguments.questions, arguments.builds)
        if arguments.sessions:
            share(settings, arguments.sessions, arguments.asked)


if __name__ == "__main__":
    main()
