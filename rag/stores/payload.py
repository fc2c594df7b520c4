"""Stored values ↔ payloads of Qdrant points, and the points' ids.

The one place that knows how a payload is spelled. Knows no engine: payloads are plain JSON objects.
A sentence's payload is in LangChain's layout, so that LangChain and LlamaIndex can read it; the
records of documents and of the collection stand under keys of their own, and no search finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Any, cast
from uuid import UUID, uuid5

from rag.errors import StoreStale
from rag.stores.base import CollectionInfo, CollectionRecord, DocumentRecord, Fingerprint, Point
from rag.types import Metadata, Scalar, Sentence

Payload = dict[str, Any]
"""A JSON object, as the engines take and give it."""

RECORD = "record"
"""Key that says what a point without vectors is: :data:`DOCUMENT`, :data:`COLLECTION`."""

SOURCE, EMBEDDED = "metadata.source", "metadata.embedded"

KEYWORD_INDEXES = (SOURCE, EMBEDDED, "metadata.section", RECORD)
INTEGER_INDEXES = ("metadata.page",)
"""Keys that have an index: those that are looked up or filtered by."""

DOCUMENT, COLLECTION, LOCK, PART = "document", "collection", "lock", "part"
DOCUMENT_PATH = "document.path"

_SENTENCE_NAMES = tuple(name for name in Sentence.__dataclass_fields__ if name != "text")
SENTENCE_FIELDS = ("page_content", *(f"metadata.{name}" for name in _SENTENCE_NAMES))
"""Keys of which a sentence is made."""

_NAMESPACE = UUID("6f1d2b1e-5a55-5d0c-9c3b-3b9d1f0c7a11")  # any fixed one will do
COLLECTION_ID = uuid5(_NAMESPACE, "\0collection")
LOCK_ID = uuid5(_NAMESPACE, "\0lock")


def lock_id(part: int | None = None) -> UUID:
    """Return the id of the builder's lock, or of the lock on one part."""
    return LOCK_ID if part is None else uuid5(_NAMESPACE, f"\0lock\0{part}")


def part_id(part: int) -> UUID:
    """Return the id of the record of one part."""
    return uuid5(_NAMESPACE, f"\0part\0{part}")


def sentence_id(source: str, index: int) -> UUID:
    """Return the id of a sentence's point: computable, so that neighbours need no search."""
    return uuid5(_NAMESPACE, f"{source}\0{index}")


def document_id(path: str) -> UUID:
    """Return the id of a document's record."""
    return uuid5(_NAMESPACE, f"{path}\0document")


def sentence_payload(point: Point, modified: float) -> Payload:
    """Make a sentence's payload.

    The document's metadata stand flat beside our fields, which win over fields of the same name.
    ``modified`` is the document's, in seconds since the epoch.
    """
    sentence = point.sentence
    return {
        "page_content": sentence.text,
        "metadata": {
            **{name: _json(value) for name, value in point.metadata.items()},
            **{name: getattr(sentence, name) for name in _SENTENCE_NAMES},
            "window": point.window,
            "original_text": sentence.text,
            "embedded": point.embedded,
            "modified": datetime.fromtimestamp(modified, UTC).isoformat(timespec="seconds"),
        },
    }


def sentence_of(payload: Mapping[str, Any] | None) -> Sentence:
    """Read a sentence's payload. Raises :class:`StoreStale` if it is not one of ours."""
    try:
        fields = cast(Payload, payload)["metadata"]
        return Sentence(
            source=fields["source"], index=fields["index"], start=fields["start"],
            end=fields["end"], text=cast(Payload, payload)["page_content"], title=fields["title"],
            kind=fields["kind"], section=tuple(fields["section"]), paragraph=fields["paragraph"],
            page=fields["page"], before=fields["before"], after=fields["after"],
        )  # fmt: skip
    except (KeyError, TypeError) as error:
        raise _foreign(error) from None


def embedded_of(payload: Mapping[str, Any] | None) -> str:
    """Read the digest of a sentence's embedded text."""
    return str(cast(Payload, payload)["metadata"]["embedded"])


def document_payload(record: DocumentRecord) -> Payload:
    """Make a document record's payload."""
    fields = {**asdict(record), "metadata": _tagged(record.metadata)}
    return {RECORD: DOCUMENT, DOCUMENT: fields}


def document_of(payload: Mapping[str, Any] | None) -> DocumentRecord:
    """Read a document record's payload. Raises :class:`StoreStale` if it is not one of ours."""
    try:
        fields = cast(Payload, payload)[DOCUMENT]
        return DocumentRecord(**{**fields, "metadata": _untagged(fields["metadata"])})
    except (KeyError, TypeError, ValueError) as error:
        raise _foreign(error) from None


def collection_payload(info: CollectionInfo) -> Payload:
    """Make the payload of the collection's record."""
    counts = {"documents": info.documents, "sentences": info.sentences}
    fields = {"generation": info.generation, **counts, **asdict(info.record)}
    return {RECORD: COLLECTION, COLLECTION: fields}


def info_of(payload: Mapping[str, Any] | None, collection: str, location: str) -> CollectionInfo:
    """Read the collection's record, as found in ``location``.

    Raises :class:`StoreStale` if it is not one of ours.
    """
    try:
        fields = dict(cast(Payload, payload)[COLLECTION])
        generation, documents, sentences = (
            fields.pop(name) for name in ("generation", "documents", "sentences")
        )
        print_ = fields.pop("fingerprint")
        fingerprint = Fingerprint(**{**print_, "prefixes": tuple(print_["prefixes"])})
        record = CollectionRecord(fingerprint=fingerprint, **fields)
    except (KeyError, TypeError) as error:
        raise _foreign(error) from None
    return CollectionInfo(collection, location, generation, documents, sentences, record)


def _foreign(error: Exception) -> StoreStale:
    return StoreStale(
        f"The collection holds a point that this version did not write ({type(error).__name__}: "
        f"{error}). Rebuild it: python store.py --full"
    )


def _json(value: Scalar | tuple[Scalar, ...]) -> Any:
    """Spell a metadata value for LangChain's users: dates as ISO 8601."""
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def _tagged(metadata: Metadata) -> dict[str, Any]:
    """Spell metadata so that :func:`_untagged` gives back equal values, dates and tuples too."""

    def tag(value: Scalar) -> Any:
        if isinstance(value, datetime):
            return {"datetime": value.isoformat()}
        return {"date": value.isoformat()} if isinstance(value, date) else value

    return {
        name: [tag(item) for item in value] if isinstance(value, tuple) else tag(value)
        for name, value in metadata.items()
    }


def _untagged(fields: Mapping[str, Any]) -> Metadata:
    def untag(value: Any) -> Any:
        if isinstance(value, list):
            return tuple(untag(item) for item in value)
        if isinstance(value, dict):
            if "datetime" in value:
                return datetime.fromisoformat(value["datetime"])
            return date.fromisoformat(value["date"])
        return value

    return {name: untag(value) for name, value in fields.items()}
