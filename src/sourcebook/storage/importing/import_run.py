"""One import: documents one by one, each in a transaction, and then everything else in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.model.documents import Collection, WriteOutcome
from sourcebook.storage.importing.chats import ChatImport
from sourcebook.storage.importing.curation import CurationImport, curated_vectors
from sourcebook.storage.importing.document_writer import DocumentWriter
from sourcebook.storage.importing.documents import of_bot, of_chats
from sourcebook.storage.importing.imported_again import EarlierRows, Renewal, changed_answers, hide_documents
from sourcebook.storage.importing.imported_ids import ImportedIds, origin_of
from sourcebook.storage.importing.known_values import require_known_values
from sourcebook.storage.importing.layouts import BOT, NUMBER, recognised
from sourcebook.storage.importing.people import PeopleImport
from sourcebook.storage.importing.progress import ImportProgress
from sourcebook.storage.importing.vectors import one_size
from sourcebook.storage.index import collections
from sourcebook.storage.jsonl.bundle_import import open_collections
from sourcebook.storage.jsonl.bundle_report import BundleReport

if TYPE_CHECKING:
    from sourcebook.ingest.folder.type_rules import TypeRule
    from sourcebook.model.add_reports import Progress
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.stores import Stores
    from sourcebook.storage.database import Database
    from sourcebook.storage.importing.layouts import Layout, OldBase
    from sourcebook.storage.importing.vectors import VectorSource

# Chunks with their vectors are read for so many documents at once.
_DOCUMENTS = 20


class _RehearsedError(Exception):
    """Takes back what was written to see what would be."""


@dataclass(slots=True)
class LayoutImport:
    """Reads a base of another program into one of ours.

    `choose` says where the vectors come from; it may ask of what size those of the old base are, if it has any.
    """

    database: Database
    stores: Stores
    clock: Clock
    rules: Sequence[TypeRule]
    choose: Callable[[Callable[[], Awaitable[int | None]]], Awaitable[VectorSource]]
    on_progress: Callable[[Progress], None] | None = None
    is_rehearsal: bool = False
    """Whether it is only to be seen what would be done: the report is the plan, and no row is written."""
    _outcomes: Counter[WriteOutcome] = field(default_factory=Counter[WriteOutcome])
    _chunks: int = 0

    async def run(self, old: OldBase, collection_id: str) -> BundleReport:
        layout = recognised(await old.columns())
        await require_known_values(old, layout)
        source = await self.choose(partial(_size, old, layout))
        collection = await self._opened(collection_id, source)
        counts = {table: await old.count(table) for table in layout.tables if table != "document_chunks"}
        tally = ImportProgress(sum(counts.values()), self.on_progress)
        if layout is BOT:
            origin = await origin_of(old, self.database)
            await hide_documents(
                self.stores, old, origin, collection.id, tally, is_rehearsal=self.is_rehearsal
            )
            await self._documents(old, layout, collection, source, tally, origin)
            await self._rest_of_bot(old, collection, source, tally, origin)
        else:
            await self._documents(old, layout, collection, source, tally, None)
            if not self.is_rehearsal:
                await ChatImport(self.database, old, collection.id, tally).run()
        return self._report(collection, counts["documents"], tally)

    async def _opened(self, collection_id: str, source: VectorSource) -> Collection:
        wanted = Collection(
            id=collection_id, embedding_dimensions=source.model.dimensions, model=source.model
        )
        if self.is_rehearsal and await collections.find(self.database, collection_id) is None:
            return wanted
        await open_collections(self.stores.vectors, [wanted])
        return (await collections.require(self.database, collection_id)).collection

    async def _documents(
        self,
        old: OldBase,
        layout: Layout,
        collection: Collection,
        source: VectorSource,
        tally: ImportProgress,
        origin: ImportedIds | None,
    ) -> None:
        writer = DocumentWriter(
            self.database, collection, source, self.clock.now(), origin.name if origin else None
        )
        make = of_bot if origin else of_chats
        after = origin.through("documents") if origin else 0
        while rows := await old.page("documents", layout.tables["documents"], after, _DOCUMENTS):
            after = rows[-1][NUMBER]
            ids = [row["id"] for row in rows]
            columns = layout.tables["document_chunks"]
            found = await old.belonging("document_chunks", columns, "document_id", ids)
            for row in rows:
                chunks = [chunk for chunk in found if chunk["document_id"] == row["id"]]
                document = await anyio.to_thread.run_sync(make, row, chunks, self.rules)
                outcome = await (writer.outcome_of(document) if self.is_rehearsal else writer.put(document))
                self._outcomes[outcome] += 1
                if outcome is WriteOutcome.WRITTEN:
                    self._chunks += len(document.chunks)
                    tally.left_out["chunks that were hidden"] += document.hidden
                    tally.left_out["chunks that stood nowhere in their text, now behind it"] += document.added
                tally.read(str(row["file_path"]), 1)
        if origin is not None:
            origin.extend("documents", after, 0)

    async def _rest_of_bot(
        self,
        old: OldBase,
        collection: Collection,
        source: VectorSource,
        tally: ImportProgress,
        origin: ImportedIds,
    ) -> None:
        comparing = CurationImport(self.database, old, origin, tally, collection, 0, None)
        changed = await changed_answers(self.database, old, origin, comparing)
        vectors = None
        if not self.is_rehearsal:
            vectors = await curated_vectors(
                old, origin.through("knowledge_base"), changed, source, collection, tally
            )
        with suppress(_RehearsedError):
            async with self.database.transaction() as transaction:
                await transaction.execute("import_take_turn")
                if self.is_rehearsal and await collections.find(transaction, collection.id) is None:
                    await collections.insert(transaction, collection, source.model, self.clock.now())
                stored = await collections.require(transaction, collection.id)
                earlier = EarlierRows.of(origin)
                await PeopleImport(transaction, old, origin, tally).run()
                curation = CurationImport(
                    transaction, old, origin, tally, collection, stored.model_id, vectors
                )
                await curation.run()
                renewal = Renewal(transaction, old, origin, tally, earlier)
                await renewal.topics()
                await renewal.answers(changed, curation)
                await renewal.drafts(curation)
                if self.is_rehearsal:
                    raise _RehearsedError
                await transaction.execute("import_continue_numbers")
                await origin.remember(transaction)

    def _report(self, collection: Collection, documents: int, tally: ImportProgress) -> BundleReport:
        return BundleReport(
            collections=[collection.id],
            documents=documents,
            chunks=self._chunks,
            vectors=self._chunks + tally.written["knowledge_base"],
            unchanged=documents
            - self._outcomes[WriteOutcome.WRITTEN]
            - self._outcomes[WriteOutcome.DUPLICATE],
            duplicates=self._outcomes[WriteOutcome.DUPLICATE],
            rows=dict(sorted(tally.written.items())),
            left_out=tally.all_left_out(),
            renewed=dict(sorted(tally.renewed.items())),
        )


async def _size(old: OldBase, layout: Layout) -> int | None:
    sizes: Counter[int] = Counter()
    for table, columns in layout.tables.items():
        if "embedding" in columns:
            sizes.update(await old.sizes(table))
    return one_size(dict(sizes))
