"""A file of another program, read as it is at one moment."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from sourcebook.errors import BaseDamaged, UsageError
from sourcebook.storage.importing.layouts import NUMBER, Values
from sourcebook.storage.sqlite import driver

if TYPE_CHECKING:
    from pathlib import Path

    from sourcebook.storage.sqlite.driver import Connection

# SQLite takes no more values in one statement.
_MOST_VALUES = 30_000
_COLUMNS = (
    "select t.name, c.name from pragma_table_list t, pragma_table_info(t.name) c "
    "where t.schema = 'main' and t.type = 'table'"
)
_SIZE = (
    "case when json_valid(embedding) and json_type(embedding) = 'array' "
    "then json_array_length(embedding) else 0 end"
)


class SqliteOldBase:
    """`importing.layouts.OldBase` over a file. Statements are made of the names that the layout declares."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def columns(self) -> dict[str, set[str]]:
        return await anyio.to_thread.run_sync(self._columns)

    async def count(self, table: str) -> int:
        [[count]] = await self._rows(f'select count(*) from "{table}"')  # noqa: S608 - a name of the layout
        return int(count)

    async def last(self, table: str) -> int:
        statement = f'select coalesce(max(rowid), 0) from "{table}"'  # noqa: S608 - a name of the layout
        [[last]] = await self._rows(statement)
        return int(last)

    async def page(self, table: str, columns: Sequence[str], after: int, limit: int) -> list[Values]:
        statement = f'select rowid, {_listed(columns)} from "{table}" where rowid > ? order by rowid limit ?'  # noqa: S608 - names of the layout
        return _named(columns, await self._rows(statement, after, limit))

    async def belonging(
        self, table: str, columns: Sequence[str], owner: str, ids: Sequence[object]
    ) -> list[Values]:
        found: list[Values] = []
        for start in range(0, len(ids), _MOST_VALUES):
            some = ids[start : start + _MOST_VALUES]
            places = ", ".join("?" for _ in some)
            statement = f'select rowid, {_listed(columns)} from "{table}" where "{owner}" in ({places}) order by rowid'  # noqa: S608 - names of the layout
            found += _named(columns, await self._rows(statement, *some))
        return found

    async def sizes(self, table: str) -> dict[int, int]:
        statement = f'select {_SIZE}, count(*) from "{table}" group by 1'  # noqa: S608 - names of the layout
        return {int(size): int(count) for size, count in await self._rows(statement)}

    def _columns(self) -> dict[str, set[str]]:
        with driver.translated():
            rows = self._connection.execute(_COLUMNS).fetchall()
        found: dict[str, set[str]] = {}
        for table, column in rows:
            found.setdefault(table, set()).add(column)
        return found

    async def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        def read() -> list[tuple[Any, ...]]:
            with driver.translated():
                return self._connection.execute(statement, values).fetchall()

        return await anyio.to_thread.run_sync(read)


@asynccontextmanager
async def sqlite_old_base(path: Path) -> AsyncGenerator[SqliteOldBase, None]:
    connection = await anyio.to_thread.run_sync(_connected, path)
    try:
        yield SqliteOldBase(connection)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(connection.close)


def _connected(path: Path) -> Connection:
    try:
        with driver.translated():
            connection = driver.connect_to_read(path)
            connection.execute("begin")
            return connection
    except BaseDamaged as error:
        raise UsageError(f"{path.name} is not an SQLite file, or is damaged") from error


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _named(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[Values]:
    names = (NUMBER, *columns)
    return [dict(zip(names, row, strict=True)) for row in rows]
