"""Named statements on one connection, for code that already runs in a worker thread."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from sourcebook.errors import NotOpen
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.rows import made_of_intact_rows
from sourcebook.storage.sqlite import driver

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.queries import Queries
    from sourcebook.storage.sqlite.driver import Connection

T = TypeVar("T")


@dataclass(slots=True)
class Memory:
    """What was read through one connection, true for as long as no other connection commits anything.

    SQLite counts such commits. A connection that only reads commits nothing itself, so the count is the whole truth.
    """

    version: int = -1
    facts: dict[object, Any] = field(default_factory=dict[object, Any])

    def at(self, version: int) -> Memory:
        if version != self.version:
            self.version = version
            self.facts.clear()
        return self


class SqliteSession:
    """The statements of one transaction, without a thread change for each of them."""

    def __init__(self, connection: Connection, queries: Queries, memory: Memory | None = None) -> None:
        self._connection = connection
        self._queries = queries
        self._memory = memory

    def remembered(self, key: object, make: Callable[[], T]) -> T:
        """What was made of this very state of the base before, on this connection, or is made now."""
        facts = {} if self._memory is None else self._memory.facts
        if key not in facts:
            facts[key] = make()
        return facts[key]

    def recalled(self, key: object) -> object | None:
        """What is remembered under this key of this very state of the base, if anything is."""
        return None if self._memory is None else self._memory.facts.get(key)

    def fetch(self, name: str, /, **parameters: object) -> list[Row]:
        return driver.run(self._connection, self._queries[name].sql, parameters)

    def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        rows = self.fetch(name, **parameters)
        return rows[0] if rows else None

    def change(self, name: str, /, **parameters: object) -> int:
        """Run a statement that writes, and say how many rows it changed."""
        return driver.change(self._connection, self._queries[name].sql, parameters)

    def carry_out(self, work: Callable[[Executor], Coroutine[Any, Any, T]]) -> T:
        """Have something done that is written for an event loop. It may wait for nothing but its executor."""
        executor = InlineExecutor(self._connection, self._queries)
        try:
            return _driven(work(executor))
        finally:
            executor.end()

    def stream(self, name: str, /, **parameters: object) -> Iterator[tuple[Any, ...]]:
        """Rows as tuples, one by one: for many rows of few columns."""
        return driver.stream(self._connection, self._queries[name].sql, parameters)


def in_snapshot(
    connection: Connection, memory: Memory, queries: Queries, work: Callable[[SqliteSession], T]
) -> T:
    """Run `work` on one state of the base."""
    connection.execute("begin")
    try:
        # Asking for the version is a read, and so fixes the state that everything after it sees.
        version = int(connection.execute("pragma data_version").fetchall()[0][0])
        return made_of_intact_rows(work, SqliteSession(connection, queries, memory.at(version)))
    finally:
        connection.execute("rollback")


def in_transaction(connection: Connection, queries: Queries, work: Callable[[SqliteSession], T]) -> T:
    """Run `work` and keep what it wrote, all or nothing."""
    connection.execute("begin immediate")
    try:
        result = work(SqliteSession(connection, queries))
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
    return result


class InlineExecutor:
    """Named statements on one connection, for code that is written for an event loop and runs in a worker thread."""

    def __init__(self, connection: Connection, queries: Queries) -> None:
        self._connection: Connection | None = connection
        self._queries = queries

    def end(self) -> None:
        self._connection = None

    async def fetch(self, name: str, /, **parameters: object) -> list[Row]:
        return driver.run(self._open(), self._queries[name].sql, parameters)

    async def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        rows = await self.fetch(name, **parameters)
        return rows[0] if rows else None

    async def execute(self, name: str, /, **parameters: object) -> int:
        sql = self._queries[name].sql
        return driver.change(self._open(), sql, parameters) if sql else 0

    async def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        driver.change_many(self._open(), self._queries[name].sql, rows)

    def _open(self) -> Connection:
        if self._connection is None:
            raise NotOpen("the transaction is over", hint="Use its executor only inside of its work.")
        return self._connection


def carried_out(
    connection: Connection, queries: Queries, work: Callable[[Executor], Coroutine[Any, Any, T]]
) -> T:
    """Do the work of a transaction that has begun, to its commit."""
    executor = InlineExecutor(connection, queries)
    try:
        result = _driven(work(executor))
        reached(CrashPoint.BEFORE_COMMIT)
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
    finally:
        executor.end()
    reached(CrashPoint.COMMITTED)
    return result


def _driven(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never has to wait, because everything it asks for is at hand."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise RuntimeError("the work of a transaction may wait for nothing but its executor")
