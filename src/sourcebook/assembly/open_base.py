"""Opening a base: in a file or on a server."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

from sourcebook._version import __version__
from sourcebook.assembly.stores import make_stores
from sourcebook.errors import BaseUnreachable
from sourcebook.settings import Settings, masked
from sourcebook.storage.base_address import is_server

if TYPE_CHECKING:
    from sourcebook.model.health import Finding, HealthReport, Repair
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.stores import Stores
    from sourcebook.storage.database import Database
    from sourcebook.storage.maintenance.doctor import StorageHealth
    from sourcebook.storage.maintenance.repair import ChooseEmbedder
    from sourcebook.storage.progress import OnProgress


class SystemClock:
    def now(self) -> int:
        return int(time.time())


@dataclass(frozen=True, slots=True)
class OpenBase:
    """An open base with its stores. Close it when done."""

    database: Database
    stores: Stores
    versions: dict[str, str]
    around: StorageHealth | None = None
    clock: Clock = field(default_factory=SystemClock)
    reader: Database | None = None
    """Where searches read, if that is not the base alone. Closing it closes the base."""

    async def close(self) -> None:
        await (self.reader or self.database).close()

    async def examine(self, on_progress: OnProgress | None = None) -> HealthReport:
        from sourcebook.storage.maintenance.doctor import examine
        from sourcebook.storage.maintenance.installed_extras import optional_parts

        return await examine(
            self.database,
            self.versions,
            around=self.around,
            now=self.clock.now(),
            optional_parts=optional_parts(),
            on_progress=on_progress,
        )

    async def repair(
        self, choose: ChooseEmbedder, on_progress: OnProgress | None = None
    ) -> tuple[list[Repair], list[Finding]]:
        """Repair what can be repaired. Returns what was done and what is left for the user."""
        from sourcebook.storage.maintenance.repair import Repairer

        repairer = Repairer(
            self.database, self.clock.now(), choose, around=self.around, on_progress=on_progress
        )
        return await repairer.run()


async def open_base(settings: Settings, clock: Clock | None = None) -> OpenBase:
    """Open the base that the settings name, making it first if it is a file that does not exist."""
    if is_server(settings.db):
        return await open_postgres(settings, clock or SystemClock())
    if "://" in settings.db:
        raise BaseUnreachable(
            f"{masked(settings.db)} is an unknown kind of address",
            hint="Pass a path to `--db`, or an address that starts with `postgresql://`.",
        )
    return await open_sqlite(settings, clock or SystemClock())


def require_postgres() -> None:
    """Say what is missing before a server is asked for anything."""
    if find_spec("asyncpg") is None:
        raise BaseUnreachable(
            "A base on a server needs the package asyncpg, which is not installed",
            hint="Run `pip install 'sourcebook[postgres]'`.",
        )


async def open_postgres(settings: Settings, clock: Clock) -> OpenBase:
    require_postgres()
    from sourcebook.storage.postgres.database import PoolLimits, PostgresDatabase
    from sourcebook.storage.postgres.replicas import ReplicatedDatabase
    from sourcebook.storage.postgres.vector_engine import PostgresVectorEngine
    from sourcebook.storage.postgres.vector_indexes import GraphRules
    from sourcebook.storage.postgres.word_engine import PostgresWordEngine

    limits = PoolLimits(
        pool_min=min(settings.pool_min, settings.pool_max),
        pool_max=settings.pool_max,
        busy_timeout=settings.busy_timeout,
        statement_timeout=settings.statement_timeout,
    )
    database = await PostgresDatabase.open(settings.db, limits, settings.db_direct)
    replicas = settings.db_replicas.split()
    reader = ReplicatedDatabase(database, replicas, limits) if replicas else database
    versions = {"sourcebook": __version__, "python": python_version(), **await database.versions()}
    rules = GraphRules(
        kind=settings.vector_index, m=settings.hnsw_m, ef_construction=settings.hnsw_ef_construction
    )
    vectors = PostgresVectorEngine(database, rules, reader)
    stores = make_stores(
        database, vectors, PostgresWordEngine(reader, is_spread=database.is_spread), clock, reader
    )
    return OpenBase(database, stores, versions, clock=clock, reader=reader)


def uploads_elsewhere(settings: Settings) -> Path | None:
    """The folder of uploads that the settings name; without one, they lie beside a base in a file."""
    return None if settings.files is None else Path(settings.files).expanduser()


async def open_sqlite(settings: Settings, clock: Clock) -> OpenBase:
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.doctor_file_checks import SqliteFileHealth
    from sourcebook.storage.sqlite.driver import library_version
    from sourcebook.storage.sqlite.engine.vector_engine import SqliteVectorEngine
    from sourcebook.storage.sqlite.engine.word_engine import SqliteWordEngine

    database = await SqliteDatabase.open(
        settings.db, busy_timeout=settings.busy_timeout, readers=settings.readers
    )
    versions = {
        "sourcebook": __version__,
        "python": python_version(),
        "sqlite": ".".join(map(str, library_version())),
    }
    stores = make_stores(database, SqliteVectorEngine(database), SqliteWordEngine(database), clock)
    return OpenBase(
        database, stores, versions, SqliteFileHealth(database, uploads_elsewhere(settings)), clock
    )
