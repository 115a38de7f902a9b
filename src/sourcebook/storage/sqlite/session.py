"""Named statements on one connection, for code that already runs in a worker thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from sourcebook.storage.sqlite import driver

if TYPE_CHECKING:
    from sourcebook.storage.database import Row
    from sourcebook.storage.queries import Queries
    from sourcebook.storage.sqlite.driver import Connection

T = TypeVar("T")


class SqliteSession:
    """The statements of one transaction, without a thread change for each of them."""

    def __init__(self, connection: Connection, queries: Queries) -> None:
        self._connection = connection
        self._queries = queries

    def fetch(self, name: str, /, **parameters: object) -> list[Row]:
        return driver.run(self._connection, self._queries[name].sql, parameters)

    def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        rows = self.fetch(name, **parameters)
        return rows[0] if rows else None

    def change(self, name: str, /, **parameters: object) -> int:
        """Run a statement that writes, and say how many rows it changed."""
        return driver.change(self._connection, self._queries[name].sql, parameters)

    def stream(self, name: str, /, **parameters: object) -> Iterator[tuple[Any, ...]]:
        """Rows as tuples, one by one: for many rows of few columns."""
        return driver.stream(self._connection, self._queries[name].sql, parameters)


def in_snapshot(connection: Connection, queries: Queries, work: Callable[[SqliteSession], T]) -> T:
    """Run `work` on one state of the base."""
    connection.execute("begin")
    try:
        return work(SqliteSession(connection, queries))
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
