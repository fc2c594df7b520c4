"""How fast the page feels in headless Chromium: python bench/page.py [--sentences N].

Prints milliseconds, as medians and 95th percentiles, for a generated collection (vectors are
stand-ins, questions are embedded by the bundled model) and a scripted chat model:

* start: from `streamlit run` to the question box on screen, with the collection built;
* evidence: from Enter to the passages on screen;
* first token: from the model server sending it to it being on screen;
* slider: from the key to the redrawn passages;
* idle run: a whole script run in which nothing happened, without a browser;
* sessions: tabs that ask at the same moment, from Enter to the whole answer of each.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.build import StandIn, write_documents  # noqa: E402
from rag import build as building  # noqa: E402
from rag.embeddings import BundledEmbeddings  # noqa: E402
from rag.settings import Settings  # noqa: E402
from tests.browser import Visitor, environment, open_browser, running_page  # noqa: E402
from tests.chat_server import ChatServer, Reply, Request  # noqa: E402

NOW = "() => performance.timeOrigin + performance.now()"
WATCH = """([pane, part, old]) => new Promise((found) => {
  const text = () => [...document.querySelectorAll(`.st-key-${pane} *`)]
    .map((node) => node.shadowRoot).filter(Boolean)
    .flatMap((root) => [...root.querySelectorAll(part)]).map((node) => node.textContent).join("");
  const look = () => (text() && text() !== old)
    ? found([performance.timeOrigin + performance.now(), text()]) : setTimeout(look, 4);
  look();
})"""
"""Resolves, with the time and the text, once the text of some nodes is neither empty nor `old`."""


class BundledStandIn(StandIn):
    """Stand-in vectors under the bundled model's name: only their number matters here."""

    model, prefixes = BundledEmbeddings.model, BundledEmbeddings.prefixes


def report(name: str, milliseconds: Sequence[float]) -> None:
    """Print the median and the 95th percentile."""
    ordered = sorted(milliseconds)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    print(f"{name:<12} p50 {statistics.median(ordered):7.0f}   p95 {p95:7.0f}   n {len(ordered)}")


def questions(visitor: Visitor, server: ChatServer, rounds: int) -> None:
    """Evidence, first token and slider, over and over in one conversation."""
    evidence, token, slider = [], [], []
    for round_ in range(rounds):
        go, sent = threading.Event(), []

        server.script.append(Reply([go, f"Token{round_}", 0.6, " [1]."]))
        visitor.box.fill(f"How do I clean filter {round_} of the kettle?")
        began = visitor.tab.evaluate(NOW)
        visitor.box.press("Enter")
        seen, _ = visitor.tab.evaluate(WATCH, ["passages", "[data-turn='0'] .card", ""])
        evidence.append(seen - began)
        while not server.chats or server.chats[-1].ended.is_set():
            time.sleep(0.01)
        time.sleep(0.3)

        def send(go: threading.Event = go, sent: list[float] = sent) -> None:
            time.sleep(0.2)
            sent.append(time.time() * 1000)
            go.set()

        _, before = visitor.tab.evaluate(WATCH, ["chat", ".text", ""])
        threading.Thread(target=send).start()
        seen, _ = visitor.tab.evaluate(WATCH, ["chat", ".text", before])
        token.append(seen - sent[0])
        visitor.answered()
        visitor.tab.wait_for_timeout(300)
        _, cards = visitor.tab.evaluate(WATCH, ["passages", ".card", ""])
        handle = visitor.tab.get_by_role("slider").first
        handle.focus()
        began = visitor.tab.evaluate(NOW)
        handle.press("ArrowRight" if round_ % 2 else "ArrowLeft")
        seen, _ = visitor.tab.evaluate(WATCH, ["passages", ".card", cards])
        slider.append(seen - began)
        visitor.tab.wait_for_timeout(300)
    report("evidence", evidence)
    report("first token", token)
    report("slider", slider)


def sessions(visitors: Sequence[Visitor], server: ChatServer) -> None:
    """All ask at once; each must get the answer to its own question."""

    def reply(request: Request) -> Reply:
        name = request.question.rpartition("number ")[2].rstrip("?")
        return Reply([f"Answer {name}", *([0.05, "."] * 20)])

    server.default = reply
    began = time.time()
    for at, visitor in enumerate(visitors):
        visitor.box.fill(f"What of number {at}?")
    for visitor in visitors:
        visitor.box.press("Enter")
    took = []
    for at, visitor in enumerate(visitors):
        visitor.tab.bring_to_front()  # a tab behind others draws no frames, by which one waits
        visitor.turns.get_by_text(f"What of number {at}?", exact=True).wait_for()
        visitor.answered()
        took.append((time.time() - began) * 1000)
        assert visitor.answer.inner_text().rstrip(".") == f"Answer {at}", "sessions are mixed"
    report("sessions", took)


def idle(settings: Settings) -> None:
    """Runs of the script in which nothing happened."""
    from streamlit.testing.v1 import AppTest

    os.environ.update(environment(settings))
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    took = []
    for _ in range(30):
        began = time.perf_counter()
        page.run()
        took.append((time.perf_counter() - began) * 1000)
    report("idle run", took)


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--sessions", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, ChatServer() as server:
        folder = Path(temporary)
        write_documents(folder / "docs", arguments.sentences)
        building.open_embeddings = lambda _: BundledStandIn()  # type: ignore[assignment]
        settings = Settings(docs=folder / "docs", qdrant_path=folder / "store")
        built = building.build(settings)
        print(f"{built.sentences} sentences in {built.documents} documents")
        settings = settings.with_(  # by stand-ins every question is off-topic
            chat_model="test-model", openai_base_url=server.url, refuse=0.0
        )
        began = time.time()
        with running_page(settings, folder) as page, open_browser() as browser:
            visitor = Visitor(browser, page)
            visitor.box.wait_for()
            report("start", [(time.time() - began) * 1000])
            visitor.ask("Warm?")
            visitor.answered()
            questions(visitor, server, arguments.rounds)
            visitor.close()
            visitors = [Visitor(browser, page) for _ in range(arguments.sessions)]
            for visitor in visitors:
                visitor.box.wait_for()
            if visitors:
                sessions(visitors, server)
        idle(settings)


if __name__ == "__main__":
    main()
