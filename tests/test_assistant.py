"""Everything wired: what scripts and the page call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import rag
from rag.assistant import Assistant, open_assistant
from rag.build import build
from rag.errors import DocumentError, SettingsError, StoreMissing, StoreStale
from rag.langchain import SentenceWindowRetriever
from rag.settings import Settings
from tests.embedding_server import EmbeddingServer
from tests.small_collection import is_held


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A folder with two short files, built."""
    docs = tmp_path / "manuals"
    docs.mkdir()
    (docs / "kettle.md").write_text(
        "# Kettle\n\nFill the kettle. Boil it twice. Pour the water away. Dry it.\n", "utf-8"
    )
    (docs / "fryer.md").write_text("# Fryer\n\nPreheat the fryer. Shake the basket.\n", "utf-8")
    settings = Settings(
        docs=docs, qdrant_path=tmp_path / "qdrant", window_size=1, top_k=1, min_share=0
    )
    build(settings)
    return settings


@pytest.fixture
def assistant(settings: Settings) -> Iterator[Assistant]:
    """An assistant over them."""
    with open_assistant(settings) as opened:
        yield opened


def test_the_names_relied_on_from_outside(settings: Settings) -> None:
    """A script needs the package's own names alone."""
    with rag.open_assistant(settings) as assistant:
        (window,) = assistant.retrieve("How often must the kettle boil?")
        stream = assistant.ask("How often must the kettle boil?")
        assert "".join(stream) == stream.answer.text
    assert window.hits[0].sentence.text == "Boil it twice."
    assert isinstance(stream.answer, rag.Answer)
    assert issubclass(StoreMissing, rag.RagError)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = rag.no_such_name  # type: ignore[attr-defined]


def test_a_collection_keeps_its_folder(settings: Settings, tmp_path: Path) -> None:
    """Where no folder is named, what is updated is the one that the collection was built from."""
    asked = settings.with_(docs=Settings().docs)
    other = tmp_path / "other"
    other.mkdir()
    (other / "lamp.md").write_text("Switch the lamp on.", "utf-8")
    with open_assistant(asked) as unnamed, open_assistant(settings.with_(docs=other)) as named:
        assert unnamed.settings == settings
        assert named.settings.docs == other
        build(settings.with_(docs=other))
        unnamed.refresh()
        assert unnamed.settings.docs == other


def test_the_passages_are_those_the_answer_rests_on(assistant: Assistant) -> None:
    """What retrieve() finds is what ask() answers from."""
    question = "How often must the kettle boil?"
    assert assistant.ask(question).answer.windows == tuple(assistant.retrieve(question))


def test_settings_for_one_question(assistant: Assistant) -> None:
    """Window size, top-k and mode can be given with a question; the settings stay."""
    question = "Boil the kettle, shake the fryer's basket"
    wide = assistant.retrieve(question, window_size=5, top_k=4, mode="keyword")
    assert {w.source for w in wide} == {"fryer.md", "kettle.md"}
    assert all(hit.dense is None for w in wide for hit in w.hits)
    assert len(assistant.retrieve(question)) == 1


def test_another_window_is_no_new_search(assistant: Assistant) -> None:
    """The windows of found hits are read at another size, with the same hits and scores."""
    (window,) = assistant.retrieve("How often must the kettle boil?")
    (wider,) = assistant.windows(window.hits, 2)
    assert wider.hits == window.hits
    assert (wider.first, wider.last) == (0, 3)
    answer = assistant.ask("And now?", hits=window.hits, window_size=0).answer
    assert [w.text for w in answer.windows] == ["Boil it twice."]


def test_a_passage_that_ends_at_a_heading(settings: Settings) -> None:
    """A setting ends passages at headings, when found and when drawn again at another size."""
    (settings.docs / "oven.md").write_text(
        "# Oven\n\n## Grill\n\nGrill the bread.\n\n## Rest\n\nBake a cake. Let it rest.\n", "utf-8"
    )
    build(settings)
    for within, first, last in ((False, "Grill the bread.", "rest."), (True, "Bake", "rest.")):
        with open_assistant(replace(settings, within_section=within)) as assistant:
            (window,) = assistant.retrieve("How does one bake a cake?")
            assert window.text.startswith(first)
            (wider,) = assistant.windows(window.hits, 5)
            assert (wider.text.startswith(first), wider.text.endswith(last)) == (True, True)


def test_a_build_is_picked_up_between_questions(settings: Settings, assistant: Assistant) -> None:
    """A question after a build is answered from the new collection, without reopening."""
    before = assistant.info.generation
    (settings.docs / "fryer.md").write_text("# Fryer\n\nNever boil the fryer.\n", "utf-8")
    build(settings)
    (window,) = assistant.retrieve("What must never boil?")
    assert window.text == "Never boil the fryer."
    assert assistant.info.generation != before


@pytest.mark.parametrize("merge_threshold", [None, 0.1])
@pytest.mark.parametrize("now", ["One. Two. Three. Four.", "One."])
def test_a_changed_document_is_not_mixed(
    settings: Settings, merge_threshold: float | None, now: str
) -> None:
    """Hits of a document that was built anew since stand alone, as they were found."""
    assistant = open_assistant(replace(settings, merge_threshold=merge_threshold, window_size=0))
    (window,) = assistant.retrieve("How often must the kettle boil?")
    (settings.docs / "kettle.md").write_text(f"# Kettle\n\n{now}\n", "utf-8")
    build(settings)
    (again,) = assistant.windows(window.hits, 2)
    assert again.text == "Boil it twice."


def test_a_document_by_its_path(settings: Settings, assistant: Assistant) -> None:
    """A document's whole text is rebuilt from its sentences; an unknown one is named."""
    assert assistant.source("kettle.md") == (settings.docs / "kettle.md").read_text("utf-8")
    with pytest.raises(DocumentError, match=r"nowhere\.md"):
        assistant.source("nowhere.md")


def test_filters_as_typed(assistant: Assistant) -> None:
    """Globs and expressions become conditions; nothing given is no condition."""
    assert assistant.where() == []
    where = assistant.where(["fry*"], ["title = Fryer"])
    assert [w.source for w in assistant.retrieve("Boil it twice", where=where)] == ["fryer.md"]
    (listed,) = assistant.listed(assistant.where(["kettle.md"]))
    assert (listed.first, listed.last, listed.hits) == (0, 3, ())


def test_a_language_to_filter_by(settings: Settings) -> None:
    """A document's language is known from its text, unless its front matter says it."""
    (settings.docs / "pot.md").write_text("# 锅\n\n先洗锅。然后煮水。\n", "utf-8")
    (settings.docs / "lid.md").write_text("---\nlanguage: fr\n---\n\nThe lid is hot.\n", "utf-8")
    build(settings)
    with open_assistant(settings) as assistant:
        sources = {
            code: {w.source for w in assistant.listed(assistant.where((), [f"language = {code}"]))}
            for code in ("zh", "fr", "en")
        }
    assert sources == {"zh": {"pot.md"}, "fr": {"lid.md"}, "en": {"kettle.md", "fryer.md"}}


def test_before_any_build(tmp_path: Path) -> None:
    """Without a collection the error says what to run."""
    with pytest.raises(StoreMissing, match=r"python store\.py"):
        open_assistant(Settings(qdrant_path=tmp_path / "none"))


def test_another_embedding_model(settings: Settings) -> None:
    """A collection of another model is refused with both names and the command."""
    other = replace(
        settings, embedding_model="other-model", openai_base_url="http://localhost:1/v1"
    )
    with pytest.raises(StoreStale) as caught:
        open_assistant(other)
    for part in ("multilingual-e5-small", "other-model", "python store.py --full"):
        assert part in str(caught.value)


def test_an_endpoint_whose_vectors_change(settings: Settings, tmp_path: Path) -> None:
    """A model that keeps its name and makes vectors of another size is told from the one built."""
    with EmbeddingServer(dimension=16) as server:
        remote = replace(
            settings, embedding_model="test-embeddings", openai_base_url=server.url,
            qdrant_path=tmp_path / "remote",
        )  # fmt: skip
        build(remote)
        server.dimension = 8
        with open_assistant(remote) as assistant, pytest.raises(StoreStale) as caught:
            assistant.retrieve("How often must the kettle boil?")
    assert "16-dimensional" in str(caught.value)
    assert "makes 8" in str(caught.value)


@pytest.mark.parametrize("open_", [open_assistant, SentenceWindowRetriever.open])
def test_a_collection_that_is_refused_is_not_held(
    settings: Settings, open_: Callable[[Settings], object]
) -> None:
    """What was opened and does not go with the embeddings is closed before the error."""
    url = "http://localhost:1/v1"
    with pytest.raises(StoreStale) as caught:
        open_(settings.with_(embedding_model="other-model", openai_base_url=url))
    with pytest.raises(SettingsError) as also:  # there is no such model to open
        open_(settings.with_(embedding_model="other-model"))
    assert not is_held(settings.qdrant_path), (caught, also)  # as long as the errors are


def test_a_newer_collection_that_is_refused_is_not_held(settings: Settings) -> None:
    """An open assistant does not keep hold of a generation that another model has built."""
    with EmbeddingServer() as server, open_assistant(settings) as assistant:
        other = settings.with_(embedding_model="test-embeddings", openai_base_url=server.url)
        newer = build(other, full=True).generation
        with pytest.raises(StoreStale) as caught:
            assistant.refresh()
        assert is_held(settings.qdrant_path)
        assert not any(is_held(folder) for folder in settings.qdrant_path.rglob(newer)), caught
