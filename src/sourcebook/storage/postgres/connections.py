"""The connections to a server, lent to one after another."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio

from sourcebook.errors import BaseBusy, BaseUnreachable, ConnectionLost, NotOpen
from sourcebook.storage.postgres import driver

if TYPE_CHECKING:
    from sourcebook.storage.postgres.driver import Connection, Pool

RECONNECT_SECONDS = 3.0
"""A server that restarts is back within moments; whoever asks meanwhile waits so long, and no longer."""
# How long a connection may take to end what was broken off on it, before it is worth no more.
_SETTLE_SECONDS = 5.0
# After so many uses in a row a connection goes back to the pool, which replaces old ones.
_USES_IN_A_ROW = 1_000


class Connections:
    """A pool, and the connection that was used last.

    To give a connection back to the pool and take it out again costs a task, a timer and several turns of the loop, as
    much as a small search. So one is kept at hand for whoever comes next, unless somebody waits for one already.
    """

    def __init__(
        self, pool: Pool, *, largest: int, patience: float, connect_patience: float, keeps_one: bool
    ) -> None:
        self._pool = pool
        self._largest = largest
        self._patience = patience
        self._connect_patience = connect_patience
        self._keeps_one = keeps_one
        self._at_hand: Connection | None = None
        self._uses = 0
        self._waiting = 0
        self._queue: set[anyio.CancelScope] = set()
        self._said_at = 0.0

    async def take(self) -> Connection:
        """A connection, after waiting for one if need be."""
        at_hand, self._at_hand = self._at_hand, None
        if at_hand is not None:
            if not driver.is_closed(at_hand):
                return at_hand
            await self._release(at_hand)
        self._waiting += 1
        try:
            return await self._from_pool()
        finally:
            self._waiting -= 1

    async def give_back(self, connection: Connection) -> None:
        """Give back a connection on which nothing is going on."""
        may_keep = self._keeps_one and self._at_hand is None and not self._waiting
        if may_keep and self._uses < _USES_IN_A_ROW and not driver.is_closed(connection):
            self._at_hand = connection
            self._uses += 1
            return
        await self._release(connection)

    async def give_up(self, connection: Connection, error: BaseException) -> None:
        """Give back a connection on which something went wrong, or was broken off."""
        if isinstance(error, ConnectionLost):
            # It may look as if it could still be used, and would fail whoever gets it next.
            let_go(connection)
        await _settle(connection)
        await self._release(connection)

    @asynccontextmanager
    async def lent(self) -> AsyncGenerator[Connection, None]:
        connection = await self.take()
        try:
            yield connection
        except BaseException as error:
            await self.give_up(connection, error)
            raise
        await self.give_back(connection)

    async def close(self) -> None:
        """Close every connection, when what is being done is done."""
        self._keeps_one = False
        at_hand, self._at_hand = self._at_hand, None
        if at_hand is not None:
            await self._release(at_hand)
        try:
            await self._pool.close()
        except BaseException:
            self._pool.terminate()
            raise

    async def _release(self, connection: Connection) -> None:
        self._uses = 0
        # What is wrong with a connection was said by whoever used it.
        with anyio.CancelScope(shield=True), suppress(Exception):
            await self._pool.release(connection)
        self._go_on_waiting()

    async def _from_pool(self) -> Connection:
        deadline = time.monotonic() + RECONNECT_SECONDS
        while True:
            try:
                return await self._next_free()
            except BaseUnreachable:
                if time.monotonic() >= deadline:
                    raise
                await anyio.sleep(0.1)

    async def _next_free(self) -> Connection:
        """Whoever waits is refused when nobody was served for so long, and not before: its turn comes."""
        # To open one more is not to wait for somebody: a busy server may take longer over it than anybody waits.
        may_open = self._pool.get_size() < self._largest
        patience = self._patience + self._connect_patience if may_open else self._patience
        began = anyio.current_time()
        with anyio.CancelScope(deadline=began + patience) as scope:
            self._queue.add(scope)
            try:
                with driver.translated():
                    return await driver.acquired(self._pool)
            finally:
                self._queue.discard(scope)
        waited = round(anyio.current_time() - began, 1)
        raise BaseBusy(
            f"All {self._largest} connections were in use for {waited:g} seconds",
            hint="Try again, or raise `pool_max`.",
        )

    def _go_on_waiting(self) -> None:
        """Somebody was served: the others may wait anew. Said now and then, since it is said to each of them."""
        now = anyio.current_time()
        if self._queue and now >= self._said_at + self._patience / 10:
            self._said_at = now
            for scope in self._queue:
                scope.deadline = max(scope.deadline, now + self._patience)


async def _settle(connection: Connection) -> None:
    """End what was broken off, so that whoever gets the connection next finds nothing begun on it."""
    with anyio.CancelScope(shield=True):
        try:
            if not driver.is_closed(connection):
                with anyio.fail_after(_SETTLE_SECONDS):
                    await driver.synchronise(connection)
        except Exception:
            let_go(connection)


async def close_or_let_go(connection: Connection) -> None:
    """Close a connection, for who was cancelled too. A server that is too busy to say goodbye is left without it."""
    with anyio.CancelScope(shield=True):
        try:
            await connection.close(timeout=_SETTLE_SECONDS)
        except Exception:
            let_go(connection)


def let_go(connection: Connection) -> None:
    """A connection on which nothing works any more is worth nothing; often it has gone already."""
    with suppress(Exception):
        connection.terminate()


def required(connections: Connections | None) -> Connections:
    if connections is None:
        raise NotOpen
    return connections
