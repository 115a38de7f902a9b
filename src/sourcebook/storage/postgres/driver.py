"""The only file that speaks to asyncpg about a connection: opening one, binding values, and naming what went wrong."""

from __future__ import annotations

import json
import logging
import re
import struct
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, cast

import asyncpg
import numpy as np

from sourcebook.errors import (
    BadAddress,
    BadText,
    BaseBusy,
    BaseDamaged,
    BaseFull,
    BaseReadOnly,
    BaseUnreachable,
    Conflict,
    ConnectionLost,
    NotOpen,
    SourcebookError,
    StorageError,
    UsageError,
)
from sourcebook.storage.index import bm25, vector_encoding
from sourcebook.storage.postgres.filter_facts import facts_of_chunk, facts_of_document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.database import Row
    from sourcebook.storage.queries import Statement

# Its functions have no types of their own.
_driver: Any = asyncpg

DERIVED: Mapping[str, Callable[[str], str]] = {
    "document_facts": facts_of_document,
    "chunk_facts": facts_of_chunk,
}
"""Parameters that are made of `metadata`."""


class Transaction(Protocol):
    async def start(self) -> None: ...
    async def commit(self) -> None: ...
    async def rollback(self) -> None: ...


class Connection(Protocol):
    """What we use of an asyncpg connection, with types that a checker understands."""

    async def fetch(self, query: str, *args: object) -> list[Mapping[str, Any]]: ...
    async def fetchval(self, query: str, *args: object) -> Any: ...
    async def execute(self, query: str, *args: object) -> str: ...
    async def prepare(self, query: str) -> object: ...
    async def executemany(self, command: str, args: Iterable[Sequence[object]]) -> None: ...
    async def copy_records_to_table(
        self, table_name: str, *, records: Iterable[Sequence[object]], columns: Sequence[str]
    ) -> str: ...
    async def set_type_codec(
        self,
        typename: str,
        *,
        schema: str,
        encoder: Callable[[Any], Any],
        decoder: Callable[[Any], Any],
        format: str,
    ) -> None: ...
    def transaction(self, *, isolation: str, readonly: bool = False) -> Transaction: ...
    def get_server_version(self) -> tuple[int, ...]: ...
    def is_closed(self) -> bool: ...
    async def close(self, *, timeout: float | None = None) -> None: ...  # noqa: ASYNC109 - as it is there
    def terminate(self) -> None: ...


class Pool(Protocol):
    def acquire(self, *, timeout: float | None = None) -> Awaitable[Connection]: ...
    async def release(self, connection: Connection) -> None: ...
    async def close(self) -> None: ...
    def terminate(self) -> None: ...
    def get_size(self) -> int: ...


# By the class of an SQLSTATE, its first letters; the longest that fits wins.
_ERRORS: dict[str, type[SourcebookError]] = {
    "08": BaseUnreachable,
    "22": UsageError,
    "22021": BadText,
    "22P05": BadText,
    "23": Conflict,
    "25006": BaseReadOnly,
    "28": BaseUnreachable,
    "3D": BaseUnreachable,
    "40": BaseBusy,
    "42501": BaseReadOnly,
    "53": BaseBusy,
    "53100": BaseFull,
    "55P03": BaseBusy,
    "57014": BaseBusy,
    "57P": BaseUnreachable,
    "XX001": BaseDamaged,
    "XX002": BaseDamaged,
}
_HINTS: dict[type[SourcebookError], str] = {
    BaseReadOnly: "Grant the user in the address the right to write to the base's tables.",
    BaseDamaged: "Check the server's log, and restore the last backup if it confirms the damage.",
}
_POOLER_HINT = "This is a pooler such as PgBouncer: set `db_direct` to the address of the server behind it."
_WORKER_HINT = (
    "A worker of the Citus cluster is down or cut off. Start it again: until then nothing that needs all documents can "
    "be read. Nothing was lost."
)
# Inside of what Citus makes of a statement, an error of a worker loses its SQLSTATE.
_VIOLATION = re.compile(r"violates (?:unique|foreign key|check|not-null) constraint")
_BAD_ADDRESS_HINT = "Check the address, the database name, the user and the password."


def translation(error: BaseException) -> SourcebookError | None:
    """The error of ours that stands for one of the driver's, or None if it is not the driver's."""
    match error:
        case asyncpg.PostgresError():
            return _of_server(error)
        case asyncpg.InterfaceError() if isinstance(error, ValueError):
            return UsageError(f"A value does not fit its column: {error}")
        case asyncpg.InterfaceError():
            return NotOpen() if "pool is clos" in str(error) else BaseUnreachable(_lost(error))
        case asyncpg.InternalClientError():
            # What the driver says of a connection that broke off in the middle of an answer.
            return BaseUnreachable(_lost(error))
        case UnicodeEncodeError():
            return BadText()
        case OverflowError():
            return UsageError("A number needs more than the 64 bits that a base stores")
        case TimeoutError():
            return BaseBusy("The server did not answer in time")
        case OSError():
            return BaseUnreachable(_lost(error), hint=_BAD_ADDRESS_HINT)
        case _:
            return None


def _of_server(error: asyncpg.PostgresError) -> SourcebookError:
    state = str(getattr(error, "sqlstate", None) or "")
    if state == "XX000" and _VIOLATION.search(str(error)):
        state = "23000"
    if state.startswith("08") and "remote node" in str(error):
        return BaseUnreachable(
            f"A server of the cluster cannot be reached (PostgreSQL: {error})", hint=_WORKER_HINT
        )
    known = [prefix for prefix in _ERRORS if state.startswith(prefix)]
    if not known:
        return StorageError(f"PostgreSQL: {error}")
    ours = _ERRORS[max(known, key=len)]
    hint = _BAD_ADDRESS_HINT if state.startswith(("28", "3D")) else _HINTS.get(ours)
    if "unsupported startup parameter" in str(error):
        hint = _POOLER_HINT
    return ours(f"{_first_line(ours)} (PostgreSQL: {error})", hint=hint)


def _lost(error: BaseException) -> str:
    return f"the server cannot be reached ({error or type(error).__name__})"


def _first_line(error: type[Exception]) -> str:
    return (error.__doc__ or "").partition("\n")[0].removesuffix(".")


@contextmanager
def translated() -> Generator[None, None, None]:
    """Driver's errors end here: what passes is ours."""
    try:
        yield
    except Exception as error:
        ours = translation(error)
        if ours is None:
            raise
        raise ours from error


@contextmanager
def _readable_address() -> Generator[None]:
    """What the driver cannot make out of an address it says with a part of it, which may be of the password."""
    try:
        yield
    except asyncpg.ClientConfigurationError as error:
        raise BadAddress(f"The address of the server does not fit: {error}.") from None
    except (ValueError, OverflowError):
        raise BadAddress from None


@contextmanager
def in_use() -> Generator[None, None, None]:
    """The same on a connection that was there: if it cannot be reached any more, it was lost."""
    try:
        with translated():
            yield
    except ConnectionLost:
        raise
    except BaseUnreachable as error:
        if error.hint == _WORKER_HINT:
            raise
        raise ConnectionLost(error.message) from error


class _WakingConnection(asyncpg.Connection):
    """A connection whose end wakes whoever waits until more can be sent: the driver would let them wait for ever."""

    def __init__(self, protocol: Any, *given: Any) -> None:
        super().__init__(protocol, *given)  # pyright: ignore[reportUnknownMemberType]

        def wake(_: object) -> None:
            protocol.resume_writing()

        self.add_termination_listener(wake)  # pyright: ignore[reportUnknownMemberType]


async def connect(
    address: str, *, patience: float, settings: Mapping[str, str], remembers_statements: bool = True
) -> Connection:
    with _readable_address():
        return cast(
            "Connection",
            await _driver.connect(
                address,
                connection_class=_WakingConnection,
                timeout=patience,
                server_settings=dict(settings),
                statement_cache_size=100 if remembers_statements else 0,
            ),
        )


async def open_pool(
    address: str,
    *,
    smallest: int,
    largest: int,
    patience: float,
    settings: Mapping[str, str],
    remembers_statements: bool = True,
) -> Pool:
    """A few connections. Behind a pooler none may remember a statement: the next one may be to another server."""
    # That it could not connect again is said to whoever needs a connection, and need not be logged as well.
    logging.getLogger("asyncpg.pool").setLevel(logging.ERROR)
    with _readable_address():
        return cast(
            "Pool",
            await _driver.create_pool(
                address,
                connection_class=_WakingConnection,
                min_size=smallest,
                max_size=largest,
                timeout=patience,
                server_settings=dict(settings),
                statement_cache_size=512 if remembers_statements else 0,
                # A plan for the values at hand is what uses an index of one collection.
                max_cached_statement_lifetime=0,
                init=_with_vectors,
                # Nothing is ever set on a connection but within a transaction, so there is nothing to take back.
                reset=_leave,
            ),
        )


async def acquired(pool: Pool) -> Connection:
    """A connection from the pool, after waiting for one if need be, for as long as it takes."""
    return await pool.acquire()


def is_closed(connection: Connection) -> bool:
    """Whether a connection from the pool is gone. The pool takes back by itself one that the server closed."""
    try:
        return connection.is_closed()
    except asyncpg.InterfaceError:
        return True


class PooledTransaction:
    """A transaction on a connection of a pool, of which the driver itself knows nothing.

    Of one that it knows it would still think that it goes on after its beginning was broken off, and log that when the
    connection is given back.
    """

    def __init__(self, connection: Connection, *, is_snapshot: bool) -> None:
        self._connection = connection
        self._is_snapshot = is_snapshot

    async def start(self) -> None:
        if self._is_snapshot:
            await self._connection.execute("begin isolation level repeatable read read only")
        else:
            await self._connection.execute("begin isolation level read committed")

    async def commit(self) -> None:
        await self._connection.execute("commit")

    async def rollback(self) -> None:
        await self._connection.execute("rollback")


async def synchronise(connection: Connection) -> None:
    """Make the server's idea of what has begun the same as the driver's.

    The driver has a statement prepared by messages with which the server begins a transaction, and ends that when the
    statement is run. If it never is, because its values do not fit or its task was cancelled in between, the server
    still waits for it, and would refuse a next transaction that wants a snapshot. What is sent as text ends it.
    """
    await connection.execute("begin; rollback")


async def _leave(connection: object) -> None:
    return None


async def _with_vectors(connection: Any) -> None:
    # In one transaction, so that a pooler gives it one server to ask.
    async with connection.transaction():
        await know_vectors(cast("Connection", connection))


async def know_vectors(connection: Connection) -> None:
    """Let the connection give and take the vectors of pgvector as our bytes."""
    schema = await connection.fetchval(
        "select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'"
    )
    for name, width in (("vector", 4), ("halfvec", 2)):
        await connection.set_type_codec(
            name,
            schema=schema,
            encoder=_half_packed if width == 2 else _packed,
            decoder=unpacked,
            format="binary",
        )


def _packed(stored: bytes) -> bytes:
    """A stored vector as `vector` travels: its size, and numbers of single precision from the highest byte."""
    numbers = np.frombuffer(stored, dtype="<f2" if isinstance(stored, vector_encoding.Halves) else "<f4")
    return struct.pack(">HH", len(numbers), 0) + numbers.astype(">f4").tobytes()


def _half_packed(stored: bytes) -> bytes:
    numbers = np.frombuffer(stored, dtype="<f2" if isinstance(stored, vector_encoding.Halves) else "<f4")
    return struct.pack(">HH", len(numbers), 0) + numbers.astype(">f2").tobytes()


def unpacked(sent: bytes) -> bytes:
    """A vector that the server sent, as stored. Its length tells the precision."""
    size = struct.unpack_from(">H", sent)[0]
    if len(sent) - 4 == 2 * size:
        return vector_encoding.Halves(np.frombuffer(sent, dtype=">f2", offset=4).astype("<f2").tobytes())
    return vector_encoding.Singles(np.frombuffer(sent, dtype=">f4", offset=4).astype("<f4").tobytes())


def unpacked_rows(sent: bytes, size: int, stored: np.dtype[Any]) -> NDArray[np.floating[Any]]:
    """Vectors of one size and type that the server sent one behind the other, a row each."""
    numbers = np.frombuffer(sent, np.uint8).reshape(-1, 4 + size * stored.itemsize)[:, 4:]
    return np.ascontiguousarray(numbers).view(stored.newbyteorder(">"))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A named statement with numbered parameters: `sql` has `$1` for the first of `parameters`."""

    sql: str
    parameters: tuple[str, ...]
    as_json: frozenset[str]

    def arguments(self, given: Mapping[str, object]) -> list[object]:
        return [self._argument(name, given) for name in self.parameters]

    def _argument(self, name: str, given: Mapping[str, object]) -> object:
        if name in DERIVED:
            return DERIVED[name](str(given["metadata"]))
        value = given[name]
        return json.dumps(value, ensure_ascii=False) if name in self.as_json else _bound(value)


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that stands in the text of a statement instead of being bound.

    The server plans such a text for this value, and remembers the plan. With a bound value it plans again each time, if
    the plan depends on it, as that of a partial index does. For values of which there are few.
    """

    value: str | int | float | None


def prepared(statement: Statement, given: Mapping[str, object] | None = None) -> Prepared:
    """The statement for these values, as far as they are constants."""
    constants = [(name, value.value) for name, value in (given or {}).items() if isinstance(value, Constant)]
    return _prepared(statement, tuple(constants))


@lru_cache(maxsize=2000)
def _prepared(statement: Statement, constants: tuple[tuple[str, str | float | None], ...]) -> Prepared:
    written = {name: _written(value) for name, value in constants}
    names = tuple(name for name in (*statement.parameters, *statement.derived) if name not in written)
    texts = {**written, **{name: f"${number}" for number, name in enumerate(names, start=1)}}
    sql = re.sub(r"(?<!:):([a-z][a-z0-9_]*)", lambda found: texts[found[1]], statement.sql)
    as_json = {name for name in statement.parameters if re.search(rf":{name}::jsonb\b", statement.sql)}
    return Prepared(sql, names, frozenset(as_json))


def _written(value: str | float | None) -> str:
    """The value as a part of a statement, in a form that means the same under every setting of the server."""
    match value:
        case None:
            return "null"
        case str():
            quoted = value.replace("\\", "\\\\").replace("'", "''")
            return f" E'{quoted}'"
        case _:
            return repr(value)


def _bound(value: object) -> object:
    match value:
        case bool():
            return int(value)
        case bm25.TermIds():
            return bm25.decode_ids(value).tolist()
        case bm25.Frequencies():
            return bm25.decode_frequencies(value).tolist()
        case _:
            return value


def _term_ids(sent: Sequence[int]) -> bytes:
    return bm25.TermIds(np.array(sent, dtype="<u4").tobytes())


def _frequencies(sent: Sequence[int]) -> bytes:
    return bm25.Frequencies(np.array(sent, dtype="<u2").tobytes())


# Columns that hold what Python keeps as bytes: the name that they have here, and how those are made of what the server
# sends.
_STORED: Mapping[str, tuple[str, Callable[[Any], bytes]]] = {
    "packed_vector": ("vector", unpacked),
    "term_ids": ("term_ids", _term_ids),
    "frequencies": ("frequencies", _frequencies),
}


def rows(records: Sequence[Mapping[str, Any]]) -> list[Row]:
    """The records as rows, with vectors and words in the form in which they were given."""
    stored = _STORED.keys() & set(records[0].keys()) if records else ()
    if not stored:
        return cast("list[Row]", records)
    # Every search comes by here, so whole rows are taken over and only those few columns are looked at.
    made = [dict(record.items()) for record in records]
    for name in stored:
        own_name, make = _STORED[name]
        for row in made:
            sent = row.pop(name)
            row[own_name] = None if sent is None else make(sent)
    return cast("list[Row]", made)


def count(status: str) -> int:
    """How many rows a statement changed, from what the server says of it: `INSERT 0 5`, `UPDATE 3`."""
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0
