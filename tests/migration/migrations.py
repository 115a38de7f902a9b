"""The migrations that these tests know: the real ones, and one from the future."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
from tests.faults.bases import plain_connection

from sourcebook.storage.migrate import Migration, read_migrations
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.migrate import bring_up_to_date, statements
from sourcebook.testing.crash import arm

if TYPE_CHECKING:
    from sourcebook.storage.crash_points import CrashPoint

REAL = read_migrations(files("sourcebook.storage.sqlite") / "migrations")

_SHELVES = """
-- A migration that changes a table, fills it, and makes new ones.
create table shelves (
    name text not null,
    constraint shelves_key primary key (name)
) strict, without rowid;

insert into shelves (name) values ('a; b'), ('c');

alter table documents add column shelf text;

update documents set shelf = 'c';

create index idx_documents_shelf on documents (collection_id, shelf);
"""
NEXT = Migration(REAL[-1].version + 1, "shelves", _SHELVES)
STATEMENTS_OF_NEXT = len(list(statements(_SHELVES)))


def upgrade(path: Path) -> None:
    """Bring a base up to date as a later version of the program would."""
    connection = driver.connect(path, busy_timeout=30)
    try:
        bring_up_to_date(connection, path, [*REAL, NEXT])
    finally:
        connection.close()


def made_by(known: Sequence[Migration], path: Path) -> Path:
    """A base as the program made it that knew these migrations."""
    if not path.exists():
        connection = driver.connect(path, busy_timeout=30)
        try:
            bring_up_to_date(connection, path, known)
        finally:
            connection.close()
    return path


def upgrade_and_stop_at(step: CrashPoint, nth: int, path: Path) -> None:
    arm(step, nth)
    upgrade(path)


def schema_of(path: Path) -> list[tuple[object, ...]]:
    """All that the file declares, its history of versions included."""
    connection = plain_connection(path, apsw.SQLITE_OPEN_READONLY)
    try:
        declared = connection.execute(
            "select type, name, sql from sqlite_schema order by type, name"
        ).fetchall()
        if not any(name == "schema_migrations" for _, name, _ in declared):
            return declared
        versions = connection.execute("select version, name, digest from schema_migrations order by version")
        return declared + versions.fetchall()
    finally:
        connection.close()
