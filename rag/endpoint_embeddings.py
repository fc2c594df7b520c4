"""Texts → vectors by an OpenAI-compatible endpoint, through ``OpenAIEmbeddings`` of LangChain.

Texts are sent as strings, in batches bounded by count and size, several at a time; results are
matched by index. The libraries are imported at the first request. Knows nothing of documents.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cached_property
from typing import TYPE_CHECKING

from rag.embeddings import TextRejected, checked, clean
from rag.errors import ModelError, ModelRejected, SettingsError

if TYPE_CHECKING:
    import httpx
    from langchain_openai import OpenAIEmbeddings

    from rag.embeddings import Matrix
    from rag.endpoint import Endpoint
    from rag.settings import Settings
    from rag.stores.base import Vector

BATCH_TEXTS, BATCH_CHARACTERS = 64, 40_000
"""Most texts and characters of a request, one text at least. OpenAI takes 2,048 and some 300,000
tokens, others much less: a batch that is refused is halved, and so are those after it."""

CONCURRENCY = 4
"""Requests under way at a time."""

RETRIES, PATIENT_RETRIES = 2, 6
"""How often a request is sent again after 408, 409, 429, 5xx and broken connections: a question's
or the first, and later ones of a build. The client waits as Retry-After says, up to two minutes, or
half a second, doubled each time up to 8."""

_TOO_MUCH = (400, 413, 422)  # what a batch or a text that is not taken is answered with


class EndpointEmbeddings:
    """Embeddings of the model ``settings.embedding_model``.

    Raises :class:`~rag.errors.SettingsError` when no endpoint is set. ``prefixes`` come from the
    settings: some models want "query: " and "passage: ".
    """

    def __init__(self, settings: Settings) -> None:
        self.model = settings.embedding_model
        self.prefixes = (settings.embedding_query_prefix, settings.embedding_passage_prefix)
        self.known_dimension: int | None = None
        self._settings = settings
        self._batch_texts = BATCH_TEXTS
        keys_or_urls = (
            settings.embedding_api_key, settings.openai_api_key,
            settings.embedding_base_url, settings.openai_base_url,
        )  # fmt: skip
        if not any(keys_or_urls):
            raise SettingsError(
                f"RAG_EMBEDDING_MODEL is {self.model}, but there is neither OPENAI_API_KEY nor "
                "OPENAI_BASE_URL: set the key, or the address of an OpenAI-compatible server"
            )

    @property
    def dimension(self) -> int:
        """The length of its vectors; asks the endpoint once. Raises ModelError."""
        if self.known_dimension is None:
            self.embed_query("How long is a vector?")
        assert self.known_dimension is not None  # noqa: S101  set by every answer
        return self.known_dimension

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question: ``(dimension,)``, float32, unit norm."""
        try:
            vector: Vector = self._request(self._client, [self.prefixes[0] + clean(text)])[0]
        except TextRejected as error:
            raise ModelRejected(f"{self.model} {error}", error.status) from None
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Iterator[tuple[int, Matrix]]:
        """Yield the vectors of ``texts``, batch by batch, as they come.

        The first batch ever is asked for alone: a wrong key or model costs one request.
        """
        inputs = [self.prefixes[1] + clean(text) for text in texts]
        batches = list(_batches(inputs, self._batch_texts))
        if self.known_dimension is None and batches:
            first, batch = batches.pop(0)
            yield first, self._embed(self._client, first, batch)
        pool = ThreadPoolExecutor(CONCURRENCY, thread_name_prefix="embed")
        try:
            futures = {
                pool.submit(self._embed, self._patient_client, first, batch): first
                for first, batch in batches
            }
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _embed(self, client: OpenAIEmbeddings, first: int, texts: list[str]) -> Matrix:
        """Embed ``texts``, which stand from ``first`` on; a batch that is refused, by halves."""
        import numpy as np

        try:
            return self._request(client, texts)
        except TextRejected as error:
            raise TextRejected(str(error), first + error.index, error.status) from None
        except ModelRejected as error:
            if error.status not in _TOO_MUCH:
                raise
            if len(texts) == 1:
                raise TextRejected(str(error), first, error.status) from error
        half = len(texts) // 2
        left = self._embed(client, first, texts[:half])
        self._batch_texts = min(self._batch_texts, half)
        return np.concatenate([left, self._embed(client, first + half, texts[half:])])

    def _request(self, client: OpenAIEmbeddings, texts: list[str]) -> Matrix:
        """Send one request; return unit vectors in the order of ``texts``."""
        import numpy as np

        from rag.endpoint_errors import named_errors

        with named_errors(self._endpoint):
            # Not embed_documents: it takes the results in the order in which they come.
            answer = client.client.create(input=texts, model=self.model, encoding_format="float")
        try:
            data = sorted(answer.data, key=lambda each: each.index or 0)
            places = {each.index for each in data}
            vectors = np.array([each.embedding for each in data], dtype=np.float32)
        except (AttributeError, TypeError, ValueError):
            raise self._strange("no vectors of one length; check the base URL") from None
        if len(data) != len(texts):
            raise self._strange(f"{len(data)} vectors for {len(texts)} texts")
        if places not in ({None}, set(range(len(texts)))):
            raise self._strange("vectors that do not say which texts are theirs")
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise self._strange("vectors without numbers")
        if self.known_dimension is None:
            self.known_dimension = vectors.shape[1]
        if vectors.shape[1] != self.known_dimension:
            found, before = vectors.shape[1], self.known_dimension
            raise self._strange(f"{found}-dimensional vectors after {before}-dimensional ones")
        return checked(vectors, len(texts), self.known_dimension)

    def _strange(self, what: str) -> ModelError:
        return ModelError(f"{self._endpoint.shown} (model {self.model}) sent {what}")

    @cached_property
    def _endpoint(self) -> Endpoint:
        from rag.endpoint import Endpoint

        return Endpoint.of_embeddings(self._settings)

    @cached_property
    def _http(self) -> httpx.Client:
        client = self._endpoint.client()
        weakref.finalize(self, client.close)  # with its connections, when nobody asks any more
        return client

    @cached_property
    def _client(self) -> OpenAIEmbeddings:
        return self._connect(RETRIES)

    @cached_property
    def _patient_client(self) -> OpenAIEmbeddings:
        return self._connect(PATIENT_RETRIES)

    def _connect(self, retries: int) -> OpenAIEmbeddings:
        from langchain_openai import OpenAIEmbeddings
        from pydantic import SecretStr

        return OpenAIEmbeddings(
            model=self.model,
            api_key=SecretStr(self._endpoint.key),
            base_url=self._endpoint.url,
            check_embedding_ctx_length=False,  # strings, not token ids; no vocabulary is downloaded
            max_retries=retries,
            default_headers=dict(self._settings.openai_headers),
            http_client=self._http,
            async_client=object(),  # none is wanted: making one reads the environment's proxies
            openai_proxy="",  # the client above knows which
        )


def _batches(texts: Sequence[str], most: int) -> Iterator[tuple[int, list[str]]]:
    """Cut ``texts`` into batches; with each comes the index of its first text."""
    first, characters = 0, 0
    for place, text in enumerate(texts):
        full = place - first == most or characters + len(text) > BATCH_CHARACTERS
        if full and place > first:
            yield first, list(texts[first:place])
            first, characters = place, 0
        characters += len(text)
    if first < len(texts):
        yield first, list(texts[first:])
