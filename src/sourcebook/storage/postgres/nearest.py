"""The nearest vectors: candidates from the database, scored here with the numbers that it stores.

The distances of pgvector are good to three digits and more; which of two close vectors is nearer, and by how much, is
said by the same arithmetic as on SQLite. A search by chunks is one statement, which brings their texts as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.model.documents import DistanceMetric
from sourcebook.model.search import Match
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.index.engines import Scored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.postgres.filter_paths import CompiledFilter

# Candidates beyond those that are wanted, because pgvector's order of close ones is not exact.
_SPARE = 5
# The distances of two rows may be this much out of order, being made in half precision.
_MARGIN = 0.002
_MATCHES_SHOWN = 3
# A graph of signs is asked for so many times the wanted rows, and at least for so many.
_BITS_FACTOR = 8
_FEWEST_BITS = 900
# Passages from a graph: beyond so many of the nearest vectors, those found are good enough.
_ENOUGH_VECTORS = 350


class Graph(Enum):
    """What stands ready for a collection's vectors."""

    NONE = "exact"
    HALVES = "hnsw"
    BITS = "hnsw_bits"


class Route(Enum):
    """Where the candidates come from: all vectors, those that the filter lets through, or a graph."""

    ALL = "all"
    MATCHING = "matching"
    GRAPH = "graph"


@dataclass(slots=True)
class NearestSearch:
    """One search for chunks or passages."""

    reader: Executor
    stored: StoredCollection
    graph: Graph
    query: NDArray[np.float32]
    filter: CompiledFilter | None
    route: Route
    seen: bool = False
    """Whether any candidate was found: if none is, the collection may be another than we thought."""
    _families: dict[tuple[str, str], list[Row]] = field(default_factory=dict[tuple[str, str], "list[Row]"])

    async def chunks(self, top_k: int) -> list[tuple[Row, float]]:
        """The nearest chunks with their texts, best first."""
        wanted = top_k + _SPARE
        while True:
            rows = await self._candidates(wanted)
            scored = zip(rows, self._exact(rows), strict=True)
            best = sorted(scored, key=lambda pair: (-pair[1], pair[0]["chunk_id"]))[:top_k]
            is_enough = self.route is Route.GRAPH and len(best) == top_k
            if is_enough or self._is_complete(rows, wanted, [score for _, score in best], top_k):
                return best
            wanted *= 4

    async def passages(self, top_k: int) -> list[Scored] | None:
        """A passage scores the mean of itself and its best child, or the one of the two that there is.

        One of its vectors is then at least as near as the mean, so it is enough to look at the passages of the nearest
        vectors, down to the mean of the last passage that is wanted. None if a vector that was found is gone when its
        passage is read: outside of a snapshot somebody may write in between.
        """
        wanted = 8 * top_k + _SPARE
        while True:
            rows = await self._near_passages(wanted)
            if not await self._fetch_families(rows):
                return None
            best = sorted(
                (self._passage(key[1], members) for key, members in self._families.items()),
                key=lambda s: (-s.score, s.chunk_id),
            )[:top_k]
            is_enough = (
                self.route is Route.GRAPH and wanted >= max(_ENOUGH_VECTORS, 8 * top_k) and len(best) == top_k
            )
            if is_enough or self._is_complete(rows, wanted, [s.score for s in best], top_k):
                return best
            wanted *= 4

    def _is_complete(self, rows: Sequence[Row], wanted: int, scores: Sequence[float], top_k: int) -> bool:
        """Whether no row that was not seen can be among the best."""
        if len(rows) < wanted:
            return True
        return len(scores) == top_k and scores[-1] >= self._rough(rows[-1]["distance"])

    def _rough(self, distance: float) -> float:
        """The score that a row so far away has at most."""
        if not np.isfinite(distance):
            return np.inf
        if self.stored.collection.distance_metric is DistanceMetric.EUCLIDEAN:
            score = 1.0 / (1.0 + distance)
        else:
            score = -distance
        return score + _MARGIN * max(1.0, abs(score))

    async def _candidates(self, wanted: int) -> list[Row]:
        if self.route is Route.GRAPH:
            scope = self._graph_scope(wanted)
            if self.graph is Graph.BITS:
                rows = await self.reader.fetch("nearest_by_bits", **scope, candidates=_candidates(wanted))
            else:
                rows = await self.reader.fetch("nearest_by_graph", **scope)
            if self._are_enough(rows, wanted):
                return rows
        scope = self._scope(wanted)
        if self.filter is None:
            return self._noted(await self.reader.fetch("nearest_of_all", **scope))
        return self._noted(await self.reader.fetch("nearest_of_matching", **scope, filter=self.filter.path))

    async def _near_passages(self, wanted: int) -> list[Row]:
        if self.route is Route.GRAPH:
            scope = self._graph_scope(wanted)
            if self.graph is Graph.BITS:
                rows = await self.reader.fetch(
                    "near_passages_by_bits", **scope, candidates=_candidates(wanted)
                )
            else:
                rows = await self.reader.fetch("near_passages_by_graph", **scope)
            if self._are_enough(rows, wanted):
                return rows
        scope = self._scope(wanted)
        if self.filter is None:
            return self._noted(await self.reader.fetch("near_passages_of_all", **scope))
        return self._noted(
            await self.reader.fetch("near_passages_of_matching", **scope, filter=self.filter.path)
        )

    def _are_enough(self, rows: Sequence[Row], wanted: int) -> bool:
        self._noted(rows)
        if len(rows) < wanted:
            # A graph may know fewer than there are; looking at all of them does not.
            self.route = Route.ALL if self.filter is None else Route.MATCHING
        return len(rows) >= wanted

    def _noted(self, rows: Sequence[Row]) -> list[Row]:
        # Not every search comes by in this order: a graph's rows are nearly, not strictly, by distance.
        self.seen = self.seen or bool(rows)
        return sorted(rows, key=_by_distance)

    def _scope(self, wanted: int) -> dict[str, object]:
        return {
            "collection_id": self.stored.collection.id,
            "model_id": self.stored.model_id,
            "metric": self.stored.collection.distance_metric.value,
            "query": vector_encoding.Singles(self.query.tobytes()),
            "limit": wanted,
        }

    def _graph_scope(self, wanted: int) -> dict[str, object]:
        return {
            "collection_id": self.stored.collection.id,
            "model_id": self.stored.model_id,
            "dimensions": self.stored.collection.embedding_dimensions,
            "query": vector_encoding.Singles(self.query.tobytes()),
            "filter": None if self.filter is None else self.filter.path,
            "limit": wanted,
        }

    async def _fetch_families(self, rows: Sequence[Row]) -> bool:
        """Read whole passages of the candidates, those that are not known yet. False if a candidate is gone."""
        known = {member["chunk_id"] for members in self._families.values() for member in members}
        new = [row for row in rows if row["chunk_id"] not in known]
        if not new:
            return True
        found = await self.reader.fetch(
            "families",
            collection_id=self.stored.collection.id,
            model_id=self.stored.model_id,
            document_ids=[row["document_id"] for row in new],
            chunk_ids=[row["chunk_id"] for row in new],
        )
        grouped: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in found:
            grouped[row["document_id"], row["passage_id"]].append(row)
        self._families.update(grouped)
        return {row["chunk_id"] for row in new} <= {row["chunk_id"] for row in found}

    def _passage(self, passage_id: str, members: Sequence[Row]) -> Scored:
        scores = self._exact(members)
        matches: list[Match] = []
        known: list[float] = []
        for member, score in zip(members, scores, strict=True):
            if member["chunk_id"] == passage_id:
                known.append(score)
            else:
                matches.append(Match(member["chunk_id"], member["start_index"], member["end_index"], score))
        matches.sort(key=lambda m: (-m.score, m.chunk_id))
        known += [m.score for m in matches[:1]]
        return Scored(passage_id, sum(known) / len(known), tuple(matches[:_MATCHES_SHOWN]))

    def _exact(self, rows: Sequence[Row]) -> list[float]:
        if not rows:
            return []
        metric = self.stored.collection.distance_metric
        matrix = np.frombuffer(
            b"".join(row["vector"] for row in rows), dtype=vector_encoding.stored_type(metric)
        )
        return vector_encoding.scores(matrix.reshape(len(rows), -1), self.query, metric).tolist()


def vectors_of_a_graph(graph: Graph, top_k: int) -> int:
    """How many vectors a search for passages measures, at first, of those that a graph gives."""
    wanted = 8 * top_k + _SPARE
    return _candidates(wanted) if graph is Graph.BITS else wanted


def _candidates(wanted: int) -> int:
    return max(_BITS_FACTOR * wanted, _FEWEST_BITS)


def _by_distance(row: Row) -> float:
    """What cannot be measured comes first."""
    distance = row["distance"]
    return distance if np.isfinite(distance) else -np.inf
