"""The chunks that a search found, read from the base."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.model.documents import Chunk, ChunkLevel
from sourcebook.model.search import ScoreBreakdown, SearchResult

if TYPE_CHECKING:
    from sourcebook.model.documents import Metadata
    from sourcebook.storage.index.engines import Scored
    from sourcebook.storage.sqlite.worker_session import SqliteSession


class _Row(NamedTuple):
    """The columns of `results_by_rowids` and `results_by_ids`. Made in half the time of a mapping."""

    id: str
    document_id: str
    chunk_index: int
    content: str
    start_index: int
    end_index: int
    token_count: int
    level: str
    parent_id: str | None
    section: str | None
    page_number: int | None
    metadata: str
    created_at: int
    title: str | None
    file_path: str
    language: str | None


def results_of(session: SqliteSession, collection_id: str, found: Sequence[Scored]) -> list[SearchResult]:
    """These chunks with their texts, in their order."""
    rows = _rows(session, collection_id, {one.chunk_id: one.rowid for one in found})
    in_order = [rows[one.chunk_id] for one in found]
    return [
        SearchResult(
            chunk,
            one.score,
            ScoreBreakdown(semantic_score=one.score),
            document_path=row.file_path,
            document_title=row.title,
            matched=tuple(one.matched),
        )
        for one, row, chunk in zip(found, in_order, _chunks(in_order), strict=True)
    ]


def results_at(
    session: SqliteSession, collection_id: str, places: Mapping[str, int | None]
) -> list[SearchResult]:
    """Those of the chunks with these ids that exist, without a score; `places` is where they were last seen."""
    rows = list(_rows(session, collection_id, places).values())
    return [
        SearchResult(chunk, 0.0, document_path=row.file_path, document_title=row.title)
        for row, chunk in zip(rows, _chunks(rows), strict=True)
    ]


def _rows(session: SqliteSession, collection_id: str, places: Mapping[str, int | None]) -> dict[str, _Row]:
    """The rows of these chunks by their ids.

    They are read where they were last seen, which takes a quarter of the time, and those that are not there any more by
    their ids: a base that was compacted or restored may keep them elsewhere.
    """
    rows: dict[str, _Row] = {}
    rowids = [rowid for rowid in places.values() if rowid is not None]
    if rowids:
        there = _by_id(session, "results_by_rowids", collection_id=collection_id, rowids=rowids)
        rows = {chunk_id: row for chunk_id, row in there.items() if chunk_id in places}
    missing = [chunk_id for chunk_id in places if chunk_id not in rows]
    if missing:
        rows.update(_by_id(session, "results_by_ids", collection_id=collection_id, chunk_ids=missing))
    return rows


def _by_id(session: SqliteSession, name: str, **parameters: object) -> dict[str, _Row]:
    return {row[0]: _Row._make(row) for row in session.stream(name, **parameters)}


def _chunks(rows: Sequence[_Row]) -> list[Chunk]:
    return [_chunk(row, metadata) for row, metadata in zip(rows, _metadata(rows), strict=True)]


def _metadata(rows: Sequence[_Row]) -> list[Metadata]:
    """The metadata of each row, decoded together: many small texts take three times as long one by one."""
    return json.loads(f"[{','.join([row.metadata for row in rows])}]")


def _chunk(row: _Row, metadata: Metadata) -> Chunk:
    return Chunk(
        id=row.id,
        document_id=row.document_id,
        content=row.content,
        chunk_index=row.chunk_index,
        start_index=row.start_index,
        end_index=row.end_index,
        level=ChunkLevel(row.level),
        parent_id=row.parent_id,
        section=row.section,
        page=row.page_number,
        token_count=row.token_count,
        metadata=metadata,
        created_at=row.created_at,
    )
