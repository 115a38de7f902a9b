"""What was indexed, remembered in the documents themselves: the contract of `ports.storage.DocumentTracker`."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sourcebook.model.documents import TrackedDocument
from sourcebook.storage.argument_checks import metadata_text, require_storable
from sourcebook.storage.database import again_if_lost
from sourcebook.storage.index import collections
from sourcebook.storage.index.index_change import IndexChange
from sourcebook.storage.rows import file_name
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.documents import Document
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database


def content_hash(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


class SqlDocumentTracker:
    """A newer file with the same content is not modified: the hash decides."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @again_if_lost
    async def is_modified(self, document: Document, collection_id: str) -> bool:
        require_storable(f"document {document.id!r}", document.content)
        async with self._database.snapshot() as reader:
            await collections.require(reader, collection_id)
            row = await reader.fetch_one("tracked_hash", collection_id=collection_id, document_id=document.id)
        return row is None or row["content_hash"] != content_hash(document.content)

    async def track(self, document: Document, collection_id: str, chunk_count: int) -> None:
        what = f"document {document.id!r}"
        require_storable(what, document.id, document.content, document.title, document.file_path)
        row = {
            "collection_id": collection_id,
            "document_id": document.id,
            "file_path": document.file_path or document.id,
            "filename": file_name(document.file_path or document.id),
            "title": document.title,
            "content": document.content,
            "content_hash": content_hash(document.content),
            "mtime": document.mtime,
            "language": document.language or detect_language(document.content),
            "metadata": metadata_text(document.metadata, what),
            "tracked_chunks": chunk_count,
            "now": self._clock.now(),
        }
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            change = IndexChange(transaction, collection_id, stored.model_id, self._clock.now())
            await change.begin([document.id])
            await transaction.execute("track_document", **row)
            await change.settle()

    async def untrack(self, document_id: str, collection_id: str) -> None:
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            change = IndexChange(transaction, collection_id, stored.model_id, now)
            await change.begin([document_id])
            await transaction.execute(
                "untrack_document", collection_id=collection_id, document_id=document_id, now=now
            )
            await transaction.execute("release_hashes", collection_id=collection_id, document_id=document_id)
            await change.settle()

    async def tracked(self, collection_id: str) -> list[TrackedDocument]:
        async with self._database.snapshot() as reader:
            await collections.require(reader, collection_id)
            rows = await reader.fetch("tracked_documents", collection_id=collection_id)
        return [
            TrackedDocument(
                document_id=row["id"],
                content_hash=row["content_hash"],
                file_path=row["file_path"],
                file_modified_at=row["mtime"],
                indexed_at=row["indexed_at"],
                chunk_count=row["chunk_count"],
            )
            for row in rows
        ]
