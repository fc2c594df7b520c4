"""Settings → everything wired: one object that answers questions from a collection.

    with open_assistant(Settings.from_env()) as assistant:
        stream = assistant.ask("How long is the warranty?")
        for piece in stream:
            print(piece, end="")
        print(stream.answer.citations)

The command line, the page and scripts use this and nothing below it. It holds no conversation:
each question brings its history along.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.collection import Collection, open_matching
from rag.embeddings import BUNDLED_MODEL
from rag.filters import why_nothing
from rag.ranking.cutting import left_out
from rag.ranking.refuser import Refuser
from rag.ranking.reranking import open_reranker
from rag.retrieval import Retrieved, retrieve, windows_of
from rag.types import EXTRACTIVE, Answer, Condition, Hit, Mode, Timings, Turn, Window
from rag.windows import fit_windows

if TYPE_CHECKING:
    from rag.answering import AnswerStream
    from rag.embeddings import Embeddings
    from rag.followups.query import Query
    from rag.settings import Settings
    from rag.stores.base import Store
    from rag.support.verdict import Support


class Assistant(Collection):
    """Answers questions from one collection. Safe to use from several threads."""

    def __init__(self, settings: Settings, embeddings: Embeddings, store: Store) -> None:
        super().__init__(settings, embeddings, store)
        self._rerank = open_reranker(settings)
        self._refuse = Refuser(settings.refuse, calibrated=embeddings.model == BUNDLED_MODEL)

    def retrieve(
        self,
        question: str,
        *,
        window_size: int | None = None,
        top_k: int | None = None,
        mode: Mode | None = None,
        where: Sequence[Condition] = (),
    ) -> list[Window]:
        """Find the passages for ``question``, best first, as they would be sent to the model.

        ``window_size`` (sentences on each side, 0 and up), ``top_k`` (sentences kept, 1 and up) and
        ``mode`` default to the settings. Raises :class:`~rag.errors.RagError`.
        """
        settings = self.settings.with_(window_size=window_size, top_k=top_k, mode=mode)
        return list(self._retrieve(self._current(), settings, question, where).windows)

    def look_up(self, question: str, where: Sequence[Condition] = ()) -> Retrieved:
        """Do as :meth:`retrieve`; return all that was found, and how long each step took."""
        return self._retrieve(self._current(), self.settings, question, where)

    def standalone(self, question: str, history: Sequence[Turn]) -> Query:
        """Return what is searched for ``question``, asked after the turns of ``history``.

        One that leans on them is rewritten by the chat model, in bounded time, or by a rule; one
        that stands alone is left alone, and asks no model.
        """
        if not history:
            from rag.followups.query import Query

            return Query(question)
        from rag.followups.followup import query_for

        return query_for(question, history, self.settings)

    def search(
        self, query: str, *, top_k: int | None = None, where: Sequence[Condition] = ()
    ) -> tuple[Hit, ...]:
        """Find the ``top_k`` sentences for ``query``, best first. Raises as :meth:`retrieve`."""
        settings = self.settings.with_(top_k=top_k, window_size=0)
        return self._retrieve(self._current(), settings, query, where).hits

    def support(self, answer: Answer) -> tuple[Support, ...]:
        """Say for each sentence of a finished answer which source sentence bears it out, if any.

        No model is asked. An extractive answer is the source itself, and has none. Takes about 20
        milliseconds a sentence. Raises as :func:`rag.support.checking.check_support`.
        """
        from rag.support.checking import check_support

        return () if answer.answerer == EXTRACTIVE else check_support(answer, self._embeddings)

    def windows(self, hits: Sequence[Hit], window_size: int) -> list[Window]:
        """Read the windows of hits found before, at another size: no search, the same scores."""
        settings = self.settings.with_(window_size=window_size)
        return self._windows(self._current(), settings, hits)

    def ask(
        self,
        question: str,
        history: Sequence[Turn] = (),
        *,
        window_size: int | None = None,
        top_k: int | None = None,
        mode: Mode | None = None,
        where: Sequence[Condition] = (),
        hits: Sequence[Hit] | None = None,
        query: str | None = None,
    ) -> AnswerStream:
        """Answer ``question``: iterate for its text, then read ``.answer``.

        A question that leans on ``history`` is searched as :meth:`standalone` makes it; the
        answer's ``query`` says how. One that the documents do not seem to answer is refused, with
        the nearest passages (see :mod:`rag.ranking.refusal`). With ``hits`` nothing is searched and
        nothing refused: the answer is made again from windows of that size around these, found by
        ``query``. Raises :class:`~rag.errors.RagError`, here or while the text comes.
        """
        from rag.answering import answer

        settings = self.settings.with_(window_size=window_size, top_k=top_k, mode=mode)
        store = self._current()
        began = time.perf_counter()
        searched = self.standalone(question, history if hits is None else ())
        rewrite_ms = (time.perf_counter() - began) * 1000
        if hits is None:
            found = self._retrieve(store, settings, searched.text, where)
        else:
            windows = tuple(self._windows(store, settings, hits))
            found = Retrieved(query=query or question, hits=tuple(hits), windows=windows)
        nothing = why_nothing(store, where) if where and not found.windows else None
        refused = None
        if hits is None:
            refused = self._refuse(store, found, settings.mode, filtered=bool(where))
        return answer(
            question,
            found.query,
            found.windows,
            history=history,
            settings=settings,
            timings=Timings(found.embed_ms, found.search_ms, found.retrieve_ms, rewrite=rewrite_ms),
            notes=[note for note in (nothing, searched.fell_back) if note],
            refusal="filter" if nothing else refused,
            left_out=left_out(found.hits, found.windows),
        )

    def _retrieve(
        self, store: Store, settings: Settings, query: str, where: Sequence[Condition]
    ) -> Retrieved:
        found = retrieve(
            store,
            self._embeddings,
            query,
            mode=settings.mode,
            top_k=settings.top_k,
            window_size=settings.window_size,
            candidates=settings.candidates,
            where=where,
            keyword_weight=settings.keyword_weight,
            rrf_k=settings.rrf_k,
            rerank=self._rerank,
            within_section=settings.within_section,
            merge_threshold=settings.merge_threshold,
            max_characters=settings.max_context_characters,
            min_share=settings.min_share,
        )
        fitting = fit_windows(found.windows, settings.max_context_characters)
        return replace(found, windows=tuple(fitting))

    def _windows(self, store: Store, settings: Settings, hits: Sequence[Hit]) -> list[Window]:
        limit = settings.max_context_characters
        windows = windows_of(
            store,
            hits,
            settings.window_size,
            within_section=settings.within_section,
            merge_threshold=settings.merge_threshold,
            max_characters=limit,
        )
        return fit_windows(windows, limit)


def open_assistant(settings: Settings) -> Assistant:
    """Open the settings' collection. Raises as :func:`rag.collection.open_matching`."""
    store, embeddings = open_matching(settings)
    return Assistant(settings, embeddings, store)
