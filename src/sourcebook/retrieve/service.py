"""Search: a question becomes ranked passages.

The question goes to the words and to the vectors at the same time, both inside the filter; the two rankings are
fused, and what is returned is completed with the text of its chunks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import anyio

from sourcebook.errors import CollectionNotFound, NoEmbedder, UsageError
from sourcebook.model.documents import Chunk
from sourcebook.model.search import (
    FusionMethod,
    HybridConfig,
    RetrievalConfig,
    RetrievalMode,
    ScoreBreakdown,
    SearchResult,
)
from sourcebook.ports.providers import TextRole
from sourcebook.ports.storage import PassageRanking, PassageSearch, ResultLookup, WordRanking
from sourcebook.retrieve.checks import checked_config
from sourcebook.retrieve.fusion import fuse_rrf, fuse_weighted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.model.documents import Vector
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.storage import FtsStore, VectorStore

DEFAULT_SEMANTIC_WEIGHT = 0.3
DEFAULT_KEYWORD_WEIGHT = 0.7
MIN_CANDIDATES = 100
"""Each arm of a hybrid search brings at least so many, for the fusion to know how its scores lie."""


class DefaultRetriever:
    """Finds passages by meaning, by words or by both, in stores of any kind. Without an embedder, by words."""

    def __init__(
        self, *, vector_store: VectorStore, fts_store: FtsStore, embedder: Embedder | None = None
    ) -> None:
        self._vectors = vector_store
        self._words = fts_store
        self._embedder = embedder

    async def retrieve(
        self, collection_id: str, query: str, config: RetrievalConfig | None = None
    ) -> list[SearchResult]:
        """The best `top_k` results, best first, ties by chunk id. A blank question finds nothing."""
        config = checked_config(config or RetrievalConfig())
        if config.rerank_config is not None and config.rerank_config.enabled:
            raise UsageError("This retriever has no reranker.", hint="Search without `rerank_config`.")
        if not query.strip():
            return []
        match config.mode:
            case RetrievalMode.SEMANTIC:
                ranked = await self._by_vectors(collection_id, query, config, config.top_k)
            case RetrievalMode.KEYWORD:
                ranked = await self._by_words(collection_id, query, config, config.top_k)
            case RetrievalMode.HYBRID:
                ranked = await self._by_both(collection_id, query, config)
        return await self._completed(collection_id, ranked, config.top_k)

    async def _by_both(self, collection_id: str, query: str, config: RetrievalConfig) -> list[SearchResult]:
        candidates = max(MIN_CANDIDATES, config.top_k)
        semantic: list[SearchResult] = []
        keyword: list[SearchResult] = []

        async def ask_vectors() -> None:
            semantic.extend(await self._by_vectors(collection_id, query, config, candidates))

        async def ask_words() -> None:
            keyword.extend(await self._by_words(collection_id, query, config, candidates))

        try:
            async with anyio.create_task_group() as arms:
                arms.start_soon(ask_vectors)
                arms.start_soon(ask_words)
        except ExceptionGroup as group:
            # Callers know the errors of the stores, not that two of them were asked at once.
            raise _first_error(group) from None
        return fuse(semantic, keyword, config.hybrid_config)

    async def _by_vectors(
        self, collection_id: str, query: str, config: RetrievalConfig, count: int
    ) -> list[SearchResult]:
        vector = await self._embed(collection_id, query)
        if isinstance(self._vectors, PassageRanking):
            return await self._vectors.rank_passages(collection_id, vector, count, config.filter)
        if isinstance(self._vectors, PassageSearch):
            return await self._vectors.search_passages(collection_id, vector, count, config.filter)
        return await self._vectors.search_semantic(collection_id, vector, count, config.filter)

    async def _embed(self, collection_id: str, query: str) -> Vector:
        if self._embedder is None:
            raise NoEmbedder("Searching by meaning needs an embedder, and there is none.")
        collection = await self._vectors.get_collection(collection_id)
        if collection is None:
            raise CollectionNotFound(f"There is no collection {collection_id!r}.")
        model = collection.model
        if model is not None and not model.is_callers and model != self._embedder.model:
            raise NoEmbedder(
                f"The vectors of {collection_id!r} come from {model.name} {model.version},"
                f" but the embedder is {self._embedder.model.name} {self._embedder.model.version}."
            )
        return (await self._embedder.embed([query], TextRole.QUESTION))[0]

    async def _by_words(
        self, collection_id: str, query: str, config: RetrievalConfig, count: int
    ) -> list[SearchResult]:
        rank = self._words.rank_words if isinstance(self._words, WordRanking) else self._words.search
        found = await rank(collection_id, query, count, config.filter)
        # Only what is returned in the end is worth reading from the base.
        return [
            SearchResult(Chunk.outline(hit.chunk_id), hit.score, ScoreBreakdown(keyword_score=hit.score))
            for hit in found
        ]

    async def _completed(
        self, collection_id: str, ranked: Sequence[SearchResult], top_k: int
    ) -> list[SearchResult]:
        """The first `top_k` with their chunks. One that was removed meanwhile makes room for the next."""
        completed: list[SearchResult] = []
        seen = 0
        while seen < len(ranked) and len(completed) < top_k:
            batch = ranked[seen : seen + top_k - len(completed)]
            outlines = [result.chunk.id for result in batch if result.chunk.is_outline]
            stored = await self._look_up(collection_id, outlines)
            for result in batch:
                whole = stored.get(result.chunk.id) if result.chunk.is_outline else result
                if whole is not None:
                    completed.append(
                        replace(
                            whole.with_score(result.score, result.score_breakdown),
                            matched=tuple(result.matched),
                        )
                    )
            seen += len(batch)
        return completed

    async def _look_up(self, collection_id: str, chunk_ids: Sequence[str]) -> dict[str, SearchResult]:
        if not chunk_ids:
            return {}
        if isinstance(self._vectors, ResultLookup):
            found = await self._vectors.look_up(collection_id, chunk_ids)
        else:
            stored = [await self._vectors.get(collection_id, chunk_id) for chunk_id in chunk_ids]
            found = [SearchResult(embedded.chunk, 0.0) for embedded in stored if embedded]
        return {result.chunk.id: result for result in found}


def fuse(
    semantic: Sequence[SearchResult], keyword: Sequence[SearchResult], config: HybridConfig
) -> list[SearchResult]:
    """The two rankings as one, by the configuration or, where it is silent, by what measured best."""
    weights = {
        "semantic_weight": _or_default(config.semantic_weight, DEFAULT_SEMANTIC_WEIGHT),
        "keyword_weight": _or_default(config.keyword_weight, DEFAULT_KEYWORD_WEIGHT),
    }
    if config.fusion_method is FusionMethod.RRF:
        return fuse_rrf(semantic, keyword, **weights)
    return fuse_weighted(semantic, keyword, **weights)


def _or_default(weight: float | None, default: float) -> float:
    return default if weight is None else weight


def _first_error(group: ExceptionGroup[Exception]) -> Exception:
    first = group.exceptions[0]
    return (
        _first_error(cast("ExceptionGroup[Exception]", first)) if isinstance(first, ExceptionGroup) else first
    )
