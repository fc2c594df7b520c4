"""Hits → the same hits in the order of a reranking model behind an endpoint. Optional.

Speaks the ``/rerank`` request that Jina, Cohere, vLLM, llama.cpp's server and others share, and the
form of Text Embeddings Inference, which names things otherwise. Sends the query, and for each hit
its title, section and sentence; not the window, so that the window's size changes no ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from rag.errors import ModelError, ModelRejected, ModelUnreachable
from rag.types import Hit

if TYPE_CHECKING:
    import httpx

    from rag.settings import Settings

CONNECT_SECONDS = 10.0
"""The longest wait for a connection; the answer may take ``timeout_seconds``."""


@dataclass(slots=True)
class Reranker:
    """An endpoint's reranking model. ``url`` is what ``/rerank`` is added to.

    ``candidates`` is how many hits are sent at most, the best first.
    """

    url: str
    model: str | None
    key: str | None = field(repr=False)
    timeout_seconds: float
    trust_env: bool
    candidates: int
    _wants_texts: bool = False

    def __call__(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return ``hits`` by falling score of the model, ranked from 1, each with its score.

        Those beyond ``candidates`` follow as they were. Raises
        :class:`~rag.errors.ModelUnreachable`, :class:`~rag.errors.ModelRejected`, or
        :class:`~rag.errors.ModelError` for an answer that cannot be read.
        """
        if not hits:
            return []
        sent, others = hits[: self.candidates], hits[self.candidates :]
        scores = self._scores(query, [_text(hit) for hit in sent])
        scored = [replace(h, reranked=score) for h, score in zip(sent, scores, strict=True)]
        # A server may return fewer than it was sent: those it left out come after the others.
        scored.sort(key=lambda h: (h.reranked is None, -(h.reranked or 0.0), h.rank))
        return [replace(hit, rank=rank) for rank, hit in enumerate([*scored, *others], 1)]

    def _scores(self, query: str, texts: list[str]) -> list[float | None]:
        import httpx

        timeout = httpx.Timeout(
            self.timeout_seconds, connect=min(self.timeout_seconds, CONNECT_SECONDS)
        )
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            with httpx.Client(timeout=timeout, trust_env=self.trust_env, headers=headers) as client:
                response = self._post(client, query, texts)
        except httpx.TimeoutException:
            raise ModelUnreachable(
                f"No sign of the reranker at {self.url} within {self.timeout_seconds:g} seconds; "
                "RAG_OPENAI_TIMEOUT sets how long to wait"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelUnreachable(
                f"Cannot reach the reranker at {self.url}: {error}; check RAG_RERANK_BASE_URL, and "
                "that the server is running, or unset it to go without"
            ) from None
        if response.status_code != 200:
            raise ModelRejected(self._refusal(response), response.status_code)
        return self._read(response, len(texts))

    def _post(self, client: httpx.Client, query: str, texts: list[str]) -> httpx.Response:
        url = f"{self.url}/rerank"
        common: dict[str, Any] = {"query": query, "documents": texts, "top_n": len(texts)}
        if self.model:
            common["model"] = self.model
        if not self._wants_texts:
            response = client.post(url, json=common)
            if response.status_code not in (400, 422) or "texts" not in response.text:
                return response
            self._wants_texts = True
        return client.post(url, json={"query": query, "texts": texts})

    def _read(self, response: httpx.Response, count: int) -> list[float | None]:
        scores: list[float | None] = [None] * count
        try:
            body = response.json()
            for result in body["results"] if isinstance(body, dict) else body:
                score = float(result.get("relevance_score", result.get("score")))
                if isfinite(score):  # a score that is no number says nothing
                    scores[range(count)[result["index"]]] = score
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise ModelError(
                f"The reranker at {self.url} does not speak the /rerank protocol: expected a list "
                f"of index and score, got {' '.join(response.text.split())[:100]!r} ({error}); "
                "check RAG_RERANK_BASE_URL"
            ) from None
        return scores

    def _refusal(self, response: httpx.Response) -> str:
        status = response.status_code
        advice = {
            401: "check RAG_RERANK_API_KEY",
            403: "check RAG_RERANK_API_KEY",
            404: "check RAG_RERANK_BASE_URL and RAG_RERANK_MODEL",
            429: "wait, or check the quota",
        }.get(status, "see the server's log" if status >= 500 else "check RAG_RERANK_MODEL")
        said = " ".join(response.text.split())[:200] or response.reason_phrase
        if self.key:
            said = said.replace(self.key, "…")
        return f"The reranker at {self.url} answered {status}: {said}; {advice}"


def open_reranker(settings: Settings) -> Reranker | None:
    """Return the reranker that ``settings`` names; None when it names none."""
    if not settings.rerank_base_url:
        return None
    return Reranker(
        settings.rerank_base_url.rstrip("/"),
        settings.rerank_model,
        settings.rerank_api_key,
        settings.openai_timeout_seconds,
        settings.openai_trust_env,
        settings.rerank_candidates,
    )


def _text(hit: Hit) -> str:
    sentence = hit.sentence
    place = " › ".join(dict.fromkeys(part for part in (sentence.title, *sentence.section) if part))
    return f"{place}: {sentence.text}" if place else sentence.text
