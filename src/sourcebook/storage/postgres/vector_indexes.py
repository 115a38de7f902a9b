"""Graphs over the vectors of large collections: made when one has grown, dropped when it is gone.

A graph belongs to one collection and one model. It is made beside the ongoing work, so nothing waits for it; until it
is ready every vector is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import anyio

from sourcebook.errors import SourcebookError
from sourcebook.model.documents import DistanceMetric
from sourcebook.storage.index import collections
from sourcebook.storage.postgres import driver
from sourcebook.storage.postgres.database import UNLIMITED

if TYPE_CHECKING:
    from sourcebook.storage.database import Row
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.postgres.database import PostgresDatabase
    from sourcebook.storage.postgres.driver import Connection

OnBuilding: TypeAlias = Callable[[float], None]
"""Told how much of a graph is made, from 0 to 1."""

# Of vectors with more numbers only the signs can be in a graph.
_LARGEST_HALVES = 4_000
_LARGEST_BITS = 16_000
# What a row takes in the memory of the builder besides its numbers.
_BYTES_BESIDE = 1_200
_MOST_MEMORY = 4 * 2**20
_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class GraphRules:
    """When a collection gets a graph, and which. `kind`: `auto`, or one for all sizes.

    Below `rows` looking at every vector costs less than a graph would. From `rows_for_bits` on the graph holds only the
    signs, in a sixteenth of the memory, and what it finds is measured again. It is the slower of the two, so it begins
    where the other graph outgrows a server. Of a base that is spread over servers, the rows of one shard count.
    """

    kind: str = "auto"
    rows: int = 20_000
    rows_for_bits: int = 10_000_000
    m: int = 16
    ef_construction: int = 64

    def wanted(self, stored: StoredCollection, count: int) -> str | None:
        collection = stored.collection
        if collection.distance_metric is not DistanceMetric.COSINE or self.kind == "exact":
            return None
        if collection.embedding_dimensions > _LARGEST_BITS:
            return None
        if self.kind == "auto" and count < self.rows:
            return None
        if self.kind == "hnsw_bits" or collection.embedding_dimensions > _LARGEST_HALVES:
            return "bits"
        return "bits" if self.kind == "auto" and count >= self.rows_for_bits else "hnsw"


class Graphs:
    """The graphs of one base."""

    def __init__(self, database: PostgresDatabase, rules: GraphRules) -> None:
        self._database = database
        self._rules = rules

    async def tend(self, collection_id: str, on_building: OnBuilding | None = None) -> None:
        """Make the graph that a collection should have, and drop those that it should not."""
        stored = await collections.require(self._database, collection_id)
        present = await self._database.fetch("graphs_of_collection", collection_id=collection_id)
        wanted = await self._wanted(stored, present)
        useless = [row for row in present if not _is(row, wanted, stored.model_id)]
        if not useless and (wanted is None or any(_is(row, wanted, stored.model_id) for row in present)):
            return
        async with self._database.apart(UNLIMITED) as connection:
            if not await self._value("build_alone", connection, collection_id=collection_id):
                return
            # Whoever built before us, and stopped halfway, left a graph that nobody uses.
            for row in useless:
                await self._define("drop_graph", connection, graph=row["name"])
            if wanted is not None:
                await self._build(connection, stored, wanted, on_building)

    async def forget(self, collection_id: str) -> None:
        """Drop the graphs of a collection that is no more."""
        present = await self._database.fetch("graphs_of_collection", collection_id=collection_id)
        if present:
            async with self._database.apart(UNLIMITED) as connection:
                for row in present:
                    await self._define("drop_graph", connection, graph=row["name"])

    async def _wanted(self, stored: StoredCollection, present: list[Row]) -> str | None:
        """The kind of graph that fits. One that is there stays until the collection is much smaller."""
        count = stored.collection.chunk_count
        if count >= self._rules.rows // 2:
            [row] = await self._database.fetch(
                "count_vectors", collection_id=stored.collection.id, model_id=stored.model_id
            )
            count = row["vectors"] // row["shards"]
        wanted = self._rules.wanted(stored, count)
        kept = [r["kind"] for r in present if r["is_valid"] and r["model_id"] == stored.model_id]
        if self._rules.kind == "auto" and kept and 2 * count >= self._rules.rows:
            return wanted if wanted in kept or wanted == "bits" else str(kept[0])
        return wanted

    async def _build(
        self, connection: Connection, stored: StoredCollection, kind: str, on_building: OnBuilding | None
    ) -> None:
        collection = stored.collection
        width = (
            collection.embedding_dimensions * 2 if kind == "hnsw" else collection.embedding_dimensions // 8
        )
        kilobytes = min(collection.chunk_count * (width + _BYTES_BESIDE) // 1024, _MOST_MEMORY)
        await self._value("build_memory", connection, kilobytes=str(kilobytes))
        parameters = {
            "collection_id": collection.id,
            "model_id": stored.model_id,
            "dimensions": collection.embedding_dimensions,
            "m": self._rules.m,
            "ef_construction": self._rules.ef_construction,
        }
        failure: SourcebookError | None = None
        async with anyio.create_task_group() as tasks:
            if on_building is not None:
                tasks.start_soon(self._watch, on_building)
            try:
                await self._define("make_hnsw" if kind == "hnsw" else "make_bits", connection, **parameters)
            except SourcebookError as error:
                failure = error
            tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure
        if on_building is not None:
            on_building(1.0)

    async def _watch(self, on_building: OnBuilding) -> None:
        while True:
            row = await self._database.fetch_one("build_progress")
            # The last steps go through the table once more, and much faster: they do not begin the bar again.
            if row is not None and row["blocks_total"]:
                on_building(min(row["blocks_done"] / row["blocks_total"], 0.99))
            await anyio.sleep(_POLL_SECONDS)

    async def _define(self, name: str, connection: Connection, **parameters: object) -> None:
        """Run the definition that a statement writes."""
        statement = await self._value(name, connection, **parameters)
        with driver.translated():
            await connection.execute(str(statement))

    async def _value(self, name: str, connection: Connection, **parameters: object) -> object:
        statement = driver.prepared(self._database.queries[name])
        with driver.translated():
            return await connection.fetchval(statement.sql, *statement.arguments(parameters))


def _is(row: Row, kind: str | None, model_id: int) -> bool:
    return bool(row["is_valid"]) and row["kind"] == kind and row["model_id"] == model_id
