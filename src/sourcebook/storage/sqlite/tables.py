"""The tables of a base, one by one, for what has to touch every row of it: a backup's digest, and a salvage.

The statements are made of the names that a schema declares, never of anything that a caller says.
"""

# ruff: noqa: S608 - the names come from a schema, and are quoted

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sourcebook.storage.queries import Statement

if TYPE_CHECKING:
    from sourcebook.storage.sqlite.driver import Connection

BACKUP_TABLES = ("backup_info", "backup_files")
"""What a backup holds besides the base."""
DERIVED = "derived:"
"""How the keys of `base_info` begin that tell of files beside the base. Elsewhere they mean nothing."""

_ROWS_AT_ONCE = 2_000
_NOUNS = {
    "collections": "collections",
    "documents": "documents",
    "chunks": "document_chunks",
    "vectors": "vectors",
    "curated_answers": "knowledge_base",
    "sessions": "chat_sessions",
    "users": "users",
}


@dataclass(frozen=True)
class Table:
    """A table, and the columns along which it is walked: its rowid, or its primary key if it has none."""

    name: str
    columns: tuple[str, ...]
    texts: tuple[str, ...]
    blobs: tuple[str, ...]
    key: tuple[str, ...]

    @cached_property
    def scan(self) -> Statement:
        """Every row in the order of the table, numbers and texts first, then the blobs."""
        plain = [column for column in self.columns if column not in self.blobs]
        return self._statement(f"select {_listed([*plain, *self.blobs])} from {_quoted(self.name)}")

    @cached_property
    def count(self) -> Statement:
        return self._statement(f"select count(*) from {_quoted(self.name)}")

    @cached_property
    def forward(self) -> Statement:
        """Every row with its key before it, texts as bytes."""
        return self._statement(f"{self._rows} order by {self._keys}")

    @cached_property
    def onward(self) -> Statement:
        return self._statement(f"{self._rows} where ({self._keys}) > ({self._marks}) order by {self._keys}")

    @cached_property
    def next_one(self) -> Statement:
        return self._statement(f"{self.onward.sql} limit 1")

    @cached_property
    def backward(self) -> Statement:
        return self._statement(
            f"{self._rows} where ({self._keys}) < ({self._marks}) order by {self._downwards}"
        )

    @cached_property
    def backward_from_end(self) -> Statement:
        return self._statement(f"{self._rows} order by {self._downwards}")

    @cached_property
    def insert(self) -> Statement:
        """Takes what the walks give."""
        places = ", ".join("cast(? as text)" if column in self.texts else "?" for column in self.columns)
        columns = _listed(list(self.columns))
        return self._statement(f"insert or ignore into {_quoted(self.name)} ({columns}) values ({places})")

    @cached_property
    def empty(self) -> Statement:
        return self._statement(f"delete from {_quoted(self.name)}")

    @property
    def _rows(self) -> str:
        columns = [
            f"cast({_quoted(column)} as blob)" if column in self.texts else _quoted(column)
            for column in self.columns
        ]
        # By the table itself and never by an index, which may be the part that is damaged.
        source = f"{_quoted(self.name)} not indexed" if self.key == ("rowid",) else _quoted(self.name)
        return f"select {self._keys}, {', '.join(columns)} from {source}"

    @property
    def _keys(self) -> str:
        return "rowid" if self.key == ("rowid",) else _listed(list(self.key))

    @property
    def _downwards(self) -> str:
        return ", ".join(f"{key} desc" for key in self._keys.split(", "))

    @property
    def _marks(self) -> str:
        return ", ".join("?" * len(self.key))

    def _statement(self, sql: str) -> Statement:
        return Statement(self.name, (), sql)


def tables_of(connection: Connection) -> list[Table]:
    """The tables of the base, by name, without those that only a backup has."""
    listed = connection.execute("pragma table_list").fetchall()
    return [
        _described(connection, str(name), has_rowid=not without_rowid)
        for schema, name, kind, _, without_rowid, _ in sorted(listed)
        if schema == "main" and kind == "table" and name not in (*BACKUP_TABLES, "sqlite_schema")
    ]


def _described(connection: Connection, name: str, *, has_rowid: bool) -> Table:
    statement = Statement(name, (), f"pragma table_info({_quoted(name)})")
    columns = connection.execute(statement.sql).fetchall()
    placed = sorted((place, column) for _, column, _, _, _, place in columns if place)
    return Table(
        name=name,
        columns=tuple(column for _, column, *_ in columns),
        texts=tuple(column for _, column, kind, *_ in columns if kind == "TEXT"),
        blobs=tuple(column for _, column, kind, *_ in columns if kind == "BLOB"),
        key=("rowid",) if has_rowid else tuple(column for _, column in placed),
    )


def digest_of(connection: Connection, advance: Callable[[int], None]) -> str:
    """One number for every row of every table, in a file or in the snapshot that a connection has open.

    Only the records of derived files are left out. `advance` is told how many rows were read since it was last told.
    """
    hashed = hashlib.sha256()
    for table in tables_of(connection):
        hashed.update(repr((table.name, table.columns)).encode())
        plain = len(table.columns) - len(table.blobs)
        for rows in _in_batches(connection, table):
            for row in rows:
                if not _tells_of_a_file(table, row):
                    hashed.update(repr(row[:plain]).encode())
                    for blob in row[plain:]:
                        hashed.update(repr(None if blob is None else len(blob)).encode())
                        hashed.update(blob or b"")
            advance(len(rows))
    return hashed.hexdigest()


def counts_of(connection: Connection) -> dict[str, int]:
    """How much a base of whichever version holds, in the words of people."""
    held = {table.name: table for table in tables_of(connection)}
    return {
        noun: int(connection.execute(held[name].count.sql).fetchall()[0][0]) if name in held else 0
        for noun, name in _NOUNS.items()
    }


def row_count(connection: Connection) -> int:
    return sum(int(connection.execute(t.count.sql).fetchall()[0][0]) for t in tables_of(connection))


def _in_batches(connection: Connection, table: Table) -> Iterator[list[tuple[Any, ...]]]:
    rows: list[tuple[Any, ...]] = []
    for row in connection.execute(table.scan.sql):
        rows.append(row)
        if len(rows) == _ROWS_AT_ONCE:
            yield rows
            rows = []
    yield rows


def _tells_of_a_file(table: Table, row: tuple[Any, ...]) -> bool:
    return table.name == "base_info" and str(row[0]).startswith(DERIVED)


def _listed(columns: list[str]) -> str:
    return ", ".join(_quoted(column) for column in columns)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
