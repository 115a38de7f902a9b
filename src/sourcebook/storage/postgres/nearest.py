"""The nearest vectors: candidates from the database, scored here with the numbers that it stores.

The distances of pgvector are good to at least three digits. Which of two close vectors is nearer, and by how much, is
decided by the same arithmetic as on SQLite. A search is one statement: a search for chunks returns their texts too, a
search for passages returns the vectors of all their members.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import anyio
import numpy as np

from sourcebook.model.documents import DistanceMetric
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.index.engines import ROUNDING_MARGIN, VECTORS_FOR_A_PASSAGE
from sourcebook.storage.postgres.citus import PAUSES
from sourcebook.storage.postgres.database import GRAPH_ROWS_AT_MOST
from sourcebook.storage.postgres.driver import Constant, unpacked_rows
from sourcebook.storage.postgres.passage_scores import best_passages

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.index.engines import Scored
    from sourcebook.storage.postgres.filter_paths import CompiledFilter

# Candidates beyond those that are wanted, because pgvector's order of close ones is not exact.
_SPARE = 5
# A graph of signs is asked for so many times the wanted rows, and at least for so many.
_BITS_FACTOR = 8
_FEWEST_BITS = 900
# And for so many times the square root of the rows, or, of more than a quarter of a million, for so many times this
# power of them: see benchmarks/speed/LOG.md for what this finds.
_BITS_OF_ROOT = 5
_BITS_OF_POWER, _POWER = 0.065, 0.85
# Passages from a graph: so many of the nearest vectors, and more if more passages are wanted, are good enough.
_ENOUGH_VECTORS = 350
# Up to so many chunks that a filter lets through are always all scored.
_FEWEST_MATCHING = 1_500


class Graph(Enum):
    """What stands ready for a collection's vectors."""

    NONE = "exact"
    HALVES = "hnsw"
    BITS = "hnsw_bits"


class Route(Enum):
    """Where the candidates come from: all vectors, those that the filter lets through, or a graph.

    `FEW`: those that the filter lets through if they are few, and else the graph.
    """

    ALL = "all"
    MATCHING = "matching"
    FEW = "few"
    GRAPH = "graph"


@dataclass(frozen=True, slots=True)
class _WholeAnswers:
    """Runs a statement again that asks several servers twice, if something was replaced in between."""

    reader: Executor

    async def fetch(self, name: str, /, **scope: object) -> list[Row]:
        rows = await self.reader.fetch(name, **scope)
        if not rows or "is_whole" not in rows[0]:
            return rows
        for pause in PAUSES:
            if not rows or rows[0]["is_whole"]:
                break
            await anyio.sleep(pause)
            rows = await self.reader.fetch(name, **scope)
        return rows


@dataclass(slots=True)
class NearestSearch:
    """One search for chunks or passages."""

    reader: Executor
    stored: StoredCollection
    graph: Graph
    query: NDArray[np.float32]
    filter: CompiledFilter | None
    route: Route
    few: int
    """Up to so many chunks that the filter lets through are all scored; more, and the graph is faster."""
    on_many: Callable[[], None]
    """Told when the filter turns out to let more than these through."""
    seen: bool = False
    """Whether any candidate was found: if none is, the collection may be another than we thought."""

    @property
    def _whole(self) -> _WholeAnswers:
        return _WholeAnswers(self.reader)

    @property
    def _metric(self) -> DistanceMetric:
        return self.stored.collection.distance_metric

    async def chunks(self, top_k: int) -> list[tuple[Row, float]]:
        """The nearest chunks with their texts, best first."""
        wanted = near_chunks(top_k)
        while True:
            rows = await self._candidates(wanted)
            scored = zip(rows, self._exact(rows), strict=True)
            best = sorted(scored, key=lambda pair: (-pair[1], pair[0]["id"]))[:top_k]
            is_enough = self.route is Route.GRAPH and len(best) == top_k
            if is_enough or self._is_complete(rows, wanted, [score for _, score in best], top_k):
                return best
            wanted *= 4

    async def passages(self, top_k: int) -> list[Scored]:
        """A passage scores the mean of itself and its best child, or the one of the two that there is.

        Without a graph all are measured at once. With one, the passages of the nearest vectors are.
        """
        if self.route is Route.FEW:
            rows = await self._passages_of_all(top_k)
            if rows[0]["looked_at"] is not None:
                return self._best(rows, top_k)
            self._ask_graph()
        wanted = near_vectors(top_k)
        while self.route is Route.GRAPH:
            rows = self._noted(await self._passages_of_graph(wanted, top_k))
            looked_at = rows[0]["looked_at"] if rows else 0
            best = self._best(rows, top_k)
            if looked_at < wanted:
                # A graph may know fewer than there are; looking at all of them does not.
                self.route = Route.ALL if self.filter is None else Route.MATCHING
            elif len(best) == top_k:
                return best
            wanted *= 4
        return self._best(await self._passages_of_all(top_k), top_k)

    async def _passages_of_graph(self, wanted: int, top_k: int) -> list[Row]:
        scope = {
            **self._graph_scope(wanted),
            "top_k": Constant(top_k),
            "margin": Constant(ROUNDING_MARGIN),
        }
        if self.graph is Graph.BITS:
            candidates = Constant(self._candidate_count(wanted))
            return await self._whole.fetch("passages_by_bits", **scope, candidates=candidates)
        return await self._whole.fetch("passages_by_graph", **scope)

    async def _passages_of_all(self, top_k: int) -> list[Row]:
        scope = {**self._scope(), "top_k": top_k, "margin": ROUNDING_MARGIN}
        if self.filter is None:
            return await self._whole.fetch("passages_of_all", **scope)
        if self.filter.has_index:
            return await self._whole.fetch("passages_of_named", **scope | self._named_scope())
        return await self._whole.fetch("passages_of_matching", **scope, filter=self.filter.path)

    def _best(self, rows: Sequence[Row], top_k: int) -> list[Scored]:
        return best_passages(self._noted(rows), self.query, self._metric, top_k)

    def _is_complete(self, rows: Sequence[Row], wanted: int, scores: Sequence[float], top_k: int) -> bool:
        """Whether no row that was not seen can be among the best."""
        if len(rows) < wanted:
            return True
        return len(scores) == top_k and scores[-1] >= self._rough(_farthest(rows))

    def _rough(self, distance: float) -> float:
        """The score that a row so far away has at most."""
        if not np.isfinite(distance):
            return np.inf
        score = 1.0 / (1.0 + distance) if self._metric is DistanceMetric.EUCLIDEAN else -distance
        return score + ROUNDING_MARGIN * max(1.0, abs(score))

    async def _candidates(self, wanted: int) -> list[Row]:
        if self.route is Route.FEW:
            rows = await self._candidates_of_all(wanted)
            if rows[0]["are_few"]:
                return self._noted(rows)
            self._ask_graph()
        if self.route is Route.GRAPH:
            rows = self._noted(await self._candidates_of_graph(wanted))
            if len(rows) >= wanted:
                return rows
            # A graph may know fewer than there are; looking at all of them does not.
            self.route = Route.ALL if self.filter is None else Route.MATCHING
        return self._noted(await self._candidates_of_all(wanted))

    async def _candidates_of_graph(self, wanted: int) -> list[Row]:
        scope = self._graph_scope(wanted)
        if self.graph is Graph.BITS:
            candidates = Constant(self._candidate_count(wanted))
            return await self._whole.fetch("nearest_by_bits", **scope, candidates=candidates)
        return await self._whole.fetch("nearest_by_graph", **scope)

    async def _candidates_of_all(self, wanted: int) -> list[Row]:
        scope = {**self._scope(), "limit": wanted}
        if self.filter is None:
            return await self._whole.fetch("nearest_of_all", **scope)
        if self.filter.has_index:
            return await self._whole.fetch(
                "nearest_of_named", **scope | self._named_scope() | {"limit": Constant(wanted)}
            )
        return await self._whole.fetch("nearest_of_matching", **scope, filter=self.filter.path)

    def _named_scope(self) -> dict[str, object]:
        """So the same plan fits every search with a filter that has an index, and is made once."""
        few = self.few if self.route is Route.FEW else None
        path = None if self.filter is None else self.filter.path
        return {"metric": Constant(self._metric.value), "filter": path, "few": Constant(few)}

    def _ask_graph(self) -> None:
        """The filter lets more than a few through."""
        self.route = Route.GRAPH
        self.on_many()

    def _noted(self, rows: Sequence[Row]) -> list[Row]:
        """What was found; a row without a document only tells how much was looked at."""
        found = [row for row in rows if row["document_id"] is not None]
        self.seen = self.seen or bool(found)
        return found

    def _candidate_count(self, wanted: int) -> int:
        return candidates_of_signs(wanted, self.stored.collection.chunk_count)

    def _scope(self) -> dict[str, object]:
        return {
            "collection_id": self.stored.collection.id,
            "model_id": self.stored.model_id,
            "metric": self._metric.value,
            "query": vector_encoding.Singles(self.query.tobytes()),
        }

    def _graph_scope(self, wanted: int) -> dict[str, object]:
        """The graph is one of this collection and model: a plan that uses it fits no other, and is made once."""
        return {
            "collection_id": Constant(self.stored.collection.id),
            "model_id": Constant(self.stored.model_id),
            "dimensions": Constant(self.stored.collection.embedding_dimensions),
            "query": vector_encoding.Singles(self.query.tobytes()),
            "filter": Constant(None) if self.filter is None else self.filter.path,
            "limit": Constant(wanted),
        }

    def _exact(self, rows: Sequence[Row]) -> list[float]:
        if not rows:
            return []
        sent = b"".join([row["sent_vector"] for row in rows])
        matrix = unpacked_rows(sent, len(self.query), vector_encoding.stored_type(self._metric))
        return vector_encoding.scores(matrix, self.query, self._metric).tolist()


def near_chunks(top_k: int) -> int:
    """How many of the nearest vectors a search for chunks asks for at first."""
    return top_k + _SPARE


def near_vectors(top_k: int) -> int:
    """The same for a search for passages."""
    return max(_ENOUGH_VECTORS, VECTORS_FOR_A_PASSAGE * top_k + _SPARE)


def vectors_of_a_graph(graph: Graph, wanted: int, rows: int) -> int:
    """How many vectors are measured, at first, of those that a graph of so many rows gives."""
    return candidates_of_signs(wanted, rows) if graph is Graph.BITS else wanted


def few_matching(graph: Graph, wanted: int, rows: int) -> int:
    """Up to how many chunks that a filter lets through are scored all, because the graph would take longer.

    The fewer the filter lets through, the more the graph goes through until it has what is wanted. To find and score a
    chunk takes about as long as to go through one, so the two are even where they are as many.
    """
    even = math.sqrt(vectors_of_a_graph(graph, wanted, rows) * rows)
    # In steps: each number is another statement.
    return 500 * math.ceil(max(_FEWEST_MATCHING, even) / 500)


def candidates_of_signs(wanted: int, rows: int) -> int:
    """How many a graph of signs is asked for. The more there are, the more lie between a vector and its signs."""
    of_rows = max(_BITS_OF_ROOT * math.sqrt(rows), _BITS_OF_POWER * rows**_POWER)
    # In hundreds: each number is another statement, and a collection that grows would need a new one all the time.
    hundreds = math.ceil(min(of_rows, GRAPH_ROWS_AT_MOST) / 100)
    return max(_BITS_FACTOR * wanted, _FEWEST_BITS, 100 * hundreds)


def _farthest(rows: Sequence[Row]) -> float:
    """The largest distance; infinite if none can be measured, for what cannot comes first."""
    distances = [row["distance"] for row in rows]
    return max(filter(math.isfinite, distances), default=-math.inf)
