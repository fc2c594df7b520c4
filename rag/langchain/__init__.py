"""Sentence windows for LangChain's pipelines, from our collections or any ``QdrantVectorStore``.

    from rag import SentenceWindowRetriever, Settings

    retriever = SentenceWindowRetriever.open(Settings.from_env())
    retriever.invoke("How long is the warranty?")
    retriever.invoke("How long is the warranty?", window_size=0, top_k=3)

Over a vector store: ``SentenceWindowRetriever(vectorstore=…)``; the metadata of its documents must
have the fields ``source_fields`` and ``position_field``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import run_in_executor
from pydantic import Field, model_validator

from rag.langchain.documents import (
    groups,
    hit_documents,
    joined,
    sentence_document,
    window_documents,
)
from rag.langchain.points import Fields, Points, StorePoints
from rag.langchain.qdrant import VectorStorePoints
from rag.retrieval import clean_query
from rag.types import Hit, Mode

if TYPE_CHECKING:
    from rag.settings import Settings


@dataclass(frozen=True, slots=True)
class Context:
    """The window of one document: its text, and the documents it consists of, in their order."""

    text: str
    documents: list[Document]


class SentenceWindowRetriever(BaseRetriever):
    """Finds single sentences and returns the windows around them, best first.

    Either ``store`` and ``embeddings`` (ours, see :meth:`open`), or ``vectorstore``. Every option
    can be given to :meth:`invoke` too, and wins there. An empty query lists what fulfils ``where``,
    in document order. Raises ``ValueError`` for options out of range, and what the store raises.
    """

    store: Any = None
    embeddings: Any = None
    vectorstore: Any = None
    mode: Mode | None = None
    """None: hybrid over our store; a vector store searches as it was made to, or as named here."""
    top_k: int = Field(default=6, gt=0)
    """Sentences found."""
    candidates: int = Field(default=60, gt=0)
    """Sentences that each leg of our store fetches before they are fused."""
    window_size: int = Field(default=2, ge=0)
    """Sentences on each side of a found one."""
    where: Any = ()
    """A sequence of ``Condition`` over our store, Qdrant's ``Filter`` over a vector store."""
    where_policy: Literal["replace", "merge"] = "replace"
    """Whether a filter given to ``invoke`` replaces this one, or must hold beside it."""
    output: Literal["windows", "hits"] = "windows"
    """Windows that overlap merged into one document, or a document a hit, in the hits' order."""
    merge_threshold: float | None = Field(default=None, gt=0, lt=1)
    """Auto-merging: the share of hits above which a paragraph, a section, … is the window."""
    max_characters: int = Field(default=6000, gt=0)
    """The most that auto-merging makes of one window."""
    scale_scores: bool = False
    """Whether ``score`` is brought into 0 to 1."""
    return_vectors: bool = False
    """Whether documents of single hits have their dense vector in the metadata, as ``vector``."""
    source_fields: tuple[str, ...] = ("source",)
    position_field: str = "index"
    start_field: str = "start"
    raise_on_missing: bool = True
    """Whether a document without these fields is an error; else it is returned as it is."""

    @classmethod
    def open(cls, settings: Settings, **options: Any) -> Self:
        """Open the collection that ``settings`` names; raises :class:`~rag.errors.RagError`."""
        from rag.collection import open_matching

        store, embeddings = open_matching(settings)
        names = ("mode", "top_k", "candidates", "window_size")
        defaults = {name: getattr(settings, name) for name in names}
        return cls(store=store, embeddings=embeddings, **defaults | options)

    @model_validator(mode="after")
    def _has_one_collection(self) -> Self:
        if (self.store is None) == (self.vectorstore is None):
            raise ValueError("give either store and embeddings, or vectorstore")
        return self

    def context(
        self, documents: Sequence[Document], window_size: int | None = None
    ) -> list[Context]:
        """Return the window of each document, unmerged, in their order, whoever found them.

        A document without the needed metadata raises ``ValueError``, or is its own window.
        """
        call = self._with(window_size=window_size)
        points = call._points()
        found: list[Hit | Document] = [
            d if points.fields.missing(d.metadata) else Hit(points.sentence(d), rank)
            for rank, d in enumerate(documents, 1)
        ]
        contexts = []
        for hit, group in groups(points, call._checked(found), call.window_size):
            if isinstance(hit, Document):
                contexts.append(Context(hit.page_content, [hit]))
            else:
                parts = [sentence_document(points, sentence) for sentence in group]
                contexts.append(Context(joined(group), parts))
        return contexts

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: Any,  # noqa: ARG002  LangChain's; there is nothing below to pass it to
        **options: Any,
    ) -> list[Document]:
        call = self._with(**options)
        points = call._points()
        if call.where and not query.strip():
            return [sentence_document(points, s) for s in points.listed(call.where)]
        found = call._checked(points.search(
            clean_query(query),
            mode=call.mode, top_k=call.top_k, candidates=call.candidates, where=call.where,
        ))  # fmt: skip
        size, scale = call.window_size, call.scale_scores
        if call.output == "hits":
            return hit_documents(points, found, size, scale=scale, vectors=call.return_vectors)
        return window_documents(
            points, found, size, scale=scale,
            merge_threshold=call.merge_threshold, max_characters=call.max_characters,
        )  # fmt: skip

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: Any, **options: Any
    ) -> list[Document]:
        call = partial(self._get_relevant_documents, query, run_manager=run_manager, **options)
        return await run_in_executor(None, call)

    def _with(self, **options: Any) -> Self:
        """Return this retriever with the options of one call; None leaves one as it was."""
        given = {name: value for name, value in options.items() if value is not None}
        if unknown := given.keys() - type(self).model_fields.keys():
            raise ValueError(f"the retriever has no option {', '.join(sorted(unknown))}")
        policy = given.get("where_policy", self.where_policy)
        if "where" in given and self.where and policy == "merge":
            given["where"] = _both(self.where, given["where"])
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**values | given) if given else self

    def _points(self) -> Points:
        fields = Fields(self.source_fields, self.position_field, self.start_field)
        if self.vectorstore is not None:
            return VectorStorePoints(self.vectorstore, fields)
        return StorePoints(self.store, self.embeddings, fields)

    def _checked(self, found: list[Hit | Document]) -> list[Hit | Document]:
        if self.raise_on_missing and any(isinstance(hit, Document) for hit in found):
            needed = ", ".join((*self.source_fields, self.position_field))
            raise ValueError(f"A found document has not all of these in its metadata: {needed}")
        return found


def _both(first: Any, second: Any) -> Any:
    """Return the filter that both filters make together."""
    if isinstance(first, Sequence) and isinstance(second, Sequence):
        return (*first, *second)
    from qdrant_client import models

    return models.Filter(must=[first, second])
