"""A folder → what a build would do, and how long its embedding would take. Changes nothing."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.build import files_to_write
from rag.building.changes import changes
from rag.building.fingerprint import check_fingerprint, fingerprint
from rag.building.previous import Previous, read_previous
from rag.building.vectors import digest_text
from rag.documents import File, read_document
from rag.embeddings import open_embeddings
from rag.errors import DocumentError
from rag.settings import BUNDLED
from rag.stores import open_writer
from rag.types import Skipped

if TYPE_CHECKING:
    from rag.embeddings import Embeddings
    from rag.settings import Settings
    from rag.stores.base import Writer

_SAMPLE = 48  # texts that are embedded to measure: a second or two


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a build would do.

    ``added`` sentences would be embedded, ``reused`` ones keep their vectors. ``removed`` are paths
    of documents. ``texts`` and ``characters`` are what would be embedded, each text once.
    ``seconds`` is measured on some of them, for the bundled model; ``tokens`` is estimated, for an
    endpoint's; the other of the two is None.
    """

    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    added: int
    reused: int
    texts: int
    characters: int
    seconds: float | None
    tokens: int | None


def forecast(settings: Settings, *, full: bool = False) -> Forecast:
    """Find out what :func:`rag.build.build` would do.

    Vectors that a killed build left are not counted. Asks no endpoint. Raises
    :class:`~rag.errors.RagError` as a build would.
    """
    embeddings = open_embeddings(settings)
    previous = Previous() if full else read_previous(settings)
    found = changes(settings, previous.documents)
    record = previous.info.record if previous.info else None
    if previous.info:
        check_fingerprint(previous.info, fingerprint(embeddings))
    # What is not written is dropped; a lock keeps other builds away meanwhile.
    with open_writer(settings, fingerprint=record.fingerprint) if record else nullcontext() as base:
        counted = _Count(base)
        files = files_to_write(settings, found, record)
        for file in files:
            counted.take(file, settings.window_size)
    written = {file.path for file in files}
    kept = sum(
        previous.documents[f.path].sentences for f in found.unchanged if f.path not in written
    )
    return Forecast(
        new=tuple(file.path for file in found.new),
        changed=tuple(file.path for file in found.changed),
        removed=found.gone,
        skipped=(*found.skipped, *counted.skipped),
        added=counted.added,
        reused=counted.reused + kept,
        texts=len(counted.missing),
        characters=counted.characters,
        seconds=_seconds(embeddings, counted) if settings.embedding_model == BUNDLED else None,
        tokens=None if settings.embedding_model == BUNDLED else counted.tokens,
    )


class _Count:
    """Counts the sentences of files by whether ``base`` has their vectors."""

    def __init__(self, base: Writer | None) -> None:
        self.added = self.reused = self.characters = self.tokens = 0
        self.missing: set[str] = set()
        self.sample: list[str] = []
        self.skipped: list[Skipped] = []
        self._base = base

    def take(self, file: File, window_size: int) -> None:
        from rag.nodes import parse_sentences

        try:
            sentences = parse_sentences(read_document(file), window_size=window_size)
        except DocumentError as error:
            self.skipped.append(Skipped(file.path, str(error)))
            return
        texts = [each.embedded_text for each in sentences]
        digests = [digest_text(text) for text in texts]
        known = self._base.vectors(digests) if self._base else {}
        for digest, text in zip(digests, texts, strict=True):
            if digest in known:
                self.reused += 1
                continue
            self.added += 1
            if digest not in self.missing:
                self.missing.add(digest)
                self.characters += len(text)
                self.tokens += _tokens(text)
                if len(self.sample) < _SAMPLE:
                    self.sample.append(text)


def _tokens(text: str) -> int:
    """Estimate a text's tokens: four letters of ASCII each, or one other character."""
    ascii_characters = sum(map(str.isascii, text))
    return ascii_characters // 4 + len(text) - ascii_characters + 1


def _seconds(embeddings: Embeddings, counted: _Count) -> float:
    if not counted.sample:
        return 0.0
    embeddings.embed_query("")  # loads the model
    began = time.perf_counter()
    for _ in embeddings.embed_passages(counted.sample):
        pass
    spent = time.perf_counter() - began
    return spent * counted.characters / sum(map(len, counted.sample))
