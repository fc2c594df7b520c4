"""A collection as it is now: what it holds, and what a filter lets through.

Reads alone. It follows a new generation by itself: each call is answered from the newest, and what
is under way finishes on the one that it began with.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rag.building.fingerprint import check_fingerprint, fingerprint
from rag.building.previous import on_own_folder
from rag.embeddings import open_embeddings
from rag.errors import DocumentError
from rag.filters import parse_filter, sources_like, typed, why_nothing
from rag.stores import current_generation, open_store
from rag.types import Condition, Window
from rag.windows import list_windows

if TYPE_CHECKING:
    from rag.embeddings import Embeddings
    from rag.settings import Settings
    from rag.stores.base import CollectionInfo, DocumentRecord, Store


def open_matching(
    settings: Settings, embeddings: Embeddings | None = None
) -> tuple[Store, Embeddings]:
    """Open the collection, and the settings' embeddings unless given, if the two go together.

    Raises :class:`~rag.errors.StoreMissing` before any build, :class:`~rag.errors.StoreStale` when
    it was built by another model or version, and other :class:`~rag.errors.RagError`.
    """
    store = open_store(settings)
    try:
        if embeddings is None:
            embeddings = open_embeddings(settings)
        check_fingerprint(store.info, fingerprint(embeddings))
    except BaseException:
        store.close()
        raise
    return store, embeddings


class Collection:
    """An open collection, and the embeddings that go with it. Safe to use from several threads."""

    def __init__(self, settings: Settings, embeddings: Embeddings, store: Store) -> None:
        self._asked = settings
        self.settings = on_own_folder(settings, store.info)
        self._embeddings = embeddings
        self._store = store
        self._opening = threading.Lock()

    def __enter__(self) -> Self:
        """Return the object itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Let go of the store. Closing twice is allowed."""
        self._store.close()

    @property
    def info(self) -> CollectionInfo:
        """The collection that the next question will be answered from."""
        return self._current().info

    def documents(self) -> list[DocumentRecord]:
        """Return every document of the collection, ordered by path."""
        return self._current().documents()

    def source(self, path: str) -> str:
        """Return the whole text of a document as it was built, rebuilt from its sentences.

        Raises :class:`~rag.errors.DocumentError` when the collection has no such document.
        """
        sentences = list(self._current().sentences([Condition("source", "=", path)]))
        if not sentences:
            raise DocumentError(f"The collection holds no document {path}", path)
        return "".join(s.before + s.text for s in sentences) + sentences[-1].after

    def where(self, sources: Sequence[str] = (), filters: Sequence[str] = ()) -> list[Condition]:
        """Read filters as users type them, against what the collection holds; all must hold.

        ``sources`` are globs of which a document's path matches one, ``filters`` expressions such
        as ``page >= 3`` (see :mod:`rag.filters`). Raises :class:`~rag.errors.SettingsError`.
        """
        parsed = [parse_filter(expression) for expression in filters]
        if not sources and not parsed:
            return []
        documents = self.documents()
        globs = [sources_like(sources, documents)] if sources else []
        return [*globs, *typed(parsed, documents)]

    def listed(self, where: Sequence[Condition]) -> list[Window]:
        """Return what the filters let through without a question, in document order.

        Each run of neighbouring sentences is a passage, nothing in it is marked.
        """
        return list(list_windows(self._current().sentences(where)))

    def why_nothing(self, where: Sequence[Condition]) -> str | None:
        """Say in one sentence why nothing fulfils ``where``; None if something does."""
        return why_nothing(self._current(), where)

    def refresh(self) -> None:
        """Open the collection anew if a build has finished since, and return when it is open.

        Raises :class:`~rag.errors.RagError`, as the next call would.
        """
        with self._opening:
            self._reopen()

    def _current(self) -> Store:
        """Return the store, reopened when a build has finished since.

        While one thread opens it, others go on with the store as it was: with a build under way it
        takes a tenth of a second.
        """
        if self._is_replaced() and self._opening.acquire(blocking=False):
            try:
                self._reopen()
            finally:
                self._opening.release()
        return self._store

    def _is_replaced(self) -> bool:
        return current_generation(self.settings) not in (None, self._store.info.generation)

    def _reopen(self) -> None:
        if self._is_replaced():
            newer, _ = open_matching(self.settings, self._embeddings)
            # The old store is not closed: a question may still be reading it. It goes when the
            # last of them lets go.
            self._store = newer
            self.settings = on_own_folder(self._asked, newer.info)
