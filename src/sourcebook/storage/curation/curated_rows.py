"""Rows of curated answers: read, inserted and renewed inside a transaction of the caller."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.chat import SourceState
from sourcebook.model.curation import (
    ContextChange,
    CuratedAnswer,
    CuratedSource,
    SourceType,
    Wording,
    WordingStatus,
)
from sourcebook.model.documents import DistanceMetric
from sourcebook.storage.argument_checks import require_storable
from sourcebook.storage.index import vector_encoding
from sourcebook.text.case_and_accents import normal_form

if TYPE_CHECKING:
    import numpy as np

    from sourcebook.model.documents import Vector
    from sourcebook.model.moderation import Revision
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.index.collections import StoredCollection


def category_key(value: str | None) -> str | None:
    return normal_form(value) or None if value is not None else None


def require_sane(wanted: Revision) -> None:
    quoted = [text for source in wanted.sources for text in (source.quote, source.document_path)]
    texts = (wanted.category, wanted.answer, wanted.question, wanted.subcategory, *quoted)
    require_storable("the curated answer", *texts)
    if not wanted.answer.strip() or not normal_form(wanted.category):
        raise UsageError("A curated answer needs a category and an answer")


async def insert_entry(
    transaction: Executor,
    stored: StoredCollection,
    wanted: Revision,
    embedding: Vector,
    now: int,
    *,
    source_type: SourceType = SourceType.ADMIN_QA,
    approved_by: int | None = None,
    approved_at: int | None = None,
    draft_id: int | None = None,
) -> int:
    """Insert an answer with its vector and sources. A draft makes one answer at most.

    One that was approved before, in another base, keeps that time; none lies ahead.
    """
    row = await transaction.fetch_one(
        "insert_curated",
        collection_id=stored.collection.id,
        category=wanted.category,
        category_key=normal_form(wanted.category),
        subcategory=wanted.subcategory,
        subcategory_key=category_key(wanted.subcategory),
        question=wanted.question,
        answer=wanted.answer,
        source_type=source_type.value,
        language=wanted.language,
        draft_id=draft_id,
        approved_by=approved_by,
        approved_at=None if approved_by is None else min(now, now if approved_at is None else approved_at),
        now=now,
    )
    assert row is not None, "an insert returns its row"  # noqa: S101
    await _put_vector_and_sources(transaction, stored, int(row["id"]), wanted, embedding)
    return int(row["id"])


async def renew_entry(
    transaction: Executor,
    stored: StoredCollection,
    entry_id: int,
    wanted: Revision,
    embedding: Vector,
    now: int,
    *,
    approved_by: int,
) -> None:
    """Put a new revision in the place of the old one."""
    await transaction.execute(
        "renew_curated",
        entry_id=entry_id,
        category=wanted.category,
        category_key=normal_form(wanted.category),
        subcategory=wanted.subcategory,
        subcategory_key=category_key(wanted.subcategory),
        question=wanted.question,
        answer=wanted.answer,
        language=wanted.language,
        approved_by=approved_by,
        now=now,
    )
    await transaction.execute("drop_vectors_of_curated", entry_id=entry_id)
    await transaction.execute("drop_sources_of_curated", entry_id=entry_id)
    await _put_vector_and_sources(transaction, stored, entry_id, wanted, embedding)


async def _put_vector_and_sources(
    transaction: Executor, stored: StoredCollection, entry_id: int, wanted: Revision, embedding: Vector
) -> None:
    vector = vector_encoding.checked(embedding, stored.collection.embedding_dimensions, "the curated answer")
    await transaction.execute(
        "insert_vector_of_curated",
        knowledge_base_id=entry_id,
        model_id=stored.model_id,
        vector=encoded_question(vector),
    )
    await transaction.execute_many("insert_curated_source", _source_rows(entry_id, wanted.sources))


def encoded_question(vector: np.ndarray[tuple[int], np.dtype[np.float32]]) -> bytes:
    """A vector as curated questions are compared: by its cosine."""
    return (
        vector_encoding.normalised(vector)
        .astype(vector_encoding.stored_type(DistanceMetric.COSINE))
        .tobytes()
    )


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
            "section": source.section,
        }
        for position, source in enumerate(sources)
    ]


async def read_entries(reader: Executor, ids: Sequence[int]) -> list[CuratedAnswer]:
    if not ids:
        return []
    sources: dict[int, list[CuratedSource]] = {}
    for row in await reader.fetch("curated_sources", ids=list(ids)):
        sources.setdefault(row["knowledge_base_id"], []).append(_source_from(row))
    wordings: dict[int, list[Wording]] = {}
    for row in await reader.fetch("curated_wordings", ids=list(ids)):
        wordings.setdefault(row["knowledge_base_id"], []).append(wording_from(row))
    rows = await reader.fetch("curated_by_ids", ids=list(ids))
    return [_entry_from(row, sources.get(row["id"], []), wordings.get(row["id"], [])) for row in rows]


def wording_from(row: Row) -> Wording:
    return Wording(
        id=row["id"],
        entry_id=row["knowledge_base_id"],
        question=row["question"],
        status=WordingStatus(row["status"]),
        people=row["people"],
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        created_at=row["created_at"],
    )


def context_changes_text(changes: Sequence[ContextChange]) -> str | None:
    """The changes as they are stored; None for none."""
    told = [[change.part, change.before, change.after] for change in changes]
    return json.dumps(told, ensure_ascii=False) if told else None


def context_changes_from(stored: str | None) -> tuple[ContextChange, ...]:
    return tuple(ContextChange(*change) for change in json.loads(stored)) if stored else ()


def person_name(row: Row, user_id: int) -> str:
    """What a person is called, by the names in a row."""
    full = " ".join(part for part in (row["first_name"], row["last_name"]) if part)
    return full or row["username"] or f"user {user_id}"


def _entry_from(row: Row, sources: Sequence[CuratedSource], wordings: Sequence[Wording]) -> CuratedAnswer:
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
        wordings=tuple(wordings),
        approved_by_name=None if row["approved_by"] is None else person_name(row, row["approved_by"]),
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
        context_changes=context_changes_from(row["context_change"]),
        section=row["section"],
    )
