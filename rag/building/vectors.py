"""Sentences → their vectors: kept from the collection, from the journal, or made now.

A vector belongs to the digest of the text that was embedded, whatever file it stands in: a renamed
file or an inserted line embeds nothing twice, nor does a text that occurs often. Knows nothing of
files; sentences are named in errors alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rag.embeddings import TextRejected
from rag.errors import ModelRejected, StoreStale

if TYPE_CHECKING:
    from rag.building.journal import Journal
    from rag.embeddings import Embeddings
    from rag.nodes import ParsedSentence
    from rag.stores.base import Vector, Writer


def digest_text(text: str) -> str:
    """Return the hex SHA-256 of a text that is embedded."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class VectorSource:
    """Finds or makes the vectors of sentences, for one build: all of length ``dimension``."""

    def __init__(
        self, embeddings: Embeddings, writer: Writer, journal: Journal, dimension: int
    ) -> None:
        self._embeddings = embeddings
        self._writer = writer
        self._journal = journal
        self._dimension = dimension

    def known(self, texts: Mapping[str, str]) -> dict[str, Vector]:
        """Return the vectors that need not be made. ``texts`` are by their digests."""
        found = self._writer.vectors(texts)
        return found | self._journal.vectors(texts.keys() - found.keys())

    def vectors(
        self, sentences: Sequence[ParsedSentence], left: Callable[[int], None]
    ) -> dict[str, Vector]:
        """Return the vectors of ``sentences``, by the digests of their embedded texts.

        ``left`` is called, at first and after each batch, with the number of vectors still to be
        made; what it raises ends the work. Raises :class:`~rag.errors.ModelError`, naming the
        sentence when one is at fault.
        """
        texts = {digest_text(each.embedded_text): each.embedded_text for each in sentences}
        found = self.known(texts)
        missing = [digest for digest in texts if digest not in found]
        todo = len(missing)
        left(todo)
        try:
            for first, batch in self._embeddings.embed_passages([texts[d] for d in missing]):
                self._check(batch.shape[1])
                digests = missing[first : first + len(batch)]
                self._journal.add(digests, batch)
                found.update(zip(digests, batch, strict=True))
                todo -= len(batch)
                left(todo)
        except TextRejected as error:
            raise self._named(error, texts[missing[error.index]], sentences) from error
        return found

    def _check(self, dimension: int) -> None:
        if dimension != self._dimension:
            raise StoreStale(
                f"The collection holds {self._dimension}-dimensional vectors of "
                f"{self._embeddings.model}, which makes {dimension} now. "
                "Rebuild it: python store.py --full"
            )

    def _named(
        self, error: TextRejected, text: str, sentences: Sequence[ParsedSentence]
    ) -> ModelRejected:
        sentence = next(each.sentence for each in sentences if each.embedded_text == text)
        beginning = sentence.text if len(sentence.text) <= 60 else sentence.text[:59] + "…"
        return ModelRejected(
            f"{self._embeddings.model} cannot embed sentence {sentence.index + 1} of "
            f"{sentence.source} ({' '.join(beginning.split())!r}): {error}",
            error.status,
        )
