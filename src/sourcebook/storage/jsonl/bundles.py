"""Bundles: a base, or some of its collections, as a folder of files that anybody can read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.errors import BadBundle, PathNotFound, UsageError
from sourcebook.storage.jsonl.bundle_export import BundleExport
from sourcebook.storage.jsonl.bundle_import import BundleImport
from sourcebook.storage.jsonl.bundle_manifest import DOCUMENTS, claims_to_be_ours
from sourcebook.storage.jsonl.foreign_index import ForeignImport
from sourcebook.storage.jsonl.json_lines import EMBEDDINGS, MANIFEST

if TYPE_CHECKING:
    from sourcebook.model.add_reports import Progress
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.stores import Stores
    from sourcebook.storage.database import Database
    from sourcebook.storage.jsonl.bundle_report import BundleReport, OnExisting


class Bundles:
    """Writes bundles from an open base and reads them into it."""

    def __init__(self, database: Database, stores: Stores, clock: Clock, program_version: str) -> None:
        self._database = database
        self._stores = stores
        self._clock = clock
        self._program_version = program_version

    async def write(
        self,
        directory: str | os.PathLike[str],
        *,
        collections: Sequence[str] | None,
        on_existing: OnExisting,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        export = BundleExport(self._database, Path(directory), self._program_version, on_progress)
        return await export.run(collections, on_existing)

    async def read(
        self,
        source: str | os.PathLike[str],
        *,
        collection: str | None,
        model: str | None,
        default_collection: str,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        """Read a bundle or, where there is none, an index of lines that somebody else wrote."""
        found = await anyio.to_thread.run_sync(_look, os.fspath(source))
        if found.is_dir():
            if model is not None:
                raise UsageError("A bundle names its models itself.", hint="Leave out `--model`.")
            work = BundleImport(self._database, self._stores, self._clock, on_progress)
            return await work.run(found, collection)
        index = ForeignImport(self._stores, on_progress)
        return await index.run(found, collection=collection, model=model, otherwise=default_collection)


def _look(source: str) -> Path:
    """The folder of a bundle, or the file of an index."""
    path = Path(source)
    if "://" in source or (path.is_file() and path.suffix != ".jsonl"):
        raise UsageError(
            f"{'an address' if '://' in source else path.name} is neither a bundle nor an index of JSON lines",
            hint="Give a folder written by `sourcebook export`, or one with an `embeddings.jsonl`.",
        )
    if not path.exists():
        raise PathNotFound(f"There is no {source!r}")
    if path.is_file():
        return path
    if claims_to_be_ours(path):
        return path
    if (path / DOCUMENTS).exists():
        raise BadBundle(f"{MANIFEST} is missing from the bundle, or damaged")
    if not (path / EMBEDDINGS).is_file():
        raise BadBundle(
            f"There is no {EMBEDDINGS} in {source}",
            hint="Give a folder written by `sourcebook export`, or one with an `embeddings.jsonl`.",
        )
    return path / EMBEDDINGS
