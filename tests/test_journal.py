"""Vectors that survive a killed build."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag.building.journal import Journal, drop_journals, has_journal, journal_path, open_journal
from rag.building.vectors import digest_text
from rag.errors import StoreError
from rag.settings import Settings
from rag.stores.base import Fingerprint

FINGERPRINT = Fingerprint("model", 3, 1, "splitter", "tokenizer")
DIGESTS = [digest_text(text) for text in ("one", "two", "three")]
VECTORS = [np.array([n, n + 0.5, -n], dtype=np.float32) for n in range(1, 4)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal lies, in a folder that is not there yet."""
    return tmp_path / "store" / "x.journal"


def filled(path: Path) -> None:
    """Write a journal of three vectors, and close it as a killed build would."""
    with Journal(path, FINGERPRINT) as journal:
        journal.add(DIGESTS[:2], VECTORS[:2])
        journal.add(DIGESTS[2:], VECTORS[2:])


def test_a_later_build_finds_the_vectors(path: Path) -> None:
    """What was added is there again, exactly, and is not new; what was not is not."""
    filled(path)
    with Journal(path, FINGERPRINT) as journal:
        found = journal.vectors([*DIGESTS, digest_text("four")])
        assert list(found) == DIGESTS
        assert all(np.array_equal(found[d], v) for d, v in zip(DIGESTS, VECTORS, strict=True))
        assert not journal.is_new(DIGESTS[0])
        journal.add([digest_text("four")], [VECTORS[0]])
        assert journal.is_new(digest_text("four"))
        assert np.array_equal(journal.vectors(DIGESTS)[DIGESTS[2]], VECTORS[2])
    with Journal(path, FINGERPRINT) as journal:
        assert len(journal) == 4


@pytest.mark.parametrize("cut", range(1, 49))
def test_a_record_that_was_cut_short_is_left_out(path: Path, cut: int) -> None:
    """However much of the last record is missing, the others count and new ones can be added."""
    filled(path)
    data = path.read_bytes()
    path.write_bytes(data[:-cut])
    with Journal(path, FINGERPRINT) as journal:
        assert len(journal) == 2
        journal.add(DIGESTS[2:], VECTORS[2:])
    assert path.read_bytes() == data


def test_a_record_that_was_written_wrong_is_left_out(path: Path) -> None:
    """A block of zeros, as a power cut leaves, is found by the checksum."""
    filled(path)
    data = bytearray(path.read_bytes())
    data[-20:-10] = bytes(10)
    path.write_bytes(data)
    with Journal(path, FINGERPRINT) as journal:
        assert list(journal.vectors(DIGESTS)) == DIGESTS[:2]


@pytest.mark.parametrize(
    "other",
    [
        Fingerprint("other", 3, 1, "splitter", "tokenizer"),
        Fingerprint("model", 4, 1, "splitter", "tokenizer"),
        Fingerprint("model", 3, 1, "splitter", "tokenizer", ("query: ", "passage: ")),
    ],
)
def test_vectors_of_another_model_are_not_taken(path: Path, other: Fingerprint) -> None:
    """Another model, dimension or prefix starts an empty journal."""
    filled(path)
    with Journal(path, other) as journal:
        assert len(journal) == 0
    with Journal(path, FINGERPRINT) as journal:
        assert len(journal) == 0


def test_another_splitter_keeps_the_vectors(path: Path) -> None:
    """A vector depends on its text and model alone."""
    filled(path)
    with Journal(path, Fingerprint("model", 3, 2, "new", "new")) as journal:
        assert len(journal) == 3


def test_a_full_build_takes_no_vectors_of_another_build(tmp_path: Path) -> None:
    """--full resumes a killed --full; any other build takes over both kinds."""
    settings = Settings(qdrant_path=tmp_path)
    filled(journal_path(settings, full=False))
    with open_journal(settings, FINGERPRINT, full=True) as journal:
        assert len(journal) == 0
    drop_journals(settings)
    assert not has_journal(settings)
    filled(journal_path(settings, full=True))
    assert has_journal(settings)
    with open_journal(settings, FINGERPRINT, full=True) as journal:
        assert len(journal) == 3
    with open_journal(settings, FINGERPRINT, full=False) as journal:
        assert len(journal) == 3
    drop_journals(settings)
    assert list(tmp_path.iterdir()) == []


def test_collections_and_servers_have_their_own_journals(tmp_path: Path) -> None:
    """Name and URL tell journals apart; a server's lies under the embedded store's folder too."""
    paths = {
        journal_path(Settings(qdrant_path=tmp_path, collection=name, qdrant_url=url), full=full)
        for name in ("a", "b")
        for url in (None, "http://one:6333", "http://two:6333")
        for full in (False, True)
    }
    assert len(paths) == 12
    assert {path.parent for path in paths} == {tmp_path}


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The error has the path."""
    (tmp_path / "store").write_text("a file")
    with pytest.raises(StoreError, match=r"x\.journal"):
        Journal(tmp_path / "store" / "x.journal", FINGERPRINT)
