"""Claims on a server: locks of a connection of their own, which end with it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from sourcebook.errors import StorageError
from sourcebook.storage.postgres import driver
from sourcebook.storage.postgres.database import UNLIMITED, PostgresExecutor, read_queries

if TYPE_CHECKING:
    from sourcebook.storage.postgres.driver import Connection


class ServerClaims:
    """`ports.work.Claims`. When the server is away, everything is granted: the work itself finds out."""

    def __init__(self, connection: Connection) -> None:
        self._base = PostgresExecutor(connection, read_queries())
        # A connection answers one question at a time.
        self._turn = anyio.Lock()

    async def take(self, key: str) -> bool:
        try:
            async with self._turn:
                row = await self._base.fetch_one("take_claim", key=key)
        except StorageError:
            return True
        return row is not None and bool(row["is_taken"])

    async def give_back(self, key: str) -> None:
        try:
            async with self._turn:
                await self._base.fetch("give_back_claim", key=key)
        except StorageError:
            return  # it ended with the connection


@asynccontextmanager
async def server_claims(address: str) -> AsyncGenerator[ServerClaims, None]:
    with driver.translated():
        connection = await driver.connect(
            address, patience=UNLIMITED.connect_timeout, settings={"application_name": "sourcebook claims"}
        )
    try:
        yield ServerClaims(connection)
    finally:
        connection.terminate()
