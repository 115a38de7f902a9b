"""What moves whole bases: copies, bundles, and bases of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from sourcebook._version import __version__
from sourcebook.assembly.embedders import Embedders, make_embedder
from sourcebook.assembly.ingest import make_stored_files
from sourcebook.assembly.open_base import OpenBase, SystemClock, open_base, require_postgres
from sourcebook.errors import BadSetting, NoEmbedder, UsageError
from sourcebook.ports.providers import known_model
from sourcebook.ports.storage import Preparing
from sourcebook.storage.base_address import checked_base, is_server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from sourcebook.ingest.uploads.stored_files import StoredFiles
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.settings import Settings
    from sourcebook.storage.database import Database
    from sourcebook.storage.jsonl.bundle_report import BundleReport
    from sourcebook.storage.jsonl.bundles import Bundles
    from sourcebook.storage.maintenance.base_copy import CopyReport
    from sourcebook.storage.postgres.copy_end import PostgresCopyEnd
    from sourcebook.storage.postgres.old_base import PostgresOldBase
    from sourcebook.storage.progress import OnProgress
    from sourcebook.storage.sqlite.copy_end import SqliteCopyEnd
    from sourcebook.storage.sqlite.old_base import SqliteOldBase


async def copy_base(
    source: OpenBase,
    source_files: StoredFiles,
    settings: Settings,
    clock: Clock | None = None,
    on_progress: OnProgress | None = None,
) -> CopyReport:
    """Copy a base, with its vectors and uploads, into the empty one that the settings name."""
    from sourcebook.ingest.uploads.uploads import UPLOADS
    from sourcebook.storage.maintenance.base_copy import copy

    async def copy_files() -> tuple[int, list[str]]:
        # What the copied rows speak of: the source may have lost some of it since it was read.
        names = await target.stores.sources.stored_files(UPLOADS)
        files = await make_stored_files(target.database, settings)
        return await to_thread.run_sync(source_files.copy_to, files, names)

    target = await open_base(settings, clock)
    try:
        async with copy_end(source.database) as one, copy_end(target.database) as other:
            report = await copy(one, other, copy_files, on_progress)
        for collection in await target.stores.vectors.list_collections():
            if isinstance(target.stores.vectors, Preparing):
                await target.stores.vectors.prepare(collection.id)
        return report
    finally:
        await target.close()


def copy_end(database: Database) -> AbstractAsyncContextManager[SqliteCopyEnd | PostgresCopyEnd]:
    from sourcebook.storage.sqlite.copy_end import sqlite_copy_end
    from sourcebook.storage.sqlite.database import SqliteDatabase

    if isinstance(database, SqliteDatabase):
        return sqlite_copy_end(database.path)
    from sourcebook.storage.postgres.copy_end import postgres_copy_end
    from sourcebook.storage.postgres.database import PostgresDatabase

    assert isinstance(database, PostgresDatabase)  # noqa: S101 - there are these two
    return postgres_copy_end(database)


def make_bundles(base: OpenBase, clock: Clock | None = None) -> Bundles:
    from sourcebook.storage.jsonl.bundles import Bundles

    return Bundles(base.database, base.stores, clock or SystemClock(), __version__)


def is_old_base(source: str) -> bool:
    """Whether this is a database, in a file or on a server, rather than a bundle or an index of lines."""
    from sourcebook.storage.sqlite.other_files import is_database

    if is_server(checked_base(source)):
        return True
    path = Path(source)
    return "://" not in source and path.is_file() and is_database(path)


async def import_old_base(
    base: OpenBase,
    source: str,
    collection_id: str,
    embedders: Embedders,
    settings: Settings,
    *,
    model: str | None = None,
    on_progress: OnProgress | None = None,
    dry_run: bool = False,
) -> BundleReport:
    """Read a base of another program: with its vectors if the model that made them is named, else embedded again."""
    from sourcebook.ingest.folder.type_rules import parse_rules
    from sourcebook.storage.importing.import_run import LayoutImport
    from sourcebook.storage.importing.vectors import EmbeddedVectors, KeptVectors, VectorSource

    async def choose(size_of: Callable[[], Awaitable[int | None]]) -> VectorSource:
        if model is not None:
            return KeptVectors(await _model_of_vectors(model, await size_of(), settings))
        found = await base.stores.vectors.get_collection(collection_id)
        embedder = await embedders.choose(found.model) if found and found.model else embedders.main
        if embedder is None:
            raise NoEmbedder(
                "The imported texts must be embedded, but there is no embedder",
                hint="Set `embedder`, or name the model of the existing vectors with `--model`.",
            )
        return EmbeddedVectors(embedder, await known_model(embedder))

    work = LayoutImport(
        base.database, base.stores, base.clock, parse_rules(settings.type_rules), choose, on_progress, dry_run
    )
    async with _old_base(checked_base(source)) as old:
        return await work.run(old, collection_id)


def _old_base(source: str) -> AbstractAsyncContextManager[SqliteOldBase | PostgresOldBase]:
    if not is_server(source):
        from sourcebook.storage.sqlite.old_base import sqlite_old_base

        return sqlite_old_base(Path(source))
    require_postgres()
    from sourcebook.storage.postgres.old_base import postgres_old_base

    return postgres_old_base(source)


async def _model_of_vectors(name: str, size: int | None, settings: Settings) -> EmbeddingModel:
    """The model of this name, as its embedder would say it here; one that nobody here knows is taken at its word."""
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.storage.importing.vectors import require_size

    if size is None:
        raise UsageError("There are no vectors to keep", hint="Leave out `--model`.")
    try:
        chosen = settings.with_embedder(name)
    except BadSetting:
        return EmbeddingModel(name, size)
    kind, _, _ = name.partition(":")
    if kind in ("openai", "ollama"):
        chosen = chosen.model_copy(update={"embedder_dimensions": size})
    embedder = make_embedder(chosen)
    if embedder is None:
        raise UsageError(
            "Vectors cannot come from the model `none`", hint="Name the model, or leave out `--model`."
        )
    model = await known_model(embedder)
    require_size(model, size)
    return model
