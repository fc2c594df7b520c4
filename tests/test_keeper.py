"""Turns are stored and checked beside the page, come back as they were, and go on."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag.assistant import Assistant, open_assistant
from rag.build import build
from rag.conversations import file
from rag.conversations.conversation import Conversations
from rag.conversations.stored_turn import StoredTurn, Visitor
from rag.errors import ConversationMissing, HistoryError, ModelRejected
from rag.page.errands import Errands
from rag.page.exchange import Options, Pending
from rag.page.keeper import Archive, Keeper
from rag.page.library import Library
from rag.page.live import LiveAnswer
from rag.page.reopening import reopen
from rag.page.session import Session
from rag.settings import Settings
from tests.chat_server import ChatServer, Reply

HOME = Visitor(local=True)
OPTIONS = Options(1, 4, "keyword", ("kettle.md",))
QUESTION = "How long is the warranty of the kettle?"
ANSWER = "The warranty of the kettle is 30 days [1]."


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    """A chat model that answers the question, unless a test says otherwise."""
    with ChatServer(Reply([ANSWER])) as server:
        yield server


@pytest.fixture(scope="module")
def library(server: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A document about a kettle, and the chat model."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "docs").mkdir()
    (folder / "docs" / "kettle.md").write_text(
        "# Kettle\n\nThe warranty of the kettle is 30 days. It boils a litre in a minute.\n",
        "utf-8",
    )
    settings = Settings(
        docs=folder / "docs", qdrant_path=folder / "store", chat_model="m",
        openai_base_url=server.url, follow_ups="rule",
    )  # fmt: skip
    build(settings)
    with open_assistant(settings) as assistant:
        yield Library(assistant)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An empty file of conversations."""
    return Archive(Conversations(tmp_path / "conversations.sqlite"))


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def ask(session: Session, library: Library, question: str = QUESTION) -> None:
    """Ask, and wait until the turn is over, stored and checked."""
    session.ask(library, Pending(question, OPTIONS))
    until(lambda: session.live is None or session.live.done)
    session.finish(library)
    until(lambda: not session.keeper.busy)


def new_session(archive: Archive) -> Session:
    return Session(keeper=Keeper(archive, HOME))


def test_turns_come_back_as_they_were(archive: Archive, library: Library) -> None:
    """Windows, highlights, citations, support, timings and settings are equal after a reload, and
    the next question follows the same turns.
    """
    session = new_session(archive)
    ask(session, library)
    ask(session, library, "How long does it take?")
    assert session.keeper.conversation is not None
    again = reopen(archive, HOME, session.keeper.conversation, library)
    for old, new in zip(session.exchanges, again.exchanges, strict=True):
        for field in ("question", "answer", "options", "history", "lines", "error", "failed"):
            assert getattr(new, field) == getattr(old, field), field
        assert again.support(new) == session.support(old)
    assert [s.verdict for s in again.support(again.exchanges[0]) or ()] == ["supported"]
    assert again.exchanges[1].answer.rewritten
    assert again.shown is again.exchanges[-1]
    ask(again, library, "And its weight?")
    assert again.exchanges[-1].history == session.history
    turns = archive.conversations.turns(session.keeper.conversation, HOME)
    assert [turn.number for turn in turns] == [1, 2, 3]


@pytest.mark.parametrize(
    "reply", [Reply(["Half"], cut="abrupt"), Reply(status=401, error="no key"), Reply([])]
)
def test_a_turn_that_failed_reloads_and_the_conversation_goes_on(
    archive: Archive, library: Library, server: ChatServer, reply: Reply
) -> None:
    """What came, its passages and the kind of error are there again; the next turn is stored."""
    session = new_session(archive)
    server.script.append(reply)
    ask(session, library)
    assert session.keeper.conversation is not None
    again = reopen(archive, HOME, session.keeper.conversation, library)
    (old,), (new,) = session.exchanges, again.exchanges
    assert new.answer == old.answer
    assert new.answer.windows
    assert (type(new.error), str(new.error)) == (type(old.error), str(old.error))
    if reply.status == 401:
        assert isinstance(new.error, ModelRejected)
    ask(again, library)
    assert again.exchanges[1].error is None
    assert again.exchanges[1].answer.text == ANSWER
    assert len(archive.conversations.turns(session.keeper.conversation, HOME)) == 2


def test_an_answer_is_stored_though_nobody_looks(
    archive: Archive, library: Library, server: ChatServer
) -> None:
    """A tab that is reloaded while an answer comes goes on with it, and it is stored once."""
    go = threading.Event()
    server.script.append(Reply(["The warranty ", go, "is 30 days [1]."]))
    gone = new_session(archive)
    gone.ask(library, Pending(QUESTION, OPTIONS))
    until(lambda: gone.live is not None and gone.live.text == "The warranty ")
    until(lambda: bool(archive.under_way))
    assert gone.keeper.conversation is not None
    tab = reopen(archive, HOME, gone.keeper.conversation, library)
    assert tab.live is gone.live
    go.set()
    until(lambda: tab.live is not None and tab.live.done)
    tab.finish(library)
    until(lambda: not tab.keeper.busy)
    assert tab.exchanges[0].answer.text == "The warranty is 30 days [1]."
    (turn,) = archive.conversations.turns(gone.keeper.conversation, HOME)
    assert turn.answer == tab.exchanges[0].answer
    assert archive.under_way == {}


class SlowKeeper(Keeper):
    """Begins only once the turn is kept, if that can be before; ``calls`` says in which order."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive, HOME)
        self.calls: list[str] = []
        self.kept = threading.Event()

    def begin(self, pending: Pending, live: LiveAnswer) -> None:
        self.kept.wait(0.5)
        self.calls.append("begin")
        super().begin(pending, live)

    def keep(self, key: int, turn: StoredTurn, assistant: Assistant) -> None:
        self.calls.append("keep")
        super().keep(key, turn, assistant)
        self.kept.set()


def test_an_answer_that_ends_at_once_is_not_awaited_for_good(
    archive: Archive, library: Library
) -> None:
    """However quick it is, it begins before it ends: the page stops asking for it."""
    keeper = SlowKeeper(archive)
    session = Session(keeper=keeper)
    session.ask(library, Pending(QUESTION, Options(1, 4, "keyword", ("no such file",))))
    assert keeper.kept.wait(60)
    assert keeper.calls == ["begin", "keep"]
    until(lambda: not keeper.busy)
    assert archive.under_way == {}


def test_a_turn_asked_again_is_replaced_once_its_answer_is_there(
    archive: Archive, library: Library, server: ChatServer
) -> None:
    """Until then the old one is kept: whoever ends the process loses the unfinished turn alone."""
    session = new_session(archive)
    ask(session, library)
    ask(session, library)
    conversation = session.keeper.conversation
    assert conversation is not None
    go = threading.Event()
    server.script.append(Reply(["New ", go, "answer."]))
    session.drop_from(1)
    session.ask(library, Pending(QUESTION, OPTIONS))
    until(lambda: session.live is not None and session.live.text == "New ")
    assert len(archive.conversations.turns(conversation, HOME)) == 2
    go.set()
    until(lambda: session.live is not None and session.live.done)
    session.finish(library)
    until(lambda: not session.keeper.busy)
    (turn,) = archive.conversations.turns(conversation, HOME)
    assert turn.answer is not None
    assert turn.answer.text == "New answer."


def test_what_is_thought_of_an_answer_is_kept(archive: Archive, library: Library) -> None:
    """A thumb and a comment come back with the turn."""
    session = new_session(archive)
    ask(session, library)
    session.rate(1, "up", "Right!")
    until(lambda: not session.keeper.busy)
    assert session.keeper.conversation is not None
    again = reopen(archive, HOME, session.keeper.conversation, library)
    assert (again.exchanges[0].thumb, again.exchanges[0].comment) == ("up", "Right!")


def test_a_file_that_cannot_be_written_takes_no_answer_away(
    archive: Archive, library: Library
) -> None:
    """The answer is there and checked; what went wrong is known, until it goes well again."""
    session = new_session(archive)
    ask(session, library)
    full = sqlite3.connect(archive.conversations.path)
    full.execute("CREATE TRIGGER full BEFORE INSERT ON turns BEGIN SELECT raise(FAIL, 'full'); END")
    full.commit()
    ask(session, library)
    assert session.exchanges[1].answer.text == ANSWER
    assert session.support(session.exchanges[1])
    assert isinstance(session.keeper.problem, HistoryError)
    full.execute("DROP TRIGGER full")
    full.commit()
    full.close()
    ask(session, library)
    assert session.keeper.problem is None


def test_a_locked_file_takes_no_answer_away(
    archive: Archive, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever holds the file for too long keeps a turn from being stored, and nothing else."""
    session = new_session(archive)
    ask(session, library)
    monkeypatch.setattr(file, "BUSY_SECONDS", 0.1)
    other = sqlite3.connect(archive.conversations.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ask(session, library)
    assert session.support(session.exchanges[1])
    assert "locked" in str(session.keeper.problem)
    other.close()
    ask(session, library)
    assert session.keeper.problem is None


def test_without_an_archive_answers_are_checked_all_the_same(library: Library) -> None:
    """Nothing is stored, and nothing is missing on the page."""
    session = Session()
    ask(session, library)
    assert [s.verdict for s in session.support(session.exchanges[0]) or ()] == ["supported"]
    assert session.keeper.conversation is None


def test_a_conversation_of_somebody_else_is_not_there(archive: Archive, library: Library) -> None:
    """Its id in the URL is not enough."""
    session = Session(keeper=Keeper(archive, Visitor("anna")))
    ask(session, library)
    assert session.keeper.conversation is not None
    with pytest.raises(ConversationMissing):
        reopen(archive, Visitor("ben"), session.keeper.conversation, library)


def test_errands_are_done_in_order_and_beside() -> None:
    """Whoever gives one does not wait, and none overtakes another."""
    errands, go = Errands(), threading.Event()
    done: list[int] = []
    errands.add(lambda: go.wait(60) and None)
    for number in range(20):
        errands.add(lambda number=number: done.append(number))
    assert done == []
    assert errands.busy
    go.set()
    until(lambda: not errands.busy)
    assert done == list(range(20))
