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
from sourcebook.storage.postgres.filter_paths import compiled
from sourcebook.storage.postgres.nearest import (
    Graph,
    NearestSearch,
    Route,
    few_matching,
    near_chunks,
    near_vectors,
    vectors_of_a_graph,
)
from sourcebook.storage.postgres.vector_indexes import GraphRules, Graphs
from sourcebook.storage.rows import chunk_from

if TYPE_CHECKING:
    from sourcebook.model.documents import Vector
    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.database import Database, Executor
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.index.engines import Scored
    from sourcebook.storage.postgres.database import PostgresDatabase
    from sourcebook.storage.postgres.filter_paths import CompiledFilter

# How long it is believed that a collection has a graph, and how many chunks a filter lets through: neither changes what
# is found, only how fast.
_BELIEVED_SECONDS = 10.0
_FILTERS_REMEMBERED = 500


@dataclass(frozen=True, slots=True)
class _Counted:
    """So many chunks a filter lets through, or more unless these were all."""

    matching: int
    are_all: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """A collection as it was a moment ago. Every statement makes sure that it still is."""

    stored: StoredCollection
    graph: Graph
    until: float
    counted: dict[str, _Counted] = field(default_factory=dict[str, _Counted])
    """Of recent filters, as far as it is known."""

    def remember(self, filter: CompiledFilter | None, counted: _Counted) -> None:
        if filter is None:
            return
        if len(self.counted) >= _FILTERS_REMEMBERED:
            self.counted.clear()
        self.counted[filter.path] = counted

    def few(self, wanted: int) -> int:
        return few_matching(self.graph, wanted, self.stored.collection.chunk_count)


class PostgresVectorEngine:
    """A `VectorEngine` that asks the server for candidates and scores them as SQLite's does."""

    def __init__(
        self, database: PostgresDatabase, rules: GraphRules | None = None, reader: Database | None = None
    ) -> None:
        self._database = reader or database
        self._is_spread = database.is_spread
        self._graphs = Graphs(database, rules or GraphRules())
        self._collections: dict[str, _Known] = {}

    async def search_chunks(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]:
        search = await self._search(self._database, collection_id, query, filter, near_chunks(top_k))
        found = await search.chunks(top_k)
        if await self._is_another(collection_id, search):
            return await self.search_chunks(collection_id, query, top_k, filter)
        return [
            SearchResult(
                chunk_from(row), score, ScoreBreakdown(semantic_score=score), row["file_path"], row["title"]
            )
            for row, score in found
        ]

    @again_if_lost
    async def search_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]:
        results: list[SearchResult] = []
        for pause in (0.0, *PAUSES):
            await anyio.sleep(pause)
            async with self._database.snapshot() as reader:
                search = await self._search(reader, collection_id, query, filter, near_vectors(top_k))
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
        search = await self._search(self._database, collection_id, query, filter, near_vectors(top_k))
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
            wanted = near_vectors(top_k)
            route = _route(known, tree, known.few(wanted))
            if route is Route.FEW:
                route = await _counted(reader, known, tree, known.few(wanted))
        if route is not Route.GRAPH:
            return SearchPlan(ScanMethod.EXACT, row["vectors"], row["allowed"], row["allowed"])
        scored = min(row["allowed"], vectors_of_a_graph(known.graph, wanted, row["vectors"]))
        return SearchPlan(ScanMethod.INDEX, row["vectors"], row["allowed"], scored)

    async def prepare(self, collection_id: str, on_share: Callable[[float], None] | None = None) -> None:
        await self._graphs.tend(collection_id, on_share)
        self._collections.pop(collection_id, None)

    async def forget(self, stored: StoredCollection) -> None:
        await self._graphs.forget(stored.collection.id)
        self._collections.pop(stored.collection.id, None)

    async def _search(
        self,
        reader: Executor,
        collection_id: str,
        query: Vector,
        filter: MetadataFilter | None,
        vectors_wanted: int,
    ) -> NearestSearch:
        tree = None if filter is None else compiled(check(filter))
        known = self._collections.get(collection_id)
        if known is None or known.until < time.monotonic() or not _fits(query, known):
            known = await self._looked_up(reader, collection_id)
        collection = known.stored.collection
        wanted = vector_encoding.checked(query, collection.embedding_dimensions, "the question")
        if collection.distance_metric is DistanceMetric.COSINE:
            wanted = vector_encoding.normalised(wanted)
        few = known.few(vectors_wanted)
        route = _route(known, tree, few)
        if route is Route.FEW and self._is_spread:
            # A search of several servers cannot break off halfway.
            route = await _counted(reader, known, tree, few)
        return NearestSearch(
            reader,
            known.stored,
            known.graph,
            wanted,
            tree,
            route,
            few,
            lambda: known.remember(tree, _Counted(few + 1, are_all=False)),
        )

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


def _route(known: _Known, tree: CompiledFilter | None, few: int) -> Route:
    if known.graph is Graph.NONE:
        return Route.ALL if tree is None else Route.MATCHING
    if tree is None or not tree.has_index:
        return Route.GRAPH
    counted = known.counted.get(tree.path)
    return Route.GRAPH if counted is not None and counted.matching > few else Route.FEW


async def _counted(reader: Executor, known: _Known, tree: CompiledFilter | None, few: int) -> Route:
    """Whether those that the filter lets through are few or need the graph, found out before the search."""
    if tree is None:
        return Route.GRAPH
    counted = known.counted.get(tree.path)
    if counted is None or not (counted.are_all or counted.matching > few):
        [row] = await reader.fetch(
            "count_matching",
            collection_id=known.stored.collection.id,
            filter=tree.path,
            limit=few + 1,
        )
        counted = _Counted(row["matching"], are_all=row["matching"] <= few)
        known.remember(tree, counted)
    return Route.GRAPH if counted.matching > few else Route.MATCHING


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
