"""The embedded store's folder: what happens to it while it is used, and what must not."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
import qdrant_edge as engine

from rag.errors import StoreBusy, StoreError, StoreMissing, StoreStale
from rag.stores.base import SparseVector
from rag.stores.copying import copy_tree
from rag.stores.edge_shard import load_to_write
from rag.stores.generations import Generations, Manifest
from rag.stores.payload import COLLECTION_ID, document_id
from tests.small_collection import is_held
from tests.store_backends import (
    RECORD,
    Embedded,
    build,
    digest,
    keys,
    put,
    vector,
)

A, B = vector(1), vector(0, 1)


@pytest.fixture
def backend(tmp_path) -> Embedded:
    return Embedded(tmp_path / "q")


def folder_of(backend: Embedded) -> Path:
    return backend.settings.qdrant_path / backend.settings.collection


def generation_of(backend: Embedded) -> Path:
    return folder_of(backend) / (backend.generation() or "")


def names(backend: Embedded) -> list[str]:
    return sorted(entry.name for entry in folder_of(backend).iterdir())


def only_current(backend: Embedded) -> list[str]:
    return sorted([backend.generation() or "", "builder.lock", "current"])


def test_one_generation_is_kept(backend):
    """After each build the folder holds one generation, the pointer and the lock."""
    for i in range(3):
        build(backend, {f"{i}": [A]})
        assert names(backend) == only_current(backend)


def test_nothing_is_written_before_a_change(backend):
    """A build that finds nothing to do copies nothing."""
    build(backend, {"a": [A]})
    with backend.writer() as writer:
        assert writer.vectors([digest("a", 0)]).keys() == {digest("a", 0)}
        assert names(backend) == only_current(backend)
    assert keys(backend.open().sentences()) == [("a", 0)]


def test_large_collections_are_indexed_in_segments(backend, monkeypatch):
    """No index grows beyond its size, and all sentences are found, before and after a change."""
    monkeypatch.setattr("rag.stores.edge_building.SEGMENT_SENTENCES", 1000)
    monkeypatch.setattr("rag.stores.edge_shard.SEGMENT_SENTENCES", 1000)
    monkeypatch.setattr("rag.stores.edge_shard.INDEXED_FROM_KILOBYTES", 4)
    rng = np.random.default_rng(0)
    vectors = [vector(*rng.normal(size=4)) for _ in range(3500)]
    documents = {f"{i:02}": vectors[i * 100 : i * 100 + 100] for i in range(35)}
    with backend.writer() as writer:
        for path, dense in documents.items():
            put(writer, path, dense)
            (folder,) = folder_of(backend).glob("*.new/segments")
            # One for each index, one to write to; none that was written anew.
            assert len(list(folder.iterdir())) <= writer._building.shard.info().segments_count
        writer.finish(RECORD)
    store = backend.open()
    info = store._shard.info()
    assert info.segments_count >= 4
    assert info.indexed_vectors_count >= 3000
    for i in range(0, 3500, 50):
        found = store.search(dense=vectors[i], limit=1).dense[0].sentence
        assert (found.source, found.index) == (f"{i // 100:02}", i % 100)
    build(backend, {"07": [A], "35": [B]})
    changed = backend.open()
    assert len(list(changed.sentences())) == 3500 - 100 + 1 + 1
    assert changed.search(dense=vectors[3000], limit=1).dense[0].sentence.source == "30"
    assert changed.search(dense=vectors[700], limit=1).dense[0].score < 0.9999999


def test_litter_is_removed(backend):
    """What killed builds left is removed by the next build; what is not ours stays."""
    build(backend, {"a": [A]})
    killed = "20200101T000000-0000000{}"
    for number in range(1, 9):  # all three at once: a late reader makes a removed one anew
        for suffix in ("", ".new", ".old"):
            name = killed.format(number) + suffix
            (folder_of(backend) / name / "segments").mkdir(parents=True)
    (folder_of(backend) / (killed.format("9") + ".pointer")).write_text("x")
    (folder_of(backend) / "notes.txt").write_text("mine")
    with backend.writer():
        assert names(backend) == sorted([*only_current(backend), "notes.txt"])
    assert keys(backend.open().sentences()) == [("a", 0)]


def test_moved(backend, tmp_path):
    """The folder can be moved: nothing in it points by an absolute path."""
    build(backend, {"a": [A]})
    moved = Embedded(tmp_path / "elsewhere")
    backend.settings.qdrant_path.rename(moved.settings.qdrant_path)
    assert keys(moved.open().sentences()) == [("a", 0)]
    build(moved, {"b": [B]})
    assert keys(moved.open().sentences()) == [("a", 0), ("b", 0)]


def test_copies_keep_holes(tmp_path):
    """A copied file has the same bytes and takes no more room than the original."""
    source = tmp_path / "source" / "deep"
    source.mkdir(parents=True)
    with (source / "file").open("wb") as file:
        file.write(b"start")
        file.seek(5_000_000)
        file.write(b"middle")
        file.truncate(50_000_000)
    (source / "left out").write_text("x")
    copy_tree(tmp_path / "source", tmp_path / "target", without="left out")
    copy = tmp_path / "target" / "deep" / "file"
    assert copy.read_bytes() == (source / "file").read_bytes()
    assert copy.stat().st_blocks <= (source / "file").stat().st_blocks + 16
    assert not (tmp_path / "target" / "deep" / "left out").exists()


@pytest.mark.parametrize("ranges", [True, False])
def test_copies_where_holes_cannot_be_told(tmp_path, monkeypatch, ranges):
    """On a file system that knows neither holes nor ranges the copy has the same bytes."""

    def refuse(*_):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    source = tmp_path / "source"
    source.mkdir()
    (source / "file").write_bytes(os.urandom(3_000_000))
    monkeypatch.setattr(os, "lseek", refuse)
    if not ranges:
        monkeypatch.setattr(os, "copy_file_range", refuse, raising=False)
    copy_tree(source, tmp_path / "target")
    assert (tmp_path / "target" / "file").read_bytes() == (source / "file").read_bytes()


def test_removed_under_an_open_store(backend):
    """A store goes on answering when its folder is removed; the next one is told to build."""
    build(backend, {"a": [A, B]})
    store = backend.open()
    shutil.rmtree(backend.settings.qdrant_path)
    assert keys(store.search(dense=A, limit=1).dense) == [("a", 0)]
    assert keys(store.read([("a", 1)])) == [("a", 1)]
    with pytest.raises(StoreMissing, match=r"python store\.py"):
        backend.open()


@pytest.mark.parametrize("lost", ["segments", "manifest.json", "."])
def test_damaged(backend, lost):
    """A half-deleted generation is named as damaged, and a full build mends it."""
    build(backend, {"a": [A]})
    path = generation_of(backend) / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(StoreError, match=r"is damaged: .*python store\.py --full") as caught:
        backend.open()
    assert "\n" not in str(caught.value)
    with pytest.raises(StoreError, match="is damaged"), backend.writer():
        pass
    build(backend, {"b": [B]}, full=True)
    assert keys(backend.open().sentences()) == [("b", 0)]
    assert names(backend) == only_current(backend)


@pytest.mark.parametrize("lost", ["status.dat", "*.mmap", "segment.json", "page_0.dat"])
def test_lost_files(backend, lost):
    """A generation that lost any of its files is damaged, not emptier."""
    build(backend, {"a": [A]})
    next(generation_of(backend).rglob(lost)).unlink()
    with pytest.raises(StoreError, match=r"1 of its .* files are missing"):
        backend.open()


def test_damaged_pointer(backend):
    """A pointer that names no generation is refused, and not followed out of the folder."""
    build(backend, {"a": [A]})
    (folder_of(backend) / "current").write_text("../../etc")
    with pytest.raises(StoreError, match="names no generation"):
        backend.open()


def test_written_by_something_else(backend):
    """A folder of another program is refused by readers and builders, and not touched."""
    folder = folder_of(backend)
    folder.mkdir(parents=True)
    (folder / "data.bin").write_text("precious")
    for use in (backend.open, backend.writer().__enter__, backend.generation):
        with pytest.raises(StoreError, match="was written by something else"):
            use()
    assert names(backend) == ["data.bin"]


def test_local_mode_of_qdrant_client(backend):
    """A folder of qdrant-client's local mode is named as such."""
    from qdrant_client import QdrantClient, models

    # To find out whether threads may share SQLite, the client would leave a connection open.
    path = str(backend.settings.qdrant_path)
    client = QdrantClient(path=path, force_disable_check_same_thread=True)
    params = models.VectorParams(size=4, distance=models.Distance.COSINE)
    client.create_collection(backend.settings.collection, vectors_config=params)
    client.close()
    for use in (backend.open, backend.writer().__enter__):
        with pytest.raises(StoreError, match="qdrant-client's local mode"):
            use()


def test_embedded_shard_of_something_else(backend, tmp_path):
    """A generation without our record is damaged, not a traceback."""
    build(backend, {"a": [A]})
    shutil.rmtree(generation_of(backend) / "segments")
    (generation_of(backend) / "edge_config.json").unlink()
    params = {"other": engine.EdgeVectorParams(3, engine.Distance.Dot)}
    config = engine.EdgeConfig(vectors=params, wal_enabled=False)
    shard = engine.EdgeShard.create(str(generation_of(backend)), config)
    points = [engine.Point(i, {"other": [1.0, 2.0, 3.0]}, {}) for i in range(3)]
    shard.update(engine.UpdateOperation.upsert_points(points))
    shard.flush()
    shard.close()
    with pytest.raises(StoreError, match="is damaged"):
        backend.open()


def alter(backend: Embedded, id_: UUID, payload: dict[str, object]) -> None:
    """Give a record the payload of another version, in the generation that is there."""
    shard = load_to_write(generation_of(backend))
    shard.update(engine.UpdateOperation.upsert_points([engine.Point(id_, {}, payload)]))
    shard.flush()
    shard.close()


def test_record_of_another_version(backend):
    """A collection whose record has other fields must be rebuilt, is not damaged, and not held."""
    build(backend, {"a": [A]})
    alter(backend, COLLECTION_ID, {"record": "collection", "collection": {"generation": "x"}})
    for use in (backend.open, backend.writer().__enter__):
        with pytest.raises(StoreStale, match=r"did not write .*python store\.py --full") as caught:
            use()
        assert str(caught.value).count("Rebuild it") == 1
        assert not is_held(folder_of(backend))
    build(backend, {"b": [B]}, full=True)
    assert keys(backend.open().sentences()) == [("b", 0)]


def test_document_of_another_version(backend):
    """A builder that cannot read the documents lets go of the lock and of the collection."""
    build(backend, {"a": [A]})
    alter(backend, document_id("a"), {"record": "document", "document": {"path": "a"}})
    with pytest.raises(StoreStale) as caught, backend.writer():
        pass
    assert not is_held(folder_of(backend)), caught  # as long as the error is
    build(backend, {"b": [B]}, full=True)


def as_nobody(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script as a user who owns nothing. It may use what ``store_backends`` knows."""
    if os.getuid() != 0:
        pytest.skip("only root can become somebody else")
    start = (
        "import glob, os, sys, tempfile; import qdrant_edge, rag.stores.edge_writer\n"
        "from pathlib import Path\n"
        "from rag.errors import StoreError\n"
        "from tests.store_backends import *\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", start + script, *arguments],
        capture_output=True, text=True, check=False, timeout=60, cwd=Path(__file__).parent.parent,
    )  # fmt: skip


@pytest.fixture
def open_to_all(tmp_path):
    """A backend in a folder that everybody may read."""
    for folder in (tmp_path, *list(tmp_path.parents)[:3]):
        folder.chmod(0o755)
    return Embedded(tmp_path / "q")


def test_reader_without_write_permission(open_to_all):
    """A reader who may not write gets the same answers, and leaves no copy behind."""
    build(open_to_all, {"a": [A, B]})
    script = (
        "store = Embedded(Path(sys.argv[1])).open()\n"
        "print(keys(store.search(dense=vector(1), limit=1).dense), keys(store.sentences()))\n"
        "print(glob.glob(tempfile.gettempdir() + '/sentence-window-*'))\n"
    )
    done = as_nobody(script, str(open_to_all.settings.qdrant_path))
    assert done.stderr == ""
    assert done.stdout == "[('a', 0)] [('a', 0), ('a', 1)]\n[]\n"


def test_builder_without_write_permission(open_to_all):
    """A builder who may not write is told where, and nothing changes."""
    info = build(open_to_all, {"a": [A]})
    script = (
        "try: Embedded(Path(sys.argv[1])).writer().__enter__()\n"
        "except StoreError as error: print(error)\n"
    )
    done = as_nobody(script, str(open_to_all.settings.qdrant_path))
    assert "Cannot write to" in done.stdout
    assert "Set QDRANT_PATH" in done.stdout
    assert open_to_all.open().info == info


@pytest.fixture
def small_disk(tmp_path):
    """A small file system. On tmpfs, what the engine maps takes room although it is empty."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small file system can be mounted")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_full_disk(small_disk):
    """On a full disk a build says so and ends; the collection answers, and builds when there is
    room again.
    """
    backend = Embedded(small_disk / "q")
    info = build(backend, {"a": [A]})
    ballast = small_disk / "ballast"
    with ballast.open("wb") as file:
        file.write(bytes(shutil.disk_usage(small_disk).free - (20 << 20)))
    for full in (False, True):
        with pytest.raises(StoreError, match=r"the disk is full.*as it was"):
            build(backend, {"b": [B]}, full=full)
        assert names(backend) == only_current(backend)
    store = backend.open()
    assert store.info == info
    assert keys(store.search(dense=A, limit=1).dense) == [("a", 0)]
    ballast.unlink()
    build(backend, {"b": [B]})
    assert keys(backend.open().sentences()) == [("a", 0), ("b", 0)]


def build_forever(folder: str) -> None:
    """Build again and again, every other time in full, one document more each time."""
    backend = Embedded(Path(folder))
    for i in range(10_000):
        full = i % 2 == 1
        documents = {f"{n}": [vector(1, n)] * 20 for n in range(i + 1)} if full else {}
        build(backend, documents or {f"{i}": [vector(1, i)] * 20}, full=full)


def ask_forever(folder: str, stop, report) -> None:
    """Open and ask until told to stop; report the number of answers, or what went wrong."""
    backend, answers = Embedded(Path(folder)), 0
    try:
        while not stop.is_set():
            store = backend.open()
            legs = store.search(dense=A, keyword=SparseVector((1,), (1.0,)), limit=500)
            documents = {record.path: record.sentences for record in store.documents()}
            found = keys(legs.dense)
            whole = {(path, i) for path, n in documents.items() for i in range(n)}
            assert set(found) == whole, (len(found), len(whole))
            assert len(found) == store.info.sentences
            assert len(store.read(found)) == len(found)
            store.close()
            answers += 1
        report.put(answers)
    except BaseException as error:
        report.put(repr(error))
        raise


def test_asked_while_it_is_built(backend):
    """Processes that ask without pause see no error and whole generations while builds run."""
    build(backend, {"0": [A] * 20})
    context = multiprocessing.get_context("spawn")
    stop, report = context.Event(), context.Queue()
    folder = str(backend.settings.qdrant_path)
    readers = [context.Process(target=ask_forever, args=(folder, stop, report)) for _ in range(2)]
    for reader in readers:
        reader.start()
    for i in range(1, 9):
        full = i % 2 == 0
        documents = {f"{n}": [vector(1, n)] * 20 for n in range(i + 1)} if full else {}
        build(backend, documents or {f"{i}": [vector(1, i)] * 20}, full=full)
    stop.set()
    reports = [report.get(timeout=60) for _ in readers]
    for reader in readers:
        reader.join(60)
    assert all(isinstance(answers, int) and answers > 0 for answers in reports), reports
    assert names(backend) == only_current(backend)


def test_killed(backend):
    """A build killed at any moment leaves the previous collection answering and a free lock."""
    build(backend, {"0": [A] * 20})
    context = multiprocessing.get_context("spawn")
    builder = context.Process(target=build_forever, args=(str(backend.settings.qdrant_path),))
    builder.start()
    before, pause = backend.generation(), 0.05
    while backend.generation() == before:
        time.sleep(0.01)
    for _ in range(6):
        time.sleep(pause := (pause * 1.7) % 0.4)
        os.kill(builder.pid, signal.SIGKILL)
        builder.join()
        store = backend.open()
        found = keys(store.search(dense=A, limit=5000).dense)
        assert len(found) == store.info.sentences > 0
        build(backend, {"after": [A]})
        assert names(backend) == only_current(backend)
        builder = context.Process(target=build_forever, args=(str(backend.settings.qdrant_path),))
        builder.start()
        while backend.generation() == store.info.generation:
            time.sleep(0.01)
    os.kill(builder.pid, signal.SIGKILL)
    builder.join()


def test_dead_builder(backend):
    """A lock file that a dead builder left does not keep the next one out."""
    build(backend, {"a": [A]})
    (folder_of(backend) / "builder.lock").write_text("process 1 on elsewhere since 2020\n")
    with backend.writer(), pytest.raises(StoreBusy, match=f"process {os.getpid()} on"):
        backend.writer().__enter__()


def test_replaced_between_pointer_and_loading(backend, monkeypatch):
    """A reader whose generation is replaced and removed while it opens it gets the new one."""
    build(backend, {"a": [A]})
    read_manifest = Generations.manifest

    def replaced_first(generations: Generations, name: str) -> Manifest:
        monkeypatch.undo()
        manifest = read_manifest(generations, name)
        build(backend, {"b": [B]})
        return manifest

    monkeypatch.setattr(Generations, "manifest", replaced_first)
    assert keys(backend.open().sentences()) == [("a", 0), ("b", 0)]
