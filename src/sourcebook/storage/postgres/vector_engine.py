"""Vector search in the database itself, with pgvector."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from sourcebook.model.documents import Chunk, DistanceMetric
from sourcebook.model.explanation import ScanMethod, SearchPlan
from sourcebook.model.search import ScoreBreakdown, SearchResult
from sourcebook.retrieve.filters.filter_meaning import check
from sourcebook.storage.database import again_if_lost
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.index.collections import required_from
from sourcebook.storage.postgres.citus import PAUSES
from sourcebook.storage.postgres.driver import Constant
from sourcebook.storage.postgres.filter_memory import (
    ROWS_AT_MOST,
    FilteredVectors,
    FilterMemory,
    key_of,
    rows_at_most,
)
from sourcebook.storage.postgres.filter_paths import compiled
from sourcebook.storage.postgres.nearest import Graph, NearestSearch, Route, vectors_of_a_graph
from sourcebook.storage.postgres.vector_indexes import GraphRules, Graphs
from sourcebook.storage.rows import chunk_from

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.documents import Vector
    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.database import Database, Executor, Row
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.index.engines import Scored
    from sourcebook.storage.postgres.database import PostgresDatabase
    from sourcebook.storage.postgres.filter_paths import CompiledFilter

# How long it is believed that a collection has a graph, and how many chunks a filter lets through: neither changes what
# is found, only how fast.
_BELIEVED_SECONDS = 10.0
_FILTERS_REMEMBERED = 500
# Up to so many chunks that a filter lets through are all scored; more, and the graph is faster.
_FEW_MATCHING = ROWS_AT_MOST


@dataclass(frozen=True, slots=True)
class _Known:
    """A collection as it was a moment ago. Every statement makes sure that it still is."""

    stored: StoredCollection
    graph: Graph
    until: float
    counts: dict[str, int] = field(default_factory=dict[str, int])
    """How many chunks recent filters let through, at most one more than a few."""


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, as the collection compares it."""

    known: _Known
    vector: NDArray[np.float32]
    filter: CompiledFilter | None


class PostgresVectorEngine:
    """A `VectorEngine` that asks the server for candidates and scores them as SQLite's does."""

    def __init__(
        self, database: PostgresDatabase, rules: GraphRules | None = None, reader: Database | None = None
    ) -> None:
        self._database = reader or database
        self._is_spread = database.is_spread
        self._graphs = Graphs(database, rules or GraphRules())
        self._collections: dict[str, _Known] = {}
        self._memory = FilterMemory()

    async def search_chunks(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]:
        question = await self._question(self._database, collection_id, query, filter)
        remembered = await self._of_memory(question, top_k)
        if remembered is not None:
            return remembered
        search = await _search(self._database, question)
        found = await search.chunks(top_k)
        if await self._is_another(collection_id, search):
            return await self.search_chunks(collection_id, query, top_k, filter)
        return [_result(row, score) for row, score in found]

    @again_if_lost
    async def search_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]:
        results: list[SearchResult] = []
        for pause in (0.0, *PAUSES):
            await anyio.sleep(pause)
            async with self._database.snapshot() as reader:
                search = await _search(reader, await self._question(reader, collection_id, query, filter))
                found = await search.passages(top_k)
                results = await _results(reader, collection_id, found)
            # Within one snapshot, what has no text now will have none later.
            is_whole = len(results) == len(found) or not self._is_spread
            if is_whole and not await self._is_another(collection_id, search):
                break
        return results

    @again_if_lost
    async def rank_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]:
        question = await self._question(self._database, collection_id, query, filter)
        search = await _search(self._database, question)
        found = await search.passages(top_k)
        if await self._is_another(collection_id, search):
            return await self.rank_passages(collection_id, query, top_k, filter)
        return [
            SearchResult(
                Chunk.outline(f.chunk_id), f.score, ScoreBreakdown(semantic_score=f.score), matched=f.matched
            )
            for f in found
        ]

    @again_if_lost
    async def plan_passages(
        self, collection_id: str, top_k: int, filter: MetadataFilter | None
    ) -> SearchPlan:
        """What `search_passages` would look at. Counting takes longer than searching."""
        tree = None if filter is None else compiled(check(filter))
        async with self._database.snapshot() as reader:
            known = await self._looked_up(reader, collection_id)
            [row] = await reader.fetch(
                "count_for_plan",
                collection_id=collection_id,
                model_id=known.stored.model_id,
                filter=None if tree is None else tree.path,
            )
            route = await _route(reader, known, tree)
        if route is not Route.GRAPH:
            return SearchPlan(ScanMethod.EXACT, row["vectors"], row["allowed"], row["allowed"])
        scored = min(row["allowed"], vectors_of_a_graph(known.graph, top_k, row["vectors"]))
        return SearchPlan(ScanMethod.INDEX, row["vectors"], row["allowed"], scored)

    async def prepare(self, collection_id: str, on_share: Callable[[float], None] | None = None) -> None:
        await self._graphs.tend(collection_id, on_share)
        self._collections.pop(collection_id, None)

    async def forget(self, stored: StoredCollection) -> None:
        await self._graphs.forget(stored.collection.id)
        self._collections.pop(stored.collection.id, None)

    async def _of_memory(self, question: _Question, top_k: int) -> list[SearchResult] | None:
        """What a filter that is asked for again lets through, without looking for it again. None if it must be."""
        stored, tree = question.known.stored, question.filter
        if self._is_spread or tree is None or not tree.has_index:
            return None
        key = key_of(stored, tree.path)
        vectors = self._memory.recall(key) or await self._read_of_filter(question.known, tree)
        if vectors is None:
            return None
        metric = stored.collection.distance_metric
        nearest = vectors.nearest(question.vector, metric, top_k)
        rows = await self._database.fetch(
            "chunks_of_state",
            collection_id=stored.collection.id,
            model_id=stored.model_id,
            metric=metric.value,
            state=vectors.state,
            document_ids=[vectors.document_ids[place] for place, _ in nearest],
            chunk_ids=[vectors.chunk_ids[place] for place, _ in nearest],
        )
        if len(rows) < len(nearest):
            self._memory.no_longer_holds(key)
            return None
        by_id = {row["id"]: row for row in rows}
        return [_result(by_id[vectors.chunk_ids[place]], score) for place, score in nearest]

    async def _read_of_filter(self, known: _Known, tree: CompiledFilter) -> FilteredVectors | None:
        """All that the filter lets through, if that is little and was asked for before."""
        if await _route(self._database, known, tree) is not Route.MATCHING:
            return None
        key = key_of(known.stored, tree.path)
        if not self._memory.is_worth_reading(key):
            return None
        [row] = await self._database.fetch(
            "vectors_of_named",
            collection_id=known.stored.collection.id,
            model_id=known.stored.model_id,
            filter=tree.path,
            limit=Constant(rows_at_most(known.stored) + 1),
        )
        vectors = FilteredVectors.read_from(row, known.stored)
        self._memory.keep(key, vectors)
        return vectors

    async def _question(
        self, reader: Executor, collection_id: str, query: Vector, filter: MetadataFilter | None
    ) -> _Question:
        tree = None if filter is None else compiled(check(filter))
        known = self._collections.get(collection_id)
        if known is None or known.until < time.monotonic() or not _fits(query, known):
            known = await self._looked_up(reader, collection_id)
        collection = known.stored.collection
        wanted = vector_encoding.checked(query, collection.embedding_dimensions, "the question")
        if collection.distance_metric is DistanceMetric.COSINE:
            wanted = vector_encoding.normalised(wanted)
        return _Question(known, wanted, tree)

    async def _looked_up(self, reader: Executor, collection_id: str) -> _Known:
        self._collections.pop(collection_id, None)
        row = await reader.fetch_one("collection_to_search", collection_id=collection_id)
        stored = required_from(row, collection_id)
        graph = Graph.NONE
        if row is not None and (row["has_graph"] or row["has_bits"]):
            graph = Graph.HALVES if row["has_graph"] else Graph.BITS
        known = _Known(stored, graph, time.monotonic() + _BELIEVED_SECONDS)
        self._collections[collection_id] = known
        return known

    async def _is_another(self, collection_id: str, search: NearestSearch) -> bool:
        """Whether the collection is no longer the one that was searched.

        One server finds nothing then. Several may find a part, for they do not take up another model all at once.
        """
        if search.seen and not self._is_spread:
            return False
        row = await self._database.fetch_one("collection_by_id", collection_id=collection_id)
        now, then = required_from(row, collection_id), search.stored
        if (now.model_id, now.collection.distance_metric) == (then.model_id, then.collection.distance_metric):
            return False
        self._collections.pop(collection_id, None)
        return True


def _fits(query: Vector, known: _Known) -> bool:
    """Whether the question is of the size that we know; if not, the collection may have changed its model."""
    return len(query) == known.stored.collection.embedding_dimensions


async def _search(reader: Executor, question: _Question) -> NearestSearch:
    known, tree = question.known, question.filter
    route = await _route(reader, known, tree)
    return NearestSearch(reader, known.stored, known.graph, question.vector, tree, route)


async def _route(reader: Executor, known: _Known, tree: CompiledFilter | None) -> Route:
    if known.graph is Graph.NONE:
        return Route.ALL if tree is None else Route.MATCHING
    if tree is None or not tree.has_index:
        return Route.GRAPH
    if tree.path not in known.counts:
        if len(known.counts) >= _FILTERS_REMEMBERED:
            known.counts.clear()
        [row] = await reader.fetch(
            "count_matching",
            collection_id=known.stored.collection.id,
            filter=tree.path,
            limit=_FEW_MATCHING + 1,
        )
        known.counts[tree.path] = row["matching"]
    return Route.MATCHING if known.counts[tree.path] <= _FEW_MATCHING else Route.GRAPH


def _result(row: Row, score: float) -> SearchResult:
    breakdown = ScoreBreakdown(semantic_score=score)
    return SearchResult(chunk_from(row), score, breakdown, row["file_path"], row["title"])


async def _results(reader: Executor, collection_id: str, found: Sequence[Scored]) -> list[SearchResult]:
    ids = [f.chunk_id for f in found]
    rows = {
        row["id"]: row
        for row in await reader.fetch("results_by_ids", collection_id=collection_id, chunk_ids=ids)
    }
    return [
        SearchResult(
            chunk_from(rows[f.chunk_id]),
            f.score,
            ScoreBreakdown(semantic_score=f.score),
            rows[f.chunk_id]["file_path"],
            rows[f.chunk_id]["title"],
            tuple(f.matched),
        )
        for f in found
        if f.chunk_id in rows
    ]
