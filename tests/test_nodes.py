"""Documents become nodes with exact offsets, windows and bounds."""

from __future__ import annotations

import pytest
from hypothesis import given

from rag.nodes import parse_nodes, parse_sentences
from rag.types import Document, Hit, Page
from rag.windows import merge_windows
from tests.strange_texts import quick, strange_texts

TEXT = """\
# Kettle

Press OK. Press OK. Press OK.

## First use

| Code | Meaning |
|------|---------|
| E07  | No water. |

Fill it.

## Warranty
"""


def manual(text: str = TEXT, **fields: object) -> Document:
    return Document("guides/kettle.md", text, "Kettle", "digest", markdown=True, **fields)  # type: ignore[arg-type]


def test_repeated_sentences_have_their_own_offsets() -> None:
    """Three equal sentences are three nodes at three places."""
    nodes = parse_nodes(manual(), window_size=1)
    starts = [node.start_char_idx for node in nodes[:3]]
    assert [TEXT[start : start + 9] for start in starts if start is not None] == ["Press OK."] * 3
    assert len(set(starts)) == 3


def test_a_node_carries_all_that_is_known_of_its_sentence() -> None:
    """Window, original text, offsets, kind, title, section path and bounds are in the metadata."""
    node = parse_nodes(manual(), window_size=1)[4]
    data = node.metadata
    assert node.text == data["original_text"] == "| E07  | No water. |"
    assert data["window"] == TEXT[TEXT.index("| Code") : TEXT.index("\n\n## Warranty")]
    assert TEXT[data["start"] : data["end"]] == node.text
    assert (node.start_char_idx, node.end_char_idx) == (data["start"], data["end"])
    assert data["embedded_text"] == "Kettle › First use: Code | Meaning | E07  | No water. |"
    wanted = {
        "source": "guides/kettle.md", "title": "Kettle", "index": 4, "kind": "row",
        "section": ["Kettle", "First use"], "page": None, "paragraph_first": 3,
        "paragraph_last": 4, "section_first": 3, "section_last": 5, "after": "",
        "before": "\n|------|---------|\n",
    }  # fmt: skip
    assert {key: data[key] for key in wanted} == wanted
    assert node.get_content("embed") == node.text  # type: ignore[arg-type]


def test_the_sentences_rebuild_the_document() -> None:
    """What stands between sentences, headings too, is in before and after."""
    sentences = [item.sentence for item in parse_sentences(manual(), window_size=2)]
    assert "".join(s.before + s.text for s in sentences) + sentences[-1].after == TEXT
    assert sentences[0].before == "# Kettle\n\n"
    assert [s.after for s in sentences[:-1]] == [""] * (len(sentences) - 1)


@pytest.mark.parametrize("window_size", [0, 1, 2, 5])
def test_a_window_is_a_slice_and_what_merging_gives(window_size: int) -> None:
    """The stored window of a sentence equals the window that is built for it at question time."""
    parsed = parse_sentences(manual(), window_size=window_size)
    for item in parsed:
        hits = [Hit(item.sentence, 1)]
        (window,) = merge_windows(hits, [other.sentence for other in parsed], window_size)
        assert item.window == window.text == TEXT[window.start : window.end]


@pytest.mark.parametrize(
    ("text", "embedded"),
    [
        ("# Kettle\n\nHot.", "Kettle: Hot."),
        ("# Other\n\n## Use\n\nHot.", "Kettle › Other › Use: Hot."),
        ("Hot.", "Kettle: Hot."),
        ("# Kettle\n\n# Use", "Kettle: # Use"),
        ("a\0b \ud800", "Kettle: a b ?"),
    ],
)
def test_embedded_text_carries_title_and_section_once(text: str, embedded: str) -> None:
    """Title and headings stand before the sentence; a heading equal to the title is said once."""
    last = parse_sentences(manual(text), window_size=1)[-1]
    assert last.embedded_text == embedded


def test_pages_are_counted_by_where_a_sentence_begins() -> None:
    """A sentence that runs over a page break belongs to the page it begins on."""
    text = "One. Two goes\non here. Three."
    pages = (Page(4, 0, 14), Page(5, 14, len(text)))
    parsed = parse_sentences(Document("a.pdf", text, "A", "", pages=pages), window_size=1)
    assert [(p.sentence.text, p.sentence.page) for p in parsed] == [
        ("One.", 4), ("Two goes", 4), ("on here.", 5), ("Three.", 5),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", " \n", "***", "\ufeff"])
def test_a_document_without_words_has_no_sentences(text: str) -> None:
    """Nothing to find is no error."""
    assert parse_sentences(manual(text), window_size=2) == []
    assert parse_nodes(manual(text), window_size=2) == []


def test_a_document_larger_than_a_batch_is_numbered_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Batches do not show: indices, windows and ids go on from one to the next."""
    document = manual(" ".join(f"Sentence {number}." for number in range(10)))
    whole = parse_sentences(document, window_size=2)
    monkeypatch.setattr("rag.nodes._BATCH", 3)
    assert parse_sentences(document, window_size=2) == whole
    assert [node.node_id for node in parse_nodes(document, window_size=2)][
        -1
    ] == "guides/kettle.md#9"


@given(text=strange_texts)
@quick
def test_any_text_is_rebuilt_from_its_sentences(text: str) -> None:
    """Texts, offsets, indices and windows of any document agree with its text."""
    document = manual(text)
    parsed = parse_sentences(document, window_size=2)
    sentences = [item.sentence for item in parsed]
    assert [s.index for s in sentences] == list(range(len(sentences)))
    for item in parsed:
        sentence = item.sentence
        assert text[sentence.start : sentence.end] == sentence.text == sentence.text.strip()
        assert sentence.text in item.window
        item.embedded_text.encode()
    if sentences:
        assert "".join(s.before + s.text for s in sentences) + sentences[-1].after == text
