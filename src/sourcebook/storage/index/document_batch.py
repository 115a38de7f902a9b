"""Many documents in one transaction, with as many statements as one of them needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.model.documents import WriteOutcome, WriteReport
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.index import chunks as chunk_rows
from sourcebook.storage.index import documents
from sourcebook.storage.index.document_paths import DocumentPaths
from sourcebook.storage.index.index_change import IndexChange
from sourcebook.storage.rows import document_row

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.index.ready_document import ReadyDocument


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """Documents of one collection that are new to it, inside one transaction. All ids and hashes differ."""

    transaction: Executor
    stored: StoredCollection
    now: int

    async def write(self, batch: Sequence[ReadyDocument]) -> list[WriteReport]:
        if not batch:
            return []
        collection_id = self.stored.collection.id
        ids = [ready.document.id for ready in batch]
        taken = await chunk_rows.places(
            self.transaction, collection_id, [c.chunk.id for ready in batch for c in ready.chunks]
        )
        placed = {row["chunk_id"]: row["document_id"] for row in taken}
        change = IndexChange(self.transaction, collection_id, self.stored.model_id, self.now)
        await change.begin([*ids, *placed.values()])
        await change.drop_chunks(placed)
        await self._put_documents(batch)
        await self._put_paths(batch)
        reached(CrashPoint.DOCUMENT_WRITTEN)
        await change.put_chunks(
            [chunk for ready in batch for chunk in ready.chunks],
            {ready.document.id: ready.words for ready in batch},
        )
        await change.settle()
        return [WriteReport(WriteOutcome.WRITTEN, document_id) for document_id in ids]

    async def _put_documents(self, batch: Sequence[ReadyDocument]) -> None:
        collection_id = self.stored.collection.id
        await self.transaction.execute_many(
            "put_document",
            (
                {
                    **document_row(collection_id, ready.document, self.now),
                    "file_hash": ready.file_hash,
                    "content_hash": ready.content_hash,
                }
                for ready in batch
            ),
        )
        await self.transaction.execute_many(
            "claim_hash",
            (
                {
                    "collection_id": collection_id,
                    "file_hash": ready.file_hash,
                    "document_id": ready.document.id,
                }
                for ready in batch
            ),
        )

    async def _put_paths(self, batch: Sequence[ReadyDocument]) -> None:
        """Whichever document lay at one of these paths before does so no longer."""
        collection_id = self.stored.collection.id
        displaced: dict[str, None] = {}
        for source_id in {path.source_id for ready in batch for path in ready.prepared.paths}:
            wanted = [p.path for ready in batch for p in ready.prepared.paths if p.source_id == source_id]
            owners = await self.transaction.fetch(
                "path_owners", collection_id=collection_id, source_id=source_id, paths=wanted
            )
            displaced.update(dict.fromkeys(row["document_id"] for row in owners))
        await self.transaction.execute_many(
            "put_path",
            (
                documents.path_row(collection_id, ready.document.id, path, self.now)
                for ready in batch
                for path in ready.prepared.paths
            ),
        )
        if displaced:
            await DocumentPaths(self.transaction, collection_id, self.now).settle(list(displaced))


async def alone_in_the_base(
    transaction: Executor, collection_id: str, batch: Sequence[ReadyDocument]
) -> Mapping[str, ReadyDocument]:
    """Those of the documents, by id, that nothing in the base and nothing else in the batch has to do with."""
    held = {
        one.id for one in await documents.heads(transaction, collection_id, [r.document.id for r in batch])
    }
    rows = await transaction.fetch(
        "hash_owners", collection_id=collection_id, hashes=[r.file_hash for r in batch]
    )
    owned = {row["file_hash"] for row in rows}
    found: dict[str, ReadyDocument] = {}
    for ready in batch:
        if ready.document.id in held or ready.file_hash in owned or ready.prepared.expected_hash is not None:
            continue
        found.setdefault(ready.document.id, ready)
        owned.add(ready.file_hash)
    return found
