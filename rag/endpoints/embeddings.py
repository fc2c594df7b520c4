"""Texts → vectors by an OpenAI-compatible endpoint, through ``OpenAIEmbeddings`` of LangChain.

Texts are sent as strings, in batches bounded by count and size, several at a time; results are
matched by index. The libraries are imported at the first request. Knows nothing of documents.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING

from rag.embeddings import TextRejected, checked, clean
from rag.endpoints.batches import BATCH_TEXTS, batches_of, vectors_of
from rag.errors import ModelError, ModelRejected, SettingsError

if TYPE_CHECKING:
    import httpx
    from langchain_openai import OpenAIEmbeddings

    from rag.embeddings import Matrix
    from rag.endpoints.endpoint import Endpoint
    from rag.settings import Settings
    from rag.stores.base import Vector

CONCURRENCY = 4
"""Requests under way at a time."""

ATTEMPTS, PATIENT_ATTEMPTS = 3, 8
"""How often a request is sent that a busy or failing endpoint did not answer: a question or the
first batch, and later batches of a build, for which it pays to wait half a minute."""

RETRY_AFTER_SECONDS, PATIENT_RETRY_AFTER_SECONDS = 20.0, 120.0
"""The longest Retry-After that is waited for, likewise."""

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
        self._batch_texts = BATCH_TEXTS  # fewer once a batch was refused
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
            vector: Vector = self._ask([self.prefixes[0] + clean(text)], Event())[0]
        except TextRejected as error:
            raise ModelRejected(f"{self.model} {error}", error.status) from None
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Iterator[tuple[int, Matrix]]:
        """Yield the vectors of ``texts``, batch by batch, as they come.

        The first batch ever is asked for alone: a wrong key or model costs one request.
        """
        inputs = [self.prefixes[1] + clean(text) for text in texts]
        batches = list(batches_of(inputs, self._batch_texts))
        stop = Event()
        if self.known_dimension is None and batches:
            first, batch = batches.pop(0)
            yield first, self._embed(first, batch, stop)
        pool = ThreadPoolExecutor(CONCURRENCY, thread_name_prefix="embed")
        try:
            futures = {
                pool.submit(self._embed, first, batch, stop, patient=True): first
                for first, batch in batches
            }
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)

    def _embed(self, first: int, texts: list[str], stop: Event, *, patient: bool = False) -> Matrix:
        """Embed ``texts``, which stand from ``first`` on; a batch that is refused, by halves."""
        import numpy as np

        try:
            return self._ask(texts, stop, patient=patient)
        except TextRejected as error:
            raise TextRejected(str(error), first + error.index, error.status) from None
        except ModelRejected as error:
            if error.status not in _TOO_MUCH:
                raise
            if len(texts) == 1:
                raise TextRejected(str(error), first, error.status) from error
        half = len(texts) // 2
        left = self._embed(first, texts[:half], stop, patient=patient)
        self._batch_texts = min(self._batch_texts, half)
        right = self._embed(first + half, texts[half:], stop, patient=patient)
        return np.concatenate([left, right])

    def _ask(self, texts: list[str], stop: Event, *, patient: bool = False) -> Matrix:
        """Send a request until it is answered, or cannot be, or ``stop`` is set."""
        from rag.endpoints.retries import wait_seconds

        attempts = PATIENT_ATTEMPTS if patient else ATTEMPTS
        longest = PATIENT_RETRY_AFTER_SECONDS if patient else RETRY_AFTER_SECONDS
        for attempt in range(attempts):
            try:
                return self._request(texts)
            except ModelError as error:
                wait = wait_seconds(error, attempt, longest=longest)
                if wait is None or attempt == attempts - 1 or stop.wait(wait):
                    raise
        raise AssertionError("the last attempt returned or raised")

    def _request(self, texts: list[str]) -> Matrix:
        """Send one request; return unit vectors in the order of ``texts``."""
        from rag.endpoints.faults import named_errors

        with named_errors(self._endpoint):
            # Not embed_documents: it takes the results in the order in which they come.
            answer = self._client.client.create(
                input=texts, model=self.model, encoding_format="float"
            )
        try:
            vectors = vectors_of(answer, len(texts))
        except ValueError as error:
            raise self._strange(str(error)) from None
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
        from rag.endpoints.endpoint import Endpoint

        return Endpoint.of_embeddings(self._settings)

    @cached_property
    def _http(self) -> httpx.Client:
        client = self._endpoint.client()
        weakref.finalize(self, client.close)  # with its connections, when nobody asks any more
        return client

    @cached_property
    def _client(self) -> OpenAIEmbeddings:
        from langchain_openai import OpenAIEmbeddings
        from pydantic import SecretStr

        return OpenAIEmbeddings(
            model=self.model,
            api_key=SecretStr(self._endpoint.key),
            base_url=self._endpoint.url,
            check_embedding_ctx_length=False,  # strings, not token ids; no vocabulary is downloaded
            max_retries=0,  # they are ours: the client's own wait for a server that hangs again
            default_headers=dict(self._settings.openai_headers),
            http_client=self._http,
            timeout=self._endpoint.timeout(),  # left out it would be none, whatever the client has
            async_client=object(),  # none is wanted: making one reads the environment's proxies
            openai_proxy="",  # the client above knows which
        )
