"""A folder → the collection brought up to date. Embeddings come from a server that counts texts."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from rag.assistant import open_assistant
from rag.build import BuildCancelled, BuildReport, Progress, build
from rag.building import update
from rag.building.fingerprint import check_fingerprint, fingerprint
from rag.building.journal import has_journal
from rag.embeddings import open_embeddings
from rag.errors import DocumentError, DocumentsMissing, ModelRejected, StoreMissing, StoreStale
from rag.settings import Settings
from rag.stores import current_generation, open_store, payload
from rag.stores.edge import open_edge
from rag.stores.filters import Clause
from rag.uploads import Uploads
from tests.conftest import ROOT
from tests.embedding_server import EmbeddingServer
from tests.local_qdrant import LocalQdrant
from tests.store_backends import Memory

KETTLE = "# Kettle\n\nFill the kettle. Press OK. It boils.\n\nPour the water. Press OK.\n"
TOASTER = "# Toaster\n\nPut the bread in. Press down. Take the toast out.\n"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """An embeddings server."""
    with EmbeddingServer() as running:
        yield running


@pytest.fixture
def store_path(tmp_path: Path) -> Iterator[Path]:
    """A folder for the store: in memory where there is one, for small builds wait for the disk."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path / "store"
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder) / "store"


@pytest.fixture
def settings(server: EmbeddingServer, tmp_path: Path, store_path: Path) -> Settings:
    """Settings with a folder of two documents, eight sentences, seven texts."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "kettle.md").write_text(KETTLE)
    (docs / "toaster.md").write_text(TOASTER)
    return Settings(
        docs=docs,
        qdrant_path=store_path,
        embedding_model="test-embeddings",
        openai_base_url=server.url,
    )


def counts(report: BuildReport) -> tuple[int, int, int]:
    """Sentences added, reused, removed."""
    return report.added, report.reused, report.removed


def contents(settings: Settings) -> list[tuple[object, ...]]:
    """All that is stored of each sentence, in order: payload and dense vector."""
    store = open_edge(settings)
    try:
        found = [
            (sentence, store.vectors([(sentence.source, sentence.index)]))
            for sentence in store.sentences()
        ]
        paths = tuple(document.path for document in store.documents())
        records = store.scroll(Clause(payload.SOURCE, paths), fields=True)
        windows = {
            (r.payload["metadata"]["source"], r.payload["metadata"]["index"]): r.payload
            for r in records
        }
    finally:
        store.close()
    return [
        (
            sentence,
            windows[sentence.source, sentence.index]["metadata"]["window"],
            windows[sentence.source, sentence.index]["metadata"]["embedded"],
            np.round(vectors[sentence.source, sentence.index], 5).tolist(),
        )
        for sentence, vectors in found
    ]


def texts(settings: Settings) -> dict[str, str]:
    """The documents' whole texts, as the collection has them."""
    store = open_store(settings)
    found: dict[str, str] = {}
    for sentence in store.sentences():
        found[sentence.source] = (
            found.get(sentence.source, "") + sentence.before + sentence.text + sentence.after
        )
    store.close()
    return found


def test_a_first_build_stores_every_sentence_and_embeds_each_text_once(
    settings: Settings, server: EmbeddingServer
) -> None:
    """The report counts; files come out of the collection as they went in; repeats are one text."""
    report = build(settings)
    assert (report.documents, report.sentences, report.sources) == (
        2, 8, ("kettle.md", "toaster.md"),
    )  # fmt: skip
    assert counts(report) == (8, 0, 0)
    assert texts(settings) == {"kettle.md": KETTLE, "toaster.md": TOASTER}
    assert len(server.texts) == len(set(server.texts)) == 7 + 1  # and one for the dimension
    assert "Kettle: Press OK." in server.texts
    assert report.embedding_model == "test-embeddings"
    assert report.generation == current_generation(settings)
    assert report.seconds.total >= report.seconds.embed > 0
    assert not has_journal(settings)


def test_nothing_changed_is_nothing_done(settings: Settings, server: EmbeddingServer) -> None:
    """A second build embeds nothing, writes nothing, and loads neither llama_index nor openai."""
    first = build(settings)
    asked = len(server.inputs)
    code = f"""if True:
        import sys
        from pathlib import Path
        from rag import Settings
        from rag.build import build
        report = build(Settings(docs=Path({str(settings.docs)!r}),
            qdrant_path=Path({str(settings.qdrant_path)!r}), embedding_model="test-embeddings",
            openai_base_url={server.url!r}))
        print(report.generation, report.added, report.reused, report.removed)
        print([name for name in ("llama_index", "openai", "numpy.testing") if name in sys.modules])
    """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.splitlines() == [f"{first.generation} 0 8 0", "[]"]
    assert len(server.inputs) == asked


def test_an_inserted_line_embeds_itself_alone(settings: Settings, server: EmbeddingServer) -> None:
    """All sentences move by one, and none but the new one is embedded."""
    build(settings)
    server.inputs.clear()
    (settings.docs / "kettle.md").write_text(KETTLE.replace("Fill", "Read this. Fill"))
    report = build(settings)
    assert counts(report) == (1, 8, 0)
    assert server.texts == ["Kettle: Read this."]


def test_what_is_gone_is_counted_and_gone(settings: Settings) -> None:
    """A shortened, a rewritten and a removed file leave nothing behind."""
    build(settings)
    (settings.docs / "kettle.md").write_text("# Kettle\n\nFill the kettle. It whistles.\n")
    report = build(settings)
    assert counts(report) == (1, 4, 4)
    (settings.docs / "toaster.md").unlink()
    report = build(settings)
    assert counts(report) == (0, 2, 3)
    assert report.sources == ("kettle.md",)
    assert texts(settings) == {"kettle.md": "# Kettle\n\nFill the kettle. It whistles.\n"}


def test_a_file_that_moves_or_is_copied_embeds_nothing(
    settings: Settings, server: EmbeddingServer
) -> None:
    """Vectors go by the text, not by the file; the report says what was lost, and no more."""
    build(settings)
    server.inputs.clear()
    (settings.docs / "deep").mkdir()
    (settings.docs / "kettle.md").rename(settings.docs / "deep" / "moved.md")
    assert counts(build(settings)) == (0, 8, 0)
    shutil.copy(settings.docs / "deep" / "moved.md", settings.docs / "copy.md")
    (settings.docs / "toaster.md").unlink()
    assert counts(build(settings)) == (0, 10, 3)
    assert server.inputs == []
    assert texts(settings) == {"copy.md": KETTLE, "deep/moved.md": KETTLE}


def test_a_text_that_moves_to_another_file_keeps_its_vector(
    settings: Settings, server: EmbeddingServer
) -> None:
    """A paragraph is cut from one file and pasted into another of the same title."""
    (settings.docs / "part.md").write_text("# Kettle\n\nClean it.\n")
    build(settings)
    server.inputs.clear()
    (settings.docs / "kettle.md").write_text(KETTLE.replace(" It boils.", ""))
    (settings.docs / "part.md").write_text("# Kettle\n\nClean it. It boils.\n")
    assert counts(build(settings)) == (0, 9, 0)
    assert server.inputs == []


def test_another_window_size_rewrites_windows_and_embeds_nothing(
    settings: Settings, server: EmbeddingServer
) -> None:
    """The stored windows are those of a full build at the new size."""
    build(settings)
    server.inputs.clear()
    wide = settings.with_(window_size=3)
    assert counts(build(wide)) == (0, 8, 0)
    assert server.inputs == []
    assert open_store(wide).info.record.window_size == 3
    fresh = wide.with_(qdrant_path=settings.qdrant_path / "fresh")
    build(fresh)
    assert contents(wide) == contents(fresh)


def test_full_embeds_everything_again(settings: Settings, server: EmbeddingServer) -> None:
    """--full takes no vector from the collection."""
    build(settings)
    server.inputs.clear()
    report = build(settings, full=True)
    assert counts(report) == (8, 0, 0)
    assert len(set(server.texts)) == 7 + 1


def test_any_chain_of_edits_ends_as_a_full_build_would(settings: Settings) -> None:
    """After random edits, moves and removals the collection equals one built from nothing."""
    chance = random.Random(4)
    words = ["kettle", "water", "button", "lid", "steam"]
    for step in range(6):
        files = sorted(settings.docs.rglob("*.md"))
        for _ in range(3):
            file, kind = chance.choice(files), chance.choice(["edit", "new", "move", "remove"])
            sentence = " ".join(chance.choices(words, k=3)).capitalize() + ". "
            if kind == "edit" and file.exists():
                text = file.read_text()
                place = chance.randrange(len(text) + 1)
                file.write_text(text[:place] + sentence + text[place + chance.randrange(30) :])
            elif kind == "new":
                (settings.docs / f"{chance.choice(words)}.md").write_text(f"# New\n\n{sentence}")
            elif kind == "move" and file.exists():
                file.rename(file.with_name(f"{chance.choice(words)}.md"))
            elif kind == "remove" and len(list(settings.docs.rglob("*.md"))) > 2:
                file.unlink(missing_ok=True)
        report = build(settings)
        fresh = settings.with_(qdrant_path=settings.qdrant_path / f"fresh{step}")
        whole = build(fresh)
        assert contents(settings) == contents(fresh)
        assert (report.sentences, report.sources) == (whole.sentences, whole.sources)
        assert report.added + report.reused == report.sentences


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
def test_a_server_is_built_like_the_embedded_store(
    settings: Settings, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same edits end in the same sentences, counts and vectors in qdrant-client's store."""
    remote, server.dimension = Memory(), 4  # as its writer has it

    def built_remotely() -> tuple[tuple[int, int, int], list[object]]:
        with monkeypatch.context() as patch:
            patch.setattr("rag.build.open_writer", lambda *_, full, **__: remote.writer(full=full))
            patch.setattr("rag.building.previous.open_store", lambda _: remote.open())
            report = build(settings.with_(qdrant_path=settings.qdrant_path / "journal"))
        store = remote.open()
        sentences = list(store.sentences())
        vectors = store.vectors((s.source, s.index) for s in sentences)
        return counts(report), [
            (s, np.round(vectors[s.source, s.index], 5).tolist()) for s in sentences
        ]

    def built_here() -> tuple[tuple[int, int, int], list[object]]:
        report = build(settings)
        return counts(report), [(row[0], row[3]) for row in contents(settings)]

    assert built_here() == built_remotely()
    (settings.docs / "kettle.md").write_text(KETTLE.replace("Fill", "Read this. Fill"))
    (settings.docs / "toaster.md").rename(settings.docs / "moved.md")
    assert built_here() == built_remotely()
    assert built_remotely()[0] == (0, 9, 0)
    remote.close()


def test_a_cancelled_build_leaves_the_collection_and_pays_nothing_twice(
    settings: Settings, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was embedded before the end is not embedded by the next build."""
    monkeypatch.setattr(update, "GROUP_SENTENCES", 10)
    build(settings)
    before = contents(settings)
    for number in range(5):
        lines = " ".join(f"Step{number}x{i} is here." for i in range(20))
        (settings.docs / f"new{number}.md").write_text(f"# New {number}\n\n{lines}\n")
    server.inputs.clear()
    with pytest.raises(BuildCancelled):
        build(settings, cancel=lambda: len(server.inputs) >= 3)
    assert contents(settings) == before
    report = build(settings)
    assert report.added + report.reused == report.sentences == 108
    assert max(Counter(server.texts).values()) == 1
    assert not has_journal(settings)


def test_a_killed_build_pays_nothing_twice(settings: Settings, server: EmbeddingServer) -> None:
    """After SIGKILL amid the embedding the old collection answers; the rest is made later."""
    build(settings)
    before = contents(settings)
    lines = " ".join(f"Step{i} is here." for i in range(900))
    (settings.docs / "long.md").write_text(f"# Long\n\n{lines}\n")
    server.inputs.clear()
    server.delay_seconds = 0.3
    code = f"from rag.commands.store import command; command() # {settings.docs}"
    environ = {
        **os.environ, "RAG_EMBEDDING_MODEL": "test-embeddings", "OPENAI_BASE_URL": server.url,
        "RAG_DOCS": str(settings.docs), "QDRANT_PATH": str(settings.qdrant_path),
    }  # fmt: skip
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environ)
    while len(server.inputs) < 6 and process.poll() is None:
        time.sleep(0.02)
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    server.delay_seconds = 0.0
    assert contents(settings) == before
    assert has_journal(settings)
    asked = len(server.inputs)
    report = build(settings)
    assert (report.sentences, report.added + report.reused) == (908, 908)
    again = sum(map(len, server.inputs[asked:]))
    assert again < 900  # only what was under way is asked for again
    assert {path.name for path in settings.qdrant_path.iterdir()} == {"window_db"}


def test_an_endpoint_that_fails_midway_leaves_the_collection(
    settings: Settings, server: EmbeddingServer
) -> None:
    """The error is the endpoint's, the old collection stays, the next build goes on."""
    build(settings)
    before = contents(settings)
    lines = " ".join(f"Step{i} is here." for i in range(200))
    (settings.docs / "long.md").write_text(f"# Long\n\n{lines}\n")
    server.failures.extend([(401, {})] * 10)
    with pytest.raises(ModelRejected, match="401"):
        build(settings)
    assert contents(settings) == before
    server.failures.clear()
    assert build(settings).sentences == 208


def test_the_sentence_at_fault_is_named(settings: Settings, server: EmbeddingServer) -> None:
    """A text that the endpoint refuses is told by its document and sentence; nothing is written."""
    server.refused = {"Kettle: It boils."}
    with pytest.raises(ModelRejected, match=r"sentence 3 of kettle\.md \('It boils\.'\)"):
        build(settings)
    with pytest.raises(StoreMissing):
        open_store(settings)


def test_another_model_is_refused_with_both_names_and_the_command(
    settings: Settings, server: EmbeddingServer
) -> None:
    """Neither a question nor a build mixes vectors of two models; --full rebuilds."""
    build(settings)
    for other in (
        settings.with_(embedding_model="other"), settings.with_(embedding_model="bundled"),
        settings.with_(embedding_passage_prefix="passage: "),
    ):  # fmt: skip
        with pytest.raises(StoreStale, match=r"python store\.py --full"):
            build(other)
        store = open_store(other)
        with pytest.raises(StoreStale):
            check_fingerprint(store.info, fingerprint(open_embeddings(other)))
        store.close()
    with pytest.raises(StoreStale) as caught:
        build(settings.with_(embedding_model="bundled"))
    assert "16-dimensional vectors of test-embeddings" in str(caught.value)
    assert "bundled/multilingual-e5-small makes 384" in str(caught.value)
    assert build(settings.with_(embedding_model="other"), full=True).embedding_model == "other"


def test_a_model_that_changed_its_dimension_is_refused(
    settings: Settings, server: EmbeddingServer
) -> None:
    """The same name, another length: found out at the first batch, before anything is written."""
    build(settings)
    before = contents(settings)
    server.dimension = 8
    (settings.docs / "new.md").write_text("# New\n\nSomething else.\n")
    with pytest.raises(StoreStale, match=r"16-dimensional .* makes 8 now"):
        build(settings)
    assert contents(settings) == before
    assert build(settings, full=True).documents == 3


def test_opening_for_questions_asks_no_endpoint(
    settings: Settings, server: EmbeddingServer
) -> None:
    """Fingerprints are compared by name until the endpoint has told its dimension."""
    build(settings)
    asked = len(server.inputs)
    embeddings = open_embeddings(settings)
    info = open_store(settings).info
    check_fingerprint(info, fingerprint(embeddings))
    assert len(server.inputs) == asked
    server.dimension = 8
    embeddings.embed_query("hello")
    with pytest.raises(StoreStale, match="makes 8"):
        check_fingerprint(info, fingerprint(embeddings))


def test_another_folder_takes_the_place_of_the_first(settings: Settings, tmp_path: Path) -> None:
    """The collection is of the folder that was built last, and the report says so."""
    build(settings)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "toaster.md").write_text(TOASTER)
    report = build(settings.with_(docs=tmp_path / "other"))
    assert counts(report) == (0, 3, 5)
    assert "docs" in report.notes[0]
    assert "other" in report.notes[0]
    assert build(settings.with_(docs=tmp_path / "other")).notes == ()


@pytest.mark.parametrize("trouble", ["missing", "empty", "unreadable"])
def test_a_folder_without_documents_leaves_the_collection(settings: Settings, trouble: str) -> None:
    """An emptied, removed or damaged folder is an error, not an empty collection."""
    build(settings)
    before = contents(settings)
    for file in settings.docs.iterdir():
        file.unlink()
    if trouble == "missing":
        settings.docs.rmdir()
    elif trouble == "unreadable":
        (settings.docs / "kettle.md").write_bytes(bytes(range(256)))
    for full in (False, True):
        with pytest.raises(DocumentError):
            build(settings, full=full)
    assert contents(settings) == before


@pytest.mark.parametrize("where", ["embedded", "server"])
@pytest.mark.parametrize("trouble", ["missing", "empty", "unreadable"])
def test_uploads_alone_are_enough(settings: Settings, where: str, trouble: str) -> None:
    """Where the documents folder has nothing they are the collection; the last one removed, it is
    empty, and finds nothing. Without any the folder's own error is there again.
    """
    shutil.rmtree(settings.docs)
    if trouble != "missing":
        settings.docs.mkdir()
    if trouble == "unreadable":
        (settings.docs / "photo.png").write_bytes(b"PNG")
    with LocalQdrant() if where == "server" else nullcontext() as qdrant:
        settings = settings.with_(qdrant_url=qdrant.url) if qdrant else settings
        uploads = Uploads(settings)
        with pytest.raises(DocumentsMissing, match="documents folder"):
            build(settings)
        path = uploads.take("lamp.md", b"The lamp is round.")
        assert build(settings).sources == ("uploads/lamp.md",)
        uploads.remove(path)
        report = build(settings)
        assert (report.documents, report.sentences, report.removed) == (0, 0, 1)
        with open_assistant(settings) as assistant:
            assert assistant.documents() == []
            assert assistant.retrieve("Is the lamp round?") == []
            assert assistant.ask("Is the lamp round?").answer.refusal == "not-found"
        with pytest.raises(DocumentsMissing, match="documents folder"):
            build(settings)
        uploads.take("lamp.md", b"The lamp is square.")
        assert build(settings).sentences == 1


def test_an_upload_does_not_take_the_place_of_a_folder_that_is_away(settings: Settings) -> None:
    """What was read of the documents folder stays, unless it is built again from nothing."""
    build(settings)
    Uploads(settings).take("lamp.md", b"The lamp is round.")
    shutil.rmtree(settings.docs)
    with pytest.raises(DocumentsMissing, match=r"does not exist.*uploads alone: .* --full"):
        build(settings)
    with open_assistant(settings) as assistant:
        assert [document.path for document in assistant.documents()] == ["kettle.md", "toaster.md"]
    assert build(settings, full=True).sources == ("uploads/lamp.md",)


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_built(settings: Settings) -> None:
    """It leaves the collection, as one built from nothing would be; later it is no change."""
    build(settings)
    (settings.docs / "toaster.md").write_bytes(bytes(range(256)))
    (settings.docs / "empty.md").touch()
    report = build(settings)
    assert [skipped.path for skipped in report.skipped] == ["empty.md", "toaster.md"]
    assert report.sources == ("kettle.md",)
    assert counts(report) == (0, 5, 3)
    assert build(settings).generation == report.generation


def test_a_last_file_that_cannot_be_read_holds_nothing_up(settings: Settings) -> None:
    """The files before it are written, though their group is not full."""
    (settings.docs / "zero.md").write_bytes(bytes(range(256)))
    report = build(settings)
    assert [skipped.path for skipped in report.skipped] == ["zero.md"]
    assert report.sources == ("kettle.md", "toaster.md")
    assert counts(report) == (8, 0, 0)


def test_a_file_without_sentences_is_a_document(settings: Settings) -> None:
    """It is listed, and is no change at the next build."""
    (settings.docs / "rules.md").write_text("***\n\n***\n")
    report = build(settings)
    assert (report.documents, report.sentences) == (3, 8)
    assert build(settings).generation == report.generation


def test_progress_goes_up_to_the_end(settings: Settings) -> None:
    """Each step counts up and never past its total; the last one embedded is the last one there."""
    heard: list[Progress] = []
    build(settings, progress=heard.append)
    for step, end in (("read", 2), ("split", 2), ("embed", 8), ("write", 8)):
        steps = [each for each in heard if each.step == step]
        assert [each.done for each in steps] == sorted(each.done for each in steps)
        assert all(each.done <= each.total for each in steps)
        assert (steps[-1].done, steps[-1].total) == (end, end)
