"""Hits → the same hits in the order of a reranking model behind an endpoint. Optional.

Speaks the ``/rerank`` request that Jina, Cohere, vLLM, llama.cpp's server and others share, and the
form of Text Embeddings Inference, which names things otherwise. Sends the query, and for each hit
its title, section and sentence; not the window, so that the window's size changes no ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from rag.errors import ModelError, ModelRejected, ModelUnreachable, SettingsError
from rag.types import Hit

if TYPE_CHECKING:
    import httpx

    from rag.endpoints.endpoint import Endpoint
    from rag.settings import Settings


@dataclass(slots=True)
class Reranker:
    """The reranking model at ``settings.rerank_base_url``, to which ``/rerank`` is added."""

    settings: Settings
    _wants_texts: bool = False

    def __call__(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return ``hits`` by falling score of the model, ranked from 1, each with its score.

        Those beyond ``settings.rerank_candidates`` follow as they were. Raises
        :class:`~rag.errors.SettingsError`, :class:`~rag.errors.ModelUnreachable`,
        :class:`~rag.errors.ModelRejected`, or :class:`~rag.errors.ModelError` for an answer that
        cannot be read.
        """
        if not hits:
            return []
        candidates = self.settings.rerank_candidates
        sent, others = hits[:candidates], hits[candidates:]
        scores = self._scores(query, [_text(hit) for hit in sent])
        scored = [replace(h, reranked=score) for h, score in zip(sent, scores, strict=True)]
        # A server may return fewer than it was sent: those it left out come after the others.
        scored.sort(key=lambda h: (h.reranked is None, -(h.reranked or 0.0), h.rank))
        return [replace(hit, rank=rank) for rank, hit in enumerate([*scored, *others], 1)]

    def _scores(self, query: str, texts: list[str]) -> list[float | None]:
        import httpx

        from rag.endpoints.endpoint import Endpoint

        endpoint = Endpoint.of_rerank(self.settings)
        if not endpoint.key.isascii():
            raise SettingsError("RAG_RERANK_API_KEY holds a character beyond ASCII")
        try:
            with endpoint.client() as client:
                response = self._post(endpoint, client, query, texts)
        except httpx.TimeoutException:
            raise ModelUnreachable(
                f"No sign of the reranker at {endpoint.shown} within "
                f"{self.settings.openai_timeout_seconds:g} seconds; "
                "RAG_OPENAI_TIMEOUT sets how long to wait"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:  # http://a..b
            raise ModelUnreachable(
                f"Cannot reach the reranker at {endpoint.shown}: {endpoint.clean(str(error))}; "
                "check RAG_RERANK_BASE_URL, and that the server is running, or unset it to go "
                "without"
            ) from None
        if response.status_code != 200:
            raise ModelRejected(_refusal(endpoint, response), response.status_code)
        return _read(endpoint, response, len(texts))

    def _post(
        self, endpoint: Endpoint, client: httpx.Client, query: str, texts: list[str]
    ) -> httpx.Response:
        client.headers.update({"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {})
        url = f"{endpoint.url}/rerank"
        common: dict[str, Any] = {"query": query, "documents": texts, "top_n": len(texts)}
        if endpoint.model:
            common["model"] = endpoint.model
        if not self._wants_texts:
            response = client.post(url, json=common)
            if response.status_code not in (400, 422) or "texts" not in response.text:
                return response
            self._wants_texts = True
        return client.post(url, json={"query": query, "texts": texts})


def open_reranker(settings: Settings) -> Reranker | None:
    """Return the reranker that ``settings`` names; None when it names none."""
    return Reranker(settings) if settings.rerank_base_url else None


def _read(endpoint: Endpoint, response: httpx.Response, count: int) -> list[float | None]:
    scores: list[float | None] = [None] * count
    try:
        body = response.json()
        for result in body["results"] if isinstance(body, dict) else body:
            score = float(result.get("relevance_score", result.get("score")))
            if isfinite(score):  # a score that is no number says nothing
                scores[range(count)[result["index"]]] = score
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ModelError(
            f"The reranker at {endpoint.shown} does not speak the /rerank protocol: expected a "
            f"list of index and score, got {endpoint.clean(response.text)[:100]!r} "
            f"({endpoint.clean(str(error))}); check RAG_RERANK_BASE_URL"
        ) from None
    return scores


def _refusal(endpoint: Endpoint, response: httpx.Response) -> str:
    status = response.status_code
    advice = {
        401: "check RAG_RERANK_API_KEY",
        403: "check RAG_RERANK_API_KEY",
        404: "check RAG_RERANK_BASE_URL and RAG_RERANK_MODEL",
        429: "wait, or check the quota",
    }.get(status, "see the server's log" if status >= 500 else "check RAG_RERANK_MODEL")
    said = endpoint.clean(response.text) or response.reason_phrase
    return f"The reranker at {endpoint.shown} answered {status}: {said}; {advice}"


def _text(hit: Hit) -> str:
    sentence = hit.sentence
    place = " › ".join(dict.fromkeys(part for part in (sentence.title, *sentence.section) if part))
    return f"{place}: {sentence.text}" if place else sentence.text
