"""Answers: from the found sentences, or streamed by a chat model behind a real HTTP server."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rag.answering import AnswerStream, answer
from rag.answers import stream as answer_stream
from rag.answers.stream import STOPPED
from rag.endpoints.faults import TooLong
from rag.errors import ModelError, ModelRejected, RagError, SettingsError
from rag.prompt import NOT_FOUND, build_messages
from rag.settings import Settings
from rag.types import Answer, Timings, Turn, Usage, Window
from tests.chat_server import ChatServer, Piece, Reply, Request
from tests.conftest import ROOT
from tests.windows import window

BOIL = window("It rings. It boils. It stops.", "It boils.")
POUR = window("Wait. Pour it away. Rinse.", "Pour it away.", rank=2, first_hit=2, source="b.md")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that answers "Hello."."""
    with ChatServer() as server:
        yield server


def ask(
    server: ChatServer,
    question: str = "How?",
    windows: tuple[Window, ...] = (BOIL, POUR),
    history: tuple[Turn, ...] = (),
    **settings: Any,
) -> AnswerStream:
    """Ask the server's model."""
    given = Settings(**{"chat_model": "m", "openai_base_url": server.url, **settings})
    return answer(question, question, windows, history=history, settings=given)


def until(what: Any) -> None:
    """Wait until ``what()`` holds."""
    for _ in range(1000):
        if what():
            return
        time.sleep(0.01)
    pytest.fail("it never came to that")


# Without a model.


def test_without_a_model_the_found_sentences_answer() -> None:
    """Each found sentence, cited; what the answer was made from comes along."""
    timings = Timings(embed=1, search=2, retrieve=3)
    stream = answer(
        "How?", "kettle", [BOIL, POUR], settings=Settings(), timings=timings, notes=["Old."]
    )
    assert list(stream) == ["It boils. [1]\n\nPour it away. [2]"]
    done = stream.answer
    assert (done.question, done.query, done.answerer) == ("How?", "kettle", "extractive")
    assert done.windows == stream.windows == (BOIL, POUR)
    assert [citation.passage for citation in done.citations] == [1, 2]
    assert (done.refused, done.cut, done.usage, done.notes) == (False, False, None, ("Old.",))
    assert (done.timings.embed, done.timings.search, done.timings.retrieve) == (1, 2, 3)
    assert 3 < (done.timings.first_token or 0) <= done.timings.total


def test_a_document_that_reads_like_a_refusal_is_none() -> None:
    """Found sentences are an answer, even when they say that the documents do not say."""
    quoted = window(f"{NOT_FOUND['en']} It rings.", NOT_FOUND["en"])
    assert answer("How?", "How?", [quoted], settings=Settings()).answer.refusal is None


@pytest.mark.parametrize(
    ("question", "refusal", "text"),
    [
        ("How?", None, "The documents do not say."),
        ("怎么用？", None, "文档中没有相关内容。"),
        ("How?", "off-topic", "The documents are about something else."),
        ("怎么用？", "filter", "没有符合筛选条件的文档。"),
    ],
)
def test_refusals_ask_no_model(server: ChatServer, question: str, refusal: Any, text: str) -> None:
    """Without passages, or with a reason to refuse, the answer is a fixed sentence."""
    given = Settings(chat_model="m", openai_base_url=server.url)
    windows = [BOIL] if refusal else []
    done = answer(question, question, windows, settings=given, refusal=refusal).answer
    assert (done.text, done.refusal, done.refused) == (text, refusal or "not-found", True)
    assert (done.citations, done.answerer) == ((), "extractive")
    assert server.chats == []


# By a model.


def test_a_model_judges_itself_what_is_near(server: ChatServer) -> None:
    """Passages that may not hold the answer are refused without a model, and read by one."""
    given = Settings(chat_model="m", openai_base_url=server.url)
    done = answer("How?", "How?", [BOIL], settings=given, refusal="not-found").answer
    assert (done.text, done.refusal) == ("Hello.", None)
    done = answer("How?", "How?", [BOIL], settings=Settings(), refusal="not-found").answer
    assert (done.text, done.refusal) == (NOT_FOUND["en"], "not-found")


def test_the_model_is_sent_the_prompt(server: ChatServer) -> None:
    """What is sent is what the prompt module makes of question, windows and history."""
    history = (Turn("What?", "A kettle [1]."),)
    ask(server, "怎么用？", history=history).answer.text  # noqa: B018
    expected = build_messages("怎么用？", (BOIL, POUR), history)
    assert server.chats[0].body["messages"] == [
        {"role": message.role, "content": message.content} for message in expected
    ]


def test_an_answer_streams(server: ChatServer) -> None:
    """Pieces are given out while the server still waits; then the answer knows all."""
    seen = threading.Event()
    server.script.append(Reply(["Boil it", " [1]", seen, " and pour [2][9]. "], usage=(90, 7)))
    stream = ask(server)
    pieces = []
    for piece in stream:
        pieces.append(piece)
        assert stream.text.startswith("".join(pieces))
        if "[1]" in "".join(pieces):
            assert not stream.ended or seen.is_set()
            seen.set()
    assert "".join(pieces) == "Boil it [1] and pour [2][9]. "
    done = stream.answer
    assert (done.text, done.answerer) == ("Boil it [1] and pour [2][9].", "m")
    assert [(c.passage, done.text[c.start : c.end]) for c in done.citations] == [
        (1, "[1]"), (2, "[2]"),
    ]  # fmt: skip
    assert (done.usage, done.cut, done.cut_reason, done.refusal) == (Usage(90, 7), False, "", None)
    assert 0 < (done.timings.first_token or 0) <= done.timings.total


def test_an_answer_is_read_as_often_as_wanted(server: ChatServer) -> None:
    """Two readers at once, and one that comes late, all get the whole text."""
    go = threading.Event()
    server.script.append(Reply(["Boil ", go, "it ", "now."]))
    stream = ask(server)
    with ThreadPoolExecutor() as pool:
        readers = [pool.submit(lambda: "".join(stream)) for _ in range(2)]
        until(lambda: stream.text)
        go.set()
        assert [reader.result() for reader in readers] == ["Boil it now."] * 2
    assert list(stream) == ["Boil it now."]


def test_an_answer_goes_on_unread(server: ChatServer) -> None:
    """Nobody has to iterate for an answer to be made."""
    assert ask(server).answer.text == "Hello."


def test_questions_at_once_do_not_mix(server: ChatServer) -> None:
    """Twenty sessions get their own question's answer each."""
    server.default = lambda request: Reply(list(request.question.rpartition("Question: ")[2]))
    questions = [f"What is number {number}?" for number in range(20)]
    streams = [ask(server, question) for question in questions]
    assert [stream.answer.text for stream in streams] == questions


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("The documents do not say.", "not-found"),
        ("**文档中没有相关内容。**", "not-found"),
        ("The documents do not say. But it boils [1].", None),
        ("It boils. The documents do not say.", None),
    ],
)
def test_a_model_refuses_by_the_fixed_sentence(
    server: ChatServer, text: str, refusal: str | None
) -> None:
    """The sentence that the prompt gave it is a refusal, unless it goes on to cite."""
    server.script.append(Reply([text]))
    done = ask(server).answer
    assert (done.text, done.refusal) == (text, refusal)


@pytest.mark.parametrize(
    ("pieces", "mode", "text", "reasoning"),
    [
        (["<th", "ink>Hm.</", "think>\n\nBoil."], "auto", "Boil.", "Hm."),
        (["<think>Hm.</think>Boil."], "text", "<think>Hm.</think>Boil.", ""),
        ([{"reasoning_content": "Hm"}, {"reasoning": "."}, "Boil."], "auto", "Boil.", "Hm."),
        (["Hm.", "</think>Boil."], "unopened", "Boil.", "Hm."),
        (["Hm.", "</think>", "Boil."], "auto", "Boil.", "Hm."),
    ],
)
def test_thinking_is_kept_apart(
    server: ChatServer, pieces: list[Piece], mode: str, text: str, reasoning: str
) -> None:
    """Thinking, in tags or in fields of its own, is not part of the answer."""
    server.script.append(Reply(pieces))
    done = ask(server, reasoning=mode).answer
    assert (done.text, done.reasoning) == (text, reasoning)


def test_thinking_that_shows_late_is_taken_back(server: ChatServer) -> None:
    """Text before a closing tag was thinking: it leaves the answer, and readers begin again."""
    seen = threading.Event()
    server.script.append(Reply(["Hm. ", seen, "</think>", "Boil it."]))
    stream = ask(server)
    reader = iter(stream)
    assert next(reader) == "Hm. "
    seen.set()
    assert "".join(reader) == "Boil it."
    assert stream.text == "Boil it."
    assert stream.reasoning.strip() == "Hm."


# What goes wrong.


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(["Boil ", "it"], cut="abrupt"), "broke off in the middle"),
        (Reply(["Boil ", "it"], hang=True), "within 0.5 seconds"),
        (Reply(["Boil ", "it"], finish="length"), "RAG_MAX_ANSWER_TOKENS"),
        (Reply(["Boil ", "it"], finish="content_filter"), "content filter"),
        (Reply(["Boil ", "it", b'data: {"error": {"message": "on fire"}}\n\n']), "on fire"),
    ],
)
def test_what_came_is_kept_and_marked_as_cut(server: ChatServer, reply: Reply, reason: str) -> None:
    """A stream that ends early is an answer with the reason, not an error."""
    server.script.append(reply)
    stream = ask(server, openai_timeout_seconds=0.5)
    assert "".join(stream) == "Boil it"
    assert (stream.answer.text, stream.answer.cut) == ("Boil it", True)
    assert reason in stream.answer.cut_reason
    assert len(server.chats) == 1


def test_thinking_that_was_cut_is_kept_apart(server: ChatServer) -> None:
    """A stream that breaks while a tag is only half there loses no text."""
    server.script.append(Reply(["<think>Hm.</think>Boil <th"], cut="abrupt"))
    done = ask(server).answer
    assert (done.text, done.reasoning, done.cut) == ("Boil <th", "Hm.", True)


def test_an_answer_that_never_began_is_an_error(server: ChatServer) -> None:
    """Iterating and asking for the answer raise the same named error, every time."""
    server.script.append(Reply(status=401, error="who are you"))
    stream = ask(server)
    for _ in range(2):
        with pytest.raises(ModelRejected, match="401: who are you"):
            list(stream)
        with pytest.raises(ModelRejected, match="401: who are you"):
            stream.answer  # noqa: B018
    assert stream.ended


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply([]), r"m gave an empty answer \(it ended with 'stop'\); check RAG_CHAT_MODEL"),
        (Reply([""], finish="length"), "it ended with 'length'"),
        (Reply(body=b"<html>Welcome</html>"), "m gave an empty answer; check RAG_CHAT_MODEL and"),
        (Reply(["<think>Hm."], finish="length"), "m thought and gave no answer; its length limit"),
        (Reply([{"reasoning": "Hm."}]), "m thought and gave no answer$"),
        (Reply([" \n "]), "m gave an empty answer"),
    ],
)
def test_an_empty_answer_is_an_error(server: ChatServer, reply: Reply, message: str) -> None:
    """Nothing, blanks, a page, or thinking alone is not passed off as an answer."""
    server.script.append(reply)
    with pytest.raises(ModelError, match=message):
        ask(server).answer  # noqa: B018


def test_an_endless_answer_is_ended(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model in a loop is cut and hung up on."""
    monkeypatch.setattr(answer_stream, "MAX_CHARACTERS", 50)
    server.script.append(
        Reply(["again " * 10, "and ", 0.05, "again", 0.05, "and again"], hang=True)
    )
    done = ask(server).answer
    assert done.text == ("again " * 10).strip()
    assert done.cut_reason == "The answer was longer than 50 characters."
    assert server.chats[0].left.wait(5)


def test_neither_key_nor_base_url_is_a_named_error() -> None:
    """A model without an endpoint is a wrong setting, said when the answer is asked for."""
    with pytest.raises(SettingsError, match="neither OPENAI_API_KEY nor OPENAI_BASE_URL"):
        answer("How?", "How?", [BOIL], settings=Settings(chat_model="m")).answer  # noqa: B018


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_program_leaves_nobody_waiting(server: ChatServer) -> None:
    """Whatever happens to the thread that reads, the answer ends."""
    with pytest.raises(RagError, match="ended by a fault"):
        ask(server, history=(None,)).answer  # type: ignore[arg-type]  # noqa: B018
    for thread in threading.enumerate():
        if thread.name == "answer":
            thread.join()  # its fault is told here, not in the test that follows


# Stopping.


def stopped(stream: AnswerStream) -> Answer:
    """The answer, which was stopped in its middle."""
    done = stream.answer
    assert (done.cut, done.cut_reason) == (True, STOPPED)
    return done


def test_stop_from_another_thread(server: ChatServer) -> None:
    """The reader's loop ends, what came stays, and the server sees the client leave."""
    server.script.append(Reply(["Boil ", "it [1]"], hang=True))
    stream = ask(server)
    with ThreadPoolExecutor() as pool:
        reader = pool.submit(lambda: "".join(stream))
        until(lambda: stream.text == "Boil it [1]")
        stream.close()
        assert reader.result(10) == "Boil it [1]"
    done = stopped(stream)
    assert done.text == "Boil it [1]"
    assert [citation.passage for citation in done.citations] == [1]
    assert server.chats[0].left.wait(5)


def test_leaving_the_block_stops(server: ChatServer) -> None:
    """A reader that has seen enough, or fails, stops the model by leaving."""
    server.default = Reply(["Boil "], hang=True)

    def leave(stream: AnswerStream, error: type[Exception] | None) -> None:
        with stream:
            for piece in stream:
                assert piece == "Boil "
                if error:
                    raise error
                return

    enough, failing = ask(server), ask(server)
    leave(enough, None)
    with pytest.raises(KeyError):
        leave(failing, KeyError)
    assert [stopped(stream).text for stream in (enough, failing)] == ["Boil", "Boil"]
    assert all(request.left.wait(5) for request in server.chats)


def test_stop_before_the_first_piece(server: ChatServer) -> None:
    """A stop while the model still reads the prompt is an empty answer, not an error."""
    server.script.append(Reply(delay_seconds=30))
    stream = ask(server)
    until(lambda: server.chats)
    stream.close()
    assert stopped(stream).text == ""
    assert list(stream) == []
    assert server.chats[0].left.wait(5)


def test_stop_at_once(server: ChatServer) -> None:
    """A stop before the request is sent leaves nothing running."""
    for _ in range(5):
        stream = ask(server)
        stream.close()
        assert stopped(stream).text == ""
    until(lambda: not [t for t in threading.enumerate() if t.name == "answer"])


def test_stop_after_the_end_changes_nothing(server: ChatServer) -> None:
    """A whole answer stays whole."""
    stream = ask(server)
    done = stream.answer
    stream.close()
    assert stream.answer is done
    assert not done.cut


# Too long for the model.


def limited(most: int) -> Any:
    """A script that takes prompts of ``most`` characters, and says so when one is longer."""

    def script(request: Request) -> Reply:
        if sum(len(message["content"]) for message in request.body["messages"]) <= most:
            return Reply(["It boils [1]."])
        return Reply(status=400, error="maximum context length exceeded")

    return script


def long_window(rank: int) -> Window:
    """A window of twenty sentences, the tenth found."""
    sentences = [f"Sentence number {number} of window {rank}." for number in range(20)]
    return window(" ".join(sentences), sentences[9], rank=rank, first_hit=rank, source=f"{rank}.md")


def test_too_long_a_context_is_shortened(server: ChatServer) -> None:
    """Passages are sent again in fewer whole sentences, and the answer says so once."""
    windows = tuple(long_window(rank) for rank in (1, 2, 3))
    found = sum(len(each.text) for each in windows)
    server.default = limited(1500)
    stream = ask(server, windows=windows)
    done = stream.answer
    assert done.text == "It boils [1]."
    assert len(server.chats) == 3
    sent = sum(len(each.text) for each in done.windows)
    assert 0 < sent <= found // 4
    assert done.windows == stream.windows
    assert server.chats[-1].question == build_messages("How?", done.windows)[-1].content
    assert [hit.rank for hit in done.windows[0].hits] == [1]
    assert all(each.text.startswith("Sentence") and each.text[-1] == "." for each in done.windows)
    note = f"The passages were too long for m: it was sent {sent:,} of {found:,} characters. "
    assert done.notes == (note + "RAG_MAX_CONTEXT_CHARACTERS sets what is sent at once.",)


def test_history_gives_way_too(server: ChatServer) -> None:
    """A history that fills the context is shortened with the passages, oldest turns first."""
    history = tuple(Turn(f"Question {number}?", "word " * 100) for number in range(6))
    server.default = limited(3000)
    assert ask(server, history=history).answer.text == "It boils [1]."
    kept = [m["content"] for m in server.chats[-1].body["messages"] if m["role"] == "user"][:-1]
    assert kept
    assert kept == [turn.question for turn in history[-len(kept) :]]
    assert len(kept) < 6


def test_a_context_that_nothing_fits_into(server: ChatServer) -> None:
    """When even the best sentence is too long the server's refusal is the error."""
    server.default = limited(10)
    with pytest.raises(TooLong, match="maximum context length exceeded"):
        ask(server).answer  # noqa: B018
    assert len(server.chats) == 5


# The prompt file, and getting ready.


def test_a_prompt_file_is_the_persona(server: ChatServer, tmp_path: Path) -> None:
    """Its text, without a byte-order mark, begins the system message."""
    file = tmp_path / "persona.txt"
    file.write_text("\ufeff你是小家电售后助手。", encoding="utf-8")
    ask(server, prompt_file=file).answer.text  # noqa: B018
    system = server.chats[0].body["messages"][0]["content"]
    assert system.startswith("你是小家电售后助手。\n\nRules:")


@pytest.mark.parametrize("content", [None, b"\xff\xfe\xff"])
def test_a_prompt_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    """A missing file, or one that is no UTF-8, is a wrong setting, named at once."""
    file = tmp_path / "persona.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"RAG_PROMPT_FILE .*persona\.txt"):
        answer("How?", "How?", [BOIL], settings=Settings(chat_model="m", prompt_file=file))


def test_preload_leaves_little_to_import(server: ChatServer) -> None:
    """After it the first question imports no library that takes time."""
    code = f"""
import sys
from rag.answering import answer, preload
from rag.settings import Settings
from tests.test_answering import BOIL
preload()
before = set(sys.modules)
settings = Settings(chat_model="m", openai_base_url={server.url!r})
print(answer("How?", "How?", [BOIL], settings=settings).answer.text)
print(len(set(sys.modules) - before))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    text, modules = done.stdout.splitlines()
    assert text == "Hello."
    assert int(modules) < 30  # of some 1,500
