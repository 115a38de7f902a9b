"""What a search costs a server and the program: plans that are made once, and a connection that stays at hand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.lowlevel
import numpy as np
import pytest
from tests import citus_cluster
from tests.postgres_server import execute

from sourcebook.assembly import OpenBase, open_base
from sourcebook.errors import UsageError
from sourcebook.model.documents import Collection
from sourcebook.model.search import Equals
from sourcebook.settings import Settings
from sourcebook.storage.postgres import driver
from sourcebook.storage.queries import Statement
from sourcebook.testing.contract.material import chunk
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.postgres.database import PostgresDatabase

pytestmark = pytest.mark.anyio

ROWS, WIDTH = 300, 16
# Returns when the server waits for more after it has prepared the statement of a collection called `cancelled`.
ANSWERED = """
do $$ begin
    for turn in 1..20000 loop
        if exists (select 1 from pg_stat_activity where query like '%E''cancelled''%' and wait_event = 'ClientRead'
                   and pid <> pg_backend_pid()) then
            return;
        end if;
        perform pg_sleep(0.01), pg_stat_clear_snapshot();
    end loop;
    raise exception 'no such statement was prepared';
end $$
"""
HOSTILE = "it's \\ a \\' $1 :limit ; drop table vectors; -- E'c'"


def vectors(count: int) -> NDArray[np.float32]:
    return np.random.default_rng(1).standard_normal((count, WIDTH)).astype(np.float32)


async def grown(address: str, collection_id: str, **settings: Any) -> tuple[OpenBase, NDArray[np.float32]]:
    """A base with a graph over the vectors of one collection."""
    base = await open_base(Settings(db=address, vector_index="hnsw", **settings), FixedClock())
    rows = vectors(ROWS)
    await base.stores.vectors.create_collection(Collection(collection_id, WIDTH))
    chunks = [
        chunk(f"k{i:03}", rows[i], document=f"d{i // 20}", metadata={"n": i % 100}) for i in range(ROWS)
    ]
    await base.stores.vectors.add(collection_id, chunks)
    await cast("Any", base.stores.vectors).prepare(collection_id)
    await anyio.to_thread.run_sync(execute, address, "analyze")
    return base, rows


async def test_a_collection_of_any_name_is_searched_by_its_graph(postgres_db: str) -> None:
    base, rows = await grown(postgres_db, HOSTILE)
    try:
        [graph] = await base.database.fetch("graphs_of_collection", collection_id=HOSTILE)
        assert graph["is_valid"]
        for tree in (None, Equals("n", 7)):
            found = await base.stores.vectors.search_semantic(HOSTILE, rows[7], 3, tree)
            assert found[0].chunk.id == "k007"
        ranked = await cast("Any", base.stores.vectors).rank_passages(HOSTILE, rows[7], 3)
        assert ranked[0].chunk.id == "k007"
    finally:
        await base.close()


@pytest.mark.parametrize("text", [HOSTILE, "", "\\", "'", "''\\", "E'x'", "ё\n\t", ":query $2"])
async def test_a_constant_means_the_same_whatever_the_server_makes_of_backslashes(
    postgres_db: str, text: str
) -> None:
    statement = Statement("said", ("text",), "select :text::text as said")
    written = driver.prepared(statement, {"text": driver.Constant(text)})
    base = await open_base(Settings(db=postgres_db))
    try:
        async with cast("PostgresDatabase", base.database).apart() as connection:
            for setting in ("on", "off"):
                await connection.execute(f"set standard_conforming_strings = {setting}")
                assert await connection.fetchval(written.sql) == text
    finally:
        await base.close()


@pytest.mark.skipif(bool(citus_cluster.addresses()), reason="Citus plans each search for the values at hand")
@pytest.mark.parametrize(
    ("filters", "mark"),
    [
        ([None], "sent_vector"),
        ([Equals("n", n) for n in range(20)], "sent_vector"),
        ([Equals("n", 7)], ".xmin"),
    ],
    ids=["by graph", "by filter", "by a filter that is remembered"],
)
async def test_a_search_is_planned_once_and_not_each_time(
    postgres_db: str, filters: list[Equals | None], mark: str
) -> None:
    base, rows = await grown(postgres_db, "c", pool_max=1)
    try:
        for number, row in enumerate(rows[:20]):
            await base.stores.vectors.search_semantic("c", row, 3, filters[number % len(filters)])
        database = cast("PostgresDatabase", base.database)
        async with database.snapshot() as reader:
            connection = reader._open_connection()  # pyright: ignore[reportPrivateUsage]
            [plans] = await connection.fetch(
                "select generic_plans, custom_plans from pg_prepared_statements where strpos(statement, $1) > 0 "
                "and statement not like '%generic_plans%' and statement not like '%packed_vectors%'",
                mark,
            )
        # The server compares a few plans for the values at hand with one for all, and stays with that.
        assert plans["generic_plans"] > plans["custom_plans"]
    finally:
        await base.close()


@pytest.mark.skipif(bool(citus_cluster.addresses()), reason="the index is on the workers")
async def test_a_filter_reads_no_long_list_of_what_was_added_last(postgres_db: str) -> None:
    base = await open_base(Settings(db=postgres_db))
    try:
        await base.stores.vectors.create_collection(Collection("c", WIDTH))
        rows = vectors(ROWS)
        for first in range(0, 20 * ROWS, ROWS):
            named = {"author": "somebody", "place": f"a shelf in room number {first}"}
            added = [
                chunk(f"k{first + i}", rows[i], document=f"d{first}", metadata={**named, "n": first + i})
                for i in range(ROWS)
            ]
            await base.stores.vectors.add("c", added)
        async with cast("PostgresDatabase", base.database).apart() as connection:
            waiting = await connection.fetchval("select gin_clean_pending_list('idx_document_chunks_facts')")
        # 64 kB, and what one transaction adds before the list is cut.
        assert waiting <= 16
    finally:
        await base.close()


async def test_reads_one_after_another_take_the_same_connection(postgres_db: str) -> None:
    base = await open_base(Settings(db=postgres_db, pool_max=3))
    try:
        assert len({await backend(base) for _ in range(5)}) == 1
    finally:
        await base.close()


async def test_a_connection_that_the_server_closed_while_it_was_at_hand_is_replaced(postgres_db: str) -> None:
    base = await open_base(Settings(db=postgres_db))
    try:
        for _ in range(3):
            before = await backend(base)
            await anyio.to_thread.run_sync(execute, postgres_db, f"select pg_terminate_backend({before})")
            assert await base.database.fetch_one("info", key="base_id") is not None
            assert await backend(base) != before
    finally:
        await base.close()


async def test_who_is_cancelled_leaves_a_connection_that_works(postgres_db: str) -> None:
    base = await open_base(Settings(db=postgres_db, pool_max=1))
    try:
        for _ in range(5):
            async with anyio.create_task_group() as tasks:
                for _ in range(4):
                    tasks.start_soon(base.stores.vectors.list_collections)
                await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
            assert await base.database.fetch_one("info", key="base_id") is not None
    finally:
        await base.close()


async def test_values_that_do_not_fit_leave_a_connection_that_can_take_a_snapshot(postgres_db: str) -> None:
    base = await open_base(Settings(db=postgres_db, pool_max=1))
    try:
        # The server has prepared the statement by the time that the driver finds that it cannot send the values.
        with pytest.raises(UsageError):
            await base.database.fetch("count_matching", collection_id="c", filter="$.x", limit="many")
        async with base.database.snapshot() as reader:
            assert await reader.fetch_one("info", key="base_id") is not None
    finally:
        await base.close()


async def test_who_is_cancelled_as_the_answer_comes_leaves_a_connection_that_can_take_a_snapshot(
    postgres_db: str,
) -> None:
    base = await open_base(Settings(db=postgres_db, pool_max=1))
    database = cast("PostgresDatabase", base.database)
    # A text of its own, because only a statement that is new is prepared.
    name = driver.Constant("cancelled")

    async def read() -> None:
        await database.fetch("count_matching", collection_id=name, filter="$.x == 1", limit=1)

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await anyio.lowlevel.checkpoint()
            # The loop stands still until the server has answered, so the answer is there when it goes on.
            with ThreadPoolExecutor() as thread:
                thread.submit(execute, postgres_db, ANSWERED).result()
            await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        async with database.snapshot() as reader:
            assert await reader.fetch_one("info", key="base_id") is not None
    finally:
        await base.close()


async def backend(base: OpenBase) -> int:
    async with cast("PostgresDatabase", base.database).snapshot() as reader:
        connection = reader._open_connection()  # pyright: ignore[reportPrivateUsage]
        return int(await connection.fetchval("select pg_backend_pid()"))
