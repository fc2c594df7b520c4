"""What makes a collection's vectors and offsets comparable with new ones, and the comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.errors import StoreStale
from rag.stores.base import Fingerprint

if TYPE_CHECKING:
    from rag.embeddings import Embeddings
    from rag.stores.base import CollectionInfo

SCHEMA = 1
"""Version of the payload in :mod:`rag.stores.payload`; another one cannot be read."""


def fingerprint(embeddings: Embeddings, dimension: int | None = None) -> Fingerprint:
    """Return what a build with ``embeddings`` writes.

    ``dimension`` is used where the model's own is not known yet; 0 stands for not known. Asks no
    endpoint.
    """
    from rag.keywords import TOKENIZER
    from rag.readers import READING
    from rag.sentences import SPLITTER

    return Fingerprint(
        embedding_model=embeddings.model,
        dimension=embeddings.known_dimension or dimension or 0,
        schema=SCHEMA,
        splitter=f"{READING} {SPLITTER}",
        tokenizer=TOKENIZER,
        prefixes=embeddings.prefixes,
    )


def check_fingerprint(info: CollectionInfo, expected: Fingerprint) -> None:
    """Refuse a collection whose vectors or offsets do not go with ``expected``.

    A dimension of 0 in ``expected`` is not compared: it is not known before an endpoint's first
    answer; check again then. Raises :class:`~rag.errors.StoreStale`.
    """
    found, wrong = info.record.fingerprint, ""
    if (found.embedding_model, found.dimension) != (
        expected.embedding_model,
        expected.dimension or found.dimension,
    ):
        makes = f" makes {expected.dimension}" if expected.dimension else " is set"
        wrong = (
            f"holds {found.dimension}-dimensional vectors of {found.embedding_model}; "
            f"{expected.embedding_model}{makes}"
        )
    for what, old, new in (
        ("schema", found.schema, expected.schema),
        ("splitter", found.splitter, expected.splitter),
        ("tokenizer", found.tokenizer, expected.tokenizer),
        ("embedding prefixes", found.prefixes, expected.prefixes),
    ):
        if not wrong and old != new:
            wrong = f"was built with {what} {old}; this version has {new}"
    if wrong:
        raise StoreStale(
            f"Collection {info.collection} {wrong}. Rebuild it: python store.py --full"
        )
