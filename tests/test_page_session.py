"""A conversation outlives script runs: answers under way, what waits, what is looked at."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag.assistant import open_assistant
from rag.errors import DocumentError, ModelError
from rag.page.building import Builder
from rag.page.exchange import Options, Pending
from rag.page.library import Library
from rag.page.live import LiveAnswer
from rag.page.session import Session
from rag.settings import Settings
from tests.chat_server import ChatServer, Reply
from tests.embedding_server import EmbeddingServer

OPTIONS = Options(2, 6, "hybrid")
QUESTION = "How long is the warranty on the battery?"


@pytest.fixture
def library(sample_settings: Settings) -> Iterator[Library]:
    """The sample documents, answered without a model."""
    with open_assistant(sample_settings) as assistant:
        yield Library(assistant)


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def finish(session: Session, library: Library) -> None:
    """Wait for the answer under way, as a script run would find it."""
    until(lambda: session.live is None or session.live.done)
    session.finish(library)


def test_an_answer_joins_the_conversation_and_is_looked_at(library: Library) -> None:
    """Asked, answered, and its passages shown with the lines where they stand."""
    session = Session()
    session.ask(library, Pending(QUESTION, OPTIONS))
    finish(session, library)
    (exchange,) = session.exchanges
    assert exchange.answer.windows
    assert session.shown is exchange
    for window in exchange.answer.windows:
        first, last = exchange.lines[window.source, window.start, window.end]
        text = library.text(window.source).split("\n")
        assert window.text.strip() in "\n".join(text[first - 1 : last])


def test_a_question_during_an_answer_waits_and_is_asked_next(library: Library) -> None:
    """The answer under way is not lost, and neither is the second question."""
    session = Session()
    session.ask(library, Pending(QUESTION, OPTIONS))
    session.ask(library, Pending("What does E07 mean?", OPTIONS))
    assert [pending.question for pending in session.waiting] == ["What does E07 mean?"]
    finish(session, library)
    finish(session, library)
    assert [e.question for e in session.exchanges] == [QUESTION, "What does E07 mean?"]
    assert session.history[0].question == QUESTION


def test_an_earlier_turn_comes_back_as_it_was(library: Library) -> None:
    """Selecting a turn shows its own windows, whatever size was looked at since."""
    session = Session()
    for question in (QUESTION, "What does E07 mean?"):
        session.ask(library, Pending(question, OPTIONS))
        finish(session, library)
    session.resize(5)
    assert session.shown_size == 5
    session.select(1, passage=2)
    assert session.shown is session.exchanges[0]
    assert session.shown_size is None
    assert session.focus is not None
    assert session.focus.passage == 2


def test_resizing_to_the_answer_s_own_size_is_no_change(library: Library) -> None:
    """Moved back, the slider shows the answer's own passages again."""
    session = Session()
    session.ask(library, Pending(QUESTION, OPTIONS))
    finish(session, library)
    session.resize(3)
    session.resize(2)
    assert session.shown_size is None


def test_editing_drops_what_came_after(library: Library) -> None:
    """A turn that is asked anew takes the later ones with it, and no more."""
    session = Session()
    for question in ("One kettle?", "Two kettles?", "Three kettles?"):
        session.ask(library, Pending(question, OPTIONS))
        finish(session, library)
    dropped = session.drop_from(2)
    assert dropped is not None
    assert dropped.question == "Two kettles?"
    assert [e.question for e in session.exchanges] == ["One kettle?"]


def test_a_slow_browser_is_asked_for_one_look_at_a_time() -> None:
    """Drawings that the browser has not seen yet ask for none; after a while one asks again."""
    session = Session()
    for _ in range(5):
        session.look_again(60)
    assert session.look == 1
    session.looked_at = 1
    session.look_again(60)
    assert session.look == 2
    session.look_again(-1)
    assert session.look == 3


def test_stopping_keeps_what_came(sample_settings: Settings) -> None:
    """The text that was there stays, marked as cut; the model's connection is let go."""
    go = threading.Event()
    with ChatServer(Reply(["The battery ", go, "lasts."])) as server:
        settings = sample_settings.with_(chat_model="test-model", openai_base_url=server.url)
        with open_assistant(settings) as assistant:
            library, session = Library(assistant), Session()
            session.ask(library, Pending(QUESTION, OPTIONS))
            assert session.live is not None
            live = session.live
            until(lambda: live.text == "The battery ")
            live.stop()
            assert live.done
            session.finish(library)
    answer = session.exchanges[0].answer
    assert answer.text == "The battery"
    assert answer.cut
    assert answer.windows


def test_stopping_before_anything_came_is_no_error() -> None:
    """A question stopped while it is searched ends at once, without a text."""
    go = threading.Event()

    def ask() -> None:
        go.wait(10)
        raise ModelError("too late")

    live = LiveAnswer("?", ask)  # type: ignore[arg-type]
    live.start()
    live.stop()
    assert live.done
    answer, error = live.result()
    assert (answer.text, answer.cut, error, live.failed) == ("", True, None, False)
    go.set()


def test_a_named_error_is_the_turn_s_and_not_the_page_s(library: Library) -> None:
    """What kept an answer from beginning is kept with its question."""
    session = Session()
    session.ask(library, Pending("?", Options(2, 6, "hybrid", ("no such file",))))
    finish(session, library)
    exchange = session.exchanges[0]
    assert exchange.answer.refusal is not None or exchange.error is not None


def test_a_new_chat_stops_the_answer_under_way(library: Library) -> None:
    """Nothing of the old conversation comes into the new one, and numbers go on."""
    session = Session()
    session.ask(library, Pending(QUESTION, OPTIONS))
    finish(session, library)
    session.ask(library, Pending(QUESTION, OPTIONS))
    live = session.live
    assert live is not None
    new = session.renewed()
    until(lambda: live.done)
    assert new.exchanges == []
    assert new.live is None
    assert new.made == 1


def test_a_document_that_changed_is_known(tmp_path: Path) -> None:
    """Touched is unchanged, edited is changed, removed is gone."""
    from rag.build import build

    docs = tmp_path / "docs"
    docs.mkdir()
    file = docs / "a.md"
    file.write_text("# Kettle\n\nBoil twice.\n", "utf-8")
    settings = Settings(docs=docs, qdrant_path=tmp_path / "store")
    build(settings)
    with open_assistant(settings) as assistant:
        library = Library(assistant)
        file.touch()
        assert library.change("a.md") == ""
        file.write_text("# Kettle\n\nBoil thrice.\n", "utf-8")
        assert library.change("a.md") == "changed"
        file.unlink()
        assert library.change("a.md") == "gone"
        assert library.text("a.md") == "# Kettle\n\nBoil twice.\n"


def test_a_build_ends_with_its_error(tmp_path: Path) -> None:
    """A folder that is not there is the builder's error, and it can be tried again."""
    builder = Builder(Settings(docs=tmp_path / "none", qdrant_path=tmp_path / "store"))
    builder.start()
    until(lambda: not builder.state.running)
    state = builder.state
    assert isinstance(state.error, DocumentError)
    assert (state.failed, state.ended) == (True, 1)
    builder.start()
    until(lambda: builder.state.ended == 2)


def test_a_build_asked_for_during_another_follows_it(tmp_path: Path) -> None:
    """What came while a build ran is not forgotten; cancelling drops it."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("Boil twice.\n", "utf-8")
    builder = Builder(Settings(docs=docs, qdrant_path=tmp_path / "store"))
    builder.start()
    builder.start(again=True)
    until(lambda: not builder.state.running)
    assert builder.state.ended == 2
    builder.start()
    builder.start(again=True)
    builder.cancel()
    until(lambda: not builder.state.running)
    assert builder.state.ended == 3


def test_a_long_build_says_how_long_it_takes(tmp_path: Path) -> None:
    """After a second of embedding there is an estimate, and it is gone at the end."""
    docs = tmp_path / "docs"
    docs.mkdir()
    text = "\n\n".join(f"Kettle number {number} is warm." for number in range(800))
    (docs / "a.md").write_text(text, "utf-8")
    with EmbeddingServer(most=64) as server:
        server.delay_seconds = 0.6
        settings = Settings(
            docs=docs, qdrant_path=tmp_path / "store", embedding_model="test-embeddings",
            openai_base_url=server.url, openai_api_key="key",
        )  # fmt: skip
        builder = Builder(settings)
        builder.start()
        until(lambda: builder.state.seconds_left is not None or not builder.state.running)
        left = builder.state.seconds_left
        server.delay_seconds = 0
        until(lambda: not builder.state.running)
    assert left is not None
    assert 0 < left < 60
    assert builder.state.report is not None
    assert builder.state.seconds_left is None
