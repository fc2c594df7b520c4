"""Vectors already made, on disk, so that a killed build does not pay for them twice.

A file beside the generations: a header that says whose vectors they are, then records of one size,
appended as batches come: digest of the embedded text, vector, checksum. A record that was cut short
by a kill is left out, and so is all after it. The file is there from the first moment in which a
build may write to the last, so that it also tells of a build that was killed. Knows nothing of
documents or of the store; whoever uses it holds the builder's lock.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rag.errors import StoreError

if TYPE_CHECKING:
    from rag.building.parts import Part
    from rag.settings import Settings
    from rag.stores.base import Fingerprint, Vector

_DIGEST_BYTES, _CHECKSUM_BYTES = 32, 4


def journal_path(settings: Settings, *, full: bool, part: Part | None = None) -> Path:
    """Return where the journal of a build lies: under ``QDRANT_PATH``, for servers too."""
    name = settings.collection
    if part is not None:
        name += f".{part.number}-of-{part.of}"
    if settings.qdrant_url:
        name += "-" + hashlib.sha256(settings.qdrant_url.encode()).hexdigest()[:8]
    return settings.qdrant_path / f"{name}.{'full.' if full else ''}journal"


def open_journal(
    settings: Settings, fingerprint: Fingerprint, *, full: bool, part: Part | None = None
) -> Journal:
    """Open the journal of a build.

    A full build goes on where a killed full build was; any other also takes that one's vectors
    over. Raises :class:`~rag.errors.StoreError`.
    """
    path = journal_path(settings, full=full, part=part)
    if not full and not path.exists():
        with suppress(OSError):  # there is none
            journal_path(settings, full=True, part=part).rename(path)
    return Journal(path, fingerprint)


def has_journal(settings: Settings) -> bool:
    """Whether a build is running or was killed."""
    return any(journal_path(settings, full=full).exists() for full in (False, True))


def drop_journals(settings: Settings, part: Part | None = None) -> None:
    """Remove what is left of journals: all their vectors are in the collection."""
    for full in (False, True):
        with suppress(OSError):
            journal_path(settings, full=full, part=part).unlink(missing_ok=True)


class Journal:
    """Vectors by the digest (hex SHA-256) of what was embedded. A context manager.

    Opening it reads what a killed build left, if ``fingerprint`` is the same; otherwise it starts
    empty. Raises :class:`~rag.errors.StoreError`.
    """

    def __init__(self, path: Path, fingerprint: Fingerprint) -> None:
        self._path = path
        self._header = _header(fingerprint)
        self._dimension = fingerprint.dimension
        self._record = _DIGEST_BYTES + 4 * fingerprint.dimension + _CHECKSUM_BYTES
        self._places: dict[bytes, int] = {}
        self._end = len(self._header)
        try:
            self._file = self._opened() or self._created()
        except OSError as error:
            raise self._failed("open", error) from None
        self._found = self._end

    def __enter__(self) -> Journal:
        """Return the journal itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the file; it stays for the next build."""
        self.close()

    def __len__(self) -> int:
        """How many vectors it holds."""
        return len(self._places)

    def is_new(self, digest: str) -> bool:
        """Whether the vector of the text with this digest was added since the opening."""
        return self._places.get(bytes.fromhex(digest), -1) >= self._found

    def vectors(self, digests: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors of the texts with these digests, those it has."""
        import numpy as np

        found: dict[str, Vector] = {}
        for digest in digests:
            place = self._places.get(bytes.fromhex(digest))
            if place is not None:
                self._file.seek(place + _DIGEST_BYTES)
                data = self._file.read(4 * self._dimension)
                found[digest] = np.frombuffer(data, dtype="<f4").astype(np.float32)
        return found

    def add(self, digests: Iterable[str], vectors: Iterable[Vector]) -> None:
        """Append vectors; once this returns, a kill does not lose them."""
        records: list[bytes] = []
        for digest, vector in zip(digests, vectors, strict=True):
            key = bytes.fromhex(digest)
            body = key + vector.astype("<f4").tobytes()
            self._places[key] = self._end + len(records) * self._record
            records.append(body + _checksum(body))
        try:
            self._file.seek(self._end)
            self._file.write(b"".join(records))
            self._file.flush()
        except OSError as error:
            raise self._failed("write", error) from None
        self._end += len(records) * self._record

    def close(self) -> None:
        """Close the file. Closing twice is allowed."""
        with suppress(OSError):  # a full disk was told of when it was written to
            self._file.close()

    def _opened(self) -> IO[bytes] | None:
        """Open what is there and read which vectors it has; None if it is of no use."""
        try:
            file = self._path.open("r+b")
        except FileNotFoundError:
            return None
        if file.read(len(self._header)) != self._header:
            file.close()
            return None
        while len(record := file.read(self._record)) == self._record:
            body, checksum = record[:-_CHECKSUM_BYTES], record[-_CHECKSUM_BYTES:]
            if _checksum(body) != checksum:
                break
            self._places[body[:_DIGEST_BYTES]] = self._end
            self._end += self._record
        file.truncate(self._end)
        return file

    def _created(self) -> IO[bytes]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # For its owner alone, as the collection may be: who has a text can tell that it is there.
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        file = os.fdopen(handle, "r+b")
        file.write(self._header)
        file.flush()
        return file

    def _failed(self, what: str, error: OSError) -> StoreError:
        return StoreError(
            f"Cannot {what} {self._path}: {error.strerror}. The collection is as it was"
        )


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little")


def _header(fingerprint: Fingerprint) -> bytes:
    """One line: what the vectors were made by. Splitter and tokenizer do not matter to them."""
    values = asdict(fingerprint)
    kept = {name: values[name] for name in ("embedding_model", "dimension", "prefixes")}
    return json.dumps({"journal": 1, **kept}).encode() + b"\n"
