"""The seam between our SQL and a driver. Everything above it is written once for both databases."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import cache, wraps
from types import CoroutineType
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeGuard, TypeVar, cast, runtime_checkable

from sourcebook.errors import ConnectionLost

Row: TypeAlias = Mapping[str, Any]
T = TypeVar("T")
P = ParamSpec("P")


class Executor(Protocol):
    """Runs named statements. Lists and mappings given as parameters arrive as JSON on SQLite, as arrays elsewhere."""

    async def fetch(self, name: str, /, **parameters: object) -> list[Row]: ...

    async def fetch_one(self, name: str, /, **parameters: object) -> Row | None: ...

    async def execute(self, name: str, /, **parameters: object) -> int:
        """Run the statement and say how many rows it changed."""
        ...

    async def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None: ...


class Database(Executor, Protocol):
    """A base that is open. A statement by itself is its own transaction."""

    def transaction(self) -> AbstractAsyncContextManager[Executor]:
        """All or nothing. An error or a cancellation inside rolls back. They do not nest."""
        ...

    def snapshot(self) -> AbstractAsyncContextManager[Executor]:
        """Several reads of one state of the base, undisturbed by writers and not disturbing them."""
        ...

    async def close(self) -> None: ...


@runtime_checkable
class WritesAtOnce(Database, Protocol):
    """A base that can do a whole transaction for the price of one statement, as one that lives in this process can."""

    async def write(self, work: Callable[[Executor], Coroutine[Any, Any, T]], /) -> T:
        """Run `work` in one transaction. It may wait for nothing but its executor."""
        ...


@runtime_checkable
class ReadsAtOnce(Database, Protocol):
    """A base that can do many reads for the price of one, as one that lives in this process can."""

    async def read_at_once(self, work: Callable[[Executor], Coroutine[Any, Any, T]], /) -> T:
        """Run `work` on one state of the base. It may wait for nothing but its executor."""
        ...


@runtime_checkable
class ReadsSoon(Database, Protocol):
    """A base that can read a little here and now, as one that lives in this process can."""

    async def fetch_soon(self, name: str, /, **parameters: object) -> list[Row] | None:
        """What `fetch` would give, of a statement that takes no longer than a change of thread; None if it cannot."""
        ...


def again_if_lost(call: Callable[P, Awaitable[T]]) -> Callable[P, CoroutineType[Any, Any, T]]:
    """Have something done once more if its connection was lost before it did anything: a read, or one transaction."""

    @wraps(call)
    async def calling(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await call(*args, **kwargs)
        except ConnectionLost:
            return await call(*args, **kwargs)

    return calling


def writes_at_once(database: Database) -> TypeGuard[WritesAtOnce]:
    return _meets(type(database), WritesAtOnce)


def reads_at_once(database: Database) -> TypeGuard[ReadsAtOnce]:
    return _meets(type(database), ReadsAtOnce)


async def fetch_few(database: Database, name: str, /, **parameters: object) -> list[Row]:
    """The rows of a statement that finds a few of them by their keys, as quickly as the base can."""
    if _meets(type(database), ReadsSoon):
        found = await cast("ReadsSoon", database).fetch_soon(name, **parameters)
        if found is not None:
            return found
    return await database.fetch(name, **parameters)


@cache
def _meets(kind: type[object], protocol: type[object]) -> bool:
    """Whether a class does what a protocol wants. Asked once: it takes longer than a small read."""
    return issubclass(kind, protocol)


async def in_transaction(database: Database, work: Callable[[Executor], Coroutine[Any, Any, T]]) -> T:
    """Run `work` in one transaction, as quickly as the base can. It may wait for nothing but its executor."""
    if writes_at_once(database):
        return await database.write(work)
    async with database.transaction() as transaction:
        return await work(transaction)
