"""Settings → what works and what does not, in plain words, for ``ask.py --check`` and the page.

Asks the collection, the embedding model, the reranker and the chat model one small thing each.
Shows no key.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.errors import RagError

if TYPE_CHECKING:
    from rag.embeddings import Embeddings
    from rag.endpoints.chat_model import Delta
    from rag.ranking.reranking import Reranker
    from rag.settings import Settings

PATIENCE_SECONDS = 30.0
"""How long the chat model may talk: one that thinks would need minutes for a word."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried. ``detail`` is one line: what was found, or what to do."""

    name: str
    ok: bool
    detail: str


def check(settings: Settings) -> Iterator[Check]:
    """Try everything that answering a question takes; yield each result as it is known.

    A failure is a result, not an exception. With a dead server it takes as long as
    ``openai_timeout_seconds`` says.
    """
    from rag.embeddings import open_embeddings
    from rag.ranking.reranking import open_reranker

    try:
        embeddings = open_embeddings(settings)
    except RagError as error:
        yield Check("Embedding model", False, str(error))
    else:
        yield _tried("Embedding model", lambda: _vector(embeddings))
        yield _tried("Collection", lambda: _collection(settings, embeddings))
    reranker = open_reranker(settings)
    if reranker is not None:
        yield _tried("Reranker", lambda: _reranked(reranker, settings))
    if settings.prompt_file is not None:
        yield _tried("Prompt", lambda: _prompt(settings))
    if settings.chat_model is None:
        yield Check("Chat model", True, "none is set (RAG_CHAT_MODEL): found sentences are shown")
        return
    reached = _tried("Chat endpoint", lambda: _models(settings))
    yield reached
    if reached.ok:
        yield from _chat(settings)


def _tried(name: str, what: Callable[[], str]) -> Check:
    try:
        return Check(name, True, what())
    except RagError as error:
        return Check(name, False, str(error))


def _vector(embeddings: Embeddings) -> str:
    began = time.perf_counter()
    size = len(embeddings.embed_query("How long is the warranty?"))
    took = (time.perf_counter() - began) * 1000
    return f"{embeddings.model}: a vector of {size} numbers in {took:,.0f} ms"


def _collection(settings: Settings, embeddings: Embeddings) -> str:
    from rag.collection import open_matching

    store, _ = open_matching(settings, embeddings)
    info = store.info
    store.close()
    size = f"{info.documents:,} documents, {info.sentences:,} sentences"
    return f"{info.collection} in {info.location}: {size}"


def _reranked(reranker: Reranker, settings: Settings) -> str:
    from rag.types import Hit, Sentence

    text = "The warranty is 24 months."
    began = time.perf_counter()
    reranker("How long is the warranty?", [Hit(Sentence("", 0, 0, len(text), text), 1)])
    took = (time.perf_counter() - began) * 1000
    return f"{settings.rerank_model or 'its model'}: a score in {took:,.0f} ms"


def _prompt(settings: Settings) -> str:
    from rag.answering import system_prompt

    return f"{settings.prompt_file}: {len(system_prompt(settings) or ''):,} characters"


def _models(settings: Settings) -> str:
    """Ask for the list of models, which not every server has."""
    import openai

    from rag.endpoints.chat_model import list_models
    from rag.endpoints.endpoint import Endpoint
    from rag.endpoints.faults import named_errors

    endpoint = Endpoint.of_chat(settings)
    with endpoint.client() as client, named_errors(endpoint):
        try:
            names = list_models(endpoint, client)
        except openai.APIStatusError as error:
            if error.status_code not in (404, 405, 501):
                raise
            return f"{endpoint.shown} answers; it does not list its models"
    if endpoint.model in names:
        return f"{endpoint.shown} answers; {endpoint.model} is one of its {len(names)} models"
    listed = endpoint.clean(", ".join(names)) or "none"
    return f"{endpoint.shown} answers; it does not list {endpoint.model}, but {listed}"


def _chat(settings: Settings) -> Iterator[Check]:
    """Ask the chat model for a word, and yield what its stream was like."""
    from rag.endpoints.chat_connection import ChatConnection
    from rag.prompt import Message

    began = time.perf_counter()
    connection = ChatConnection(settings)
    deltas: list[Delta] = []
    times: list[float] = []
    try:
        for delta in connection.stream([Message("user", "Reply with the word OK.")]):
            times.append(time.perf_counter() - began)
            deltas.append(delta)
            if times[-1] > PATIENCE_SECONDS:
                connection.stop()
    except RagError as error:
        yield Check("Chat model", False, str(error))
        return
    said = [delta for delta in deltas if delta.text or delta.reasoning]
    ended = any(delta.finish for delta in deltas)
    if not said or (ended and not any(delta.text for delta in said)):
        gave = "thought and gave no answer" if said else "gave an empty answer"
        yield Check("Chat model", False, f"{settings.chat_model} {gave}")
        return
    thinks = any(delta.reasoning for delta in deltas) or any("<think" in d.text for d in deltas)
    yield Check(
        "Chat model", True, f"{settings.chat_model} answers{', after thinking' if thinks else ''}"
    )
    pieces = f"{len(said)} pieces, the first after {times[0]:.1f} s"
    yield Check("Streaming", len(said) > 1 or len(said[0].text) < 20, pieces)
    usage = next((delta.usage for delta in reversed(deltas) if delta.usage), None)
    counted = f"{usage.input_tokens} tokens sent, {usage.output_tokens} made" if usage else ""
    asked = "asked for (RAG_STREAM_USAGE) and not given" if settings.stream_usage else "not given"
    yield Check(
        "Usage", bool(usage) or not settings.stream_usage, counted or f"{asked}; answers go without"
    )
