"""Approved answers: the contract of `ports.chat.CuratedBase`. They are few, and scanned exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.model.curation import (
    CuratedAnswer,
    CuratedMatch,
    CuratedSource,
    SourceType,
    Wording,
    WordingStatus,
)
from sourcebook.model.documents import DistanceMetric
from sourcebook.model.moderation import Revision
from sourcebook.retrieve.subcategories import general_names
from sourcebook.storage.curation import wordings
from sourcebook.storage.curation.curated_rows import category_key, insert_entry, read_entries, require_sane
from sourcebook.storage.curation.draft_decisions import close_answered_by
from sourcebook.storage.curation.stale_answers import check_entry
from sourcebook.storage.database import again_if_lost, in_transaction
from sourcebook.storage.index import collections, vector_encoding

if TYPE_CHECKING:
    from sourcebook.model.documents import Vector
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.moderation import Embedded
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
        approved_at: int | None = None,
        sources: Sequence[CuratedSource] = (),
    ) -> CuratedAnswer:
        wanted = Revision(collection_id, category, answer, question, subcategory, language, sources)
        require_sane(wanted)
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            entry_id = await insert_entry(
                transaction,
                stored,
                wanted,
                embedding,
                now,
                source_type=source_type,
                approved_by=approved_by,
                approved_at=approved_at,
            )
            await check_entry(transaction, entry_id, now)
            (entry,) = await read_entries(transaction, [entry_id])
            await close_answered_by(transaction, entry, entry.question, approved_by, now)
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
        scope = {
            "collection_id": collection_id,
            "category_key": category_key(category),
            "subcategory_keys": _searched(subcategory),
        }
        async with self._database.snapshot() as reader:
            rows = await reader.fetch("curated_vectors", **scope)
            rows += await reader.fetch("wording_vectors", **scope)
            near = _nearest(rows, query_embedding, distance_threshold, category_key(subcategory))[:limit]
            found = await read_entries(reader, [row["id"] for row, _ in near])
        entries = {entry.id: entry for entry in found}
        return [CuratedMatch(entries[row["id"]], distance, row["wording"]) for row, distance in near]

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

    async def kb_confirm_wording(
        self, entry_id: int, question: str, user_id: int, embedded: Embedded
    ) -> Wording | None:
        now = self._clock.now()
        return await in_transaction(
            self._database, lambda state: wordings.confirm(state, entry_id, question, user_id, embedded, now)
        )

    async def kb_add_wording(
        self, entry_id: int, question: str, admin_id: int, embedded: Embedded
    ) -> Wording | None:
        now = self._clock.now()
        return await in_transaction(
            self._database, lambda state: wordings.add(state, entry_id, question, admin_id, embedded, now)
        )

    async def kb_decide_wording(self, wording_id: int, admin_id: int, status: WordingStatus) -> Wording:
        now = self._clock.now()
        return await in_transaction(
            self._database, lambda state: wordings.decide(state, wording_id, admin_id, status, now)
        )

    async def kb_open_wordings(self) -> int:
        row = await self._database.fetch_one("count_open_wordings")
        return 0 if row is None else int(row["count"])

    async def kb_remove(self, entry_id: int) -> bool:
        return bool(await self._database.execute("delete_curated", entry_id=entry_id))


def _searched(subcategory: str | None) -> list[str] | None:
    """A chosen subcategory with the general ones behind it; None for all."""
    chosen = category_key(subcategory)
    return None if chosen is None else [chosen, *general_names(chosen)]


def _nearest(
    rows: Sequence[Row], query: Vector, threshold: float, chosen: str | None
) -> list[tuple[Row, float]]:
    """The nearest question of each answer, strictly below the threshold.

    Those of the chosen subcategory go first, then by distance and id.
    """
    if not rows:
        return []
    kind = vector_encoding.stored_type(DistanceMetric.COSINE)
    matrix = np.frombuffer(b"".join(row["vector"] for row in rows), dtype=kind).reshape(len(rows), -1)
    wanted = vector_encoding.checked(query, matrix.shape[1], "the question")
    distances = (1.0 - vector_encoding.scores(matrix, wanted, DistanceMetric.COSINE)).tolist()
    nearest: dict[int, tuple[Row, float]] = {}
    for row, distance in zip(rows, distances, strict=True):
        if distance < threshold and distance < nearest.get(row["id"], (row, threshold))[1]:
            nearest[row["id"]] = (row, distance)
    return sorted(nearest.values(), key=lambda pair: (_is_general(pair[0], chosen), pair[1], pair[0]["id"]))


def _is_general(row: Row, chosen: str | None) -> bool:
    return chosen is not None and row["subcategory_key"] != chosen
