"""Approved answers: the contract of `ports.chat.CuratedBase`. They are few, and scanned exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.model.curation import CuratedAnswer, CuratedMatch, CuratedSource, SourceType
from sourcebook.model.documents import DistanceMetric
from sourcebook.model.moderation import Revision
from sourcebook.retrieve.subcategories import general_names
from sourcebook.storage.curation.curated_rows import category_key, insert_entry, read_entries, require_sane
from sourcebook.storage.curation.staleness import check_entry
from sourcebook.storage.database import again_if_lost
from sourcebook.storage.index import collections, vector_encoding

if TYPE_CHECKING:
    from sourcebook.model.documents import Vector
    from sourcebook.ports.work import Clock
    from sourcebook.storage.database import Database, Row


class SqlCuratedAnswers:
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
        wanted = Revision(collection_id, category, answer, question, subcategory, language, sources)
        require_sane(wanted)
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            entry_id = await insert_entry(
                transaction, stored, wanted, embedding, now, source_type=source_type, approved_by=approved_by
            )
            await check_entry(transaction, entry_id, now)
            (entry,) = await read_entries(transaction, [entry_id])
        return entry

    @again_if_lost
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
        rows = await self._database.fetch(
            "curated_vectors",
            collection_id=collection_id,
            category_key=category_key(category),
            subcategory_keys=_searched(subcategory),
        )
        near = _nearest(rows, query_embedding, distance_threshold, category_key(subcategory))[:limit]
        if not near:
            return []
        async with self._database.snapshot() as reader:
            found = await read_entries(reader, [row["id"] for row, _ in near])
        entries = {entry.id: entry for entry in found}
        # One that was removed in between is nobody's answer any more.
        return [CuratedMatch(entries[row["id"]], distance) for row, distance in near if row["id"] in entries]

    @again_if_lost
    async def kb_get(self, entry_id: int) -> CuratedAnswer | None:
        async with self._database.snapshot() as reader:
            found = await read_entries(reader, [entry_id])
        return found[0] if found else None

    @again_if_lost
    async def kb_list(self, collection_id: str | None = None) -> list[CuratedAnswer]:
        async with self._database.snapshot() as reader:
            rows = await reader.fetch("curated_ids", collection_id=collection_id)
            return await read_entries(reader, [row["id"] for row in rows])

    async def kb_remove(self, entry_id: int) -> bool:
        return bool(await self._database.execute("delete_curated", entry_id=entry_id))


def _searched(subcategory: str | None) -> list[str] | None:
    """A chosen subcategory with the general ones behind it; None for all."""
    chosen = category_key(subcategory)
    return None if chosen is None else [chosen, *general_names(chosen)]


def _nearest(
    rows: Sequence[Row], query: Vector, threshold: float, chosen: str | None
) -> list[tuple[Row, float]]:
    """Strictly below the threshold; those of the chosen subcategory first, then by distance and id."""
    if not rows:
        return []
    kind = vector_encoding.stored_type(DistanceMetric.COSINE)
    matrix = np.frombuffer(b"".join(row["vector"] for row in rows), dtype=kind).reshape(len(rows), -1)
    wanted = vector_encoding.checked(query, matrix.shape[1], "the question")
    distances = (1.0 - vector_encoding.scores(matrix, wanted, DistanceMetric.COSINE)).tolist()
    near = [(row, distance) for row, distance in zip(rows, distances, strict=True) if distance < threshold]
    return sorted(near, key=lambda pair: (_is_general(pair[0], chosen), pair[1], pair[0]["id"]))


def _is_general(row: Row, chosen: str | None) -> bool:
    return chosen is not None and row["subcategory_key"] != chosen
