"""Putting one document of a bundle back into a base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.errors import ActiveModelChanged
from sourcebook.model.documents import ChunkLevel, EmbeddedChunk, PreparedDocument, WriteOutcome
from sourcebook.storage.argument_checks import metadata_text, require_sane_chunks, require_storable
from sourcebook.storage.index import chunks as chunk_rows
from sourcebook.storage.index import collections, vector_encoding
from sourcebook.storage.index.bm25 import WordCount
from sourcebook.storage.index.index_change import IndexChange, ReadyChunk
from sourcebook.storage.jsonl.stored_document import held_document
from sourcebook.storage.rows import file_name

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection, Document
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.stores import Stores
    from sourcebook.storage.database import Database, Executor
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.jsonl.bundle_records import BundledChunk, BundledDocument


class DocumentRestore:
    """Writes documents with the vectors that they bring. What the base holds already is left alone."""

    def __init__(self, database: Database, stores: Stores, clock: Clock) -> None:
        self._database = database
        self._stores = stores
        self._clock = clock

    async def restore(self, collection: Collection, bundled: BundledDocument) -> WriteOutcome:
        async with self._database.snapshot() as reader:
            stored = await collections.require(reader, collection.id)
            held = await held_document(reader, stored, bundled.document.id)
        if held is not None and _says_the_same(held, bundled):
            return WriteOutcome.UNCHANGED
        if bundled.is_bare:
            return await self._restore_bare(stored, bundled, held)
        return await self._restore_whole(collection, bundled, held)

    async def _restore_whole(
        self, collection: Collection, bundled: BundledDocument, held: BundledDocument | None
    ) -> WriteOutcome:
        assert collection.model is not None, "the manifest names a model"  # noqa: S101
        document, name = bundled.document, collection.id
        plain = [c for c in bundled.chunks if _is_plain(c, document)]
        prepared = PreparedDocument(
            document=document,
            chunks=[_embedded(c, collection) for c in plain],
            model=collection.model,
            paths=bundled.paths,
            expected_hash=held.document.file_hash if held else None,
        )
        report = await self._stores.writer.replace_document(name, prepared)
        if report.outcome is WriteOutcome.DUPLICATE:
            return report.outcome
        others = [c for c in bundled.chunks if not _is_plain(c, document)]
        if others:
            ready = await anyio.to_thread.run_sync(_ready, others, document)
            async with self._database.transaction() as transaction:
                stored = await collections.require(transaction, name)
                await self._put(transaction, stored, document, ready, {})
        if bundled.content_hash is None:
            await self._stores.tracker.untrack(document.id, name)
        if held is not None and held.document.is_active is not document.is_active:
            await self._stores.writer.set_active(name, document.id, active=document.is_active)
        return WriteOutcome.WRITTEN

    async def _restore_bare(
        self, planned: StoredCollection, bundled: BundledDocument, held: BundledDocument | None
    ) -> WriteOutcome:
        """A document of which little but chunks is known, in one transaction."""
        document, name = bundled.document, planned.collection.id
        _require_sane(bundled)
        ready = await anyio.to_thread.run_sync(_ready, bundled.chunks, document)
        if held is not None and not (held.is_bare and held.document.language == document.language):
            await self._stores.writer.remove_document(name, document.id)
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, name)
            if stored.model_id != planned.model_id:
                raise ActiveModelChanged
            old = await transaction.fetch(
                "chunk_ids_of_document", collection_id=name, document_id=document.id
            )
            await self._put(
                transaction, stored, document, ready, {r["id"]: document.id for r in old}, bare=bundled
            )
        return WriteOutcome.WRITTEN

    async def _put(
        self,
        transaction: Executor,
        stored: StoredCollection,
        document: Document,
        ready: Sequence[ReadyChunk],
        old: Mapping[str, str],
        bare: BundledDocument | None = None,
    ) -> None:
        """Put chunks of a document in the place of `old` ones (id → document), with the document if it is bare."""
        name, now = stored.collection.id, self._clock.now()
        taken = await chunk_rows.places(transaction, name, [c.chunk.id for c in ready])
        placed = {**old, **{r["chunk_id"]: r["document_id"] for r in taken}}
        change = IndexChange(transaction, name, stored.model_id, now)
        await change.begin([document.id, *placed.values()])
        await change.drop_chunks(placed)
        if bare is not None:
            await chunk_rows.add_bare_documents(transaction, name, {document.id: document.language}, now)
            if _is_tracked(bare):
                await transaction.execute("track_document", **_tracked_row(name, bare, now))
            await transaction.execute(
                "set_active", collection_id=name, document_id=document.id, active=document.is_active, now=now
            )
        await change.put_chunks(ready)
        await change.settle()


def _says_the_same(held: BundledDocument, bundled: BundledDocument) -> bool:
    """Paths that only the base knows of do not matter: a bundle adds paths, and never takes any."""
    return held.timeless() == bundled.timeless() and set(bundled.paths) <= set(held.paths)


def _is_plain(bundled: BundledChunk, document: Document) -> bool:
    """Whether the chunk is what an index writer writes: a span of the text, found by words if it is a passage."""
    chunk = bundled.chunk
    stands_there = document.content[chunk.start_index : chunk.end_index] == chunk.content
    return stands_there and bundled.has_words is (chunk.level is ChunkLevel.PARENT)


def _embedded(bundled: BundledChunk, collection: Collection) -> EmbeddedChunk:
    vector = bundled.vector
    return EmbeddedChunk(
        bundled.chunk, None if vector is None else vector_encoding.decode(vector, collection.distance_metric)
    )


def _ready(chunks: Sequence[BundledChunk], document: Document) -> list[ReadyChunk]:
    return [
        ReadyChunk(
            c.chunk,
            c.vector,
            WordCount.of_passage(c.chunk.content, document.title, document.language) if c.has_words else None,
        )
        for c in chunks
    ]


def _require_sane(bundled: BundledDocument) -> None:
    document = bundled.document
    require_sane_chunks([c.chunk for c in bundled.chunks])
    require_storable(
        f"document {document.id!r}",
        document.id,
        document.content,
        document.title,
        document.file_path,
        document.language,
        bundled.content_hash,
    )


def _is_tracked(bare: BundledDocument) -> bool:
    """Whether more is known of a bare document than its chunks."""
    document = bare.document
    known = (bare.content_hash, document.content, document.title, document.mtime, document.metadata)
    return any(known) or document.file_path != document.id


def _tracked_row(collection_id: str, bare: BundledDocument, now: int) -> dict[str, object]:
    document = bare.document
    return {
        "collection_id": collection_id,
        "document_id": document.id,
        "file_path": document.file_path,
        "filename": file_name(document.file_path),
        "title": document.title,
        "content": document.content,
        "content_hash": bare.content_hash,
        "mtime": document.mtime,
        "language": document.language,
        "metadata": metadata_text(document.metadata, f"document {document.id}"),
        "tracked_chunks": bare.tracked_chunks,
        "now": now,
    }
