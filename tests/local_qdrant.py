"""qdrant-client's local mode behind real HTTP: a Qdrant server as far as the project asks one.

    with LocalQdrant() as server:
        Settings(qdrant_url=server.url)

Any number of processes may use it at once; each request is done alone, as if in one step.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from importlib.metadata import version
from threading import Lock
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, TypeAdapter
from qdrant_client import QdrantClient, models

from tests.http_server import Exchange, HttpServer

Route = Callable[["LocalQdrant", str, Any], Any]


class LocalQdrant(HttpServer):
    """The server; ``client`` is what stands behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.client = QdrantClient(":memory:", force_disable_check_same_thread=True)
        self._lock = Lock()

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self.client.close()

    def answer(self, exchange: Exchange) -> None:
        path = unquote(urlsplit(exchange.path).path)
        exchange.send(*self.result(exchange.command, path, exchange.json()))

    def result(self, method: str, path: str, body: Any) -> tuple[int, dict[str, Any]]:
        """Return the status and the JSON of the answer to a request."""
        if path == "/":
            return 200, {"title": "qdrant", "version": version("qdrant-client")}
        for (verb, pattern), route in ROUTES.items():
            if verb == method and (match := re.fullmatch(pattern, path)):
                name = match.group(1) if match.groups() else ""
                try:
                    with self._lock, warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # local mode has no payload indexes
                        result = route(self, name, body)
                except ValueError as error:
                    status = 409 if "already exists" in str(error) else 404
                    return status, {"status": {"error": str(error)}, "time": 0.0}
                return 200, {"result": _plain(result), "status": "ok", "time": 0.0}
        return 405, {"status": {"error": f"{method} {path} is not spoken here"}, "time": 0.0}


def _plain(value: Any) -> Any:
    """Return a result as JSON has it."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _create(server: LocalQdrant, name: str, body: Any) -> Any:
    vectors = TypeAdapter(models.VectorsConfig).validate_python(body["vectors"])
    sparse = TypeAdapter(dict[str, models.SparseVectorParams]).validate_python(
        body.get("sparse_vectors") or {}
    )
    return server.client.create_collection(
        name, vectors_config=vectors, sparse_vectors_config=sparse
    )


def _aliases(server: LocalQdrant, _: str, body: Any) -> Any:
    change = models.ChangeAliasesOperation.model_validate(body)
    return server.client.update_collection_aliases(change.actions)


def _upsert(server: LocalQdrant, name: str, body: Any) -> Any:
    points = models.PointsList.model_validate(body)
    return server.client.upsert(name, points.points, update_filter=points.update_filter)


def _retrieve(server: LocalQdrant, name: str, body: Any) -> Any:
    request = models.PointRequest.model_validate(body)
    return server.client.retrieve(
        name, request.ids,
        with_payload=True if request.with_payload is None else request.with_payload,
        with_vectors=request.with_vector or False,
    )  # fmt: skip


def _scroll(server: LocalQdrant, name: str, body: Any) -> Any:
    request = models.ScrollRequest.model_validate(body)
    points, offset = server.client.scroll(
        name, scroll_filter=request.filter, limit=request.limit or 10, offset=request.offset,
        with_payload=True if request.with_payload is None else request.with_payload,
        with_vectors=request.with_vector or False,
    )  # fmt: skip
    return models.ScrollResult(points=points, next_page_offset=offset)


def _delete(server: LocalQdrant, name: str, body: Any) -> Any:
    selector = TypeAdapter(models.PointsSelector).validate_python(body)
    return server.client.delete(name, selector)


def _query(server: LocalQdrant, name: str, body: Any) -> Any:
    searches = models.QueryRequestBatch.model_validate(body).searches
    return server.client.query_batch_points(name, searches)


def _query_one(server: LocalQdrant, name: str, body: Any) -> Any:
    return _query(server, name, {"searches": [body]})[0]


_NAME = r"/collections/([^/]+)"
ROUTES: dict[tuple[str, str], Route] = {
    ("GET", "/aliases"): lambda server, *_: server.client.get_aliases(),
    ("GET", "/collections"): lambda server, *_: server.client.get_collections(),
    ("POST", "/collections/aliases"): _aliases,
    ("GET", _NAME): lambda server, name, _: server.client.get_collection(name),
    ("PUT", _NAME): _create,
    ("DELETE", _NAME): lambda server, name, _: server.client.delete_collection(name),
    ("PUT", _NAME + "/index"): lambda *_: models.UpdateResult(status="completed"),  # type: ignore[arg-type]
    ("PUT", _NAME + "/points"): _upsert,
    ("POST", _NAME + "/points"): _retrieve,
    ("POST", _NAME + "/points/scroll"): _scroll,
    ("POST", _NAME + "/points/delete"): _delete,
    ("POST", _NAME + "/points/query"): _query_one,
    ("POST", _NAME + "/points/query/batch"): _query,
}
