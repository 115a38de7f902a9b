"""What a base holds of a document, in the form in which bundles tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.storage.index import documents
from sourcebook.storage.jsonl.bundle_records import BundledChunk, BundledDocument
from sourcebook.storage.rows import chunk_from, document_from

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor
    from sourcebook.storage.index.collections import StoredCollection


async def held_document(
    reader: Executor, stored: StoredCollection, document_id: str
) -> BundledDocument | None:
    collection_id = stored.collection.id
    row = await reader.fetch_one("bundle_document", collection_id=collection_id, document_id=document_id)
    if row is None:
        return None
    chunks = await reader.fetch(
        "bundle_chunks", collection_id=collection_id, document_id=document_id, model_id=stored.model_id
    )
    return BundledDocument(
        document=document_from(row),
        content_hash=row["content_hash"],
        is_bare=bool(row["is_bare"]),
        tracked_chunks=row["tracked_chunks"],
        paths=await documents.paths(reader, collection_id, document_id),
        chunks=[BundledChunk(chunk_from(c), c["vector"], bool(c["has_words"])) for c in chunks],
    )
