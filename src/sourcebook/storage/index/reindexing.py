"""A second set of vectors, and words counted anew: the contract of `ports.reindexing.Reindexing`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from sourcebook.errors import ReindexOverrun
from sourcebook.model.documents import ChunkLevel, DistanceMetric
from sourcebook.model.reindexing import EmbeddingNeed
from sourcebook.ports.reindexing import START, CuratedToEmbed, TextToEmbed, WordingToEmbed
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.database import again_if_lost
from sourcebook.storage.index import collections, vector_encoding
from sourcebook.storage.index.index_change import IndexChange
from sourcebook.storage.index.word_recount import count_words_anew
from sourcebook.text.analysis import ANALYSER_VERSION

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.documents import Collection, EmbeddingModel
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.reindexing import Place
    from sourcebook.storage.database import Database, Executor, Row
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.index.engines import VectorEngine, WordEngine

_DOCUMENTS_AT_ONCE = 200
_NO_MODEL = 0
"""A number that no model has: a set of this one lacks everything."""


class SqlReindexing:
    def __init__(self, database: Database, engine: VectorEngine, words: WordEngine, clock: Clock) -> None:
        self._database = database
        self._engine = engine
        self._words = words
        self._clock = clock

    async def begin(self, collection_id: str, model: EmbeddingModel) -> Collection:
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            model_id = await collections.put_model(transaction, model, now)
            await transaction.execute(
                "put_model_set", collection_id=collection_id, model_id=model_id, now=now
            )
            reached(CrashPoint.REINDEX_BEGUN)
        await self._remove_sets(collection_id, keep=model_id)
        return _holding(stored.collection, model)

    @again_if_lost
    async def need(
        self, collection_id: str, model: EmbeddingModel | None, after: Place = START
    ) -> EmbeddingNeed:
        async with self._database.snapshot() as reader:
            await collections.require(reader, collection_id)
            known = None if model is None else await collections.find_model(reader, model)
            scope = {"collection_id": collection_id, "model_id": known or _NO_MODEL}
            chunks = await reader.fetch_one(
                "need_of_chunks", **scope, document_id=after[0], chunk_id=after[1]
            )
            curated = await reader.fetch_one("need_of_curated", **scope)
            wordings = await reader.fetch_one("need_of_wordings", **scope)
        found = [row for row in (chunks, curated, wordings) if row is not None]
        return EmbeddingNeed(
            vectors=sum(row["vectors"] for row in found), text_bytes=sum(row["text_bytes"] for row in found)
        )

    @again_if_lost
    async def lacking(
        self, collection_id: str, model: EmbeddingModel, after: Place, limit: int
    ) -> list[TextToEmbed]:
        async with self._database.snapshot() as reader:
            rows = await reader.fetch(
                "chunks_lacking_vector",
                collection_id=collection_id,
                model_id=await _model_id(reader, model),
                document_id=after[0],
                chunk_id=after[1],
                limit=limit,
            )
            return await _texts(reader, collection_id, rows)

    @again_if_lost
    async def everything(self, collection_id: str, after: Place, limit: int) -> list[TextToEmbed]:
        async with self._database.snapshot() as reader:
            rows = await reader.fetch(
                "chunks_after",
                collection_id=collection_id,
                document_id=after[0],
                chunk_id=after[1],
                limit=limit,
            )
            return await _texts(reader, collection_id, rows)

    async def put(
        self,
        collection_id: str,
        model: EmbeddingModel,
        texts: Sequence[TextToEmbed],
        vectors: NDArray[np.float32],
    ) -> int:
        stored = await collections.require(self._database, collection_id)
        rows = await anyio.to_thread.run_sync(_vector_rows, stored.collection, model, texts, vectors)
        async with self._database.transaction() as transaction:
            stored, model_id = await _required_set(transaction, collection_id, model)
            documents = sorted({text.place[0] for text in texts})
            change = IndexChange(transaction, collection_id, stored.model_id, self._clock.now())
            await change.begin(documents)
            now = await _revisions(transaction, collection_id, documents)
            fresh = [
                {**row, "model_id": model_id}
                for row, text in zip(rows, texts, strict=True)
                if text.place[0] in now and now[text.place[0]] == text.revision
            ]
            await transaction.execute_many("drop_vector", (_without_vector(row) for row in fresh))
            await transaction.execute_many("insert_vector", fresh)
            reached(CrashPoint.REINDEX_VECTORS_WRITTEN)
            if model_id == stored.model_id:
                await change.log()
        return len(fresh)

    async def lacking_curated(
        self, collection_id: str, model: EmbeddingModel, after: int, limit: int
    ) -> list[CuratedToEmbed]:
        async with self._database.snapshot() as reader:
            rows = await reader.fetch(
                "curated_lacking_vector",
                collection_id=collection_id,
                model_id=await _model_id(reader, model),
                after=after,
                limit=limit,
            )
        return [_curated(row) for row in rows]

    async def every_curated(self, collection_id: str, after: int, limit: int) -> list[CuratedToEmbed]:
        rows = await self._database.fetch(
            "curated_after", collection_id=collection_id, after=after, limit=limit
        )
        return [_curated(row) for row in rows]

    async def put_curated(
        self,
        collection_id: str,
        model: EmbeddingModel,
        entries: Sequence[CuratedToEmbed],
        vectors: NDArray[np.float32],
    ) -> int:
        written = 0
        async with self._database.transaction() as transaction:
            stored, model_id = await _required_set(transaction, collection_id, model)
            # Curated answers are always compared by their cosine.
            held = replace(_holding(stored.collection, model), distance_metric=DistanceMetric.COSINE)
            for entry, vector in zip(entries, vectors, strict=True):
                key = {"knowledge_base_id": entry.id, "model_id": model_id}
                await transaction.execute("delete_curated_vector", **key)
                written += await transaction.execute(
                    "insert_curated_vector",
                    **key,
                    vector=_encoded(vector, held, f"curated answer {entry.id}"),
                    revision=entry.revision,
                )
            reached(CrashPoint.REINDEX_CURATED_WRITTEN)
        return written

    async def lacking_wordings(
        self, collection_id: str, model: EmbeddingModel, after: int, limit: int
    ) -> list[WordingToEmbed]:
        async with self._database.snapshot() as reader:
            rows = await reader.fetch(
                "wordings_lacking_vector",
                collection_id=collection_id,
                model_id=await _model_id(reader, model),
                after=after,
                limit=limit,
            )
        return [WordingToEmbed(row["id"], row["question"]) for row in rows]

    async def every_wording(self, collection_id: str, after: int, limit: int) -> list[WordingToEmbed]:
        rows = await self._database.fetch(
            "wordings_after", collection_id=collection_id, after=after, limit=limit
        )
        return [WordingToEmbed(row["id"], row["question"]) for row in rows]

    async def put_wordings(
        self,
        collection_id: str,
        model: EmbeddingModel,
        wordings: Sequence[WordingToEmbed],
        vectors: NDArray[np.float32],
    ) -> int:
        written = 0
        async with self._database.transaction() as transaction:
            stored, model_id = await _required_set(transaction, collection_id, model)
            held = replace(_holding(stored.collection, model), distance_metric=DistanceMetric.COSINE)
            for wording, vector in zip(wordings, vectors, strict=True):
                written += await transaction.execute(
                    "insert_wording_vector",
                    wording_id=wording.id,
                    model_id=model_id,
                    vector=_encoded(vector, held, f"wording {wording.id}"),
                )
        return written

    async def switch(self, collection_id: str, model: EmbeddingModel) -> bool:
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            stored, model_id = await _required_set(transaction, collection_id, model)
            if stored.model_id == model_id:
                return True
            scope = {"collection_id": collection_id, "model_id": model_id}
            first = {"document_id": "", "chunk_id": "", "limit": 1}
            if await transaction.fetch("chunks_lacking_vector", **scope, **first):
                return False
            if await transaction.fetch("curated_lacking_vector", **scope, after=0, limit=1):
                return False
            if await transaction.fetch("wordings_lacking_vector", **scope, after=0, limit=1):
                return False
            await transaction.execute("activate_model", **scope, dimensions=model.dimensions, now=now)
            await transaction.execute("set_model_set_status", **scope, status="complete")
            # From now on the old set is one that nobody keeps complete.
            await transaction.execute(
                "set_model_set_status",
                collection_id=collection_id,
                model_id=stored.model_id,
                status="building",
            )
            # Makes every process that holds part of the old set in memory read everything again.
            await transaction.execute("forget_changes_of_present_documents", collection_id=collection_id)
            await transaction.execute("log_change_of_all_documents", collection_id=collection_id)
            reached(CrashPoint.REINDEX_SWITCHED)
        return True

    async def remove_unused(self, collection_id: str) -> None:
        await self._remove_sets(collection_id, keep=None)

    async def _remove_sets(self, collection_id: str, keep: int | None) -> None:
        rows = await self._database.fetch("unused_model_sets", collection_id=collection_id)
        for model_id in (row["model_id"] for row in rows if row["model_id"] != keep):
            await self._remove_set(collection_id, model_id)

    async def _remove_set(self, collection_id: str, model_id: int) -> None:
        """Little by little, so that nobody has to wait long for his turn to write."""
        scope = {"collection_id": collection_id, "model_id": model_id}
        while rows := await self._database.fetch("documents_with_vectors", **scope, limit=_DOCUMENTS_AT_ONCE):
            async with self._database.transaction() as transaction:
                await _require_unused(transaction, collection_id, model_id)
                await transaction.execute(
                    "delete_vectors_of_model", **scope, document_ids=[row["document_id"] for row in rows]
                )
                reached(CrashPoint.REINDEX_OLD_REMOVED)
        async with self._database.transaction() as transaction:
            stored = await _require_unused(transaction, collection_id, model_id)
            await transaction.execute("delete_curated_vectors_of_model", **scope)
            await transaction.execute("delete_wording_vectors_of_model", **scope)
            await transaction.execute("drop_model_set", **scope)
        gone = replace(stored, model_id=model_id)
        await self._engine.forget(gone)
        await self._words.forget(gone)

    async def rebuild_words(self, collection_id: str, on_progress: Callable[[int, int], None] | None) -> int:
        async with self._database.transaction() as transaction:
            done = await count_words_anew(transaction, collection_id, self._clock.now(), on_progress)
            reached(CrashPoint.REINDEX_WORDS_WRITTEN)
        return done

    async def note_analyser(self) -> None:
        await self._database.execute("put_info", key="analyser_version", value=str(ANALYSER_VERSION))

    async def mark(self, collection_id: str) -> Place:
        async with self._database.snapshot() as reader:
            stored = await collections.require(reader, collection_id)
            row = await reader.fetch_one("info", key=_mark_key(collection_id))
        found: dict[str, Any] = {} if row is None else json.loads(row["value"])
        # A mark of another model, or of a collection that had the same name before, says nothing.
        if (found.get("model_id"), found.get("created_at")) != (
            stored.model_id,
            stored.collection.created_at,
        ):
            return START
        return found["document_id"], found["chunk_id"]

    async def put_mark(self, collection_id: str, place: Place | None) -> None:
        if place is None:
            await self._database.execute("forget_info", key=_mark_key(collection_id))
            return
        stored = await collections.require(self._database, collection_id)
        mark = {
            "model_id": stored.model_id,
            "created_at": stored.collection.created_at,
            "document_id": place[0],
            "chunk_id": place[1],
        }
        await self._database.execute("put_info", key=_mark_key(collection_id), value=json.dumps(mark))


async def _model_id(executor: Executor, model: EmbeddingModel) -> int:
    """The number of a model. Of one that nobody began with, a number whose set lacks everything."""
    return await collections.find_model(executor, model) or _NO_MODEL


def _mark_key(collection_id: str) -> str:
    return f"reindex:{collection_id}"


def _holding(collection: Collection, model: EmbeddingModel) -> Collection:
    """The collection as if it held the vectors of this model."""
    return replace(collection, model=model, embedding_dimensions=model.dimensions)


async def _required_set(
    transaction: Executor, collection_id: str, model: EmbeddingModel
) -> tuple[StoredCollection, int]:
    """The collection, and the number of a model that it still has a set of vectors for."""
    stored = await collections.require(transaction, collection_id)
    model_id = await _model_id(transaction, model)
    if await transaction.fetch_one("model_set", collection_id=collection_id, model_id=model_id) is None:
        raise ReindexOverrun(f"The set of {model.name} in {collection_id!r} was removed by somebody else")
    return stored, model_id


async def _require_unused(transaction: Executor, collection_id: str, model_id: int) -> StoredCollection:
    stored = await collections.require(transaction, collection_id)
    if stored.model_id == model_id:
        raise ReindexOverrun(
            f"Somebody else took the set that was to be removed from {collection_id!r} into use"
        )
    return stored


async def _texts(reader: Executor, collection_id: str, rows: Sequence[Row]) -> list[TextToEmbed]:
    now = await _revisions(reader, collection_id, sorted({row["document_id"] for row in rows}))
    return [
        TextToEmbed(
            place=(row["document_id"], row["id"]),
            content=row["content"],
            leans_to=_leans_to(row),
            revision=now[row["document_id"]],
        )
        for row in rows
    ]


def _leans_to(row: Row) -> str | None:
    title = row["title"]
    return title if row["level"] == ChunkLevel.CHILD and title and title.strip() else None


async def _revisions(
    executor: Executor, collection_id: str, document_ids: Sequence[str]
) -> dict[str, int | None]:
    rows = await executor.fetch(
        "revisions_of_documents", collection_id=collection_id, document_ids=document_ids
    )
    return dict.fromkeys(document_ids) | {row["document_id"]: row["revision"] for row in rows}


def _curated(row: Row) -> CuratedToEmbed:
    return CuratedToEmbed(row["id"], row["question"], row["answer"], row["revision"])


def _encoded(vector: NDArray[np.float32], held: Collection, what: str) -> bytes:
    return vector_encoding.encoded(vector, held, what)


def _vector_rows(
    collection: Collection, model: EmbeddingModel, texts: Sequence[TextToEmbed], made: NDArray[np.float32]
) -> list[dict[str, object]]:
    held = _holding(collection, model)
    return [
        {
            "collection_id": collection.id,
            "document_id": text.place[0],
            "chunk_id": text.place[1],
            "vector": _encoded(vector, held, f"chunk {text.place[1]!r}"),
        }
        for text, vector in zip(texts, made, strict=True)
    ]


def _without_vector(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name != "vector"}
