"""The collections of a server that stand behind one name, and the alias that chooses among them.

The alias ``window_db`` points at a collection ``window_db--<generation>``, as an embedded store's
pointer points at a folder.
"""

from __future__ import annotations

import hashlib
import re
import time
from secrets import token_hex
from typing import TYPE_CHECKING

from rag.errors import StoreError, shown_address
from rag.stores import payload
from rag.stores.base import DENSE, CollectionInfo
from rag.stores.server_client import not_found, translated
from rag.stores.server_points import collection_parameters

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

    from rag.settings import Settings

_GENERATION = r"(?:\d{8}T\d{6}-[0-9a-f]{8}|[0-9a-f]{12}-of-\d+)"


def new_generation() -> str:
    """Return a name that no other build has."""
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime()) + "-" + token_hex(4)


class ServerCollections:
    """The collections behind the name of the settings."""

    def __init__(self, client: QdrantClient, settings: Settings) -> None:
        self.name = settings.collection
        self.url = shown_address(settings.qdrant_url or "memory")
        self._client = client
        self._parameters = settings.qdrant_collection_params

    def current(self) -> str | None:
        """Return the collection that the alias names; None if there is no such alias.

        Raises :class:`StoreError` if the name is taken by something that is not ours.
        """
        with translated(f"open {self.name}", self.url):
            aliases = {a.alias_name: a.collection_name for a in self._client.get_aliases().aliases}
            collections = [c.name for c in self._client.get_collections().collections]
        physical = aliases.get(self.name)
        if physical is None and self.name in collections:
            physical = self.name
        if physical is not None and not self._ours(physical):
            raise StoreError(
                f"{self.name} at {self.url} was written by something else: expected an alias of "
                f"{self.name}--…, found {physical}. Set RAG_COLLECTION to another name."
            )
        return physical

    def _ours(self, physical: str) -> bool:
        return re.fullmatch(re.escape(self.name) + "--" + _GENERATION, physical) is not None

    def info(self, physical: str) -> CollectionInfo | None:
        """Read what a collection says of itself; None while its first build has not finished."""
        with translated(f"open {self.name}", self.url):
            records = self._client.retrieve(physical, [str(payload.COLLECTION_ID)])
            if not records:
                return None
            vectors = self._client.get_collection(physical).config.params.vectors
        info = payload.info_of(records[0].payload, self.name, self.url)
        expected = info.record.fingerprint.dimension
        dense = vectors.get(DENSE) if isinstance(vectors, dict) else None
        if dense is None or dense.size != expected:
            raise StoreError(
                f"{physical} at {self.url} was changed by something else: expected vectors {DENSE} "
                f"of {expected} dimensions, found {dense and dense.size}. Rebuild it: python "
                "store.py --full"
            )
        return info

    def filling(self, current: str | None, parts: int | None = None) -> str:
        """Return the name of the collection that ``parts`` builds fill to follow ``current``.

        Every machine comes to the same name without asking another, as long as the alias stays.
        Without ``parts``, what all such names begin with.
        """
        after = hashlib.blake2b((current or "").encode(), digest_size=6).hexdigest()
        return f"{self.name}--{after}-of-{'' if parts is None else parts}"

    def fillings(self, current: str | None) -> list[str]:
        """Return the collections that are being filled to follow ``current``."""
        with translated(f"open {self.name}", self.url):
            collections = [c.name for c in self._client.get_collections().collections]
        return sorted(name for name in collections if name.startswith(self.filling(current)))

    def create(self, dimension: int, physical: str | None = None) -> str:
        """Make an empty collection, with its indexes, that the alias does not name yet."""
        from qdrant_client import models

        physical = physical or f"{self.name}--{new_generation()}"
        parameters = collection_parameters(dimension, self._parameters)
        with translated(f"create {physical}", self.url):
            self._client.create_collection(physical, **parameters)
            for key in payload.KEYWORD_INDEXES:
                schema = models.PayloadSchemaType.KEYWORD
                self._client.create_payload_index(physical, key, schema)
            for key in payload.INTEGER_INDEXES:
                schema = models.PayloadSchemaType.INTEGER
                self._client.create_payload_index(physical, key, schema)
        return physical

    def switch(self, physical: str) -> None:
        """Make the alias name ``physical``, in one step."""
        from qdrant_client import models

        create = models.CreateAlias(collection_name=physical, alias_name=self.name)
        delete = models.DeleteAlias(alias_name=self.name)
        operations: list[models.CreateAliasOperation | models.DeleteAliasOperation] = [
            models.DeleteAliasOperation(delete_alias=delete),
            models.CreateAliasOperation(create_alias=create),
        ]
        with translated(f"switch {self.name}", self.url):
            self._client.update_collection_aliases(operations)

    def remove_others(self) -> None:
        """Remove ours that no alias names: old ones, and what killed builds left.

        What is being filled in parts to follow the present one stays.
        """
        with translated(f"clean {self.name}", self.url):
            aliases = {a.alias_name: a.collection_name for a in self._client.get_aliases().aliases}
            named, kept = set(aliases.values()), self.filling(aliases.get(self.name))
            collections = [c.name for c in self._client.get_collections().collections]
        for physical in collections:
            if self._ours(physical) and physical not in named and not physical.startswith(kept):
                self.remove(physical)

    def remove(self, physical: str) -> None:
        """Remove a collection, if it is still there."""
        try:
            with translated(f"remove {physical}", self.url):
                self._client.delete_collection(physical)
        except StoreError as error:
            if not not_found(error):
                raise
