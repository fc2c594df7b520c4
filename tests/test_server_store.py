"""The store on a server: what is on the server, what may go wrong with it, what LangChain sees."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Event, main_thread
from traceback import extract_stack

import pytest
from qdrant_client import models

from rag.errors import SettingsError, StoreBusy, StoreError, StoreMissing, StoreUnreachable
from rag.keywords import passage_vector, query_vector
from rag.settings import Settings
from rag.stores import current_generation, open_store, open_writer
from rag.stores.payload import COLLECTION_ID, LOCK_ID
from rag.stores.server_client import connect, retried
from rag.stores.server_collections import ServerCollections
from rag.stores.server_lock import PointLock
from rag.stores.server_points import collection_parameters
from tests.qdrant_server import REFUSED, QdrantServer
from tests.store_backends import (
    FINGERPRINT,
    RECORD,
    Http,
    Memory,
    build,
    document,
    keys,
    point,
    put,
    vector,
)

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect")

A, B = vector(1), vector(0, 1)


@pytest.fixture
def backend():
    backend = Memory()
    yield backend
    backend.close()


def collections(backend: Memory) -> list[str]:
    return sorted(c.name for c in backend.client.get_collections().collections)


def aliases(backend: Memory) -> dict[str, str]:
    return {a.alias_name: a.collection_name for a in backend.client.get_aliases().aliases}


def make(backend: Memory, name: str, size: int = 4) -> None:
    """Make a collection as another program would."""
    params = models.VectorParams(size=size, distance=models.Distance.COSINE)
    backend.client.create_collection(name, vectors_config=params)


def name_it(backend: Memory, collection: str) -> None:
    alias = models.CreateAlias(collection_name=collection, alias_name="window_db")
    backend.client.update_collection_aliases([models.CreateAliasOperation(create_alias=alias)])


def test_full_build_switches_the_alias(backend):
    """A full build fills a new collection, switches the alias, and removes the old one alone."""
    make(backend, "theirs")
    make(backend, "window_db--notes")
    build(backend, {"a": [A]})
    first = aliases(backend)["window_db"]
    with backend.writer(full=True) as writer:
        put(writer, "b", [B])
        assert aliases(backend)["window_db"] == first
        assert keys(backend.open().sentences()) == [("a", 0)]
        writer.finish(RECORD)
    second = aliases(backend)["window_db"]
    assert second != first
    assert collections(backend) == sorted(["theirs", "window_db--notes", second])


def test_normal_build_stays(backend):
    """A normal build changes the collection that the alias names."""
    build(backend, {"a": [A]})
    before = aliases(backend)
    build(backend, {"b": [B]})
    assert aliases(backend) == before


def test_first_build_that_ended_early(backend):
    """Of a first build that did not finish nothing is read, and nothing is left by the next."""

    def fail() -> None:
        with backend.writer() as writer:
            put(writer, "a", [A])
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert backend.generation() is None
    with pytest.raises(StoreMissing, match=r"python store\.py"):
        backend.open()
    build(backend, {"b": [B]})
    assert keys(backend.open().sentences()) == [("b", 0)]
    assert collections(backend) == [aliases(backend)["window_db"]]


def test_missing_alias(backend):
    """Without its alias a collection is not found; the next build makes a new one."""
    build(backend, {"a": [A]})
    delete = models.DeleteAlias(alias_name="window_db")
    backend.client.update_collection_aliases([models.DeleteAliasOperation(delete_alias=delete)])
    with pytest.raises(StoreMissing, match=r"No collection window_db .*python store\.py"):
        backend.open()
    build(backend, {"b": [B]})
    assert keys(backend.open().sentences()) == [("b", 0)]
    assert len(collections(backend)) == 1


@pytest.mark.parametrize("alias", [False, True])
def test_written_by_something_else(backend, alias):
    """A collection of another program is refused by readers and builders, and not touched."""
    make(backend, "theirs" if alias else "window_db")
    if alias:
        name_it(backend, "theirs")
    before = collections(backend)
    for use in (backend.open, backend.writer().__enter__):
        with pytest.raises(StoreError, match="was written by something else"):
            use()
    assert collections(backend) == before


def test_other_vectors(backend):
    """A collection whose vectors are not those of its record is refused by name."""
    build(backend, {"a": [A]})
    record = backend.client.retrieve(aliases(backend)["window_db"], [str(COLLECTION_ID)])[0]
    make(backend, other := "window_db--20200101T000000-00000000", size=3)
    backend.client.upsert(
        other, [models.PointStruct(id=record.id, vector={}, payload=record.payload)]
    )
    name_it(backend, other)
    with pytest.raises(StoreError, match=r"expected vectors dense of 4 dimensions, found None"):
        backend.open()


def test_foreign_payload(backend):
    """A sentence without our fields is a named error, not a KeyError."""
    build(backend, {"a": [A]})
    stranger = models.PointStruct(id=7, vector={"dense": [1, 0, 0, 0]}, payload={"text": "x"})
    backend.client.upsert("window_db", [stranger])
    with pytest.raises(StoreError, match=r"did not write .*python store\.py --full"):
        backend.open().search(dense=A, limit=5)


def test_interrupted_at_the_end():
    """Ctrl-C while the last documents are written leaves neither the lock nor a half collection."""
    backend, interrupted = Http(), Event()

    def slow():
        """Wait until the build waits for these points, and interrupt it."""
        main = main_thread().ident
        while "shutdown" not in [f.name for f in extract_stack(sys._current_frames()[main])]:
            time.sleep(0.01)
        signal.pthread_kill(main, signal.SIGINT)
        interrupted.wait(60)
        yield point("a", 0, A, {})

    build(backend, {"a": [A]})
    before = collections(backend)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), backend.writer(full=True) as writer:
            writer.add(document("a", 1), slow())
    finally:
        signal.signal(signal.SIGINT, handler)
        interrupted.set()
    assert collections(backend) == before
    with backend.writer():
        pass
    backend.close()


def test_dead_builder(backend):
    """The lock of a builder that gave no sign for a minute is taken over."""
    build(backend, {"a": [A]})
    with backend.writer():
        backend.client.set_payload("window_db", {"expires": 1.0}, points=[str(LOCK_ID)])
        with backend.writer():
            pass


def test_lost_lock(backend):
    """A builder that lost its lock to another stops before it changes more."""
    build(backend, {"a": [A]})
    physical = aliases(backend)["window_db"]
    lock = PointLock(backend.client, physical, "memory")
    lock.acquire()
    backend.client.set_payload(physical, {"expires": 1.0}, points=[str(LOCK_ID)])
    other = PointLock(backend.client, physical, "memory")
    other.acquire()
    lock.renew()
    with pytest.raises(StoreBusy, match="lost its lock"):
        lock.check()
    lock.release()
    other.renew()
    other.check()
    other.release()
    assert backend.client.retrieve(physical, [str(LOCK_ID)]) == []


def test_collection_parameters():
    """Any parameter of a collection can be set; ours stay."""
    given = {
        "shard_number": 3,
        "replication_factor": 2,
        "on_disk_payload": True,
        "hnsw_config": {"m": 32},
        "quantization_config": {"scalar": {"type": "int8", "always_ram": True}},
        "vectors": {"on_disk": True, "size": 7},
    }
    made = collection_parameters(384, given)
    assert (made["shard_number"], made["replication_factor"]) == (3, 2)
    assert made["hnsw_config"].m == 32
    assert made["quantization_config"].scalar.type == models.ScalarType.INT8
    dense = made["vectors_config"]["dense"]
    assert (dense.on_disk, dense.size, dense.distance) == (True, 384, models.Distance.COSINE)
    assert made["sparse_vectors_config"]["keyword"].modifier == models.Modifier.IDF


@pytest.mark.parametrize(
    "given",
    [
        {"shards": 3},
        {"hnsw_config": {"m": "many"}},
        {"vectors": {"colour": 1}},
        {"vectors": 3},
        {"sparse_vectors": {}},
    ],
)
def test_wrong_collection_parameters(given):
    """A parameter that Qdrant does not know is named, before anything is made."""
    with pytest.raises(SettingsError, match="QDRANT_COLLECTION_PARAMS"):
        collection_parameters(384, given)


def test_collection_parameters_arrive(backend):
    """The parameters of the settings are those of a new collection."""
    params = {"vectors": {"on_disk": True}}
    backend.settings = replace(backend.settings, qdrant_collection_params=params)
    build(backend, {"a": [A]})
    vectors = backend.client.get_collection("window_db").config.params.vectors
    assert vectors["dense"].on_disk is True


def uses(url: str, **overrides):
    """Return what a user does with a server."""
    settings = Settings(qdrant_url=url, qdrant_timeout_seconds=1, **overrides)
    return [
        lambda: open_store(settings),
        lambda: open_writer(settings, fingerprint=FINGERPRINT).__enter__(),
        lambda: current_generation(settings),
    ]


@pytest.mark.parametrize("status", [401, 403])
def test_wrong_key(status):
    """A wrong key is said to be one, with the variable to set, and is not shown."""
    with QdrantServer(status, body=REFUSED) as server:
        for use in uses(server.url, qdrant_api_key="the-secret"):
            with pytest.raises(
                StoreUnreachable, match=r"refused the key.*QDRANT_API_KEY"
            ) as caught:
                use()
            assert caught.value.url == server.url
            assert "the-secret" not in str(caught.value)
        assert server.requests[0][2]["api-key"] == "the-secret"


def test_dead_server():
    """Without a server there is one line that names it and what to run."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        for use in uses(url):
            with pytest.raises(StoreUnreachable, match=r"No answer .*docker compose") as caught:
                use()
            assert caught.value.url == url
            assert "\n" not in str(caught.value)


def test_passwords_in_addresses():
    """A name and password in the server's address are in no message."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        for use in uses(f"http://reader:s3@cret@127.0.0.1:{port}"):
            with pytest.raises(StoreUnreachable) as caught:
                use()
            assert f"http://127.0.0.1:{port}" in str(caught.value)
            assert "cret" not in f"{caught.value} {caught.value.url}"
    with pytest.raises(SettingsError) as wrong:
        open_store(Settings(qdrant_url="http://reader:s3cret@qdrant:99999"))
    assert "s3cret" not in str(wrong.value)


def test_dead_server_by_grpc():
    """So it is by gRPC, and no word beside it."""
    script = (
        "from rag.errors import StoreUnreachable; from rag.settings import Settings\n"
        "from rag.stores import open_store\n"
        "try: open_store(Settings(qdrant_url='http://127.0.0.1:9', qdrant_grpc=True))\n"
        "except StoreUnreachable as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60,
        cwd=Path(__file__).parent.parent,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.startswith("No answer from the Qdrant server at http://127.0.0.1:9 (failed")
    assert done.stdout.count("\n") == 1


def test_hanging_server():
    """A server that does not answer in time is given up."""
    with QdrantServer() as server, pytest.raises(StoreUnreachable, match="timed out"):
        uses(server.url)[0]()


def test_failing_server():
    """A server's own error is passed on in one line."""
    body = {"status": {"error": "Service internal error:\n disk is full"}}
    with (
        QdrantServer(500, body=body) as server,
        pytest.raises(StoreError, match="disk is full") as caught,
    ):
        uses(server.url)[0]()
    assert "\n" not in str(caught.value)


def test_no_qdrant_server():
    """Something else that listens at the address is not taken for Qdrant."""
    with QdrantServer(200, body=b"<html>Welcome</html>") as server:
        for use in uses(server.url):
            with pytest.raises(StoreUnreachable, match="does not answer like Qdrant"):
                use()


@pytest.mark.parametrize("url", ["ftp://qdrant", "http://qdrant:99999"])
def test_wrong_address(url):
    """An address that is none is a wrong setting."""
    with pytest.raises(SettingsError, match="QDRANT_URL"):
        open_store(Settings(qdrant_url=url))


def test_writes_are_repeated():
    """A write is sent again while the server is busy, and not when it says no."""
    with QdrantServer(503, 429, 200) as server:
        client = connect(Settings(qdrant_url=server.url))
        assert retried(lambda: client.delete_collection("x"), pause_seconds=0.01)
        assert len(server.requests) == 3
    with QdrantServer(400) as server:
        client = connect(Settings(qdrant_url=server.url))
        with pytest.raises(Exception, match="400"):
            retried(lambda: client.delete_collection("x"), pause_seconds=0.01)
        assert len(server.requests) == 1


def test_alias_is_switched_in_one_request(backend):
    """The alias is never missing: one request takes it from the old and gives it to the new."""
    with QdrantServer(200) as server:
        settings = Settings(qdrant_url=server.url)
        ServerCollections(connect(settings), settings).switch("window_db--x")
    assert [request[:2] for request in server.requests] == [("POST", "/collections/aliases")]


TEXTS = {
    "kettle.md": ["Fill the kettle with water.", "Error E07 means that it is empty."],
    "lamp.md": ["The lamp has three modes."],
}


@pytest.fixture
def langchain_store():
    """A collection of ours, opened by LangChain; dense vectors by the first word of a text."""
    from langchain_core.embeddings import Embeddings
    from langchain_qdrant import QdrantVectorStore, RetrievalMode, SparseEmbeddings
    from langchain_qdrant.sparse_embeddings import SparseVector

    first_words = {"Fill": A, "Error": B, "The": vector(0, 0, 1), "Why": vector(0, 0.6, 0.8)}

    class FirstWord(Embeddings):
        def embed_query(self, text):
            return first_words.get(text.split()[0], A).tolist()

        def embed_documents(self, texts):
            return [self.embed_query(text) for text in texts]

    class OurTerms(SparseEmbeddings):
        def embed_query(self, text):
            terms = query_vector(text)
            return SparseVector(indices=list(terms.indices), values=list(terms.values))

        def embed_documents(self, texts):
            return [self.embed_query(text) for text in texts]

    backend = Http()
    with backend.writer() as writer:
        for path, texts in TEXTS.items():
            points = []
            for i, text in enumerate(texts):
                made = point(path, i, first_words[text.split()[0]], {}, {"lang": "en"})
                sentence = replace(made.sentence, text=text)
                points.append(replace(made, sentence=sentence, keyword=passage_vector(text)))
            writer.add(document(path, len(points)), points)
        writer.finish(RECORD)

    def opened(mode: str) -> QdrantVectorStore:
        return QdrantVectorStore.from_existing_collection(
            "window_db", FirstWord(), RetrievalMode(mode), url=backend.settings.qdrant_url,
            vector_name="dense", sparse_embedding=OurTerms(), sparse_vector_name="keyword",
            check_compatibility=False,
        )  # fmt: skip

    yield opened
    backend.close()


@pytest.mark.parametrize("mode", ["dense", "sparse", "hybrid"])
def test_langchain(langchain_store, mode):
    """LangChain's own store opens our collection and finds sentences, with their metadata."""
    store = langchain_store(mode)
    found = store.similarity_search("Error E07", k=10)
    assert found[0].page_content == "Error E07 means that it is empty."
    assert len(found) == (1 if mode == "sparse" else 3)  # no record of ours among them
    metadata = found[0].metadata
    assert (metadata["source"], metadata["index"], metadata["lang"]) == ("kettle.md", 1, "en")
    assert metadata["original_text"] == found[0].page_content
    assert metadata["window"] == "Window of Sentence 1 of kettle.md."


def test_langchain_filter(langchain_store):
    """LangChain's filters work on our metadata."""
    match = models.MatchValue(value="lamp.md")
    condition = models.FieldCondition(key="metadata.source", match=match)
    store = langchain_store("hybrid")
    found = store.similarity_search("Why E07", k=10, filter=models.Filter(must=[condition]))
    assert [document.metadata["source"] for document in found] == ["lamp.md"]
