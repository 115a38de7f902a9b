"""Writing a base as a bundle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from sourcebook.model.add_reports import Progress
from sourcebook.ports.disk_errors import named
from sourcebook.storage.index import collections
from sourcebook.storage.jsonl.bundle_manifest import CURATED, DOCUMENTS, Manifest
from sourcebook.storage.jsonl.bundle_records import chunk_line, document_line
from sourcebook.storage.jsonl.bundle_report import BundleReport, OnExisting
from sourcebook.storage.jsonl.curated_lines import curated_lines
from sourcebook.storage.jsonl.json_lines import EMBEDDINGS
from sourcebook.storage.jsonl.stored_document import held_document
from sourcebook.storage.jsonl.unfinished_folder import UnfinishedBundle, require_place

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection
    from sourcebook.storage.database import Database, Executor
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.jsonl.bundle_records import BundledDocument

_PAGE = 500


class BundleExport:
    """One export: a snapshot of a base on its way into a folder, a document at a time."""

    def __init__(
        self,
        database: Database,
        target: Path,
        program_version: str,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._database = database
        self._target = target.resolve()
        self._program_version = program_version
        self._on_progress = on_progress
        self._done = 0
        self._total = 0
        self._vectors = 0

    async def run(self, names: Sequence[str] | None, on_existing: OnExisting) -> BundleReport:
        """Write the named collections, or all. The folder appears when everything is in it."""
        with named(f"cannot write {self._target}"):
            await anyio.to_thread.run_sync(require_place, self._target, on_existing)
            bundle = await anyio.to_thread.run_sync(UnfinishedBundle, self._target)
            try:
                manifest = await self._write(bundle, names)
                await anyio.to_thread.run_sync(bundle.complete, manifest, self._program_version, on_existing)
            except BaseException:
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(bundle.abandon)
                raise
        return BundleReport(
            collections=[c.id for c in manifest.collections],
            documents=manifest.documents,
            chunks=manifest.chunks,
            vectors=manifest.vectors,
            curated=manifest.curated,
        )

    async def _write(self, bundle: UnfinishedBundle, names: Sequence[str] | None) -> Manifest:
        async with self._database.snapshot() as reader:
            chosen = await _chosen(reader, names)
            counts = [await _document_count(reader, stored) for stored in chosen]
            self._total = sum(counts)
            written = [await self._write_collection(reader, stored, bundle) for stored in chosen]
        files = await anyio.to_thread.run_sync(bundle.finish_files)
        return Manifest(written, files, self._vectors)

    async def _write_collection(
        self, reader: Executor, stored: StoredCollection, bundle: UnfinishedBundle
    ) -> Collection:
        """Write the documents. The collection comes back with the counts of what was written."""
        collection, documents, chunks, after = stored.collection, 0, 0, ""
        while page := await reader.fetch(
            "bundle_document_ids", collection_id=collection.id, after=after, limit=_PAGE
        ):
            for row in page:
                held = await held_document(reader, stored, row["id"])
                assert held is not None, "a snapshot does not change"  # noqa: S101
                await anyio.to_thread.run_sync(_put, bundle, collection, held)
                documents += 1
                chunks += len(held.chunks)
                self._vectors += sum(c.vector is not None for c in held.chunks)
                self._advance(held.document.file_path)
            after = page[-1]["id"]
        for line in await curated_lines(reader, collection.id):
            await anyio.to_thread.run_sync(bundle.put, CURATED, line)
        return replace(collection, document_count=documents, chunk_count=chunks)

    def _advance(self, path: str) -> None:
        self._done += 1
        if self._on_progress is not None:
            self._on_progress(Progress(self._done, self._total, path))


def _put(bundle: UnfinishedBundle, collection: Collection, bundled: BundledDocument) -> None:
    bundle.put(DOCUMENTS, document_line(collection, bundled))
    for chunk in bundled.chunks:
        bundle.put(EMBEDDINGS, chunk_line(collection, bundled.document, chunk))


async def _chosen(reader: Executor, names: Sequence[str] | None) -> list[StoredCollection]:
    wanted = sorted({c.id for c in await collections.list_all(reader)} if names is None else set(names))
    return [await collections.require(reader, name) for name in wanted]


async def _document_count(reader: Executor, stored: StoredCollection) -> int:
    row = await reader.fetch_one("bundle_document_count", collection_id=stored.collection.id)
    return row["documents"] if row else 0
