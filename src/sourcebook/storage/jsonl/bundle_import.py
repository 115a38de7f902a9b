"""Reading a bundle into a base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.errors import CollectionConflict, UsageError
from sourcebook.model.add_reports import Progress
from sourcebook.model.documents import WriteOutcome
from sourcebook.storage.jsonl.bundle_reader import bundled_documents, verified_manifest
from sourcebook.storage.jsonl.bundle_report import BundleReport
from sourcebook.storage.jsonl.curated_lines import bundled_answers, restore_answer
from sourcebook.storage.jsonl.document_restore import DocumentRestore

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.storage import VectorStore
    from sourcebook.ports.stores import Stores
    from sourcebook.storage.database import Database


class BundleImport:
    """One import: everything is verified, then each document is written in a transaction of its own."""

    def __init__(
        self,
        database: Database,
        stores: Stores,
        clock: Clock,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._stores = stores
        self._restoring = DocumentRestore(database, stores, clock)
        self._on_progress = on_progress

    async def run(self, folder: Path, into: str | None) -> BundleReport:
        """Read the bundle; `into` gives its one collection another name."""
        manifest = await anyio.to_thread.run_sync(verified_manifest, folder)
        targets = {c.id: c for c in manifest.collections}
        if into is not None:
            targets = {c.id: _renamed(c, into) for c in [_only(manifest.collections)]}
        await open_collections(self._stores.vectors, list(targets.values()))
        outcomes: Counter[WriteOutcome] = Counter()
        with closing(bundled_documents(folder, targets)) as documents:
            while found := await anyio.to_thread.run_sync(next, documents, None):
                collection, bundled = found
                outcomes[await self._restoring.restore(collection, bundled)] += 1
                if self._on_progress is not None:
                    path = bundled.document.file_path
                    self._on_progress(Progress(outcomes.total(), manifest.documents, path))
        restored = await self._restore_answers(folder, targets)
        return BundleReport(
            collections=[c.id for c in targets.values()],
            documents=manifest.documents,
            chunks=manifest.chunks,
            vectors=manifest.vectors,
            unchanged=outcomes[WriteOutcome.UNCHANGED],
            duplicates=outcomes[WriteOutcome.DUPLICATE],
            curated=restored[True],
            curated_unchanged=restored[False],
        )

    async def _restore_answers(self, folder: Path, targets: Mapping[str, Collection]) -> Counter[bool]:
        """The curated answers, after the documents that they are bound to."""
        renamed = {name: target.id for name, target in targets.items()}
        restored: Counter[bool] = Counter()
        for collection, read in await anyio.to_thread.run_sync(bundled_answers, folder, targets):
            async with self._database.transaction() as transaction:
                now = self._clock.now()
                restored[await restore_answer(transaction, collection, read, renamed, now)] += 1
        return restored


async def open_collections(store: VectorStore, wanted: Sequence[Collection]) -> None:
    """Make the collections that do not exist, unless one that exists is of another model or metric."""
    for collection in wanted:
        found = await store.get_collection(collection.id)
        if found is not None and (found.model, found.distance_metric) != (
            collection.model,
            collection.distance_metric,
        ):
            raise CollectionConflict(
                f"The collection {collection.id!r} exists with {_named(found)}, but the import has "
                f"{_named(collection)}",
                hint="Import it under another name with `--collection NAME`; nothing was imported.",
            )
    for collection in wanted:
        await store.create_collection(collection)


def _named(collection: Collection) -> str:
    model = collection.model.name if collection.model else "none"
    return (
        f"the model {model} ({collection.embedding_dimensions}) and the metric {collection.distance_metric}"
    )


def _only(collections: Sequence[Collection]) -> Collection:
    if len(collections) != 1:
        raise UsageError(
            f"The bundle has {len(collections)} collections, which cannot be merged into one",
            hint="Leave out `--collection`, or export a single collection.",
        )
    return collections[0]


def _renamed(collection: Collection, name: str) -> Collection:
    shown = name if collection.name == collection.id else collection.name
    return replace(collection, id=name, name=shown)
