"""Reads from replicas that have caught up, so that one server need not answer every search.

Whoever reads sees what this process wrote. What others wrote is seen a few seconds later at most: a replica that is
further behind is left out until it has caught up, and so is one that cannot be reached.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import anyio

from sourcebook.errors import BaseBusy, BaseUnreachable, ConnectionLost, SourcebookError, StorageError
from sourcebook.storage.postgres.database import PostgresDatabase

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.postgres.database import PoolLimits, PostgresExecutor, PostgresWriter

_log = logging.getLogger(__name__)
T = TypeVar("T")

# Of what the primary wrote so many seconds ago, a replica that is read must have everything.
_SECONDS_BEHIND = 5.0
# A replica that failed is asked again after so many seconds.
_SECONDS_AWAY = 5.0
_NOWHERE = -1


@dataclass(slots=True)
class _Replica:
    """One replica: connected when it is first needed, and again after it was away."""

    address: str
    limits: PoolLimits
    database: PostgresDatabase | None = None
    replayed: int = _NOWHERE
    """How far it had got when it was last asked: a place in the log of the primary."""
    away_until: float = 0.0
    _turn: anyio.Lock = field(default_factory=anyio.Lock)

    async def has(self, place: int, identity: str) -> bool:
        """Whether it has replayed the log up to this place, and is a replica of the server with this identity."""
        if self.away_until > time.monotonic():
            return False
        try:
            async with self._turn:
                if self.away_until > time.monotonic():
                    # Whoever had the turn before found out.
                    return False
                if self.database is None:
                    self.database = await PostgresDatabase.open_replica(self.address, self.limits)
                    self.replayed = _NOWHERE
                if self.replayed < place or self.replayed == _NOWHERE:
                    self.replayed = await _replayed(self.database, identity)
        except SourcebookError as error:
            # One that has only just begun may not even have the types that vectors are made of.
            self.leave_out(error)
            return False
        return self.replayed >= place

    def leave_out(self, error: SourcebookError) -> None:
        """Do not use it for a while. What it had replayed by then is no longer believed."""
        _log.warning("A replica is left out for %g s: %s", _SECONDS_AWAY, error.message)
        self.away_until = time.monotonic() + _SECONDS_AWAY
        self.replayed = _NOWHERE

    async def close(self) -> None:
        database, self.database = self.database, None
        if database is not None:
            await database.close()


async def _replayed(database: PostgresDatabase, identity: str) -> int:
    row = await database.fetch_one("replayed_place")
    if row is None or row["place"] is None:
        raise BaseUnreachable("The server at an address of `db_replicas` is not a replica")
    if row["identity"] != identity:
        raise BaseUnreachable("The server at an address of `db_replicas` is a replica of another server")
    return int(row["place"])


class ReplicatedDatabase:
    """A base on a server with replicas. Reads go to a replica that has caught up, all else to the primary."""

    def __init__(self, primary: PostgresDatabase, replicas: Sequence[str], limits: PoolLimits) -> None:
        self._primary = primary
        self._replicas = [_Replica(address, limits) for address in replicas]
        self._next = 0
        self._identity = ""
        self._commits_seen: int = _NOWHERE
        self._own, self._past, self._latest = 0, 0, 0
        """Places in the log: after our last commit, some seconds ago, and when it was last asked."""
        self._asked_at = -2 * _SECONDS_BEHIND
        self._turn = anyio.Lock()

    async def close(self) -> None:
        for replica in self._replicas:
            await replica.close()
        await self._primary.close()

    async def fetch(self, name: str, /, **parameters: object) -> list[Row]:
        return await self._read(lambda base: base.fetch(name, **parameters))

    async def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        return await self._read(lambda base: base.fetch_one(name, **parameters))

    async def execute(self, name: str, /, **parameters: object) -> int:
        return await self._primary.execute(name, **parameters)

    async def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        await self._primary.execute_many(name, rows)

    def transaction(self) -> AbstractAsyncContextManager[PostgresWriter]:
        return self._primary.transaction()

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[PostgresExecutor, None]:
        async with AsyncExitStack() as opened:
            replica, reader = await self._snapshot(opened)
            try:
                yield reader
            except (BaseBusy, BaseUnreachable) as error:
                if replica is None:
                    raise
                # Whoever reads once more when a connection was lost reads elsewhere.
                replica.leave_out(error)
                raise ConnectionLost(error.message) from error

    async def _snapshot(self, opened: AsyncExitStack) -> tuple[_Replica | None, PostgresExecutor]:
        replica = await self._chosen()
        if replica is not None and replica.database is not None:
            try:
                return replica, await opened.enter_async_context(replica.database.snapshot())
            except StorageError as error:
                replica.leave_out(error)
        return None, await opened.enter_async_context(self._primary.snapshot())

    async def _read(self, work: Callable[[Executor], Awaitable[T]]) -> T:
        replica = await self._chosen()
        if replica is not None and replica.database is not None:
            try:
                return await work(replica.database)
            except (BaseBusy, BaseUnreachable) as error:
                replica.leave_out(error)
        return await work(self._primary)

    async def _chosen(self) -> _Replica | None:
        """A replica that may be read now, in turns; None if there is none."""
        place = await self._place_to_reach()
        for step in range(len(self._replicas)):
            number = (self._next + step) % len(self._replicas)
            if await self._replicas[number].has(place, self._identity):
                self._next = number + 1
                return self._replicas[number]
        return None

    async def _place_to_reach(self) -> int:
        """Up to where a replica must have replayed the log. The primary is asked after our writes, and now and then."""
        if self._is_known():
            return max(self._own, self._past)
        async with self._turn:
            if not self._is_known():
                # Read before the primary answers: a commit that ends meanwhile is looked for again.
                commits, now = self._primary.commits, time.monotonic()
                row = await self._primary.fetch_one("written_place")
                place = 0 if row is None else int(row["place"])
                self._identity = "" if row is None else str(row["identity"])
                if commits != self._commits_seen:
                    self._commits_seen, self._own = commits, place
                if now - self._asked_at >= _SECONDS_BEHIND:
                    # If nobody asked for long, the place of that time says too little of what was written since.
                    is_recent = self._latest and now - self._asked_at < 2 * _SECONDS_BEHIND
                    self._past, self._latest, self._asked_at = (
                        self._latest if is_recent else place,
                        place,
                        now,
                    )
        return max(self._own, self._past)

    def _is_known(self) -> bool:
        return (
            self._primary.commits == self._commits_seen
            and time.monotonic() - self._asked_at < _SECONDS_BEHIND
        )
