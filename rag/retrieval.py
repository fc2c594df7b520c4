"""A query → ranked hits → windows.

One search of the store for both legs, one read by id for all windows. Knows no engine, no model
and no question: what the user asked has become the query before it comes here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rag.building.fingerprint import check_fingerprint, fingerprint
from rag.errors import SettingsError
from rag.keywords import matched_terms, query_vector
from rag.ranking.cutting import mark_hits, with_shares, worth_sending
from rag.ranking.fusion import KEYWORD_WEIGHT, rank_hits
from rag.stores.base import Legs
from rag.types import Condition, Hit, Mode, Window
from rag.windows import merge_windows, window_keys

if TYPE_CHECKING:
    from rag.embeddings import Embeddings
    from rag.ranking.reranking import Reranker
    from rag.stores.base import Store, Vector

LONGEST_QUERY = 2000
"""Characters of a query that are searched. The bundled model reads 512 tokens, and takes most of a
minute to drop the rest of 100,000 characters."""

MERGED_CHARACTERS = 6000
"""How long auto-merging makes a window at most, unless said otherwise."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was found for a query: ``windows`` may leave out some of ``hits``, as not worth sending.

    ``legs`` is what each leg found, ``vector`` the query's, where there is a dense leg. Times are
    milliseconds; ``retrieve_ms`` is all of it, the other two included.
    """

    query: str
    hits: tuple[Hit, ...]
    windows: tuple[Window, ...] = ()
    embed_ms: float = 0.0
    search_ms: float = 0.0
    retrieve_ms: float = 0.0
    legs: Legs = field(default_factory=Legs, repr=False)
    vector: Vector | None = field(default=None, repr=False)


def retrieve(
    store: Store,
    embeddings: Embeddings,
    query: str,
    *,
    mode: Mode,
    top_k: int,
    window_size: int,
    candidates: int,
    where: Sequence[Condition] = (),
    keyword_weight: float = KEYWORD_WEIGHT,
    rrf_k: float | None = None,
    rerank: Reranker | None = None,
    within_section: bool = False,
    merge_threshold: float | None = None,
    max_characters: int = MERGED_CHARACTERS,
    min_share: float = 0.0,
) -> Retrieved:
    """Find the ``top_k`` sentences for ``query`` and the windows of those worth sending.

    See :func:`find_hits`, :func:`windows_of`, and :mod:`rag.ranking.cutting` for ``min_share`` (0
    to 1; 0 sends all). Auto-merging goes by how many sentences were found: with a
    ``merge_threshold`` none is left out.
    """
    began = time.perf_counter()
    found = find_hits(
        store, embeddings, query, mode=mode, top_k=top_k, candidates=candidates, where=where,
        keyword_weight=keyword_weight, rrf_k=rrf_k, rerank=rerank,
    )  # fmt: skip
    sent = found.hits if merge_threshold is not None else worth_sending(found.hits, min_share)
    windows = windows_of(
        store, sent, window_size, within_section=within_section,
        merge_threshold=merge_threshold, max_characters=max_characters,
    )  # fmt: skip
    windows = mark_hits(windows, found.hits)
    return replace(found, windows=windows, retrieve_ms=(time.perf_counter() - began) * 1000)


def find_hits(
    store: Store,
    embeddings: Embeddings,
    query: str,
    *,
    mode: Mode,
    top_k: int,
    candidates: int,
    where: Sequence[Condition] = (),
    keyword_weight: float = KEYWORD_WEIGHT,
    rrf_k: float | None = None,
    rerank: Reranker | None = None,
) -> Retrieved:
    """Find the ``top_k`` sentences for ``query``, without windows.

    Each leg that ``mode`` asks for fetches ``candidates`` sentences (at least ``top_k``), of which
    the best ``top_k`` stay; ``keyword_weight`` (0 to 1) and ``rrf_k`` say how both legs are fused
    (see :mod:`rag.ranking.fusion`), and ``rerank`` may order the candidates anew. The query is
    embedded only where there is a dense leg, and searched up to :data:`LONGEST_QUERY` characters.
    One without any letter or digit finds nothing by keyword. Raises
    :class:`~rag.errors.SettingsError` for an empty query, else what is raised by the store, the
    embeddings and the reranker.
    """
    searched = clean_query(query)
    began = time.perf_counter()
    dense = embeddings.embed_query(searched) if mode != "keyword" else None
    embedded = time.perf_counter()
    if dense is not None and len(dense) != store.info.record.fingerprint.dimension:
        # An endpoint's model has kept its name and now makes other vectors.
        check_fingerprint(store.info, fingerprint(embeddings, len(dense)))
    keyword = query_vector(searched) if mode != "dense" else None
    if keyword is not None and not keyword.indices:
        keyword = None  # nothing but punctuation
    legs = Legs()
    if dense is not None or keyword is not None:
        limit = max(candidates, top_k)
        legs = store.search(dense=dense, keyword=keyword, limit=limit, where=where)
    found = time.perf_counter()
    ranked = rank_hits(legs, mode, keyword_weight=keyword_weight, rrf_k=rrf_k)
    if rerank is not None:
        ranked = rerank(searched, ranked)
    kept = with_shares(ranked, mode, top_k)
    hits = tuple(replace(h, terms=matched_terms(searched, h.sentence.text)) for h in kept)
    return Retrieved(
        query=query,
        hits=hits,
        embed_ms=(embedded - began) * 1000,
        search_ms=(found - embedded) * 1000,
        legs=legs,
        vector=dense,
        retrieve_ms=(time.perf_counter() - began) * 1000,
    )


def windows_of(
    store: Store,
    hits: Sequence[Hit],
    window_size: int,
    *,
    within_section: bool = False,
    merge_threshold: float | None = None,
    max_characters: int = MERGED_CHARACTERS,
) -> tuple[Window, ...]:
    """Read the windows of ``window_size`` around ``hits``, best first: one read, no search.

    With ``within_section`` a window ends at a heading.
    With ``merge_threshold`` (0 to 1) windows grow to the paragraphs, sections and documents of
    which more than that share are hits, up to ``max_characters``: see :mod:`rag.ranking.merging`.
    """
    if not hits:
        return ()
    if merge_threshold is not None:
        from rag.ranking.merging import merged_windows

        return merged_windows(
            store, hits, window_size, within_section=within_section,
            merge_threshold=merge_threshold, max_characters=max_characters,
        )  # fmt: skip
    neighbours = store.read(window_keys(hits, window_size))
    return tuple(merge_windows(hits, neighbours, window_size, within_section=within_section))


def clean_query(query: str) -> str:
    """Return what of ``query`` is searched: without NULs and lone surrogates, not too long.

    Raises :class:`~rag.errors.SettingsError` when that is nothing.
    """
    clean = query.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    clean = " ".join(clean.split())[:LONGEST_QUERY].strip()
    if not clean:
        raise SettingsError("The question is empty; ask for something that the documents may say")
    return clean
