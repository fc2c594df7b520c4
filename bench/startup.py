"""Seconds from the start of a process to what it is for, and which imports take them.

    pip install -e '.[test]'
    python bench/startup.py [--rounds 5]

Over the sample documents, built before: ``ask.py`` and ``store.py`` to their end, by way of what
they do; the page until it answers, and until a question can be typed in Chromium. Printed are the
median and the least of the rounds, by turns, and the packages whose own modules took longest to
import (``-X importtime``, which slows everything down by half).
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from rag.build import build
from rag.settings import Settings
from tests.browser import environment, open_browser, running_page
from tests.chat_server import ChatServer, Reply
from tests.conftest import ROOT

QUESTION = "How long is the warranty?"


def run(settings: Settings, *command: str, flags: tuple[str, ...] = ()) -> tuple[float, str]:
    """Run a script to its end; return the seconds, and what it wrote to stderr."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *flags, *command], cwd=ROOT, env=environment(settings),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return time.perf_counter() - began, done.stderr


def imports(settings: Settings, *command: str) -> str:
    """Name the packages that took longest to import, with their milliseconds."""
    _, said = run(settings, *command, flags=("-X", "importtime"))
    spent: Counter[str] = Counter()
    for own, module in re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)", said):
        spent[module.partition(".")[0]] += int(own) // 1000
    return ", ".join(f"{name} {ms}" for name, ms in spent.most_common(6) if ms)


def page(settings: Settings, folder: Path) -> tuple[float, float]:
    """Start the page; return the seconds until it answers, and until the question box is there.

    The browser runs already, with an empty tab, and has nothing of the page.
    """
    with open_browser() as browser:
        tab = browser.new_page(locale="en-US")
        began = time.perf_counter()
        with running_page(settings, folder) as running:
            tab.goto(running.url)
            tab.get_by_test_id("stChatInputTextArea").wait_for()
            return running.seconds_to_ready, time.perf_counter() - began


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as name, ChatServer(Reply(["24 months [1]."])) as server:
        folder = Path(name)
        plain = Settings(docs=ROOT / "docs", qdrant_path=folder / "store")
        build(plain)
        chat = plain.with_(chat_model="scripted", openai_base_url=server.url)
        ways: dict[str, Callable[[], float]] = {
            "ask.py --help": lambda: run(plain, "ask.py", "--help")[0],
            "ask.py --retrieve-only": lambda: run(plain, "ask.py", QUESTION, "--retrieve-only")[0],
            "ask.py, extractive": lambda: run(plain, "ask.py", QUESTION)[0],
            "ask.py, a chat model": lambda: run(chat, "ask.py", QUESTION)[0],
            "store.py, nothing changed": lambda: run(plain, "store.py")[0],
        }
        took: dict[str, list[float]] = {way: [] for way in ways}
        took |= {"page, answers": [], "page, question box": []}
        for _ in range(options.rounds):
            for way, measured in ways.items():
                took[way].append(measured())
            ready, usable = page(plain, folder)
            took["page, answers"].append(ready)
            took["page, question box"].append(usable)
        for way, seconds in took.items():
            print(f"{way:28} {statistics.median(seconds):5.2f} s, least {min(seconds):5.2f}")
        print("imports, ms:")
        print(f"  ask.py, extractive: {imports(plain, 'ask.py', QUESTION)}")
        print(f"  ask.py, a chat model: {imports(chat, 'ask.py', QUESTION)}")
        print(f"  store.py: {imports(plain, 'store.py')}")
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
