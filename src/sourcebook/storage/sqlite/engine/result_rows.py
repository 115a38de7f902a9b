"""The chunks that a search found, read from the base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.storage.database import Row
    from sourcebook.storage.index.engines import Scored
    from sourcebook.storage.sqlite.worker_session import SqliteSession


def result_rows(session: SqliteSession, collection_id: str, found: Sequence[Scored]) -> dict[str, Row]:
    """The rows of these chunks by their ids.

    They are read where they were last seen, which takes a quarter of the time, and those that are not there any more by
    their ids: a base that was compacted or restored may keep them elsewhere.
    """
    places = [one.rowid for one in found if one.rowid is not None]
    rows: dict[str, Row] = {}
    if places:
        wanted = {one.chunk_id for one in found}
        seen = session.fetch("results_by_rowids", collection_id=collection_id, rowids=places)
        rows = {row["id"]: row for row in seen if row["id"] in wanted}
    missing = [one.chunk_id for one in found if one.chunk_id not in rows]
    if missing:
        read = session.fetch("results_by_ids", collection_id=collection_id, chunk_ids=missing)
        rows.update((row["id"], row) for row in read)
    return rows
