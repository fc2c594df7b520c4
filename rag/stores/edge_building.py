"""A generation of the embedded store while it is built: its shard, and when it is indexed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import qdrant_edge as engine

from rag.stores.copying import require_room
from rag.stores.edge_shard import SEGMENT_SENTENCES, load_to_write, translated


@dataclass(slots=True)
class Building:
    """The generation ``name`` in ``folder``, whose points ``waiting`` have no index yet.

    Raises :class:`~rag.errors.StoreError`, where the disk is full among others.
    """

    name: str
    folder: Path
    shard: engine.EdgeShard
    waiting: int = 0

    def update(self, operation: engine.UpdateOperation) -> None:
        """Change points."""
        with translated(f"write {self.folder.parent}"):
            require_room(self.folder.parent)
            self.shard.update(operation)

    def upsert(self, points: list[engine.Point]) -> None:
        """Write points; index them when there are enough for a segment."""
        self.update(engine.UpdateOperation.upsert_points(points))
        self.waiting += len(points)
        if self.waiting >= SEGMENT_SENTENCES:
            self.index()
            self._reload()

    def index(self) -> None:
        """Make the indexes that are missing."""
        with translated(f"write {self.folder.parent}"):
            # Segments may be written anew.
            require_room(self.folder.parent, copies_of=self.folder)
            self.shard.optimize()
        self.waiting = 0

    def close(self) -> None:
        """Write everything out, and let go of the files."""
        self.shard.flush()
        self.shard.close()

    def _reload(self) -> None:
        """Let go of the segments that were written anew: until the shard is closed they take as
        much disk and memory as those that took their place.
        """
        with translated(f"write {self.folder.parent}"):
            self.close()
            self.shard = load_to_write(self.folder)
