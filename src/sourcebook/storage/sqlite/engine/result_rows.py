"""The chunks that a search found, read from the base."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sourcebook.model.documents import Chunk, ChunkLevel
from sourcebook.model.search import ScoreBreakdown, SearchResult

if TYPE_CHECKING:
    from sourcebook.model.documents import Metadata
    from sourcebook.storage.index.engines import Scored
    from sourcebook.storage.sqlite.worker_session import SqliteSession


# The columns of `results_by_rowids` and `results_by_ids`, as tuples: mappings take twice as long to make.
_Row: TypeAlias = tuple[Any, ...]
_METADATA = 11


def results_of(session: SqliteSession, collection_id: str, found: Sequence[Scored]) -> list[SearchResult]:
    """These chunks with their texts, in their order."""
    # Each look at a ranking makes what is looked at.
    found = list(found)
    rows = _rows(session, collection_id, {one.chunk_id: one.rowid for one in found})
    in_order = [rows[one.chunk_id] for one in found]
    return [_result(*one) for one in zip(in_order, _metadata(in_order), found, strict=True)]


def results_at(
    session: SqliteSession, collection_id: str, places: Mapping[str, int | None]
) -> list[SearchResult]:
    """Those of the chunks with these ids that exist, without a score; `places` is where they were last seen."""
    rows = _rows(session, collection_id, places)
    there = [row for chunk_id, row in rows.items() if chunk_id in places]
    return [_result(row, metadata) for row, metadata in zip(there, _metadata(there), strict=True)]


def _rows(session: SqliteSession, collection_id: str, places: Mapping[str, int | None]) -> dict[str, _Row]:
    """The rows of these chunks by their ids, and perhaps of others.

    They are read where they were last seen, which takes a quarter of the time, and those that are not there any more by
    their ids: a base that was compacted or restored may keep them elsewhere.
    """
    rows: dict[str, _Row] = {}
    rowids = [rowid for rowid in places.values() if rowid is not None]
    if rowids:
        rows.update(_by_id(session, "results_by_rowids", collection_id=collection_id, rowids=rowids))
    missing = [chunk_id for chunk_id in places if chunk_id not in rows]
    if missing:
        rows.update(_by_id(session, "results_by_ids", collection_id=collection_id, chunk_ids=missing))
    return rows


def _by_id(session: SqliteSession, name: str, **parameters: object) -> dict[str, _Row]:
    return {row[0]: row for row in session.stream(name, **parameters)}


def _metadata(rows: Sequence[_Row]) -> list[Metadata]:
    """The metadata of each row, decoded together: many small texts take three times as long one by one."""
    return json.loads(f"[{','.join([row[_METADATA] for row in rows])}]")


def _result(row: _Row, metadata: Metadata, found: Scored | None = None) -> SearchResult:
    own, document, index, content, start, end, tokens, level, parent, section, page = row[:_METADATA]
    created, title, path = row[_METADATA + 1 : _METADATA + 4]
    chunk = Chunk(
        id=own,
        document_id=document,
        content=content,
        chunk_index=index,
        start_index=start,
        end_index=end,
        level=ChunkLevel(level),
        parent_id=parent,
        section=section,
        page=page,
        token_count=tokens,
        metadata=metadata,
        created_at=created,
    )
    if found is None:
        return SearchResult(chunk, 0.0, document_path=path, document_title=title)
    breakdown = ScoreBreakdown(semantic_score=found.score)
    return SearchResult(
        chunk,
        found.score,
        breakdown,
        document_path=path,
        document_title=title,
        matched=tuple(found.matched),
    )
