"""Bringing a file to the present shape: a new one in one transaction, an older one in one for each migration."""

from __future__ import annotations

import secrets
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import NotASourcebook
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.migrate import AppliedMigration, Migration, pending, read_migrations
from sourcebook.storage.sqlite import driver
from sourcebook.text.analysis import ANALYSER_VERSION

if TYPE_CHECKING:
    from sourcebook.storage.sqlite.driver import Connection

_HISTORY = """
create table if not exists schema_migrations (
    version integer not null,
    name text not null,
    digest text not null,
    applied_at integer not null,
    constraint schema_migrations_key primary key (version)
) strict
"""


def bring_up_to_date(connection: Connection, path: Path, known: Sequence[Migration] | None = None) -> None:
    """Apply what is missing. Afterwards the base has the present shape; after a crash, the old or the new one."""
    known = known if known is not None else read_migrations(files("sourcebook.storage.sqlite") / "migrations")
    refuse_foreign_file(connection, path)
    # A base that is refused, as one of a newer program is, stays as it is.
    pending(known, applied_migrations(connection))
    # Of a base that is up to date too: a copy of one is not in this mode.
    driver.use_write_ahead_log(connection)
    if not applied_migrations(connection):
        _make(connection, known)
    todo = pending(known, applied_migrations(connection))
    for migration in todo:
        _upgrade(connection, migration, known, copy_of=path if migration is todo[0] else None)


def refuse_foreign_file(connection: Connection, path: Path) -> None:
    names = {row[0] for row in connection.execute("select name from sqlite_schema")}
    # Other programs have a table schema_migrations as well.
    if names and not {"schema_migrations", "base_info"} <= names:
        raise NotASourcebook(f"{path} is an SQLite file, but not a Sourcebook base")


def applied_migrations(connection: Connection) -> list[AppliedMigration]:
    exists = connection.execute("select 1 from sqlite_schema where name = 'schema_migrations'").fetchall()
    if not exists:
        return []
    rows = connection.execute("select version, name, digest from schema_migrations order by version")
    return [AppliedMigration(int(version), str(name), str(digest)) for version, name, digest in rows]


def _make(connection: Connection, known: Sequence[Migration]) -> None:
    """Make the whole base at once: nobody ever sees a part of one, which would look like a base of an older program."""
    with _exclusively(connection) as applied:
        # Another process may have made it while this one waited for the lock.
        if not applied:
            for migration in known:
                _apply(connection, migration)


def _upgrade(
    connection: Connection, migration: Migration, known: Sequence[Migration], copy_of: Path | None
) -> None:
    with _exclusively(connection) as applied:
        # Another process may have done it while this one waited for the lock.
        if migration in pending(known, applied):
            if copy_of is not None:
                _keep_copy(copy_of, migration)
            _apply(connection, migration)


@contextmanager
def _exclusively(connection: Connection) -> Generator[list[AppliedMigration]]:
    """One transaction in which nobody else writes. Gives what has been applied by then."""
    connection.execute("begin immediate")
    reached(CrashPoint.MIGRATION_BEGUN)
    try:
        connection.execute(_HISTORY)
        yield applied_migrations(connection)
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
    reached(CrashPoint.MIGRATION_COMMITTED)


def _apply(connection: Connection, migration: Migration) -> None:
    for statement in statements(migration.sql):
        connection.execute(statement)
        reached(CrashPoint.MIGRATION_STATEMENT)
    _record(connection, migration)
    reached(CrashPoint.MIGRATION_RECORDED)


def _keep_copy(path: Path, migration: Migration) -> None:
    """Copy the base as it is before the migration, whose lock keeps everybody else from writing or copying it."""
    source = driver.connect(path, busy_timeout=0)
    try:
        driver.copy(source, path.with_name(f"{path.name}.before-{migration.version:04d}"))
    finally:
        source.close()
    reached(CrashPoint.MIGRATION_COPIED)


def _record(connection: Connection, migration: Migration) -> None:
    connection.execute(
        "insert into schema_migrations (version, name, digest, applied_at) values (?, ?, ?, ?)",
        (migration.version, migration.name, migration.digest, int(time.time())),
    )
    if migration.version == 1:
        connection.executemany(
            "insert into base_info (key, value) values (?, ?)",
            [("base_id", secrets.token_hex(16)), ("analyser_version", str(ANALYSER_VERSION))],
        )


def statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one."""
    lines: list[str] = []
    for line in script.splitlines(keepends=True):
        lines.append(line)
        statement = "".join(lines)
        if line.rstrip().endswith(";") and driver.is_complete(statement):
            yield statement
            lines = []
