"""Whole documents in one transaction each: the contract of `ports.storage.IndexWriter`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.errors import ActiveModelChanged, DocumentChangedMeanwhile
from sourcebook.model.documents import WriteOutcome, WriteReport
from sourcebook.storage.argument_checks import require_storable
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.database import in_transaction
from sourcebook.storage.index import chunks as chunk_rows
from sourcebook.storage.index import collections, documents
from sourcebook.storage.index.document_batch import DocumentBatch, alone_in_the_base
from sourcebook.storage.index.document_paths import DocumentPaths
from sourcebook.storage.index.index_change import IndexChange
from sourcebook.storage.index.ready_document import ReadyDocument
from sourcebook.storage.rows import document_row, refused_in

if TYPE_CHECKING:
    from sourcebook.model.documents import (
        Collection,
        DocumentPath,
        DocumentStatus,
        PreparedDocument,
    )
    from sourcebook.model.sources import Labelling, PathState, Placement, Rearrangement, Refusal
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor
    from sourcebook.storage.index.collections import StoredCollection


class SqlIndexWriter:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def replace_document(
        self, collection_id: str, prepared: PreparedDocument, *, successor: PreparedDocument | None = None
    ) -> WriteReport:
        stored = await collections.require(self._database, collection_id)
        batch = [prepared] if successor is None else [prepared, successor]
        ready = await anyio.to_thread.run_sync(_all_ready, batch, stored.collection)

        async def write(transaction: Executor) -> WriteReport:
            stored = await self._required(transaction, collection_id, batch)
            if successor is not None:
                await self._require_same(transaction, collection_id, prepared.document.id, successor)
            reports = [await self._replace(transaction, stored, one) for one in ready]
            return reports[0]

        return await in_transaction(self._database, write)

    async def replace_documents(
        self, collection_id: str, prepared: Sequence[PreparedDocument]
    ) -> list[WriteReport]:
        stored = await collections.require(self._database, collection_id)
        batch = await anyio.to_thread.run_sync(_all_ready, prepared, stored.collection)

        async def write(transaction: Executor) -> list[WriteReport]:
            stored = await self._required(transaction, collection_id, prepared)
            alone = await alone_in_the_base(transaction, collection_id, batch)
            written = await DocumentBatch(transaction, stored, self._clock.now()).write(list(alone.values()))
            reports = dict(zip(alone, written, strict=True))
            # In their order: of two documents with the same text, the second is the duplicate.
            return [
                reports[ready.document.id]
                if alone.get(ready.document.id) is ready
                else await self._replace(transaction, stored, ready)
                for ready in batch
            ]

        return await in_transaction(self._database, write)

    async def add_path(self, collection_id: str, file_hash: str, path: DocumentPath) -> str | None:
        require_storable(f"the path {path.path!r}", path.source_id, path.path, path.subcategory)
        async with self._database.transaction() as transaction:
            owner = await transaction.fetch_one(
                "hash_owner", collection_id=collection_id, file_hash=file_hash
            )
            if owner is None:
                return None
            document_id = str(owner["document_id"])
            lying = self._whereabouts(transaction, collection_id)
            change = await lying.change([document_id])
            await lying.put(document_id, [path])
            await change.log()
            return document_id

    async def move_document(
        self, collection_id: str, document_id: str, old: DocumentPath, new: DocumentPath, file_path: str
    ) -> None:
        require_storable(f"document {document_id!r}", new.path, new.subcategory, file_path)
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            change = await self._whereabouts(transaction, collection_id).change([document_id])
            await documents.require(transaction, collection_id, document_id)
            await documents.delete_path(transaction, collection_id, old.source_id, old.path)
            await documents.put_path(transaction, collection_id, document_id, new, now)
            await documents.relocate(transaction, collection_id, document_id, new, file_path, now)
            await change.log()

    async def rearrange(self, collection_id: str, wanted: Rearrangement) -> list[Placement]:
        for p in wanted.placements:
            require_storable(
                f"the path {p.path.path!r}", p.path.path, p.path.subcategory, p.file_path, p.type, p.category
            )
        return await in_transaction(
            self._database,
            lambda transaction: self._whereabouts(transaction, collection_id).rearrange(wanted),
        )

    async def forget_path(
        self, collection_id: str, source_id: str, path: str, *, unless_seen_since: PathState | None = None
    ) -> bool:
        async with self._database.transaction() as transaction:
            owner = await documents.path_owner(transaction, collection_id, source_id, path)
            if owner is None:
                return False
            if unless_seen_since is None:
                await documents.delete_path(transaction, collection_id, source_id, path)
            elif not await documents.delete_unseen_path(
                transaction, collection_id, source_id, unless_seen_since
            ):
                return False
            await self._whereabouts(transaction, collection_id).settle([owner])
            return True

    async def remove_document(
        self, collection_id: str, document_id: str, *, successor: PreparedDocument | None = None
    ) -> bool:
        if successor is not None:
            return await self._hand_over(collection_id, document_id, successor)
        async with self._database.transaction() as transaction:
            return await self._whereabouts(transaction, collection_id).remove(document_id)

    async def _hand_over(self, collection_id: str, document_id: str, successor: PreparedDocument) -> bool:
        stored = await collections.require(self._database, collection_id)
        ready = await anyio.to_thread.run_sync(ReadyDocument.of, successor, stored.collection)

        async def write(transaction: Executor) -> bool:
            stored = await self._required(transaction, collection_id, [successor])
            await self._require_same(transaction, collection_id, document_id, successor)
            is_removed = await self._whereabouts(transaction, collection_id).remove(document_id)
            await self._replace(transaction, stored, ready)
            return is_removed

        return await in_transaction(self._database, write)

    async def _require_same(
        self, transaction: Executor, collection_id: str, document_id: str, successor: PreparedDocument
    ) -> None:
        """Refuse to go on if the successor would leave a text or a path behind."""
        held = await documents.heads(transaction, collection_id, [document_id])
        paths = await documents.paths(transaction, collection_id, document_id)
        taken = {(path.source_id, path.path) for path in successor.paths}
        left = [path for path in paths if (path.source_id, path.path) not in taken]
        if not held or held[0].file_hash != successor.document.file_hash or len(left) > 1:
            raise DocumentChangedMeanwhile(
                f"The document {document_id!r} is no longer what it was when it was read"
            )

    async def refuse(self, collection_id: str, refusal: Refusal) -> None:
        what = f"document {refusal.document_id!r}"
        require_storable(what, refusal.error, *(p.path for p in refusal.paths))
        async with self._database.transaction() as transaction:
            held = await documents.heads(transaction, collection_id, [refusal.document_id])
            if not held or held[0].file_hash != refusal.expected_hash:
                raise DocumentChangedMeanwhile(f"The {what} is no longer what it was when it was read")
            lying = self._whereabouts(transaction, collection_id)
            await documents.refuse(transaction, collection_id, held[0], refusal, lying.now)
            await lying.put(refusal.document_id, refusal.paths)
            await (await lying.change([refusal.document_id])).log()

    async def accept(self, collection_id: str, document_ids: Sequence[str]) -> None:
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            for document in await documents.heads(transaction, collection_id, document_ids):
                if refused_in(document.layout) is not None:
                    await documents.accept(transaction, collection_id, document, now)

    async def set_status(self, collection_id: str, document_id: str, status: DocumentStatus) -> bool:
        changed = await self._database.execute(
            "set_status_of_waiting",
            collection_id=collection_id,
            document_id=document_id,
            processing_status=status.value,
            now=self._clock.now(),
        )
        return changed == 1

    async def label(
        self, collection_id: str, labellings: Sequence[Labelling], paths: Sequence[DocumentPath] = ()
    ) -> None:
        for one in labellings:
            require_storable(f"document {one.document_id!r}", one.type, one.category, one.subcategory)
        async with self._database.transaction() as transaction:
            lying = self._whereabouts(transaction, collection_id)
            change = await lying.change([one.document_id for one in labellings])
            for one in labellings:
                await documents.label(transaction, collection_id, one, lying.now)
            await documents.label_paths(transaction, collection_id, paths)
            await change.log()

    async def set_active(self, collection_id: str, document_id: str, *, active: bool) -> None:
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            change = await self._whereabouts(transaction, collection_id).change([document_id])
            await documents.require(transaction, collection_id, document_id)
            await transaction.execute(
                "set_active", collection_id=collection_id, document_id=document_id, active=active, now=now
            )
            await change.log()

    async def _required(
        self, transaction: Executor, collection_id: str, prepared: Sequence[PreparedDocument]
    ) -> StoredCollection:
        """The collection, if it still has the model that the documents were embedded with."""
        stored = await collections.require(transaction, collection_id)
        for model in {one.model for one in prepared}:
            if stored.collection.model != model:
                raise ActiveModelChanged(
                    f"The document was embedded with {model.name}, the collection {collection_id!r} now uses "
                    f"{stored.collection.model.name if stored.collection.model else 'none'}"
                )
        return stored

    async def _replace(
        self, transaction: Executor, stored: StoredCollection, ready: ReadyDocument
    ) -> WriteReport:
        collection_id, document_id = stored.collection.id, ready.document.id
        state = await transaction.fetch_one(
            "document_state", collection_id=collection_id, document_id=document_id
        )
        current = state["file_hash"] if state else None
        if current != ready.prepared.expected_hash:
            if current == ready.file_hash:
                return await self._unchanged(transaction, collection_id, ready)
            raise DocumentChangedMeanwhile(
                f"The document {document_id!r} is no longer what it was when it was read"
            )
        owner = await self._claim_hash(transaction, collection_id, ready)
        if owner != document_id:
            return await self._duplicate(transaction, collection_id, ready, owner)
        await self._write(transaction, stored, ready)
        return WriteReport(WriteOutcome.WRITTEN, document_id)

    async def _claim_hash(self, transaction: Executor, collection_id: str, ready: ReadyDocument) -> str:
        """The id of the document that holds these bytes: this one, unless another was first."""
        owner = await transaction.fetch_one(
            "hash_owner", collection_id=collection_id, file_hash=ready.file_hash
        )
        if owner is not None:
            return owner["document_id"]
        await transaction.execute(
            "release_hashes", collection_id=collection_id, document_id=ready.document.id
        )
        await transaction.execute(
            "claim_hash",
            collection_id=collection_id,
            file_hash=ready.file_hash,
            document_id=ready.document.id,
        )
        return ready.document.id

    async def _unchanged(
        self, transaction: Executor, collection_id: str, ready: ReadyDocument
    ) -> WriteReport:
        lying = self._whereabouts(transaction, collection_id)
        await lying.put(ready.document.id, ready.prepared.paths)
        return WriteReport(WriteOutcome.UNCHANGED, ready.document.id)

    async def _duplicate(
        self, transaction: Executor, collection_id: str, ready: ReadyDocument, owner: str
    ) -> WriteReport:
        """Another document holds the same bytes: its paths grow, and this one, if it existed, is gone."""
        lying = self._whereabouts(transaction, collection_id)
        await lying.put(owner, ready.prepared.paths)
        await lying.remove(ready.document.id)
        await (await lying.change([owner])).log()
        return WriteReport(WriteOutcome.DUPLICATE, owner)

    async def _write(self, transaction: Executor, stored: StoredCollection, ready: ReadyDocument) -> None:
        collection_id, document_id, now = stored.collection.id, ready.document.id, self._clock.now()
        old = await transaction.fetch(
            "chunk_ids_of_document", collection_id=collection_id, document_id=document_id
        )
        taken = await chunk_rows.places(transaction, collection_id, [c.chunk.id for c in ready.chunks])
        placed = {r["id"]: document_id for r in old} | {r["chunk_id"]: r["document_id"] for r in taken}
        change = IndexChange(transaction, collection_id, stored.model_id, now)
        await change.begin([document_id, *placed.values()])
        await change.drop_chunks(placed)
        await transaction.execute(
            "put_document",
            **document_row(collection_id, ready.document, now),
            file_hash=ready.file_hash,
            content_hash=ready.content_hash,
        )
        await self._whereabouts(transaction, collection_id).put(document_id, ready.prepared.paths)
        reached(CrashPoint.DOCUMENT_WRITTEN)
        await change.put_chunks(ready.chunks, {document_id: ready.words})
        await change.settle()

    def _whereabouts(self, transaction: Executor, collection_id: str) -> DocumentPaths:
        return DocumentPaths(transaction, collection_id, self._clock.now())


def _all_ready(prepared: Sequence[PreparedDocument], collection: Collection) -> list[ReadyDocument]:
    return [ReadyDocument.of(one, collection) for one in prepared]
