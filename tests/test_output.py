"""Answers become the contract's JSON, and text for a terminal."""

from __future__ import annotations

import json

from rag.cli import printable
from rag.commands.output import answer_record
from rag.commands.passages import passages_text
from rag.types import Answer, Citation, Hit, Sentence, Timings, Usage, Window

TEXT = "Fill it.\nBoil it\ntwice. Pour it out."
HIT = Hit(
    Sentence("k.md", 1, 9, 23, "Boil it\ntwice."), rank=1, dense=0.9, keyword=None, fused=0.03,
    dense_rank=1, terms=("Boil",),
)  # fmt: skip
WINDOW = Window(1, "k.md", 0, 36, TEXT, 0, 2, (HIT,), "Kettle", ("Kettle", "First use"), 3)
ANSWER = Answer(
    "How?", "How?", "Boil it [1].", (WINDOW,), (Citation(1, 1, 8, 11),), usage=Usage(5, 7),
    timings=Timings(1.0, 2.0, 3.5, None, 9.0),
)  # fmt: skip


def test_the_record_has_the_fields_of_the_contract() -> None:
    """Every field that scripts rely on is there, with the value of the answer."""
    record = json.loads(json.dumps(answer_record(ANSWER, "q1")))
    assert record["id"] == "q1"
    assert (record["question"], record["query"], record["answer"]) == (
        "How?",
        "How?",
        "Boil it [1].",
    )
    assert (record["refused"], record["refusal"]) == (False, None)
    assert record["answerer"] == "extractive"
    assert (record["cut"], record["usage"]) == (False, {"input_tokens": 5, "output_tokens": 7})
    assert record["citations"] == [{"marker": 1, "passage": 1}]
    assert record["timings"] == {
        "embed_ms": 1.0, "search_ms": 2.0, "retrieve_ms": 3.5, "first_token_ms": None,
        "total_ms": 9.0, "rewrite_ms": 0.0,
    }  # fmt: skip
    (passage,) = record["passages"]
    assert passage["text"] == TEXT[passage["start"] : passage["end"]]
    assert passage["section"] == ["Kettle", "First use"]
    assert passage["page"] == 3
    (highlight,) = passage["highlights"]
    assert TEXT[highlight["start"] : highlight["end"]] == "Boil it\ntwice."
    assert highlight["scores"] == {"dense": 0.9, "keyword": None, "fused": 0.03}
    assert highlight["ranks"] == {"dense": 1, "keyword": None}
    assert highlight["terms"] == ["Boil"]


def test_a_refusal_says_which() -> None:
    """A refusal is flagged, and named."""
    refused = Answer("?", "?", "Not in the documents.", (), refusal="not-found")
    record = answer_record(refused)
    assert (record["refused"], record["refusal"], record["passages"]) == (True, "not-found", [])


def test_passages_are_numbered_placed_and_marked() -> None:
    """A passage names its place once, and each line of a found sentence is marked."""
    assert passages_text([WINDOW], ("<", ">")) == (
        "[1] k.md:0-36 · Kettle › First use, p. 3\n"
        "    Fill it.\n"
        "    <Boil it>\n"
        "    <twice.> Pour it out.\n"
    )


def test_marks_are_not_the_documents() -> None:
    """What a document says neither commands a terminal nor passes for a mark; the marks stand."""
    text = "\x1b[1m⟦Fill it.⟧\x1b[0m"
    hit = Hit(Sentence("k.md", 0, 4, 13, text[4:13]), rank=1, dense=0.9)
    window = Window(1, "\x07k.md", 0, len(text), text, 0, 0, (hit,), "\x9bKettle")
    bold, plain = "\x1b[1;4m", "\x1b[0m"
    assert passages_text([window], (bold, plain)) == (
        f"[1] k.md:0-{len(text)} · Kettle\n    [1m{bold}⟦Fill it.{plain}⟧[0m\n"
    )


def test_terminal_commands_are_taken_out() -> None:
    """Escape sequences, C1 codes and bidirectional overrides do not reach a terminal."""
    assert printable("a\x1b[31mred\x9b2J\u202eb\x07\tc\nd\ud800") == "a[31mred2Jb\tc\nd"
