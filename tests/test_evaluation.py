"""Questions whose answers are known → figures of search."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rag.assistant import Assistant
from rag.commands.evaluate import evaluate
from rag.conversations.rated_turns import evaluation_rows
from rag.conversations.stored_turn import StoredTurn, TurnSettings
from rag.errors import SettingsError
from rag.evaluation.chart import chart
from rag.evaluation.gold import Gold, Match, Place, find_source, read_gold
from rag.evaluation.report import report_text, summarise
from rag.evaluation.scores import Score, coverage, finds, first_rank, group_of
from rag.settings import Settings
from rag.types import Sentence, Window
from tests.small_collection import WordEmbeddings, build_small

KETTLE = "The kettle boils water. Its warranty is two years. The lid is made of steel."
LAMP = "The lamp is bright. Its warranty is one year.\n\nThe switch is on the left."
SOURCES = {"a/kettle.md": KETTLE, "lamp.txt": LAMP}


def gold(**row: object) -> Gold:
    """Read a row against the two documents."""
    return read_gold(row, 7, list(SOURCES), SOURCES.__getitem__)


def held(found: Gold) -> list[tuple[str, str]]:
    """The documents and texts of the places."""
    return [(p.source, SOURCES[p.source][p.start : p.end]) for p in found.places]


def sentence(start: int, end: int, source: str = "lamp.txt") -> Sentence:
    """A piece of a document."""
    return Sentence(source, 0, start, end, SOURCES[source][start:end])


def window(start: int, end: int, source: str = "lamp.txt") -> Window:
    """A passage of a document."""
    return Window(1, source, start, end, SOURCES[source][start:end], 0, 0, ())


def test_places_are_where_the_offsets_say() -> None:
    """An answer at its offset is that place alone, however often the text has it."""
    found = gold(doc_id="lamp", answers=["The"], answer_start=[47])
    assert found.places == (Place("lamp.txt", 47, 50),)
    assert (found.answerable, found.match, found.absent) == (True, "any", False)


def test_a_document_that_was_read_otherwise() -> None:
    """A wrong offset gives way to the nearest place that has the text, in any case and layout."""
    found = gold(doc_id="lamp", answers=["one  YEAR. the switch"], answer_start=[3])
    assert held(found) == [("lamp.txt", "one year.\n\nThe switch")]
    assert gold(doc_id="lamp", answers=["the"], answer_start=[52]).places[0].start == 47


@pytest.mark.parametrize(("match", "count"), [("any", 3), ("all", 1), ("overlap", 1)])
def test_answers_without_offsets_are_looked_up(match: Match, count: int) -> None:
    """Where any place will do, each that has the text counts; as evidence the first does."""
    found = gold(doc_id="lamp", answers=["the"], match=match)
    assert len(found.places) == count
    assert gold(doc_id="lamp", answers=["the"], answer_start=[-1], match=match) == found


def test_evidence_in_other_documents() -> None:
    """Further places count too; those in documents that the collection lacks do not."""
    also = [["a/kettle.md", KETTLE.index("steel"), "steel"], ["gone", 0, "Nothing"]]
    found = gold(doc_id="lamp", answers=["left"], answer_start=[-1], also=also, match="all")
    assert held(found) == [("lamp.txt", "left"), ("a/kettle.md", "steel")]


def test_a_question_on_a_document_that_is_not_there() -> None:
    """It is to be refused, whether the document would answer it or not."""
    assert [
        group_of(gold(doc_id="gone", answers=["left"], answer_start=[3])),
        group_of(gold(doc_id="gone", answers=[], answerable=False)),
        group_of(gold(doc_id="lamp", answers=[], answerable=False)),
        group_of(gold(doc_id="", answers=[])),
        group_of(gold(answers=["left"])),
    ] == ["absent", "absent", "unanswered", "unanswerable", "answerable"]


@pytest.mark.parametrize(
    ("name", "source"),
    [("lamp", "lamp.txt"), ("lamp.txt", "lamp.txt"), ("a/kettle.md", "a/kettle.md"),
     ("kettle.md", "a/kettle.md"), ("kettle", None), ("ettle.md", None)],
)  # fmt: skip
def test_documents_by_name(name: str, source: str | None) -> None:
    """A document is named by its path, by that without .txt, or by the end of one path."""
    assert find_source(name, SOURCES) == source
    assert find_source("kettle.md", [*SOURCES, "b/kettle.md"]) is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"answerable": True}, 'answerable and has no "answers"'),
        ({"answers": "left"}, "no list of texts"),
        ({"answers": [" "]}, "no list of texts"),
        ({"answers": ["left"], "match": "some"}, "expected any, all or overlap"),
        ({"answers": ["left"], "doc_id": 7}, "no text"),
        ({"answers": ["left"], "doc_id": "lamp", "answer_start": [1, 2]}, "an offset for each"),
        ({"answers": ["left"], "doc_id": "lamp", "answer_start": ["1"]}, "an offset for each"),
        ({"answers": ["left"], "doc_id": "lamp", "also": [["lamp"]]}, "an offset for each"),
        # It has "bright", which is another word.
        ({"answers": ["right"], "doc_id": "lamp"}, "lamp.txt does not hold the answer 'right'"),
    ],
)
def test_rows_that_are_wrong(row: dict[str, object], message: str) -> None:
    """A row that cannot be judged is named by its number."""
    with pytest.raises(SettingsError, match=message) as error:
        gold(**row)
    assert "Row 7" in str(error.value)


def test_what_finds_an_answer() -> None:
    """An alternative must be held whole; evidence must be touched; a text may be anywhere."""
    found = gold(doc_id="lamp", answers=["one year", "bright"])
    assert first_rank(found, [sentence(0, 10), sentence(20, 40), sentence(20, 44)]) == 3
    evidence = replace(found, match="overlap")
    assert first_rank(evidence, [sentence(0, 10), sentence(20, 40), sentence(20, 44)]) == 2
    anywhere = gold(answers=["TWO years"])
    assert finds(anywhere, sentence(0, len(KETTLE), "a/kettle.md"))
    assert not finds(anywhere, sentence(0, len(LAMP)))
    assert not finds(found, sentence(20, 44, "a/kettle.md"))


def test_how_much_of_an_answer_is_sent() -> None:
    """The best covered alternative counts, or all of the evidence together."""
    found = gold(doc_id="lamp", answers=["warranty", "The switch is on"])
    first, both = [window(20, 28)], [window(20, 28), window(47, 55)]
    assert coverage(found, first) == 0.5  # "Its warr": of "warranty" half
    assert coverage(found, both) == 0.5
    assert coverage(replace(found, match="all"), both) == 12 / 24
    assert coverage(found, [window(0, len(LAMP))]) == 1
    assert coverage(found, []) == 0
    texts = gold(answers=["steel", "brass"], match="all")
    assert coverage(texts, [window(0, len(KETTLE), "a/kettle.md")]) == 0.5


SCORES = (
    Score(1, "answerable", 1, 1, 1.0, 300, total_ms=10, embed_ms=5),
    Score(2, "answerable", 4, 3, 0.5, 100, total_ms=20, embed_ms=5),
    Score(3, "answerable", None, None, 0.0, 0, "not-found", total_ms=30),
    Score(4, "absent", refusal="off-topic", total_ms=40),
    Score(5, "absent", total_ms=50),
    Score(6, "unanswered", refusal="not-found", total_ms=60),
    Score(7, "unanswerable", total_ms=70),
)


def test_the_figures_of_a_set() -> None:
    """Shares, ranks and lengths are of the answerable questions, refusals of each kind."""
    report = summarise(SCORES)
    assert (report["questions"], report["answerable"]) == (7, 3)
    assert report["sentence"] == {
        "hit@1": 1 / 3, "hit@3": 1 / 3, "hit@5": 2 / 3, "mrr@10": pytest.approx(1.25 / 3),
    }  # fmt: skip
    assert report["window"] == {"hit@1": 1 / 3, "hit@3": 2 / 3, "hit@5": 2 / 3}
    assert (report["coverage"], report["characters"]) == (0.5, pytest.approx(400 / 3))
    assert report["coverage_per_1000_characters"] == pytest.approx(3.75)
    assert {k: (r["questions"], r["share"]) for k, r in report["refused"].items()} == {
        "answerable": (3, 1 / 3), "unanswerable": (4, 0.5),
        "off_topic": (2, 0.5), "not_found": (1, 1.0),
    }  # fmt: skip
    assert report["latency_ms"]["total"] == {"p50": 40, "p95": 70}
    table = report_text(report)
    assert "33.3    33.3    66.7   0.417" in table
    assert "50.0  of 2 on documents that the collection does not hold" in table


def test_a_set_of_one_kind_or_of_none() -> None:
    """What there is no question for is left out, not zero."""
    assert "found" not in report_text(summarise(SCORES[3:]))
    assert "without an answer" not in report_text(summarise(SCORES[:3])).partition("\n")[2]
    assert summarise([])["coverage"] is None


@pytest.mark.parametrize("scores", [SCORES, SCORES[:3], SCORES[3:], ()])
def test_the_chart_is_svg(scores: tuple[Score, ...]) -> None:
    """Whatever was measured, the chart is well-formed, stays in its frame, and escapes names."""
    drawn = ET.fromstring(chart(summarise(scores), scores, "<a> & b"))
    assert drawn.attrib["aria-label"] == "<a> & b"
    bars = [e.attrib for e in drawn.iter("{http://www.w3.org/2000/svg}rect")]
    assert all(float(b["width"]) >= 0 and float(b["height"]) >= 0 for b in bars)
    assert all(float(b.get("x", 0)) + float(b["width"]) <= 1020 for b in bars)
    words = [e.text for e in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert ("67" in words) == any(s.group == "answerable" for s in scores)


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    """An assistant over the two documents."""
    embeddings = WordEmbeddings("kettle lamp warranty lid switch steel bright")
    store = build_small(tmp_path, SOURCES, embeddings)
    with Assistant(Settings(qdrant_path=tmp_path / "qdrant", top_k=1), embeddings, store) as opened:
        yield opened


def quiet(done: int, total: int, failed: int) -> None:
    """Show no progress."""


def test_questions_are_asked_and_judged(
    assistant: Assistant, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Found is found, sent is what an answer rests on, and a row that fails is reported."""
    rows: list[object] = [
        {"id": "lid", "question": "What is the lid made of?", "doc_id": "kettle.md",
         "answers": ["made of steel"], "answer_start": [KETTLE.index("made of")]},
        {"question": "Where is the switch?", "answers": ["nowhere"], "doc_id": "lamp"},
        {"id": "gone", "question": "What is the lid made of?", "doc_id": "gone",
         "answers": ["steel"], "answer_start": [0]},
        {"id": "deep", "question": "Is the lamp bright?", "doc_id": "lamp",
         "answers": ["the left"]},
    ]  # fmt: skip
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    done: list[tuple[int, int, int]] = []
    plot = tmp_path / "figures.svg"
    code = evaluate(assistant, file, as_json=True, plot=plot, progress=lambda *at: done.append(at))
    record = json.loads(capsys.readouterr().out)
    assert (code, done[-1], record["failed"]) == (1, (4, 4, 1), 1)
    lid, gone, deep, failed = record["rows"]
    assert (lid["sentence_rank"], lid["window_depth"], lid["coverage"]) == (1, 1, 1.0)
    assert lid["characters"] == len(KETTLE)
    assert (gone["id"], gone["group"]) == ("gone", "absent")
    # The lamp's last sentence stands in the window around its first.
    assert deep["window_depth"] == 1
    assert deep["sentence_rank"] != 1
    assert failed == {"id": 2, "error": "Row 2: lamp.txt does not hold the answer 'nowhere'. "
                      "Was the document changed since?"}  # fmt: skip
    assert record["sentences"] == 6
    assert record["top_k"] == 1
    assert ET.parse(plot).getroot().tag.endswith("svg")


def test_rated_turns_are_such_a_set(
    assistant: Assistant, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a thumb up exports can be asked again, with the turns before as its history."""
    turns = []
    for number, question in enumerate(("What is the lid made of?", "Is the lamp bright?"), 1):
        stream = assistant.ask(question)
        list(stream)
        settings = TurnSettings(2, 1, "hybrid", ())
        turns.append(StoredTurn(question, settings, stream.answer, number=number, thumb="up"))
    rows = evaluation_rows("talk", turns)
    assert len(rows[1]["history"]) == 2
    file = tmp_path / "rated.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    assert evaluate(assistant, file, as_json=True, progress=quiet) == 0
    record = json.loads(capsys.readouterr().out)
    assert [row["sentence_rank"] for row in record["rows"]] == [1, 1]
    assert [row["coverage"] for row in record["rows"]] == [1.0, 1.0]


def test_a_plot_is_svg_and_can_be_written(assistant: Assistant, tmp_path: Path) -> None:
    """Another ending is refused before anything is asked; so is a file that cannot be written."""
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "Bright?", "answers": ["bright"]}')
    with pytest.raises(SettingsError, match=r"figures\.svg"):
        evaluate(assistant, file, plot=tmp_path / "figures.png", progress=quiet)
    with pytest.raises(SettingsError, match="Cannot write"):
        evaluate(assistant, file, plot=tmp_path / "no" / "figures.svg", progress=quiet)
