"""Each sentence of an answer is linked to its source, or marked as not found there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag.answers.extractive import extract
from rag.citations import find_citations
from rag.embeddings import BundledEmbeddings
from rag.sentences import split_sentences
from rag.support.answer_sentences import answer_sentences
from rag.support.checking import check_support
from rag.support.claims import parse_claim
from rag.support.nearness import is_alike, is_unlike
from rag.support.negations import find_negations
from rag.support.quantities import find_quantities
from rag.support.verdict import NOT_FOUND, Support
from rag.types import Answer, Hit, Sentence, Window
from tests.strange_texts import quick, strange_texts

MANUAL = (
    "The Aqua X200 kettle comes with a warranty of 30 days. It does not cover the battery. "
    "Fill 1.7 L of water and boil it for 3 minutes. The pump was designed by Marie Laurent in "
    "Lyon. The filter is sold by Peter Holm in Oslo. Returns are free within 14 days."
)
CHINESE = (
    "电热水壶的保修期为 30 天。保修不包括电池。首次使用前请加入 1.7 升水并煮沸 3 分钟。"
    "水泵由玛丽·洛朗在里昂设计。滤网由《北方商店》出售。14 天内可以免费退货。"
)


def window(text: str, source: str = "manual.md", rank: int = 1) -> Window:
    bounds = tuple(
        (s.start, s.start + len(text[s.start : s.end].rstrip())) for s in split_sentences(text)
    )
    start, end = bounds[0]
    hit = Hit(Sentence(source, 0, start, end, text[start:end]), rank)
    return Window(rank, source, 0, len(text), text, 0, len(bounds) - 1, (hit,), bounds=bounds)


def check(text: str, *manuals: str, embeddings: BundledEmbeddings | None = None) -> list[Support]:
    windows = tuple(window(m, f"{n}.md", n) for n, m in enumerate(manuals or (MANUAL,), 1))
    citations = find_citations(text, len(windows))
    return list(check_support(Answer("?", "?", text, windows, citations), embeddings))


def source_of(support: Support, manual: str = MANUAL) -> str:
    return manual[support.source_start : support.source_end]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The Aqua X200 kettle has a warranty of 30 days [1].", "The Aqua X200 kettle comes with"),
        ("The battery isn't covered.", "It does not cover the battery."),
        ("Fill 1.7 litres of water and boil it for three minutes.", "Fill 1.7 L"),
        ("Marie Laurent designed the pump in Lyon.", "The pump was designed"),
        ("Returns are free within 14 days.", "Returns are free"),
    ],
)
def test_a_faithful_sentence_is_linked_to_its_source(text: str, source: str) -> None:
    """Other words for the same, numbers as words and units in full are still supported."""
    (support,) = check(text)
    assert support.verdict == "supported"
    assert source_of(support).startswith(source)
    assert (support.passage, support.source) == (1, "1.md")
    assert text[support.start : support.end] == text


@pytest.mark.parametrize(
    ("text", "reason", "said", "found"),
    [
        ("The Aqua X200 kettle has a warranty of 90 days [1].", "number", "90 days", "30 days"),
        ("The Aqua X200 kettle has a warranty of 30 weeks.", "unit", "30 weeks", "30 days"),
        ("Fill 1.7 L of water and boil it for 5 minutes.", "number", "5 minutes", "3 minutes"),
        ("Fill 2.7 L of water and boil it for 3 minutes.", "number", "2.7 L", "1.7 L"),
        ("Returns are free within 30 days.", "number", "30 days", "14 days"),
        ("The warranty does cover the battery.", "negation", "", "not"),
        ("Returns are not free within 14 days.", "negation", "not", ""),
        ("The pump was designed by Peter Holm in Lyon.", "name", None, None),
        ("The pump was designed by Marie Laurent in Oslo.", "name", "Oslo", None),
        ("The Aqua X300 kettle comes with a warranty of 30 days.", "name", "X300", None),
    ],
)
def test_what_differs_is_named(text: str, reason: str, said: str | None, found: str | None) -> None:
    """A number, unit, negation or name that the source has not is "not found", and named."""
    (support,) = check(text)
    assert (support.verdict, support.reason) == (NOT_FOUND, reason)
    if said is not None:
        assert support.said == said
    if found is not None:
        assert support.found == found
    assert support.source_start is not None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("电热水壶的保修期是30天 [1]。", ""),
        ("电热水壶的保修期是90天 [1]。", "number"),
        ("电热水壶的保修期是30周。", "unit"),
        ("电热水壶的保修期是三十天。", ""),
        ("保修包括电池。", "negation"),
        ("14天内不可以免费退货。", "negation"),
        ("滤网由《南方商店》出售。", "name"),
        ("水泵由玛丽·洛朗在里昂设计。", ""),
        ("水泵由彼得·霍尔姆在里昂设计。", "name"),
        ("滤网由《北方商店 》出售。", ""),
    ],
)
def test_chinese_is_checked_alike(text: str, reason: str) -> None:
    """Numbers, units, negations and names of Chinese answers are held against Chinese passages."""
    (support,) = check(text, CHINESE)
    assert support.reason == reason
    assert support.verdict == (NOT_FOUND if reason else "supported")


REWORDED = (
    "Die Kaffeemaschine Orion wird in der Manufaktur Grünwald nach alten Plänen gebaut. "
    "Der Behälter aus Glas ist ein (nicht-kratzfester) Einsatz für kaltes Wasser. "
    "Die Evangelisch-methodistische Kirche lehnt den Kauf der Anlage ab. "
    "Obwohl der Händler in Wien im letzten Jahr kaum Geräte verkaufte, öffnet er heute früh. "
    "Das Gerät verändert seit langem die Erwartungen der Kunden, wie eine Umfrage zeigt."
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "Die Kaffeemaschine Orion wird in der Werkstatt Seeblick nach alten Plänen gebaut.",
            "name",
        ),
        (
            "Die Kaffeemaschine Orion wird in der Manufaktur Seeblick nach alten Plänen gebaut.",
            "name",
        ),
        ("Der Behälter aus Glas ist ein Einsatz für kaltes Wasser.", ""),
        ("Der Behälter aus Glas ist kein Einsatz für kaltes Wasser.", "negation"),
        ("Die EmK lehnt den Kauf der Anlage ab.", ""),
        ("Die KmE lehnt den Kauf der Anlage ab.", "name"),
        ("Der Händler öffnet heute früh.", ""),
        ("Das Gerät verändert die Ansichten der Kunden.", ""),
    ],
)
def test_german_nouns_are_names_only_in_a_copy(text: str, reason: str) -> None:
    """All nouns have capitals: a noun with an article in a rewording is none; in a copy of the
    source it stands in another's place. What a clause of the source denies is not the claim.
    """
    (support,) = check(text, REWORDED, embeddings=BundledEmbeddings())
    assert support.reason == reason
    assert (support.verdict == NOT_FOUND) == bool(reason)


@pytest.mark.parametrize(
    ("text", "manual", "reason"),
    [
        (
            "西班牙于1985年加入了联盟。",
            "1985年西班牙加入了联盟，虽然挪威经过公投最终没有加入。",
            "",
        ),
        ("挪威加入了联盟。", "1985年西班牙加入了联盟，而挪威最终没有加入联盟。", "negation"),
        ("无能的店员拒绝退款。", "顾客投诉说，无能的店员拒绝退款。", ""),
        ("水泵由 Blake's7 设计。", "水泵由 Blake's 7 设计。", ""),
    ],
)
def test_a_clause_that_denies_something_else(text: str, manual: str, reason: str) -> None:
    """A negation of the source counts where the claim says its clause. Blanks do not matter."""
    (support,) = check(text, manual)
    assert support.reason == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The filter fits the X200 kettle.", ""),
        ("The filter fits the X20 kettle.", "name"),
        ("The filter fits the X2000 kettle.", "name"),
    ],
)
def test_a_code_is_known_with_blanks_but_not_within_another(text: str, reason: str) -> None:
    """X 200 is X200; neither is X20 or X2000."""
    (support,) = check(text, "The filter fits the X 200 kettle. The lid fits the AX2000 toaster.")
    assert support.reason == reason


GERMAN = (
    "Der Wasserkocher Aqua hat 30 Tage Garantie auf Sockel und Heizelement. "
    "Die Pumpe wurde von Marie Laurent in Lyon entworfen. Das Filter verkauft der Buchhandel."
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Der Wasserkocher Aqua hat 30 Tage Garantie auf den Sockel.", ""),
        ("Die Pumpe wurde von Peter Holm in Lyon entworfen.", "name"),
        ("Der Wasserkocher Aqua hat 30 Tage Garantie auf Buchhandel und Heizelement.", "name"),
        ("Der Wasserkocher Aqua hat 30 Tage Garantie auf Kochersockel und Heizelement.", ""),
    ],
)
def test_german_nouns_are_no_names_unless_all_else_is_equal(text: str, reason: str) -> None:
    """All have a capital: another noun counts where the rest of the sentence is the same, unless
    the two have a part in common.
    """
    (support,) = check(text, GERMAN)
    assert support.reason == reason


@pytest.mark.parametrize(
    ("language", "unlike", "open_", "alike"), [("en", 0.8, 0.86, 0.9), ("zh", 0.89, 0.93, 0.95)]
)
def test_nearness_is_read_by_language(
    language: str, unlike: float, open_: float, alike: float
) -> None:
    """The model finds any two Chinese sentences alike, so more is asked of them."""
    assert is_unlike(unlike, language)
    assert is_alike(alike, language)
    assert not is_unlike(open_, language)
    assert not is_alike(open_, language)
    assert language == "zh" or not is_alike(alike, "fr")


def test_what_no_passage_says_is_not_found() -> None:
    """A sentence about something else is marked, and no difference is made up for it."""
    (support,) = check("Penguins breed on Antarctic ice in colonies of 5000.")
    assert (support.verdict, support.reason) == (NOT_FOUND, "nothing")


def test_each_sentence_is_judged_by_itself() -> None:
    """Right ones, wrong ones, lead-ins, questions and code stand side by side, in order."""
    text = (
        "The steps are:\n\n1. Fill 1.7 L of water and boil it for 3 minutes. [1]\n"
        "2. Returns are free within 90 days [1].\n\n```\nX = 90\n```\n\nAnything else?"
    )
    found = [(text[s.start : s.end].split(maxsplit=1)[0], s.verdict) for s in check(text)]
    assert found[0] == ("The", "not checked")
    assert ("2.", NOT_FOUND) in found
    assert [verdict for _, verdict in found].count("supported") == 1
    assert found[-1] == ("Anything", "not checked")


def test_an_extractive_answer_supports_itself() -> None:
    """The found sentences themselves are in the passages, whatever markup stands around them."""
    table = "| Part | Price |\n|---|---|\n| Lid | 5 € |\n\n- Open the **lid**.\n- Fill `1.7 L`.\n"
    windows = (window(MANUAL, "a.md", 1), window(CHINESE, "b.md", 2), window(table, "c.md", 3))
    text = "\n\n".join(extract(windows))
    supports = check_support(Answer("?", "?", text, windows, find_citations(text, 3)))
    assert supports
    assert NOT_FOUND not in {support.verdict for support in supports}


def test_a_marker_behind_the_stop_belongs_to_the_sentence_before() -> None:
    """The citation counts for what it follows."""
    text = "Boil it. [2] Wait here. [1]"
    found = answer_sentences(text, 2)
    assert [text[s.start : s.end].partition(".")[0] for s in found] == ["Boil it", "Wait here"]
    assert [s.cited for s in found] == [frozenset({2}), frozenset({1})]


def test_the_cited_passage_is_linked_first() -> None:
    """Of two passages that say the same the one that the answer cites is its source."""
    supports = check("Returns are free within 14 days [2].", MANUAL, MANUAL)
    assert [support.passage for support in supports] == [2]


def test_a_refusal_has_nothing_to_check() -> None:
    """Neither a refusal nor an answer without passages has supports."""
    answer = Answer("?", "?", "The documents do not say.", (window(MANUAL),), refusal="not-found")
    assert check_support(answer) == ()
    assert check_support(Answer("?", "?", "It is 30 days.", ())) == ()


@pytest.mark.parametrize(
    ("text", "verdict", "reason"),
    [
        ("保修期是30天 [1]。", "not checked", ""),
        ("保修期是90天 [1]。", NOT_FOUND, "number"),
        ("保修期是30周 [1]。", NOT_FOUND, "unit"),
    ],
)
def test_across_languages_numbers_alone_are_checked(text: str, verdict: str, reason: str) -> None:
    """A Chinese answer from an English passage: its numbers are compared, the rest is open."""
    (support,) = check(text)
    assert (support.verdict, support.reason) == (verdict, reason)


class Foreign(BundledEmbeddings):
    """Embeddings of an endpoint, which must not be asked."""

    model = "text-embedding-3-small"

    def embed_passages(self, texts: Sequence[str]) -> Iterator[tuple[int, np.ndarray]]:
        raise AssertionError("asked")


def test_what_words_leave_open_is_not_checked_without_the_bundled_model() -> None:
    """With an endpoint's embeddings nothing is asked, and the rest is left open."""
    loose = "Whoever buys that kettle gets a guarantee."
    assert [s.verdict for s in check(loose, embeddings=Foreign())] == ["not checked"]
    assert [s.verdict for s in check(loose)] == ["not checked"]


def test_the_bundled_model_judges_what_words_leave_open() -> None:
    """A paraphrase is not marked as missing, and the same answer gets the same verdicts again."""
    text = "Whoever buys that kettle gets a guarantee. The battery is excluded from it."
    once = check(text, embeddings=BundledEmbeddings())
    assert NOT_FOUND not in {support.verdict for support in once}
    assert check(text, embeddings=BundledEmbeddings()) == once


@quick
@given(st.lists(st.sampled_from([*MANUAL, "[1]", " 30 days", "不", "。", "\n", "|", "`", "*"])))
def test_supports_lie_in_the_answer_in_order(pieces: list[str]) -> None:
    """Whatever a model writes, the offsets are inside its text, apart and in order."""
    text = "".join(pieces)
    at = 0
    for support in check(text):
        assert at <= support.start < support.end <= len(text)
        at = support.end


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,500.5 km or 1.500,5 km", [(1500.5, "km"), (1500.5, "km")]),
        ("$3.5 million, 3,5 Millionen Euro", [(3.5e6, "$"), (3.5e6, "€")]),
        ("5–10 km, between 5 and 10 percent", [(5, "km"), (10, "km"), (5, "%"), (10, "%")]),
        ("twenty-five weeks, zwölf Tage, 三十五天", [(25, "week"), (12, "day"), (35, "day")]),
        ("百分之二十五，1.5万人，3亿美元", [(25, "%"), (15000, ""), (3e8, "$")]),
        ("唯一一支队伍的建筑是一级，不是2级", [(1, "grade"), (2, "grade")]),
        ("E07, RTX-4090, one of them, 四川, COVID-19", []),
        ("the 1990s and the 70's", [(1990, ""), (70, "")]),
        ("5 m wide, €60m, 3 s, 5 Mbit/s", [(5, "m"), (6e7, "€"), (3, "second"), (5, "Mbit/s")]),
        ("1,000s of them, 10,000er, the 1700s", [(1000, ""), (10000, ""), (18, "")]),
        ("占百分之3.5. 百分之三十三点三，百分之...", [(3.5, "%"), (33.3, "%")]),
    ],
)
def test_quantities_have_values_and_units(text: str, found: list[tuple[float, str]]) -> None:
    """Numbers are read by value in three languages, with what they count; codes are none."""
    quantities = find_quantities(text)
    assert [q.unit for q in quantities] == [unit for _, unit in found]
    for quantity, (value, _) in zip(quantities, found, strict=True):
        assert value in quantity.values


NUMBER_PIECES = [
    *"0123456789", *".,:：'’\u00a0-–/$€% ", "00", "٣", "１", "s", "er", "'s", "年代", "th", "k",
    "m", "bn", " million", " Mio.", "US$", " km", "a", "百分之", *"零一二两十百千万亿点年天个",
    " to ", "twenty", "one",
]  # fmt: skip


@quick
@given(st.lists(st.sampled_from(NUMBER_PIECES), max_size=12).map("".join) | strange_texts)
@example("There are 1,000s of them.")
@example("the 10:00s and 10,000er")
@example("占百分之3.5.")
@example("百分之...")
@example("百分之点")
@example(f"{'9' * 400}.9 {'9' * 400}s 一{'亿' * 50}年 百分之{'九' * 400}点五")
def test_whatever_looks_like_a_number_is_read(text: str) -> None:
    """No text stops the check, and each quantity stands where it says."""
    at = 0
    for quantity in parse_claim(text).quantities:
        assert at <= quantity.start < quantity.end <= len(text)
        assert quantity.values
        at = quantity.start


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It isn't here, and never was.", 2), ("Not only this, no. 5 too", 0),
        ("Er ist nicht da, kein Mensch", 2), ("不仅如此，不过没有电", 1), ("无论如何，无线充电", 0),
    ],
)  # fmt: skip
def test_negations_are_words_that_deny(text: str, count: int) -> None:
    """Words that only look like one deny nothing."""
    assert len(find_negations(text)) == count
