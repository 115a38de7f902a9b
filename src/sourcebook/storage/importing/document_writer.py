"""Writing one imported document, with its own times and ids, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.errors import ActiveModelChanged, DocumentChangedMeanwhile
from sourcebook.model.documents import WriteOutcome
from sourcebook.storage.argument_checks import require_sane_chunks, require_storable
from sourcebook.storage.database import in_transaction
from sourcebook.storage.index import chunks as chunk_rows
from sourcebook.storage.index import collections, vector_encoding
from sourcebook.storage.index.bm25 import WordCount
from sourcebook.storage.index.document_tracker import content_hash
from sourcebook.storage.index.index_change import IndexChange, ReadyChunk
from sourcebook.storage.rows import document_row

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection, Vector
    from sourcebook.storage.database import Database, Executor
    from sourcebook.storage.importing.documents import OldDocument
    from sourcebook.storage.importing.vectors import VectorSource


@dataclass(frozen=True, slots=True)
class DocumentWriter:
    """Writes documents of an old base. What the base holds already is left alone."""

    database: Database
    collection: Collection
    source: VectorSource
    now: int
    prefix: str | None = None
    """For documents that are numbered, and so may have the numbers of others: what then stands before theirs."""

    async def outcome_of(self, old: OldDocument) -> WriteOutcome:
        """What `put` would make of it."""
        async with self.database.snapshot() as reader:
            free = await self._under_free_ids(reader, old)
        return free if isinstance(free, WriteOutcome) else WriteOutcome.WRITTEN

    async def put(self, old: OldDocument) -> WriteOutcome:
        async with self.database.snapshot() as reader:
            free = await self._under_free_ids(reader, old)
        if isinstance(free, WriteOutcome):
            return free
        texts = [chunk.content for chunk in free.chunks]
        made = await self.source.vectors(texts, free.embeddings)
        ready, words = await anyio.to_thread.run_sync(_ready, free, made, self.collection)

        async def write(transaction: Executor) -> WriteOutcome:
            return await self._write(transaction, free, ready, words)

        return await in_transaction(self.database, write)

    async def _under_free_ids(self, reader: Executor, old: OldDocument) -> OldDocument | WriteOutcome:
        """The document under ids that nothing else has, or what became of it before."""
        candidates = [old] if self.prefix is None else [old, old.under(self.prefix)]
        for candidate in candidates:
            document = candidate.document
            state = await reader.fetch_one(
                "document_state", collection_id=self.collection.id, document_id=document.id
            )
            if state is None:
                owner = await reader.fetch_one(
                    "hash_owner", collection_id=self.collection.id, file_hash=document.file_hash
                )
                if owner is not None:
                    return WriteOutcome.DUPLICATE
                ids = [chunk.id for chunk in candidate.chunks]
                taken = await chunk_rows.places(reader, self.collection.id, ids)
                if not taken or candidate is candidates[-1]:
                    return candidate
            elif state["file_hash"] == document.file_hash:
                return WriteOutcome.UNCHANGED
        return WriteOutcome.UNCHANGED

    async def _write(
        self, transaction: Executor, old: OldDocument, ready: Sequence[ReadyChunk], words: WordCount
    ) -> WriteOutcome:
        document, name = old.document, self.collection.id
        stored = await collections.require(transaction, name)
        if stored.collection.model != self.source.model:
            raise ActiveModelChanged
        if await transaction.fetch_one("document_state", collection_id=name, document_id=document.id):
            raise DocumentChangedMeanwhile(f"The document {document.id!r} has come into being meanwhile")
        owner = await transaction.fetch_one("hash_owner", collection_id=name, file_hash=document.file_hash)
        if owner is not None:
            return WriteOutcome.DUPLICATE
        await transaction.execute(
            "claim_hash", collection_id=name, file_hash=document.file_hash, document_id=document.id
        )
        change = IndexChange(transaction, name, stored.model_id, self.now)
        await change.begin([document.id])
        await transaction.execute(
            "put_document",
            **document_row(name, document, self.now),
            file_hash=document.file_hash,
            content_hash=content_hash(document.content),
        )
        await transaction.execute(
            "import_document_times",
            collection_id=name,
            document_id=document.id,
            uploaded_at=old.uploaded_at,
            indexed_at=old.indexed_at,
            created_at=old.created_at,
        )
        await change.put_chunks(ready)
        if document.content:
            await change.put_document_words(document.id, words)
        await change.settle()
        return WriteOutcome.WRITTEN


def _ready(
    old: OldDocument, made: Sequence[Vector], collection: Collection
) -> tuple[list[ReadyChunk], WordCount]:
    document = old.document
    require_storable(
        f"document {document.id!r}",
        *(document.id, document.content, document.title, document.file_path, document.file_hash),
        *(document.category, document.subcategory, document.processing_error),
    )
    require_sane_chunks(old.chunks)
    ready = [
        ReadyChunk(
            chunk,
            vector_encoding.encoded(vector, collection, f"chunk {chunk.id!r}"),
            WordCount.of_passage(chunk.content, document.title, document.language),
        )
        for chunk, vector in zip(old.chunks, made, strict=True)
    ]
    return ready, WordCount.of_document(document.content, document.title, document.language)
