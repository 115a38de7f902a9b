"""What keeps a base in order: examining and rebuilding a damaged file, backups, reindexing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook._version import __version__
from sourcebook.assembly.embedders import checked
from sourcebook.assembly.open_base import SystemClock, uploads_elsewhere
from sourcebook.errors import BaseDamaged, MigrationEdited, UsageError
from sourcebook.settings import Settings, masked

if TYPE_CHECKING:
    from sourcebook.assembly.embedders import Embedders
    from sourcebook.ingest.index.reindex import Reindex
    from sourcebook.model.health import Finding, HealthReport, Repair
    from sourcebook.model.reindexing import ReindexScope
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.stores import Stores
    from sourcebook.storage.database import Database
    from sourcebook.storage.maintenance.repair import ChooseEmbedder
    from sourcebook.storage.progress import OnProgress
    from sourcebook.storage.sqlite.backup.backups import SqliteBackups


async def examine_unopened(settings: Settings, error: BaseDamaged | MigrationEdited) -> HealthReport:
    """What can be said of a base that cannot be opened. One that another program made so is its error."""
    from sourcebook.model.health import Finding, HealthReport
    from sourcebook.storage.maintenance.doctor import RESTORE
    from sourcebook.storage.sqlite.salvage.rebuild import is_damaged, lost_of

    if isinstance(error, MigrationEdited) and (
        "://" in settings.db or not await is_damaged(Path(settings.db))
    ):
        raise error
    lost = await lost_of(Path(settings.db))
    return HealthReport(findings=[Finding("engine", error.message.removesuffix("."), RESTORE), *lost])


async def rebuild_if_damaged(
    settings: Settings, choose: ChooseEmbedder, on_progress: OnProgress | None = None
) -> tuple[list[Repair], list[Finding]]:
    """Make a new file of what can be read, if the file of the base is damaged. It must not be open."""
    from sourcebook.storage.maintenance.repair import OnNoVectors, Repairer
    from sourcebook.storage.sqlite.salvage.rebuild import is_damaged, rebuild

    base, now = Path(settings.db), SystemClock().now()
    if "://" in settings.db or not await is_damaged(base):
        return [], []

    async def mend(database: Database) -> tuple[list[Repair], list[Finding]]:
        # Which documents had vectors cannot be said any more.
        embedding = OnNoVectors.EMBED
        return await Repairer(database, now, choose, on_no_vectors=embedding, on_progress=on_progress).run()

    return await rebuild(base, mend, now, on_progress)


def make_backups(settings: Settings, clock: Clock | None = None) -> SqliteBackups:
    from sourcebook.storage.sqlite.backup.backups import SqliteBackups

    if "://" in settings.db:
        address = re.sub(r"(?<=://)([^/?#@:]*):.*@", r"\1@", settings.db)
        raise UsageError(
            f"{masked(settings.db)} is on a PostgreSQL server, which has its own backup tools.",
            hint=f"Run `pg_dump --format=custom --file=FILE {address}`, and "
            f"`pg_restore --clean --if-exists --dbname={address} FILE` to restore it; "
            "`sourcebook export DIR` writes the documents with their vectors as plain files.",
        )
    return SqliteBackups(Path(settings.db), clock or SystemClock(), __version__, uploads_elsewhere(settings))


def make_reindex(
    stores: Stores, embedders: Embedders, model: str | Embedder | None, scope: ReindexScope
) -> Reindex:
    """With the model that is named or given; without one, each collection with its own."""
    from sourcebook.ingest.index.reindex import Reindex

    chosen = embedders.named(model) if isinstance(model, str) else model and checked(model)
    if chosen is None and model is not None:
        raise UsageError("A collection cannot be reindexed without a model.", hint="Name one with `--model`.")
    return Reindex(
        store=stores.reindexing,
        vector_store=stores.vectors,
        embedder=chosen,
        embedder_of=embedders.choose,
        scope=scope,
    )
