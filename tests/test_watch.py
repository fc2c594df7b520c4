"""A folder that changes → builds."""

from __future__ import annotations

import queue
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.building.watch import watch


class Watched:
    """Folders under watch in a thread. Each build is put into `builds`; `done` is its answer."""

    def __init__(self, *folders: Path) -> None:
        self.builds: queue.Queue[int] = queue.Queue()
        self.done = True
        self._count = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=watch, args=(folders, self._build, self._stop))
        self._thread.start()

    def _build(self) -> bool:
        self._count += 1
        self.builds.put(self._count)
        return self.done

    def next(self) -> int:
        """The number of the next build."""
        return self.builds.get(timeout=30)

    def stop(self) -> None:
        """End the watch."""
        self._stop.set()
        self._thread.join(timeout=30)
        assert not self._thread.is_alive()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with a document."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("Text.")
    return folder


@pytest.fixture
def watched(docs: Path) -> Iterator[Watched]:
    """The folder and one of uploads that is not there yet, after the first build."""
    found = Watched(docs, docs.parent / "uploads")
    assert found.next() == 1
    yield found
    found.stop()


def test_a_save_in_a_subfolder_is_a_build_and_hidden_files_are_none(
    docs: Path, watched: Watched
) -> None:
    """Editors' hidden files and version control's do not count."""
    (docs / ".a.md.swp").write_text("x")
    (docs / ".git").mkdir()
    (docs / ".git" / "index").write_text("x")
    with pytest.raises(queue.Empty):
        watched.builds.get(timeout=1.5)
    (docs / "deep").mkdir()
    (docs / "deep" / "b.md").write_text("Text.")
    assert watched.next() == 2


def test_a_folder_that_is_made_again_is_found_again(docs: Path, watched: Watched) -> None:
    """Version control removes and makes folders; the watch goes on."""
    shutil.rmtree(docs)
    docs.mkdir()
    (docs / "b.md").write_text("Text.")
    build = watched.next()
    while not watched.builds.empty():
        build = watched.next()
    (docs / "c.md").write_text("Text.")
    assert watched.next() > build


def test_a_second_folder_may_come_and_go(docs: Path, watched: Watched) -> None:
    """It is found when it is made, what changes in it is a build, and it may go again."""
    uploads = docs.parent / "uploads"
    uploads.mkdir()
    assert watched.next() == 2
    (uploads / ".upload-x").write_text("x")
    with pytest.raises(queue.Empty):
        watched.builds.get(timeout=1.5)
    (docs / "b.md").write_text("Text.")
    (uploads / "c.md").write_text("Text.")
    assert watched.next() == 3
    with pytest.raises(queue.Empty):  # both were one burst
        watched.builds.get(timeout=1.5)
    shutil.rmtree(uploads)
    build = watched.next()
    while True:
        try:
            build = watched.builds.get(timeout=1.5)
        except queue.Empty:
            break
    (docs / "d.md").write_text("Text.")
    assert watched.next() == build + 1


def test_a_build_that_could_not_be_done_is_done_later(docs: Path, watched: Watched) -> None:
    """While another build runs, ours is tried again without a further save."""
    watched.done = False
    (docs / "b.md").write_text("Text.")
    assert watched.next() == 2
    assert watched.next() == 3
    watched.done = True
    while True:
        try:
            watched.builds.get(timeout=1.5)
        except queue.Empty:
            break
