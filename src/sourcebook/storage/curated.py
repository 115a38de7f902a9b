"""Approved answers: the contract of `ports.chat.CuratedBase`. They are few, and scanned exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.errors import UsageError
from sourcebook.model.chat import SourceState
from sourcebook.model.curation import CuratedAnswer, CuratedMatch, CuratedSource, SourceType
from sourcebook.model.documents import DistanceMetric
from sourcebook.retrieve.subcategories import general_names
from sourcebook.storage import vectors
from sourcebook.storage.checks import require_storable
from sourcebook.storage.repositories import collections
from sourcebook.text.normal import normal_form

if TYPE_CHECKING:
    from sourcebook.model.documents import Vector
    from sourcebook.ports.work import Clock
    from sourcebook.storage.database import Database, Executor, Row


class SqlCuratedBase:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def kb_insert(
        self,
        *,
        collection_id: str,
        category: str,
        answer: str,
        embedding: Vector,
        question: str | None = None,
        subcategory: str | None = None,
        source_type: SourceType = SourceType.MANUAL,
        language: str | None = None,
        approved_by: int | None = None,
        sources: Sequence[CuratedSource] = (),
    ) -> CuratedAnswer:
        require_storable("the curated answer", category, answer, question, subcategory)
        if not answer.strip() or not normal_form(category):
            raise UsageError("a curated answer needs a category and an answer")
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            row = await transaction.fetch_one(
                "insert_curated",
                collection_id=collection_id,
                category=category,
                category_key=normal_form(category),
                subcategory=subcategory,
                subcategory_key=_key(subcategory),
                question=question,
                answer=answer,
                source_type=source_type.value,
                language=language,
                approved_by=approved_by,
                approved_at=None if approved_by is None else now,
                now=now,
            )
            assert row is not None, "an insert returns its row"  # noqa: S101
            entry_id = int(row["id"])
            wanted = vectors.checked(embedding, stored.collection.embedding_dimensions, "the curated answer")
            await transaction.execute(
                "insert_vector_of_curated",
                knowledge_base_id=entry_id,
                model_id=stored.model_id,
                vector=_encoded(wanted),
            )
            await transaction.execute_many("insert_curated_source", _source_rows(entry_id, sources))
            (entry,) = await _entries(transaction, [entry_id])
        return entry

    async def kb_search(
        self,
        category: str | None,
        query_embedding: Vector,
        subcategory: str | None = None,
        limit: int = 3,
        distance_threshold: float = 0.35,
        *,
        collection_id: str = "default",
    ) -> list[CuratedMatch]:
        async with self._database.snapshot() as reader:
            stored = await collections.require(reader, collection_id)
            rows = await reader.fetch(
                "curated_vectors",
                collection_id=collection_id,
                model_id=stored.model_id,
                category_key=_key(category),
                subcategory_keys=_searched(subcategory),
            )
            query = vectors.checked(query_embedding, stored.collection.embedding_dimensions, "the question")
            near = _nearest(rows, query, distance_threshold, _key(subcategory))[:limit]
            entries = {entry.id: entry for entry in await _entries(reader, [row["id"] for row, _ in near])}
        return [CuratedMatch(entries[row["id"]], distance) for row, distance in near]

    async def kb_get(self, entry_id: int) -> CuratedAnswer | None:
        async with self._database.snapshot() as reader:
            found = await _entries(reader, [entry_id])
        return found[0] if found else None

    async def kb_list(self, collection_id: str | None = None) -> list[CuratedAnswer]:
        async with self._database.snapshot() as reader:
            rows = await reader.fetch("curated_ids", collection_id=collection_id)
            return await _entries(reader, [row["id"] for row in rows])

    async def kb_remove(self, entry_id: int) -> bool:
        return bool(await self._database.execute("delete_curated", entry_id=entry_id))


def _key(value: str | None) -> str | None:
    return normal_form(value) or None if value is not None else None


def _searched(subcategory: str | None) -> list[str] | None:
    """A chosen subcategory with the general ones behind it; None for all."""
    chosen = _key(subcategory)
    return None if chosen is None else [chosen, *general_names(chosen)]


def _encoded(vector: np.ndarray[tuple[int], np.dtype[np.float32]]) -> bytes:
    return vectors.normalised(vector).astype(vectors.stored_type(DistanceMetric.COSINE)).tobytes()


def _nearest(
    rows: Sequence[Row], query: Vector, threshold: float, chosen: str | None
) -> list[tuple[Row, float]]:
    """Strictly below the threshold; those of the chosen subcategory first, then by distance and id."""
    if not rows:
        return []
    kind = vectors.stored_type(DistanceMetric.COSINE)
    matrix = np.frombuffer(b"".join(row["vector"] for row in rows), dtype=kind).reshape(len(rows), -1)
    wanted = np.asarray(query, dtype=np.float32)
    distances = (1.0 - vectors.scores(matrix, wanted, DistanceMetric.COSINE)).tolist()
    near = [(row, distance) for row, distance in zip(rows, distances, strict=True) if distance < threshold]
    return sorted(near, key=lambda pair: (_is_general(pair[0], chosen), pair[1], pair[0]["id"]))


def _is_general(row: Row, chosen: str | None) -> bool:
    return chosen is not None and row["subcategory_key"] != chosen


def _source_rows(entry_id: int, sources: Sequence[CuratedSource]) -> list[dict[str, object]]:
    return [
        {
            "knowledge_base_id": entry_id,
            "position": position,
            "collection_id": source.collection_id,
            "document_id": source.document_id,
            "chunk_id": source.chunk_id,
            "document_path": source.document_path,
            "document_title": source.document_title,
            "page": source.page,
            "start_index": source.start,
            "end_index": source.end,
            "quote": source.quote,
            "file_hash": source.file_hash,
        }
        for position, source in enumerate(sources)
    ]


async def _entries(reader: Executor, ids: Sequence[int]) -> list[CuratedAnswer]:
    if not ids:
        return []
    sources: dict[int, list[CuratedSource]] = {}
    for row in await reader.fetch("curated_sources", ids=list(ids)):
        sources.setdefault(row["knowledge_base_id"], []).append(_source_from(row))
    rows = await reader.fetch("curated_by_ids", ids=list(ids))
    return [_entry_from(row, sources.get(row["id"], [])) for row in rows]


def _entry_from(row: Row, sources: Sequence[CuratedSource]) -> CuratedAnswer:
    return CuratedAnswer(
        id=row["id"],
        collection_id=row["collection_id"],
        category=row["category"],
        answer=row["answer"],
        question=row["question"],
        subcategory=row["subcategory"],
        source_type=SourceType(row["source_type"]),
        language=row["language"],
        is_active=bool(row["is_active"]),
        revision=row["revision"],
        stale_since=row["stale_since"],
        stale_reason=row["stale_reason"],
        approved_by=row["approved_by"],
        approved_at=row["approved_at"],
        sources=tuple(sources),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _source_from(row: Row) -> CuratedSource:
    return CuratedSource(
        collection_id=row["collection_id"],
        document_id=row["document_id"],
        document_path=row["document_path"],
        quote=row["quote"],
        document_title=row["document_title"],
        chunk_id=row["chunk_id"],
        page=row["page"],
        start=row["start_index"],
        end=row["end_index"],
        file_hash=row["file_hash"],
        state=SourceState(row["state"]),
    )
