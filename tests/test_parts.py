"""One collection filled by several processes at once, then switched to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag.assistant import open_assistant
from rag.build import build
from rag.building.parts import Part
from rag.errors import SettingsError, StoreError, StoreMissing
from rag.settings import Settings
from rag.stores import open_store
from rag.stores.server_switch import switch_parts
from tests.conftest import ROOT
from tests.embedding_server import EmbeddingServer
from tests.local_qdrant import LocalQdrant

FILES = 12


@pytest.fixture(scope="module")
def server() -> Iterator[LocalQdrant]:
    with LocalQdrant() as server:
        yield server


@pytest.fixture
def embeddings() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path, server: LocalQdrant, embeddings: EmbeddingServer) -> Settings:
    """Twelve files and an empty collection of their own."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(FILES):
        text = f"# Kettle {number}\n\nKettle {number} boils. It whistles {number} times.\n"
        (docs / f"kettle{number}.md").write_text(text, "utf-8")
    return Settings(
        docs=docs, qdrant_path=tmp_path / "local", qdrant_url=server.url,
        collection=f"parts-{tmp_path.name}", embedding_model="test-embeddings",
        embedding_base_url=embeddings.url,
    )  # fmt: skip


def fill(settings: Settings, of: int, *but: int) -> None:
    for number in range(1, of + 1):
        if number not in but:
            build(settings, part=Part(number, of))


def switch(settings: Settings) -> tuple[int, int]:
    info = switch_parts(settings, grace_seconds=0)
    return info.documents, info.sentences


def collections(settings: Settings, server: LocalQdrant) -> list[str]:
    names = (c.name for c in server.client.get_collections().collections)
    return sorted(name for name in names if name.startswith(settings.collection + "--"))


def test_every_document_is_in_one_part() -> None:
    """Parts cover all paths and share none, and are dealt about evenly."""
    paths = [f"folder/{number}.md" for number in range(1000)]
    dealt = [[path for path in paths if Part(k, 8).has(path)] for k in range(1, 9)]
    assert sorted(path for part in dealt for path in part) == sorted(paths)
    assert min(map(len, dealt)) > 80


@pytest.mark.parametrize("text", ["0/4", "5/4", "2", "a/b", "1/0", "-1/4"])
def test_what_is_no_part(text: str) -> None:
    """A part that cannot be is refused."""
    with pytest.raises(ValueError, match=r"part|expected K/N"):
        Part.of_text(text)


def test_processes_side_by_side(settings: Settings, server: LocalQdrant) -> None:
    """Three processes fill one collection at once; the switch makes it answer, whole."""
    variables = {
        "QDRANT_URL": server.url, "RAG_COLLECTION": settings.collection,
        "RAG_EMBEDDING_MODEL": "test-embeddings",
        "RAG_EMBEDDING_BASE_URL": str(settings.embedding_base_url),
    }  # fmt: skip

    def start(*arguments: str, name: str) -> subprocess.Popen[str]:
        local = {**variables, "QDRANT_PATH": str(settings.qdrant_path / name)}
        command = [sys.executable, str(ROOT / "store.py"), str(settings.docs), "--json", *arguments]
        return subprocess.Popen(
            command, env={**os.environ, **local}, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    running = [start("--part", f"{k}/3", name=str(k)) for k in range(1, 4)]
    reports = [json.loads(process.communicate()[0]) for process in running]
    assert sum(report["documents"] for report in reports) == FILES
    with pytest.raises(StoreMissing):
        open_store(settings)
    switched = start("--switch", name="switch")
    assert json.loads(switched.communicate()[0])["sentences"] == 2 * FILES
    store = open_store(settings)
    assert [d.path for d in store.documents()] == sorted(f"kettle{n}.md" for n in range(FILES))
    assert len(list(store.sentences())) == 2 * FILES
    assert len(collections(settings, server)) == 1


def test_readers_have_the_old_until_the_switch(settings: Settings, server: LocalQdrant) -> None:
    """A collection is filled beside the one that answers, and takes its vectors from there."""
    build(settings)
    with open_assistant(settings) as assistant:
        (settings.docs / "kettle3.md").write_text("# Kettle 3\n\nIt never boils.\n", "utf-8")
        reports = [build(settings, part=Part(k, 3)) for k in (3, 1, 2)]
        assert (sum(r.added for r in reports), sum(r.reused for r in reports)) == (1, 22)
        assert "Kettle 3 boils" in assistant.source("kettle3.md")
        assert switch(settings) == (FILES, 2 * FILES - 1)
        assert "never" in assistant.source("kettle3.md")
    assert len(collections(settings, server)) == 1
    assert build(settings).added == 0


def test_the_switch_names_what_is_missing(settings: Settings) -> None:
    """Nothing is switched to before every part is done, by one model and window size."""
    with pytest.raises(StoreError, match=r"--part K/N"):
        switch_parts(settings)
    fill(settings, 4, 2, 3)
    with pytest.raises(StoreError, match=r"Not done yet: 2/4, 3/4\. .*--part K/4"):
        switch_parts(settings)
    build(settings, part=Part(2, 4))
    build(replace(settings, window_size=5), part=Part(3, 4))
    with pytest.raises(StoreError, match="different models, versions or window sizes"):
        switch_parts(settings)
    build(settings, part=Part(3, 4))
    assert switch(settings) == (FILES, 2 * FILES)


def test_a_part_goes_on_where_it_was(settings: Settings, embeddings: EmbeddingServer) -> None:
    """Built again it embeds what changed, takes out what is gone, and leaves other parts alone."""
    fill(settings, 2)
    mine = [f"kettle{n}.md" for n in range(FILES) if Part(1, 2).has(f"kettle{n}.md")]
    (settings.docs / mine[0]).unlink()
    (settings.docs / mine[1]).write_text("# New\n\nQuite another text.\n", "utf-8")
    report = build(settings, part=Part(1, 2))
    assert (report.documents, report.added) == (len(mine) - 1, 1)
    assert build(settings, part=Part(1, 2), full=True).added == 2 * (len(mine) - 2) + 1
    assert switch(settings) == (FILES - 1, 2 * (FILES - 2) + 1)


def test_a_normal_build_leaves_what_is_being_filled(settings: Settings) -> None:
    """It changes the collection that answers; one from nothing makes the parts useless."""
    build(settings)
    fill(settings, 2, 2)
    (settings.docs / "more.md").write_text("# More\n\nMore of it.\n", "utf-8")
    assert build(settings).added == 1
    fill(settings, 2, 1)
    assert switch(settings)[0] in (FILES, FILES + 1)


def test_parts_need_a_server(settings: Settings) -> None:
    """The embedded store says so."""
    embedded = replace(settings, qdrant_url=None)
    for what in (lambda: build(embedded, part=Part(1, 2)), lambda: switch_parts(embedded)):
        with pytest.raises(SettingsError, match="QDRANT_URL"):
            what()
