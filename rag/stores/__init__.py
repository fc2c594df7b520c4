"""The two stores behind one protocol (:mod:`rag.stores.base`): embedded, and a server by URL.

The settings choose: with ``QDRANT_URL`` the server, otherwise the folder ``QDRANT_PATH``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.building.parts import Part
    from rag.settings import Settings
    from rag.stores.base import Fingerprint, Store, Writer


def open_store(settings: Settings) -> Store:
    """Open the collection as it is now, for reading.

    Raises :class:`~rag.errors.StoreMissing` before the first build,
    :class:`~rag.errors.StoreUnreachable` without a server, :class:`~rag.errors.StoreError` if it is
    damaged or not ours. Does not compare fingerprints.
    """
    if settings.qdrant_url:
        from rag.stores.server import open_server

        return open_server(settings)
    from rag.stores.edge import open_edge

    return open_edge(settings)


def open_writer(
    settings: Settings,
    *,
    full: bool = False,
    fingerprint: Fingerprint,
    part: Part | None = None,
) -> Writer:
    """Return a build of the collection, to be used as a context manager.

    ``full`` starts from nothing instead of from what is there. ``fingerprint`` gives the dimension
    of a collection that is made new. With ``part`` a new collection is filled by several builds at
    once, on a server: raises :class:`~rag.errors.SettingsError` without one.
    """
    if part is not None:
        from rag.stores.server_parts import open_part_writer

        return open_part_writer(settings, part, full=full, fingerprint=fingerprint)
    if settings.qdrant_url:
        from rag.stores.server_writer import open_server_writer

        return open_server_writer(settings, full=full, fingerprint=fingerprint)
    from rag.stores.edge_writer import EdgeWriter

    return EdgeWriter(settings, full=full, fingerprint=fingerprint)


def current_generation(settings: Settings) -> str | None:
    """Return the name of the collection's present state, cheaply; None before the first build.

    An open store whose generation differs should be opened again.
    """
    if settings.qdrant_url:
        from rag.stores.server import server_generation

        return server_generation(settings)
    from rag.stores.generations import Generations

    return Generations(settings.qdrant_path / settings.collection).current()
