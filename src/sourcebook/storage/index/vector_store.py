"""Chunks with vectors: the contract of `ports.storage.VectorStore`, and search by passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sourcebook.errors import BadVector, ChunkNotFound
from sourcebook.retrieve.search_checks import require_top_k
from sourcebook.storage.argument_checks import require_sane_chunks
from sourcebook.storage.database import again_if_lost, fetch_few
from sourcebook.storage.index import chunks as chunk_rows
from sourcebook.storage.index import collections, vector_encoding
from sourcebook.storage.index.engines import PassagePlanner, ResultReader
from sourcebook.storage.index.index_change import ReadyChunk
from sourcebook.storage.rows import collection_from, embedded_chunk_from

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection, EmbeddedChunk, Vector
    from sourcebook.model.explanation import SearchPlan
    from sourcebook.model.search import MetadataFilter, SearchResult
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Row
    from sourcebook.storage.index.engines import VectorEngine, WordEngine

# Up to so many chunks are read where the question is asked; for more, a change of thread costs little.
_FEW = 20


class SqlVectorStore:
    """Implements `VectorStore`, and the further ports of searching, over a database and its engines."""

    def __init__(self, database: Database, engine: VectorEngine, words: WordEngine, clock: Clock) -> None:
        self._database = database
        self._engine = engine
        self._words = words
        self._clock = clock
        # Asked once: it takes as long as to read a few chunks.
        self._reader = engine if isinstance(engine, ResultReader) else None

    async def create_collection(self, collection: Collection) -> Collection:
        return await collections.create(self._database, collection, self._clock.now())

    async def delete_collection(self, collection_id: str) -> None:
        stored = await collections.find(self._database, collection_id)
        await collections.delete(self._database, collection_id, self._clock.now())
        if stored is not None:
            await self._engine.forget(stored)
            await self._words.forget(stored)

    async def get_collection(self, collection_id: str) -> Collection | None:
        rows = await fetch_few(self._database, "collection_by_id", collection_id=collection_id)
        return collection_from(rows[0]) if rows else None

    async def list_collections(self) -> list[Collection]:
        return await collections.list_all(self._database)

    async def add(self, collection_id: str, chunks: Sequence[EmbeddedChunk]) -> None:
        await self._put(collection_id, chunks, must_exist=False)

    async def update(self, collection_id: str, chunks: Sequence[EmbeddedChunk]) -> None:
        await self._put(collection_id, chunks, must_exist=True)

    async def delete(self, collection_id: str, chunk_ids: Sequence[str]) -> None:
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            found = await chunk_rows.places(transaction, collection_id, chunk_ids)
            placed = {r["chunk_id"]: r["document_id"] for r in found}
            await chunk_rows.drop(transaction, stored, placed, self._clock.now())

    async def delete_by_document(self, collection_id: str, document_id: str) -> None:
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            found = await transaction.fetch(
                "chunk_ids_of_document", collection_id=collection_id, document_id=document_id
            )
            placed = {r["id"]: document_id for r in found}
            await chunk_rows.drop(transaction, stored, placed, self._clock.now())

    @again_if_lost
    async def get(self, collection_id: str, chunk_id: str) -> EmbeddedChunk | None:
        async with self._database.snapshot() as reader:
            stored = await collections.require(reader, collection_id)
            rows = await chunk_rows.by_ids(reader, stored, [chunk_id])
        return embedded_chunk_from(rows[0], stored.collection.distance_metric) if rows else None

    @again_if_lost
    async def get_by_document(self, collection_id: str, document_id: str) -> list[EmbeddedChunk]:
        async with self._database.snapshot() as reader:
            stored = await collections.require(reader, collection_id)
            rows = await reader.fetch(
                "chunks_of_document",
                collection_id=collection_id,
                document_id=document_id,
                model_id=stored.model_id,
            )
        return [embedded_chunk_from(row, stored.collection.distance_metric) for row in rows]

    async def search_semantic(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None = None
    ) -> list[SearchResult]:
        require_top_k(top_k)
        return await self._engine.search_chunks(collection_id, query, top_k, filter)

    async def search_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None = None
    ) -> list[SearchResult]:
        require_top_k(top_k)
        return await self._engine.search_passages(collection_id, query, top_k, filter)

    async def rank_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None = None
    ) -> Sequence[SearchResult]:
        require_top_k(top_k)
        return await self._engine.rank_passages(collection_id, query, top_k, filter)

    async def prepare(self, collection_id: str, on_share: Callable[[float], None] | None = None) -> None:
        await self._engine.prepare(collection_id, on_share)
        await self._words.prepare(collection_id)

    async def plan_passages(
        self, collection_id: str, top_k: int, filter: MetadataFilter | None = None
    ) -> SearchPlan | None:
        if not isinstance(self._engine, PassagePlanner):
            return None
        return await self._engine.plan_passages(collection_id, top_k, filter)

    async def look_up(self, collection_id: str, chunk_ids: Sequence[str]) -> list[SearchResult]:
        if self._reader is not None:
            return await self._reader.read_results(collection_id, chunk_ids)
        fetch = partial(fetch_few, self._database) if len(chunk_ids) <= _FEW else self._database.fetch
        rows = await fetch("results_by_ids", collection_id=collection_id, chunk_ids=list(chunk_ids))
        return [chunk_rows.result_from(row) for row in rows]

    async def _put(self, collection_id: str, chunks: Sequence[EmbeddedChunk], *, must_exist: bool) -> None:
        require_sane_chunks([c.chunk for c in chunks])
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            ready = [_ready(c, stored.collection) for c in chunks]
            old = await chunk_rows.places(transaction, collection_id, [c.chunk.id for c in chunks])
            if must_exist:
                _require_all_known(chunks, old)
            await chunk_rows.put(transaction, stored, ready, old, self._clock.now())


def _ready(embedded: EmbeddedChunk, collection: Collection) -> ReadyChunk:
    if embedded.embedding is None:
        raise BadVector(f"The chunk {embedded.chunk.id!r} has no vector")
    return ReadyChunk(
        embedded.chunk,
        vector_encoding.encoded(embedded.embedding, collection, f"chunk {embedded.chunk.id!r}"),
    )


def _require_all_known(chunks: Sequence[EmbeddedChunk], old: Sequence[Row]) -> None:
    unknown = {c.chunk.id for c in chunks} - {r["chunk_id"] for r in old}
    if unknown:
        raise ChunkNotFound(f"There is no chunk {min(unknown)!r} to update")
