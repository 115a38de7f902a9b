"""A database of another program, read as it is at one moment."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sourcebook.storage.importing.layouts import NUMBER, Values
from sourcebook.storage.postgres import driver
from sourcebook.storage.postgres.connections import close_or_let_go
from sourcebook.storage.postgres.database import UNLIMITED

if TYPE_CHECKING:
    from sourcebook.storage.postgres.driver import Connection

_COLUMNS = """
select table_name, column_name, data_type from information_schema.columns
where table_schema = any (current_schemas(false))
"""
# How a column of a type is read, when not as it is. A time without a zone is one of the server's own.
_READ = {
    "timestamp without time zone": "floor(extract(epoch from {}::timestamptz))::bigint",
    "timestamp with time zone": "floor(extract(epoch from {}))::bigint",
    "USER-DEFINED": "{}::text",
    "jsonb": "{}::text",
    "json": "{}::text",
}


class PostgresOldBase:
    """`importing.layouts.OldBase` over a connection. Statements are made of the names that the layout declares."""

    def __init__(self, connection: Connection, types: Mapping[tuple[str, str], str]) -> None:
        self._connection = connection
        self._types = types

    async def columns(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for table, column in self._types:
            found.setdefault(table, set()).add(column)
        return found

    async def count(self, table: str) -> int:
        statement = f'select count(*) from "{table}"'  # noqa: S608 - a name of the layout
        with driver.translated():
            return int(await self._connection.fetchval(statement))

    async def last(self, table: str) -> int:
        statement = f'select coalesce(max(id), 0) from "{table}"'  # noqa: S608 - a name of the layout
        with driver.translated():
            return int(await self._connection.fetchval(statement))

    async def page(self, table: str, columns: Sequence[str], after: int, limit: int) -> list[Values]:
        statement = f'select {self._listed(table, columns)} from "{table}" where id > $1 order by id limit $2'  # noqa: S608 - names of the layout
        return await self._rows(statement, after, limit)

    async def belonging(
        self, table: str, columns: Sequence[str], owner: str, ids: Sequence[object]
    ) -> list[Values]:
        statement = (
            f'select {self._listed(table, columns)} from "{table}" where "{owner}" = any ($1) order by id'  # noqa: S608 - names of the layout
        )
        return await self._rows(statement, list(ids))

    async def sizes(self, table: str) -> dict[int, int]:
        statement = f'select vector_dims(embedding), count(*) from "{table}" group by 1'  # noqa: S608 - a name of the layout
        with driver.translated():
            rows = await self._connection.fetch(statement)
        return {int(row["vector_dims"]): int(row["count"]) for row in rows}

    async def _rows(self, statement: str, *values: object) -> list[Values]:
        with driver.translated():
            return [dict(row.items()) for row in await self._connection.fetch(statement, *values)]

    def _listed(self, table: str, columns: Sequence[str]) -> str:
        read = (_READ.get(self._types[table, column], "{}").format(f'"{column}"') for column in columns)
        listed = (f'{value} as "{column}"' for value, column in zip(read, columns, strict=True))
        return ", ".join((f"id as {NUMBER}", *listed))


@asynccontextmanager
async def postgres_old_base(address: str) -> AsyncGenerator[PostgresOldBase, None]:
    with driver.translated():
        connection = await driver.connect(
            address, patience=UNLIMITED.connect_timeout, settings={"application_name": "sourcebook"}
        )
    try:
        with driver.translated():
            await connection.transaction(isolation="repeatable_read", readonly=True).start()
            rows = await connection.fetch(_COLUMNS)
        types = {(row["table_name"], row["column_name"]): row["data_type"] for row in rows}
        yield PostgresOldBase(connection, types)
    finally:
        await close_or_let_go(connection)
