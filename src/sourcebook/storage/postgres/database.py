"""A base on a server: a few connections, and transactions that take turns only where they must."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import anyio

from sourcebook.errors import BadSetting, BaseUnreachable, NotOpen
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.database import again_if_lost
from sourcebook.storage.postgres import bulk_copy, driver
from sourcebook.storage.postgres.connections import (
    RECONNECT_SECONDS,
    Connections,
    close_or_let_go,
    let_go,
    required,
)
from sourcebook.storage.postgres.migrate import bring_up_to_date
from sourcebook.storage.queries import Queries

if TYPE_CHECKING:
    from sourcebook.storage.database import Row
    from sourcebook.storage.postgres.driver import Connection, Prepared, Transaction


@cache
def read_queries(*, on_citus: bool = False) -> Queries:
    """The statements; `on_citus`, with those that hold there instead of what it refuses."""
    shared, own = files("sourcebook.storage") / "sql", files("sourcebook.storage.postgres") / "sql"
    return Queries.read(shared, own, derived=driver.DERIVED, instead=own / "citus" if on_citus else None)


# All that a pooler may be told when a connection begins.
_POOLED = {"application_name": "sourcebook"}
GRAPH_ROWS_AT_MOST = 20_000
"""So many vectors a search by a graph looks at, at most."""
# How widely a graph of vectors is searched, that it goes on until there are enough, and how far at most. The one place
# where this is said.
_GRAPHS = {
    "hnsw.ef_search": "400",
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.max_scan_tuples": str(GRAPH_ROWS_AT_MOST),
}
# For a coordinator of Citus; other servers take no notice. A transaction that writes documents may read or write what
# is whole on every worker, too: one shard after another then, for Citus refuses it in parallel. And it need not hide
# its shards, for that takes seconds when the driver asks what a type is made of.
_ON_CITUS = {
    "citus.multi_shard_modify_mode": "sequential",
    "citus.override_table_visibility": "off",
}


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """How many connections, and how long to wait for what. Seconds."""

    pool_min: int = 1
    pool_max: int = 5
    busy_timeout: float = 30.0
    statement_timeout: float = 300.0
    connect_timeout: float = 10.0

    def settings(self) -> dict[str, str]:
        """What is said to the server when a connection begins."""
        return {
            "application_name": "sourcebook",
            "lock_timeout": str(int(self.busy_timeout * 1000)),
            "statement_timeout": str(int(self.statement_timeout * 1000)),
            # A process that stopped in the middle of a write must not hold up the others for ever.
            "idle_in_transaction_session_timeout": str(int(self.statement_timeout * 1000)),
            "jit": "off",
            **_ON_CITUS,
            **_GRAPHS,
        }

    def settings_of_a_transaction(self) -> dict[str, str]:
        """The same for one transaction, as a pooler that gives a connection to one after the other wants it."""
        return {key: value for key, value in self.settings().items() if key not in _POOLED}


UNLIMITED = PoolLimits(busy_timeout=0, statement_timeout=0)
"""For work that may take as long as it takes; to the server, 0 means no limit."""


class PostgresExecutor:
    """Named statements on one connection, for as long as its transaction lasts."""

    def __init__(self, connection: Connection, queries: Queries) -> None:
        self._connection: Connection | None = connection
        self._queries = queries

    def end(self) -> None:
        self._connection = None

    async def fetch(self, name: str, /, **parameters: object) -> list[Row]:
        statement = await self._ready(name, parameters)
        try:
            found = await self._open_connection().fetch(statement.sql, *statement.arguments(parameters))
        except Exception:
            with driver.in_use():
                raise
        return driver.rows(found)

    async def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        rows = await self.fetch(name, **parameters)
        return rows[0] if rows else None

    async def execute(self, name: str, /, **parameters: object) -> int:
        if self._queries[name].is_nothing:
            return 0
        statement = await self._ready(name, parameters)
        with driver.in_use():
            return driver.count(
                await self._open_connection().execute(statement.sql, *statement.arguments(parameters))
            )

    async def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        waiting = list(rows)
        if name in bulk_copy.TABLES and len(waiting) >= bulk_copy.FEWEST:
            await self._ready(name, waiting[0])
            await bulk_copy.copy(self._open_connection(), self, name, waiting)
        elif waiting:
            statement = await self._ready(name, waiting[0])
            with driver.in_use():
                arguments = [statement.arguments(row) for row in waiting]
                await self._open_connection().executemany(statement.sql, arguments)

    async def _ready(self, name: str, parameters: Mapping[str, object]) -> Prepared:
        return driver.prepared(self._queries[name], parameters)

    def _open_connection(self) -> Connection:
        if self._connection is None:
            raise NotOpen(
                "The transaction is over", hint="Use its executor only inside the `async with` block."
            )
        return self._connection


class PostgresWriter(PostgresExecutor):
    """The executor of a transaction that may write.

    Transactions that touch the same collection take turns, from their first statement that names it. So counts, words
    and chunks of one collection are never changed by two at once, as on SQLite, where all writers take turns.
    """

    def __init__(self, connection: Connection, queries: Queries) -> None:
        super().__init__(connection, queries)
        self._held: set[object] = set()

    async def _ready(self, name: str, parameters: Mapping[str, object]) -> Prepared:
        collection_id = parameters.get("collection_id")
        if collection_id is not None and collection_id not in self._held:
            lock = driver.prepared(self._queries["take_turn"])
            with driver.in_use():
                await self._open_connection().execute(lock.sql, collection_id)
            self._held.add(collection_id)
        return await super()._ready(name, parameters)


class PostgresDatabase:
    """A base on a server. Open it with `await PostgresDatabase.open(address)`; any number of processes may.

    Behind a pooler that lends a connection for one transaction, such as PgBouncer, `direct` is the address of the
    server itself: what needs a connection of its own goes there, and every read is a transaction.
    """

    def __init__(self, address: str, limits: PoolLimits, direct: str | None = None) -> None:
        self._address = address
        self._direct = direct
        self._limits = limits
        self.queries = read_queries()
        self._connections: Connections | None = None
        self._citus: str | None = None
        self.commits = 0
        """How many transactions have been completed here that may have written."""

    @classmethod
    async def open(
        cls, address: str, limits: PoolLimits | None = None, direct: str | None = None
    ) -> PostgresDatabase:
        """Connect to the base, making or upgrading it first if need be."""
        database = cls(address, limits or PoolLimits(), direct)
        async with database.apart() as connection:
            with driver.translated():
                if direct is not None:
                    await database._require_same_base(connection)
                await bring_up_to_date(connection)
        await database._connect_pool()
        return database

    @classmethod
    async def open_replica(cls, address: str, limits: PoolLimits) -> PostgresDatabase:
        """Connect to a base that can only be read, as it is."""
        database = cls(address, limits)
        await database._connect_pool()
        return database

    async def _connect_pool(self) -> None:
        limits, is_pooled = self._limits, self._direct is not None
        with driver.translated():
            pool = await driver.open_pool(
                self._address,
                smallest=limits.pool_min,
                largest=limits.pool_max,
                patience=limits.connect_timeout,
                settings=_POOLED if is_pooled else limits.settings(),
                remembers_statements=not is_pooled,
            )
        self._connections = Connections(
            pool,
            largest=limits.pool_max,
            patience=limits.busy_timeout,
            connect_patience=limits.connect_timeout,
            keeps_one=limits.pool_min > 0,
        )
        row = await self.fetch_one("citus_version")
        if row is not None:
            self._citus = row["version"]
            self.queries = read_queries(on_citus=True)

    async def _require_same_base(self, direct: Connection) -> None:
        """Refuse a pooler that leads to another database than the one that is changed beside it."""
        pooled = await driver.connect(
            self._address, patience=self._limits.connect_timeout, settings=_POOLED, remembers_statements=False
        )
        identity = driver.prepared(self.queries["written_place"]).sql
        try:
            # In one transaction, as a statement is first described and then run, by the same server.
            await pooled.transaction(isolation="read_committed").start()
            [lent], [own] = await pooled.fetch(identity), await direct.fetch(identity)
        finally:
            await close_or_let_go(pooled)
        if lent["identity"] != own["identity"]:
            raise BadSetting(
                "`db` and `db_direct` lead to different databases.",
                hint="`db_direct` is the address of the server and the database that the pooler at `db` leads to.",
            )

    async def close(self) -> None:
        """Close every connection, when what is being done is done. Closing twice is fine."""
        connections, self._connections = self._connections, None
        if connections is not None:
            with anyio.CancelScope(shield=True), driver.translated():
                await connections.close()

    @property
    def is_spread(self) -> bool:
        """Whether documents lie on several servers, which have no snapshot in common."""
        return self._citus is not None

    async def versions(self) -> dict[str, str]:
        """What the server is."""
        row = await self.fetch_one("server_versions")
        versions = {"postgresql": row["server"], "pgvector": row["extension"]} if row else {}
        return {**versions, "citus": self._citus} if self._citus else versions

    @again_if_lost
    async def fetch(self, name: str, /, **parameters: object) -> list[Row]:
        if self._direct is not None:
            async with self.snapshot() as reader:
                return await reader.fetch(name, **parameters)
        # One statement that only reads is its own transaction. Every search comes by here, so no context is made.
        connections = required(self._connections)
        connection = await connections.take()
        try:
            found = await PostgresExecutor(connection, self.queries).fetch(name, **parameters)
        except BaseException as error:
            await connections.give_up(connection, error)
            raise
        await connections.give_back(connection)
        return found

    async def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        rows = await self.fetch(name, **parameters)
        return rows[0] if rows else None

    @again_if_lost
    async def execute(self, name: str, /, **parameters: object) -> int:
        async with self.transaction() as transaction:
            return await transaction.execute(name, **parameters)

    async def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        await self._execute_all(name, list(rows))

    @again_if_lost
    async def _execute_all(self, name: str, rows: Sequence[Mapping[str, object]]) -> None:
        async with self.transaction() as transaction:
            await transaction.execute_many(name, rows)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[PostgresWriter, None]:
        async with self._begun() as (connection, transaction):
            executor = PostgresWriter(connection, self.queries)
            try:
                yield executor
                reached(CrashPoint.BEFORE_COMMIT)
                with anyio.CancelScope(shield=True), _ending():
                    await transaction.commit()
            except BaseException:
                await _roll_back(transaction, connection)
                raise
            finally:
                executor.end()
                # Counted even if it is in doubt: one too many costs a question, one too few shows an old state.
                self.commits += 1
            reached(CrashPoint.COMMITTED)

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[PostgresExecutor, None]:
        async with self._begun(is_snapshot=True) as (connection, transaction):
            executor = PostgresExecutor(connection, self.queries)
            try:
                yield executor
            finally:
                executor.end()
                await _roll_back(transaction, connection)

    @asynccontextmanager
    async def apart(self, limits: PoolLimits | None = None) -> AsyncGenerator[Connection, None]:
        """A connection of its own, for what takes long or cannot be part of a transaction."""
        connection = await self._connected(limits or self._limits)
        try:
            yield connection
        finally:
            await close_or_let_go(connection)

    @asynccontextmanager
    async def _begun(
        self, *, is_snapshot: bool = False
    ) -> AsyncGenerator[tuple[Connection, Transaction], None]:
        """A connection on which a transaction has begun: one that writes, or one that reads a single state of the base.

        One that the server closed meanwhile is noticed by then at the latest, and another takes its place.
        """
        deadline = time.monotonic() + RECONNECT_SECONDS
        while True:
            async with required(self._connections).lent() as connection:
                transaction = driver.PooledTransaction(connection, is_snapshot=is_snapshot)
                try:
                    with driver.translated():
                        await transaction.start()
                        if self._direct is not None:
                            await self._set_for_this_transaction(connection)
                except BaseUnreachable:
                    let_go(connection)
                    if time.monotonic() >= deadline:
                        raise
                    continue
                yield connection, transaction
                return

    async def _set_for_this_transaction(self, connection: Connection) -> None:
        statement = driver.prepared(self.queries["set_for_transaction"])
        said = {"settings": self._limits.settings_of_a_transaction()}
        await connection.fetch(statement.sql, *statement.arguments(said))

    async def _connected(self, limits: PoolLimits) -> Connection:
        with driver.translated():
            return await driver.connect(
                self._direct or self._address, patience=limits.connect_timeout, settings=limits.settings()
            )


@contextmanager
def _ending() -> Generator[None]:
    """A connection that is lost now leaves in doubt whether the change was made."""
    try:
        with driver.translated():
            yield
    except BaseUnreachable as error:
        raise BaseUnreachable(
            f"The connection to the server was lost while a change was completed ({error.message.removesuffix('.')})",
            hint="Look whether the change is there before you make it again.",
        ) from error


async def _roll_back(transaction: Transaction, connection: Connection) -> None:
    with anyio.CancelScope(shield=True):
        try:
            await transaction.rollback()
        except Exception:
            let_go(connection)
