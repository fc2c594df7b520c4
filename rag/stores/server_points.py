"""Our values ↔ those of qdrant-client. Sends nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rag.errors import SettingsError
from rag.stores import payload
from rag.stores.base import DENSE, KEYWORD, Point, SparseVector
from rag.stores.filters import Clause

if TYPE_CHECKING:
    from qdrant_client import models


def collection_parameters(dimension: int, extra: Mapping[str, Any]) -> dict[str, Any]:
    """Make the arguments of ``create_collection``.

    ``extra`` is the setting QDRANT_COLLECTION_PARAMS: fields of Qdrant's "create collection"
    request; its ``vectors`` holds fields for the dense vectors alone (``on_disk``, ``datatype``).
    Raises :class:`SettingsError` naming what Qdrant does not know.
    """
    from pydantic import ValidationError
    from qdrant_client import models

    vectors = extra.get("vectors", {})
    if "sparse_vectors" in extra:
        raise SettingsError("QDRANT_COLLECTION_PARAMS: sparse_vectors cannot be set")
    try:
        dense = models.VectorParams(
            **{**vectors, "size": dimension, "distance": models.Distance.COSINE}
        )
        request = models.CreateCollection(**{**extra, "vectors": {DENSE: dense}})
    except (ValidationError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())[:300]
        raise SettingsError(f"QDRANT_COLLECTION_PARAMS: {reason}") from None
    sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
    given = {name: getattr(request, name) for name in request.model_fields_set - {"vectors"}}
    return {"vectors_config": {DENSE: dense}, "sparse_vectors_config": {KEYWORD: sparse}, **given}


def sentence_point(point: Point, modified: float) -> models.PointStruct:
    """Make the client's point of a sentence; ``modified`` is its document's."""
    from qdrant_client import models

    sentence = point.sentence
    return models.PointStruct(
        id=str(payload.sentence_id(sentence.source, sentence.index)),
        vector={DENSE: point.dense.tolist(), KEYWORD: client_sparse(point.keyword)},
        payload=payload.sentence_payload(point, modified),
    )


def record_point(key: object, fields: payload.Payload) -> models.PointStruct:
    """Make a point without vectors."""
    from qdrant_client import models

    return models.PointStruct(id=str(key), vector={}, payload=fields)


def client_sparse(vector: SparseVector) -> models.SparseVector:
    """Make the client's sparse vector."""
    from qdrant_client import models

    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def client_filter(clauses: Iterable[Clause]) -> models.Filter:
    """Make the client's filter of clauses that must all hold."""
    from qdrant_client import models

    must: list[Any] = []
    must_not: list[Any] = []
    for clause in clauses:
        if clause.at_least is None and clause.at_most is None:
            match = models.MatchAny(any=list(clause.any_of))  # type: ignore[arg-type]
            condition = models.FieldCondition(key=clause.key, match=match)
        else:
            bounds = models.Range(gte=clause.at_least, lte=clause.at_most)
            condition = models.FieldCondition(key=clause.key, range=bounds)
        (must_not if clause.negated else must).append(condition)
    return models.Filter(must=must or None, must_not=must_not or None)
