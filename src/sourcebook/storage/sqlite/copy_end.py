"""A base in a file as the source or the target of a copy, on a connection of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

import anyio.to_thread

from sourcebook.errors import Conflict
from sourcebook.storage.maintenance.base_copy import MARK, CopySource, Shape, Values
from sourcebook.storage.queries import Statement
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.database import read_queries
from sourcebook.storage.sqlite.worker_session import SqliteSession

if TYPE_CHECKING:
    from pathlib import Path

    from sourcebook.storage.sqlite.driver import Connection

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class SqliteCopyEnd:
    """Both `CopySource` and `CopyTarget`. Statements are made of the names that the schema declares."""

    def __init__(self, path: Path, connection: Connection) -> None:
        self._path = path
        self._connection = connection
        self._session = SqliteSession(connection, read_queries())

    async def hold(self) -> None:
        await self._run("begin")

    async def facts(self) -> dict[str, str]:
        return {
            row["key"]: row["value"] for row in await _in_thread(partial(self._session.fetch, "base_info"))
        }

    async def last_change(self) -> int:
        [row] = await _in_thread(partial(self._session.fetch, "last_change"))
        return int(row["seq"])

    async def shapes(self) -> list[Shape]:
        return await _in_thread(_shapes, self._connection)

    async def count(self, shape: Shape) -> int:
        statement = _statement(f'select count(*) from "{shape.name}"')  # noqa: S608 - a name of our own
        return int((await self._run(statement.sql))[0][0])

    async def page(self, shape: Shape, after: Sequence[object] | None, limit: int) -> list[Values]:
        statement = _page_statement(shape, is_first=after is None)
        rows = await self._run(statement.sql, [*(after or ()), limit])
        return [dict(zip(shape.columns, row, strict=True)) for row in rows]

    async def mark(self) -> str | None:
        return (await self.facts()).get(MARK)

    async def begin(self, mark: str) -> None:
        if not (await _in_thread(partial(self._session.fetch, "base_is_empty")))[0]["is_empty"]:
            raise Conflict("The target base is not empty", hint="Choose a base that does not exist yet.")
        await _in_thread(self._begin, mark)

    async def put(self, shape: Shape, rows: Sequence[Values], mark: str) -> None:
        await _in_thread(self._put, shape, rows, mark)

    async def finish(self, facts: Mapping[str, str]) -> None:
        for key, value in facts.items():
            await _in_thread(partial(self._session.change, "put_info", key=key, value=value))
        await _in_thread(partial(self._session.change, "forget_info", key=MARK))

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[CopySource, None]:
        async with sqlite_copy_end(self._path) as end:
            yield end

    async def _run(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return await _in_thread(_fetched, self._connection, sql, values)

    def _begin(self, mark: str) -> None:
        with self._written(mark):
            self._session.change("delete_all_users")

    def _put(self, shape: Shape, rows: Sequence[Values], mark: str) -> None:
        insert = _insert_statement(shape)
        with self._written(mark):
            self._connection.executemany(insert.sql, [[row[c] for c in shape.columns] for row in rows])

    @contextmanager
    def _written(self, mark: str) -> Generator[None, None, None]:
        """All of it and the mark, or nothing."""
        self._connection.execute("begin immediate")
        try:
            yield
            self._session.change("put_info", key=MARK, value=mark)
            self._connection.execute("commit")
        except BaseException:
            self._connection.execute("rollback")
            raise


@asynccontextmanager
async def sqlite_copy_end(path: Path) -> AsyncGenerator[SqliteCopyEnd, None]:
    connection = await _in_thread(_connected, path)
    try:
        yield SqliteCopyEnd(path, connection)
    finally:
        await _in_thread(connection.close)


async def _in_thread(function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    def work() -> T:
        with driver.translated():
            return function(*arguments)

    return await anyio.to_thread.run_sync(work)


def _connected(path: Path) -> Connection:
    return driver.connect(path, busy_timeout=30.0)


def _fetched(connection: Connection, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    return connection.execute(sql, values).fetchall()


def _shapes(connection: Connection) -> list[Shape]:
    listed = connection.execute("pragma table_list").fetchall()
    names = sorted(str(name) for schema, name, kind, *_ in listed if (schema, kind) == ("main", "table"))
    return [_shape(connection, name) for name in names if not name.startswith("sqlite_")]


def _shape(connection: Connection, name: str) -> Shape:
    statement = _statement(f'pragma table_info("{name}")')
    columns = connection.execute(statement.sql).fetchall()
    key = sorted((place, column) for _, column, _, _, _, place in columns if place)
    return Shape(name, tuple(column for _, column, *_ in columns), tuple(column for _, column in key))


def _page_statement(shape: Shape, *, is_first: bool) -> Statement:
    key = ", ".join(f'"{column}"' for column in shape.key)
    behind = "" if is_first else f"where ({key}) > ({', '.join('?' for _ in shape.key)})"
    columns = ", ".join(f'"{column}"' for column in shape.columns)
    return _statement(
        f'select {columns} from "{shape.name}" {behind} order by {key} limit ?'  # noqa: S608 - names of our own
    )


def _insert_statement(shape: Shape) -> Statement:
    columns = ", ".join(f'"{column}"' for column in shape.columns)
    places = ", ".join("?" for _ in shape.columns)
    return _statement(f'insert into "{shape.name}" ({columns}) values ({places})')  # noqa: S608 - names of our own


def _statement(sql: str) -> Statement:
    return Statement("copy", (), sql)
