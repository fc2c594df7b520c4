"""Conversations, stored and shown again exactly."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from rag.citations import find_citations
from rag.commands.questions import read_row
from rag.conversations.conversation import Conversations, history_of
from rag.conversations.export import export_json, export_markdown
from rag.conversations.rated_turns import evaluation_rows
from rag.conversations.stored_turn import StoredTurn, TurnSettings, Visitor
from rag.errors import ConversationMissing, HistoryError
from rag.evaluation.gold import Place, read_gold
from rag.support.verdict import Support
from rag.types import Answer, Condition, Hit, Sentence, Timings, Turn, Usage, Window
from tests.conftest import ROOT

HOME = Visitor(local=True)
ANNA, BEN = Visitor("anna"), Visitor("ben")
WARRANTY = "The warranty is 30 days."


def window(text: str = WARRANTY, source: str = "kettle.md", rank: int = 1) -> Window:
    sentence = Sentence(source, 0, 10, 10 + len(text), text, "Kettle", section=("Kettle",))
    hit = Hit(sentence, rank, dense=0.875, keyword=3.5, fused=0.031, terms=("warranty",))
    bounds = ((10, 10 + len(text)),)
    return Window(rank, source, *bounds[0], text, 0, 0, (hit,), "Kettle", bounds=bounds)


def turn(
    question: str = "How long is the warranty?", text: str = "It is 30 days [1]."
) -> StoredTurn:
    answer = Answer(
        question, question, text, (window(),), find_citations(text, 1), "test-model",
        usage=Usage(100, 7), reasoning="Hm.", notes=("Fewer passages.",),
        timings=Timings(1.25, 2.5, 4.0, 100.5, 900.0),
    )  # fmt: skip
    settings = TurnSettings(2, 6, "hybrid", (Condition("source", "in", ("kettle.md",)),))
    support = (Support(0, 18, "supported", 1, "kettle.md", 10, 34),)
    return StoredTurn(question, settings, answer, support, asked=1_700_000_000.5)


@pytest.fixture
def kept(tmp_path: Path) -> Conversations:
    """An empty file of conversations, in a folder that is not there yet."""
    return Conversations(tmp_path / "history" / "conversations.sqlite")


def test_a_turn_comes_back_equal(kept: Conversations) -> None:
    """All that a turn was made from is there again: windows, scores, support, settings, timings."""
    made = kept.start(HOME)
    added = kept.add_turn(made, HOME, turn())
    assert added == replace(turn(), number=1)
    assert kept.turns(made, HOME) == (added,)


@pytest.mark.parametrize(
    "text", ["NUL \0 and \ud800 alone", "日本語 \u202e right to left", "x" * 300_000]
)
def test_any_text_can_be_kept(kept: Conversations, text: str) -> None:
    """Neither NULs nor lone surrogates nor length make a turn unreadable."""
    made = kept.start(HOME, title=text[:50])
    added = kept.add_turn(made, HOME, turn(text, text))
    assert kept.turns(made, HOME) == (added,)
    assert kept.list(HOME, words=text[:9])


def test_turns_that_failed_or_were_cut_are_kept_and_the_conversation_goes_on(
    kept: Conversations,
) -> None:
    """A turn without an answer and one that broke off reload, and the next question follows the
    texts there are.
    """
    made = kept.start(HOME)
    good = turn()
    assert good.answer
    failed = replace(good, answer=None, support=(), error="No server at http://localhost:1")
    cut = replace(good, answer=replace(good.answer, text="It is", cut=True, cut_reason="Stopped."))
    added = [kept.add_turn(made, HOME, each) for each in (good, failed, cut, good)]
    assert kept.turns(made, HOME) == tuple(added)
    assert [each.number for each in added] == [1, 2, 3, 4]
    texts = ["It is 30 days [1].", "It is", "It is 30 days [1]."]
    assert history_of(added) == tuple(Turn(good.question, text) for text in texts)


def test_sources_stay_with_their_turn(kept: Conversations) -> None:
    """After turns are dropped and asked again each turn has its own windows."""
    made = kept.start(HOME)
    for n in range(4):
        one = turn(f"Question {n}?")
        assert one.answer
        own = replace(one.answer, windows=(window(f"Sentence {n}.", f"{n}.md"),))
        kept.add_turn(made, HOME, replace(one, answer=own))
    kept.drop_turns(made, HOME, 3)
    kept.add_turn(made, HOME, turn("Question 2, again?"))
    found = [
        (t.number, t.question, t.answer.windows[0].source)
        for t in kept.turns(made, HOME)
        if t.answer
    ]
    assert found == [
        (1, "Question 0?", "0.md"), (2, "Question 1?", "1.md"),
        (3, "Question 2, again?", "kettle.md"),
    ]  # fmt: skip


def test_the_first_question_names_a_conversation_until_it_is_renamed(kept: Conversations) -> None:
    """The title is the first question, cut to a line, and stays what it is renamed to."""
    made = kept.start(HOME)
    kept.add_turn(made, HOME, turn("Why\n does it " + "boil " * 40 + "?"))
    title = kept.info(made, HOME).title
    assert title.startswith("Why does it boil boil")
    assert len(title) == 80
    kept.rename(made, HOME, " Boiling \n water ")
    kept.add_turn(made, HOME, turn())
    assert kept.info(made, HOME).title == "Boiling water"


def test_the_last_changed_is_listed_first(kept: Conversations) -> None:
    """A list says title, turns and times, the conversation that was changed last on top."""
    first, second = kept.start(HOME, "First"), kept.start(HOME, "Second")
    kept.add_turn(first, HOME, turn())
    assert [(info.id, info.turns) for info in kept.list(HOME)] == [(first, 1), (second, 0)]


@pytest.mark.parametrize(
    ("words", "found"),
    [("WARRANTY", 1), ("30 days", 1), ("straße", 1), ("STRASSE warranty", 1), ("kettle", 0),
     ("100%", 0), ("days _", 0)],
)  # fmt: skip
def test_search_finds_all_words_in_any_case(kept: Conversations, words: str, found: int) -> None:
    """Words may stand in the title, a question or an answer; % and _ stand for themselves."""
    made = kept.start(HOME, "Bahnhofstraße")
    kept.add_turn(made, HOME, turn())
    kept.start(HOME, "Other")
    assert len(kept.list(HOME, words)) == found


def test_deleting_takes_the_turns_too(kept: Conversations) -> None:
    """A deleted conversation is missing, and no turn of it stays in the file."""
    made = kept.start(HOME)
    kept.add_turn(made, HOME, turn())
    kept.delete(made, HOME)
    assert kept.list(HOME) == ()
    with pytest.raises(ConversationMissing):
        kept.turns(made, HOME)
    file = sqlite3.connect(kept.path)
    assert file.execute("SELECT count(*) FROM turns").fetchone() == (0,)
    file.close()


def test_a_user_sees_their_own_alone(kept: Conversations) -> None:
    """Nobody else lists, reads, renames, continues or deletes a logged-in user's conversation."""
    made = kept.start(ANNA)
    kept.add_turn(made, ANNA, turn())
    assert [info.owner for info in kept.list(ANNA)] == ["anna"]
    for other in (BEN, HOME, Visitor()):
        assert kept.list(other) == ()
        for call in (kept.info, kept.turns, kept.delete):
            with pytest.raises(ConversationMissing):
                call(made, other)
        with pytest.raises(ConversationMissing):
            kept.add_turn(made, other, turn())
        with pytest.raises(ConversationMissing):
            kept.rename(made, other, "Mine")


def test_without_login_a_link_opens_and_nothing_is_listed(kept: Conversations) -> None:
    """On a page that others can reach a conversation is reachable by its id alone."""
    stranger = Visitor()
    made = kept.start(stranger)
    kept.add_turn(made, stranger, turn())
    assert kept.list(stranger) == ()
    assert len(kept.turns(made, stranger)) == 1
    assert len(kept.list(HOME)) == 1
    with pytest.raises(ConversationMissing):
        kept.turns(made[:-1] + ("A" if made[-1] != "A" else "B"), stranger)


def test_ids_cannot_be_guessed(kept: Conversations) -> None:
    """Ids have 128 random bits, and no two are alike."""
    made = {kept.start(HOME) for _ in range(20)}
    assert len(made) == 20
    assert min(map(len, made)) >= 22


def test_a_thumb_and_a_comment_stay_until_taken_back(kept: Conversations) -> None:
    """Rating changes the rating and nothing else."""
    made = kept.start(HOME)
    added = kept.add_turn(made, HOME, turn())
    kept.rate(made, HOME, 1, "down", "It is 90 days")
    assert kept.turns(made, HOME) == (replace(added, thumb="down", comment="It is 90 days"),)
    kept.rate(made, HOME, 1, None)
    assert kept.turns(made, HOME) == (added,)


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from rag.conversations.conversation import Conversations
from rag.conversations.stored_turn import StoredTurn, TurnSettings, Visitor
kept = Conversations(Path(sys.argv[2]))
turn = StoredTurn("Q" * 5000, TurnSettings(2, 6, "hybrid"))
print("ready", flush=True)
for _ in range(int(sys.argv[4])):
    kept.add_turn(sys.argv[3], Visitor(local=True), turn)
    print("added", flush=True)
"""


def writer(kept: Conversations, made: str, turns: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(ROOT), str(kept.path), made, str(turns)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_processes_and_a_reader_use_the_file_at_once(kept: Conversations) -> None:
    """Turns of two processes and of threads all get in, numbered without gaps, while one reads."""
    made = kept.start(HOME)
    others = [writer(kept, made, 15), writer(kept, made, 15)]
    threads = [threading.Thread(target=kept.add_turn, args=(made, HOME, turn())) for _ in range(6)]
    for thread in threads:
        thread.start()
    while any(other.poll() is None for other in others):
        numbers = [each.number for each in kept.turns(made, HOME)]
        assert numbers == list(range(1, len(numbers) + 1))
    for thread in threads:
        thread.join()
    for other in others:
        other.communicate()
        assert other.returncode == 0
    assert len(kept.turns(made, HOME)) == 36


def test_a_killed_process_loses_at_most_the_turn_under_way(kept: Conversations) -> None:
    """After kill -9 all turns that were added are whole, and the conversation goes on."""
    made = kept.start(HOME)
    other = writer(kept, made, 10_000)
    assert other.stdout
    told = [other.stdout.readline() for _ in range(8)]
    other.send_signal(signal.SIGKILL)
    rest, _ = other.communicate()
    added = ("".join(told) + rest).count("added")
    found = len(kept.turns(made, HOME))
    assert added <= found <= added + 1
    assert kept.add_turn(made, HOME, turn()).number == found + 1


def test_a_file_that_is_none_of_ours_is_named(kept: Conversations) -> None:
    """Another kind of file, a newer version and a folder are one clear error, left as they are."""
    kept.path.parent.mkdir()
    kept.path.write_text("no database " * 100)
    with pytest.raises(HistoryError, match="RAG_HISTORY"):
        kept.start(HOME)
    assert kept.path.read_text().startswith("no database")
    kept.path.unlink()
    kept.start(HOME)
    file = sqlite3.connect(kept.path)
    file.execute("PRAGMA user_version = 99")
    file.close()
    with pytest.raises(HistoryError, match="version 99"):
        kept.list(HOME)
    with pytest.raises(HistoryError, match="Cannot use"):
        Conversations(kept.path.parent).start(HOME)


def test_a_damaged_turn_is_named(kept: Conversations) -> None:
    """A record that is no turn is a HistoryError, not a fault of the program."""
    made = kept.start(HOME)
    kept.add_turn(made, HOME, turn())
    file = sqlite3.connect(kept.path)
    file.execute("UPDATE turns SET record = '{}'")
    file.commit()
    file.close()
    with pytest.raises(HistoryError, match="cannot be read"):
        kept.turns(made, HOME)


def test_a_turn_of_an_older_version_is_read(kept: Conversations) -> None:
    """A field that turns do not have any more is left out."""
    made = kept.start(HOME)
    stored = kept.add_turn(made, HOME, turn())
    file = sqlite3.connect(kept.path)
    file.execute("UPDATE turns SET record = json_set(record, '$.note', 'kettle')")
    file.commit()
    file.close()
    assert kept.turns(made, HOME) == (stored,)


def test_json_holds_every_turn(kept: Conversations) -> None:
    """The export has questions, the answers as the command line prints them, support and rating."""
    made = kept.start(HOME, "Kettle")
    kept.add_turn(made, HOME, turn())
    kept.add_turn(made, HOME, replace(turn(), answer=None, error="No server"))
    kept.rate(made, HOME, 1, "up", "Right")
    told = json.loads(export_json(kept.info(made, HOME), kept.turns(made, HOME)))
    assert told["title"] == "Kettle"
    first, second = told["turns"]
    assert first["answer"]["passages"][0]["text"] == WARRANTY
    assert first["answer"]["support"][0]["verdict"] == "supported"
    assert (first["thumb"], first["comment"]) == ("up", "Right")
    assert (second["answer"], second["error"]) == (None, "No server")
    assert made not in json.dumps(told)


def test_markdown_keeps_documents_and_questions_in_their_place(kept: Conversations) -> None:
    """Neither a question nor an answer nor a document can open a heading of its own."""
    made = kept.start(HOME)
    one = turn("# No heading\n## Nor this", "# Answer\n\n## Heading [1]")
    assert one.answer
    text = "```\n# Not a heading\n```"
    own = replace(one.answer, windows=(window(text),))
    kept.add_turn(made, HOME, replace(one, answer=own))
    written = export_markdown(kept.info(made, HOME), kept.turns(made, HOME))
    headings = [line for line in written.split("\n") if line.startswith("#")]
    assert headings == [r"# \# No heading \#\# Nor this", r"## 1. \# No heading \#\# Nor this",
                        "# Not a heading"]  # fmt: skip
    assert "````\n```\n# Not a heading\n```\n````" in written


def test_a_thumb_up_becomes_a_question_with_its_gold(kept: Conversations) -> None:
    """What supports the answer is the gold, at its offsets; earlier turns are the history."""
    first, second = replace(turn(), number=1), replace(turn("And in France?"), number=2, thumb="up")
    (row,) = evaluation_rows("abc", [first, second])
    assert (row["id"], row["question"], row["doc_id"]) == ("abc#2", "And in France?", "kettle.md")
    assert (row["answers"], row["answer_start"], row["match"]) == ([WARRANTY], [10], "overlap")
    assert row["answerable"]
    assert [each["role"] for each in row["history"]] == ["user", "agent"]


def test_what_is_exported_can_be_evaluated() -> None:
    """`--evaluate` reads the rows: the places in the document, and the turns before."""
    turns = [replace(turn(), number=1), replace(turn("And in France?"), number=2, thumb="up")]
    (row,) = evaluation_rows("abc", turns)
    line = json.dumps(row)
    text = " " * 10 + WARRANTY
    gold = read_gold(json.loads(line), 1, ["kettle.md"], lambda _: text)
    assert gold.places == (Place("kettle.md", 10, 10 + len(WARRANTY)),)
    assert (gold.answerable, gold.match) == (True, "overlap")
    assert [asked.question for asked in read_row(line, 1).history] == [turn().question]


def test_the_file_is_its_owner_s_alone(kept: Conversations) -> None:
    """Nobody else on the machine reads what was asked."""
    kept.start(HOME)
    assert kept.path.stat().st_mode & 0o077 == 0


def test_a_refusal_with_a_thumb_up_is_unanswerable_and_a_thumb_down_no_row() -> None:
    """A good refusal is a question without an answer; a bad answer names no right place."""
    good = turn()
    assert good.answer
    refused = replace(good, answer=replace(good.answer, refusal="not-found"), thumb="up")
    (row,) = evaluation_rows("abc", [refused, replace(good, thumb="down"), good])
    assert (row["answerable"], row["answers"], row["doc_id"]) == (False, [], "")
