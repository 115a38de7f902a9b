"""What a search asks of the base about a collection; most of it is answered once for each of its states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.storage.index.collections import required_from

if TYPE_CHECKING:
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.sqlite.worker_session import SqliteSession


def stored_collection(session: SqliteSession, collection_id: str) -> StoredCollection:
    def read() -> StoredCollection:
        row = session.fetch_one("collection_by_id", collection_id=collection_id)
        return required_from(row, collection_id)

    return session.remembered(("collection", collection_id), read)


def spoken_languages(session: SqliteSession, collection_id: str) -> list[str]:
    def read() -> list[str]:
        return [row["language"] for row in session.fetch("languages", collection_id=collection_id)]

    return session.remembered(("languages", collection_id), read)


def chunks_of(session: SqliteSession, stored: StoredCollection, document_ids: Sequence[str]) -> int:
    """How many chunks of these documents may be found."""
    scope = {"collection_id": stored.collection.id, "document_ids": list(document_ids)}
    row = session.fetch_one("chunks_of_documents", **scope)
    return int(row["chunks"]) if row else 0
