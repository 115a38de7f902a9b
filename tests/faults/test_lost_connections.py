"""F20: connections to a server are ended, one by one or all, while somebody works with them."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import anyio
import pytest
from tests.faults.server_workers import COLLECTION, numbers_in, opened, write

from sourcebook.errors import BaseUnreachable, ConnectionLost, NotOpen
from sourcebook.storage.maintenance.doctor import examine
from sourcebook.storage.postgres import driver
from sourcebook.storage.postgres.database import PostgresDatabase
from sourcebook.testing.crash import vector_of, word_of

pytestmark = pytest.mark.anyio

END_ALL = (
    "select pg_terminate_backend(pid) from pg_stat_activity "
    "where pid <> pg_backend_pid() and datname = current_database()"
)

ASLEEP = "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
SLEEPER = (
    "create function sleeper() returns trigger language plpgsql as "
    "'begin perform pg_sleep(3600); return null; end'"
)
LONG = "long " * 400
PATIENCE = 120


@asynccontextmanager
async def administrator(address: str) -> AsyncGenerator[driver.Connection]:
    connection = await driver.connect(address, patience=120, settings={})
    try:
        yield connection
    finally:
        await connection.close()


async def test_searches_go_on_while_connections_are_ended(postgres_db: str) -> None:
    async with opened(postgres_db) as base, administrator(postgres_db) as other:
        for number in range(3):
            await write(base, number)

        async def search() -> None:
            assert await base.stores.fts.search(COLLECTION, word_of(0), 5)
            assert await base.stores.vectors.search_semantic(COLLECTION, vector_of("x"), 5)

        for turn in range(10):
            async with anyio.create_task_group() as group:
                for _ in range(8):
                    group.start_soon(search)
                for _ in range(turn):
                    await anyio.lowlevel.checkpoint()
                await other.execute(END_ALL)


async def test_a_write_whose_connection_is_ended_is_not_there_and_says_so_as_ours(postgres_db: str) -> None:
    async with opened(postgres_db) as base, administrator(postgres_db) as other:
        await write(base, 0)

        async def ended_in_the_middle() -> None:
            async with base.database.transaction() as transaction:
                await transaction.execute("delete_document", collection_id=COLLECTION, document_id="x")
                await other.execute(END_ALL)
                await transaction.fetch("base_info")

        async def ended_at_the_end() -> None:
            async with base.database.transaction() as transaction:
                await transaction.fetch("base_info")
                await other.execute(END_ALL)

        with pytest.raises(ConnectionLost):
            await ended_in_the_middle()
        with pytest.raises(BaseUnreachable, match="completed") as raised:
            await ended_at_the_end()
        assert "there" in raised.value.hint
        await base.database.execute("forget_derived_files")
        assert await numbers_in(base) == {0}


@pytest.mark.parametrize(
    ("statement", "table", "row"),
    [
        ("insert_chunk_id", "chunk_ids", {"collection_id": "c", "document_id": "d", "chunk_id": LONG}),
        (
            "insert_job",
            "jobs",
            {"kind": "k", "payload": LONG, "unique_key": None, "run_at": 0, "max_attempts": 1, "now": 0},
        ),
    ],
    ids=["copied", "sent one by one"],
)
async def test_rows_that_wait_to_be_sent_end_with_their_connection(
    postgres_db: str,
    statement: str,
    table: str,
    row: dict[str, object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The server takes no more of them, and is ended: nobody may wait for it for ever."""
    async with opened(postgres_db) as base, administrator(postgres_db) as other:
        await other.execute(
            f"{SLEEPER}; create trigger slow before insert on {table} execute function sleeper()"
        )
        ended = anyio.Event()

        async def write_much() -> None:
            with pytest.raises(ConnectionLost):
                async with base.database.transaction() as transaction:
                    await transaction.execute_many(statement, [row] * 4000)
            ended.set()

        async with anyio.create_task_group() as group:
            group.start_soon(write_much)
            while not await other.fetchval(ASLEEP):
                await anyio.lowlevel.checkpoint()
            await other.execute(END_ALL)
            with anyio.fail_after(PATIENCE):
                await ended.wait()
        gc.collect()
        assert not caplog.records


async def test_what_the_driver_says_of_a_broken_connection_is_an_error_of_ours(postgres_db: str) -> None:
    async with opened(postgres_db) as base, administrator(postgres_db) as other:

        async def read() -> None:
            async with base.database.snapshot() as reader:
                for _ in range(5):
                    await reader.fetch("base_info")

        async def one() -> None:
            with suppress(ConnectionLost):
                await read()

        for turn in range(20):
            async with anyio.create_task_group() as group:
                for _ in range(4):
                    group.start_soon(one)
                for _ in range(turn):
                    await anyio.lowlevel.checkpoint()
                await other.execute(END_ALL)


async def test_an_examination_whose_connection_is_ended_looks_again(postgres_db: str) -> None:
    async with opened(postgres_db) as base, administrator(postgres_db) as other:
        await write(base, 0)

        async def examined() -> None:
            report = await examine(base.database, {})
            assert report.findings == []

        for turn in range(5):
            async with anyio.create_task_group() as group:
                group.start_soon(examined)
                for _ in range(20 * turn):
                    await anyio.lowlevel.checkpoint()
                await other.execute(END_ALL)


async def test_a_base_that_went_away_is_not_called_damaged(postgres_db: str) -> None:
    async with opened(postgres_db) as base:
        await write(base, 0)
        assert isinstance(base.database, PostgresDatabase)
        await base.database.close()
        with pytest.raises(NotOpen):
            await examine(base.database, {})


async def test_a_check_that_fails_for_another_reason_does_not_fail_the_others(postgres_db: str) -> None:
    async with opened(postgres_db) as base, administrator(postgres_db) as other:
        await write(base, 0)
        await other.execute("alter table token_transactions rename to gone")
        report = await examine(base.database, {})
        assert [finding.code for finding in report.findings] == ["unexamined"]
        assert "restore" not in report.findings[0].hint
        assert report.findings[0].count == 1


@pytest.mark.parametrize("way", ["transaction", "snapshot"])
async def test_a_beginning_that_is_broken_off_leaves_nothing_and_is_not_logged(
    postgres_db: str, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(postgres_db) as base:

        async def read() -> None:
            async with getattr(base.database, way)() as reader:
                await reader.fetch("base_info")

        for turn in range(12):
            task = asyncio.create_task(read())
            for _ in range(turn):
                await asyncio.sleep(0)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await read()
    assert not caplog.records
