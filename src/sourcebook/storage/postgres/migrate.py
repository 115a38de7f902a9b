"""Bringing a base on a server to the present shape, in one transaction for each migration."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from sourcebook.errors import NotASourcebook, ServerTooOld
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.migrate import AppliedMigration, Migration, pending, read_migrations
from sourcebook.text.analysis import ANALYSER_VERSION

if TYPE_CHECKING:
    from sourcebook.storage.postgres.driver import Connection

OLDEST_SERVER = 16
OLDEST_EXTENSION = (0, 8)
# Whoever changes the shape of a base holds this lock: any number will do, as long as all hold the same.
_LOCK = 7_305_112_804_913

_HISTORY = """
create table if not exists schema_migrations (
    version bigint not null,
    name text collate "C" not null,
    digest text collate "C" not null,
    applied_at bigint not null,
    constraint schema_migrations_key primary key (version)
)
"""


def known_migrations() -> list[Migration]:
    return read_migrations(files("sourcebook.storage.postgres") / "migrations")


async def bring_up_to_date(connection: Connection, known: Sequence[Migration] | None = None) -> None:
    """Apply what is missing. A base that misses nothing is only read, so that a user who may only read can open it."""
    known = known if known is not None else known_migrations()
    require_new_server(connection)
    await _refuse_foreign_database(connection)
    if pending(known, await _applied(connection)):
        await connection.execute("select pg_advisory_lock($1)", _LOCK)
        try:
            # Another process may have done it while this one waited for the lock.
            for migration in pending(known, await _applied(connection)):
                await _apply(connection, migration)
        finally:
            if not connection.is_closed():
                await connection.execute("select pg_advisory_unlock($1)", _LOCK)
    await _require_new_extension(connection)


def require_new_server(connection: Connection, place: str = "server") -> None:
    """Refuse a server that is too old for a base. `place` is how it is named if there are several."""
    version = connection.get_server_version()
    if version[0] < OLDEST_SERVER:
        raise ServerTooOld(f"The {place} is PostgreSQL {version[0]}, but {OLDEST_SERVER} or newer is needed")


async def _require_new_extension(connection: Connection) -> None:
    found = await connection.fetchval("select extversion from pg_extension where extname = 'vector'")
    parts = tuple(int(part) for part in str(found or "0").split(".")[:2])
    if parts < OLDEST_EXTENSION:
        raise ServerTooOld(
            f"The database has pgvector {found or 'not'} installed, and 0.8 or newer is needed",
            hint="Install a newer pgvector on the server, then run `alter extension vector update`.",
        )


async def _refuse_foreign_database(connection: Connection) -> None:
    """Tables that somebody else keeps in the schema are no place for a base."""
    found = await connection.fetch(
        "select c.relname from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' "
        "and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')"
    )
    names = {row["relname"] for row in found}
    if names and not {"schema_migrations", "base_info"} <= names:
        raise NotASourcebook(
            "The database contains tables that do not belong to a Sourcebook base",
            hint="Choose an empty database or a Sourcebook base. `sourcebook import` reads other layouts.",
        )


async def _applied(connection: Connection) -> list[AppliedMigration]:
    if await connection.fetchval("select to_regclass('schema_migrations')") is None:
        return []
    found = await connection.fetch("select version, name, digest from schema_migrations order by version")
    return [AppliedMigration(row["version"], row["name"], row["digest"]) for row in found]


async def _apply(connection: Connection, migration: Migration) -> None:
    transaction = connection.transaction(isolation="read_committed")
    await transaction.start()
    reached(CrashPoint.MIGRATION_BEGUN)
    try:
        await connection.execute(_HISTORY)
        for statement in statements(migration.sql):
            await connection.execute(statement)
            reached(CrashPoint.MIGRATION_STATEMENT)
        await _record(connection, migration)
        reached(CrashPoint.MIGRATION_RECORDED)
        await transaction.commit()
    except BaseException:
        if not connection.is_closed():
            await transaction.rollback()
        raise
    reached(CrashPoint.MIGRATION_COMMITTED)


async def _record(connection: Connection, migration: Migration) -> None:
    await connection.execute(
        "insert into schema_migrations (version, name, digest, applied_at) values ($1, $2, $3, $4)",
        migration.version,
        migration.name,
        migration.digest,
        int(time.time()),
    )
    if migration.version == 1:
        await connection.executemany(
            "insert into base_info (key, value) values ($1, $2)",
            [("base_id", secrets.token_hex(16)), ("analyser_version", str(ANALYSER_VERSION))],
        )


def statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: each ends with the line that ends with a semicolon."""
    lines: list[str] = []
    for line in script.splitlines(keepends=True):
        lines.append(line)
        if line.rstrip().endswith(";") and not line.startswith("--"):
            yield "".join(lines)
            lines = []
