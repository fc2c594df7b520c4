"""The errors a user can act on, one class for each thing that can be done about it.

    RagError
    ├── SettingsError              a setting is missing or wrong
    ├── DocumentError(path)        the documents folder, or a file in it
    │   └── DocumentsMissing       nothing there that can be read: add files
    ├── StoreError                 the collection
    │   ├── StoreMissing           nothing built yet
    │   ├── StoreStale             built by another model or version: rebuild
    │   ├── StoreBusy              another build is running
    │   └── StoreUnreachable(url)  no server, or no permission
    ├── ModelError                 the chat or embedding endpoint
    │   ├── ModelRejected(status)  it answered, and said no
    │   └── ModelUnreachable       it did not answer
    └── HistoryError               the file of stored conversations
        └── ConversationMissing    none of that id, or not this visitor's

Each message is one line: what happened, what was found against what was expected, what to run.
Entry points catch :class:`RagError` alone; anything else is a fault of the program.
"""

from __future__ import annotations

import re


def shown_address(address: str) -> str:
    """Return an address as messages may have it: without a name and password."""
    return without_passwords(address if "://" in address else address.rpartition("@")[2])


def without_passwords(text: str) -> str:
    """Return a text without the names and passwords of the addresses in it."""
    return re.sub(r"(?<=://)[^/\s]*@", "", text)


class RagError(Exception):
    """What every named error is."""


class SettingsError(RagError):
    """A setting is missing or has a value that it cannot have."""


class DocumentError(RagError):
    """The documents folder, or a file in it, cannot be read."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class DocumentsMissing(DocumentError):
    """There is no document that can be read, in the documents folder nor among the uploads."""


class StoreError(RagError):
    """The collection cannot be read or written."""


class StoreMissing(StoreError):
    """There is no collection yet."""


class StoreStale(StoreError):
    """The collection was built by another model or version, and must be rebuilt."""


class StoreBusy(StoreError):
    """Another build of the same collection is running."""


class StoreUnreachable(StoreError):
    """The server did not answer, or did not let us in."""

    def __init__(self, message: str, url: str = "") -> None:
        super().__init__(message)
        self.url = url


class ModelError(RagError):
    """The chat or embedding model could not do what it was asked."""


class ModelRejected(ModelError):
    """The endpoint answered with an error: a wrong key, an unknown model, too long a context."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ModelUnreachable(ModelError):
    """The endpoint did not answer, in time or at all."""


class HistoryError(RagError):
    """The stored conversations cannot be read or written."""


class ConversationMissing(HistoryError):
    """There is no conversation of that id, or it belongs to someone else."""
