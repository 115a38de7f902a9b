"""Bringing a file to the present shape, in one transaction for each migration."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import NotASourcebook
from sourcebook.storage.migrate import AppliedMigration, Migration, pending, read_migrations
from sourcebook.storage.sqlite import driver
from sourcebook.storage.steps import Step, reached
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
    _refuse_foreign_file(connection, path)
    todo = pending(known, _applied(connection))
    if not todo:
        return
    if todo[0].version > 1:
        driver.copy(connection, path.with_name(f"{path.name}.before-{todo[0].version:04d}"))
        reached(Step.MIGRATION_COPIED)
    connection.execute("pragma journal_mode = wal")
    for migration in todo:
        _apply(connection, migration, known)


def _refuse_foreign_file(connection: Connection, path: Path) -> None:
    tables = {row[0] for row in connection.execute("select name from sqlite_schema where type = 'table'")}
    if tables and "schema_migrations" not in tables:
        raise NotASourcebook(f"{path} is a SQLite file, but not a Sourcebook base")


def _applied(connection: Connection) -> list[AppliedMigration]:
    exists = connection.execute("select 1 from sqlite_schema where name = 'schema_migrations'").fetchall()
    if not exists:
        return []
    rows = connection.execute("select version, name, digest from schema_migrations order by version")
    return [AppliedMigration(int(version), str(name), str(digest)) for version, name, digest in rows]


def _apply(connection: Connection, migration: Migration, known: Sequence[Migration]) -> None:
    connection.execute("begin immediate")
    reached(Step.MIGRATION_BEGUN)
    try:
        connection.execute(_HISTORY)
        # Another process may have done it while this one waited for the lock.
        if migration not in pending(known, _applied(connection)):
            connection.execute("rollback")
            return
        for statement in statements(migration.sql):
            connection.execute(statement)
            reached(Step.MIGRATION_STATEMENT)
        _record(connection, migration)
        reached(Step.MIGRATION_RECORDED)
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
    reached(Step.MIGRATION_COMMITTED)


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
