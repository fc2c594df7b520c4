"""A reranker behind HTTP puts the hits into its order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rag.errors import ModelError, ModelRejected, ModelUnreachable, RagError, SettingsError
from rag.ranking.reranking import open_reranker
from rag.retrieval import retrieve
from rag.settings import Settings
from rag.types import Hit, Sentence
from tests.http_server import Exchange, HttpServer
from tests.small_collection import WordEmbeddings, build_small

Answer = Callable[[dict[str, Any]], tuple[int, object]]


class RerankServer(HttpServer):
    """Answers POST …/rerank with what ``reply`` makes of the request; remembers the requests."""

    address = "http://127.0.0.1:{port}/v1"

    def __init__(self, reply: Answer) -> None:
        super().__init__()
        self.reply = reply
        self.requests: list[tuple[str, dict[str, Any], str | None]] = []

    def answer(self, exchange: Exchange) -> None:
        self.requests.append((exchange.path, exchange.json(), exchange.headers["Authorization"]))
        exchange.send(*self.reply(exchange.json()))


def by_length(body: dict[str, Any]) -> tuple[int, object]:
    """Jina's, Cohere's, vLLM's and llama.cpp's form: the longer a text, the better."""
    scored = [
        {"index": i, "relevance_score": len(text) / 100} for i, text in enumerate(body["documents"])
    ]
    return 200, {"results": sorted(scored, key=lambda s: -s["relevance_score"]), "model": "m"}


def texts_only(body: dict[str, Any]) -> tuple[int, object]:
    """The form of Text Embeddings Inference."""
    if "texts" not in body:
        return 422, {
            "error": "missing field `texts` at line 1 column 9",
            "error_type": "Validation",
        }
    assert set(body) == {"query", "texts"}
    return 200, [{"index": i, "score": len(text)} for i, text in enumerate(body["texts"])]


@pytest.fixture
def server() -> Iterator[RerankServer]:
    with RerankServer(by_length) as server:
        yield server


def hits(*texts: str) -> list[Hit]:
    return [
        Hit(Sentence("a.md", i, 0, len(text), text, "Pump", section=("Pump", "Care")), i + 1, 0.9)
        for i, text in enumerate(texts)
    ]


def rerank(settings: Settings, found: list[Hit]) -> list[Hit]:
    reranker = open_reranker(settings)
    assert reranker is not None
    return reranker("why?", found)


def order(found: list[Hit]) -> list[str]:
    return [hit.sentence.text for hit in found]


def test_none_is_needed() -> None:
    """Without an address there is no reranker."""
    assert open_reranker(Settings()) is None


def test_reordered(server: RerankServer) -> None:
    """Hits come back in the model's order, with its score and their own scores and ranks."""
    settings = Settings(
        rerank_base_url=server.url + "/", rerank_model="m", rerank_api_key="secret-key"
    )
    found = rerank(settings, hits("ab", "abcd", "abc"))
    assert order(found) == ["abcd", "abc", "ab"]
    assert [(hit.rank, hit.reranked, hit.dense) for hit in found] == [
        (1, 0.17, 0.9), (2, 0.16, 0.9), (3, 0.15, 0.9),
    ]  # fmt: skip
    path, body, key = server.requests[0]
    assert path == "/v1/rerank"
    assert key == "Bearer secret-key"
    assert body == {
        "model": "m", "query": "why?", "top_n": 3,
        "documents": ["Pump › Care: ab", "Pump › Care: abcd", "Pump › Care: abc"],
    }  # fmt: skip


def test_the_form_of_tei() -> None:
    """A server that wants `texts` gets them, from the second request on at once."""
    with RerankServer(texts_only) as server:
        reranker = open_reranker(Settings(rerank_base_url=server.url))
        assert reranker is not None
        for _ in range(2):
            assert order(reranker("why?", hits("ab", "abc"))) == ["abc", "ab"]
        assert ["texts" in body for _, body, _ in server.requests] == [False, True, True]


def test_only_the_candidates_are_sent(server: RerankServer) -> None:
    """Hits beyond the candidates follow as they were; no hits, no request."""
    settings = Settings(rerank_base_url=server.url, rerank_candidates=2)
    found = rerank(settings, hits("a", "ab", "abcdef", "abc"))
    assert order(found) == ["ab", "a", "abcdef", "abc"]
    assert [hit.rank for hit in found] == [1, 2, 3, 4]
    assert [hit.reranked is None for hit in found] == [False, False, True, True]
    assert rerank(settings, []) == []
    assert len(server.requests) == 1


def test_hits_left_out_come_last(server: RerankServer) -> None:
    """What the server does not score, or scores with no number, follows in its old order."""
    scores = [{"index": 2, "score": -3.5}, {"index": 0, "score": float("nan")}]
    server.reply = lambda _: (200, {"results": scores})
    found = rerank(Settings(rerank_base_url=server.url), hits("a", "b", "c"))
    assert order(found) == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "RAG_RERANK_API_KEY"), (404, "RAG_RERANK_BASE_URL"), (429, "wait"),
        (400, "RAG_RERANK_MODEL"), (500, "log"),
    ],
)  # fmt: skip
def test_rejected(server: RerankServer, status: int, advice: str) -> None:
    """A refusal is one line with address, status, reason and advice, and without the key."""
    server.reply = lambda _: (status, {"error": "no\nway, secret-key"})
    with pytest.raises(ModelRejected) as error:
        rerank(Settings(rerank_base_url=server.url, rerank_api_key="secret-key"), hits("a"))
    message = str(error.value)
    assert error.value.status == status
    assert all(part in message for part in (server.url, str(status), "no", advice))
    assert "\n" not in message
    assert "secret-key" not in message


@pytest.mark.parametrize(
    "reply",
    [
        b"<html>hello</html>", {"data": []}, {"results": [{"index": 9, "score": 1.0}]},
        {"results": [{"index": 0}]}, {"results": ["x"]}, [{"score": 1.0}], "no", None,
        {"results": None},
    ],
)  # fmt: skip
def test_another_protocol(server: RerankServer, reply: object) -> None:
    """An answer that is no list of index and score is a named error."""
    server.reply = lambda _: (200, reply)
    with pytest.raises(ModelError, match="RAG_RERANK_BASE_URL"):
        rerank(Settings(rerank_base_url=server.url), hits("a"))


def test_unreachable(server: RerankServer) -> None:
    """No server and a silent server are told apart from a refusal; a wrong address is named."""
    silent = threading.Event()

    def late(_: object) -> tuple[int, object]:
        silent.wait(5)
        return 200, []

    server.reply = late
    slow = Settings(rerank_base_url=server.url, openai_timeout_seconds=0.2)
    with pytest.raises(ModelUnreachable, match=r"within 0\.2 seconds"):
        rerank(slow, hits("a"))
    silent.set()
    for url in ("http://127.0.0.1:1", "http://", "http://a..b"):
        with pytest.raises(ModelUnreachable, match="RAG_RERANK_BASE_URL"):
            rerank(Settings(rerank_base_url=url), hits("a"))
    for url in ("nonsense", "http://[::1"):
        with pytest.raises(SettingsError, match=r"RAG_RERANK_BASE_URL is .*: expected"):
            rerank(Settings(rerank_base_url=url), hits("a"))


def failure(settings: Settings) -> str:
    """What is said when the reranker cannot be asked as ``settings`` say."""
    with pytest.raises(RagError) as error:
        rerank(settings, hits("a"))
    return str(error.value)


def test_no_secret_reaches_a_message(server: RerankServer) -> None:
    """Neither a password in the address nor the key, whatever the server or the network says."""
    url = server.url.replace("//", "//me:p@ss-secret-1@")
    settings = Settings(
        rerank_base_url=url, rerank_api_key="secret-2",
        openai_headers={"Authorization": "Bearer secret-3"}, openai_trust_env=False,
    )  # fmt: skip
    said: list[str] = []
    for reply in ((401, "secret-2? secret-3?"), (200, "secret-2"), (200, [{"score": "secret-2"}])):
        server.reply = lambda _, reply=reply: reply  # type: ignore[misc]
        said.append(failure(settings))
    silent = threading.Event()
    server.reply = lambda _: (200 + silent.wait(5), [])
    said.append(failure(settings.with_(openai_timeout_seconds=0.2)))
    silent.set()
    said.append(failure(settings.with_(rerank_base_url="http://me:secret-1@127.0.0.1:1")))
    said.append(failure(settings.with_(rerank_base_url="me:secret-1@127.0.0.1:1")))
    assert "127.0.0.1" in said[0]
    for text in said:
        assert "secret" not in text
        assert "me:" not in text


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "gopher://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used(
    server: RerankServer, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    """A proxy of an unknown kind is a named error, and does no harm where it is not trusted."""
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.setenv("NO_PROXY", "")
    settings = Settings(rerank_base_url=server.url)
    assert "RAG_OPENAI_TRUST_ENV=false goes without" in failure(settings)
    assert order(rerank(settings.with_(openai_trust_env=False), hits("a", "ab"))) == ["ab", "a"]


def test_what_no_header_can_hold(server: RerankServer) -> None:
    """A key with a character beyond ASCII is a named error, which does not show it."""
    said = failure(Settings(rerank_base_url=server.url, rerank_api_key="sk-1…"))
    assert said == "RAG_RERANK_API_KEY holds a character beyond ASCII"


def test_in_retrieval(server: RerankServer, tmp_path: Path) -> None:
    """Retrieval keeps the best of the reranked candidates, whatever the window's size."""
    embeddings = WordEmbeddings("pump")
    texts = {"a.md": "The pump. The pump is loud. A pump is a long thing to explain.\n"}
    store = build_small(tmp_path, texts, embeddings)
    reranker = open_reranker(Settings(rerank_base_url=server.url))
    found = [
        retrieve(
            store, embeddings, "pump", mode="hybrid", top_k=2, window_size=size, candidates=9,
            rerank=reranker,
        )
        for size in (0, 2)
    ]  # fmt: skip
    store.close()
    assert order(list(found[0].hits)) == ["A pump is a long thing to explain.", "The pump is loud."]
    assert found[0].hits == found[1].hits
    assert all(hit.fused is not None and hit.reranked is not None for hit in found[0].hits)


def test_weights_are_bounded() -> None:
    """Shares above 1 or below 0 are refused with the variable's name."""
    for name in ("keyword_weight", "merge_threshold"):
        for value in (1.5, -0.1):
            with pytest.raises(SettingsError, match=name.upper()):
                Settings(**{name: value})  # type: ignore[arg-type]
