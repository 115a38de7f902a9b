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
from sourcebook.storage.index.vector_encoding import Singles
from sourcebook.storage.postgres import driver
from sourcebook.storage.postgres.filter_paths import compiled
from sourcebook.storage.postgres.nearest import Graph, few_matching, near_vectors
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
NOTHING = compiled(Equals("n", -1)).path
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
@pytest.mark.parametrize("tree", [None, Equals("n", 7)], ids=["by graph", "by filter"])
async def test_a_search_is_planned_once_and_not_each_time(postgres_db: str, tree: Equals | None) -> None:
    base, rows = await grown(postgres_db, "c", pool_max=1)
    try:
        for row in rows[:20]:
            await base.stores.vectors.search_semantic("c", row, 3, tree)
        database = cast("PostgresDatabase", base.database)
        async with database.snapshot() as reader:
            connection = reader._open_connection()  # pyright: ignore[reportPrivateUsage]
            [plans] = await connection.fetch(
                "select generic_plans, custom_plans from pg_prepared_statements "
                "where statement like '%sent_vector%' and statement not like '%generic_plans%'"
            )
        # The server compares a few plans for the values at hand with one for all, and stays with that.
        assert plans["generic_plans"] > plans["custom_plans"]
    finally:
        await base.close()


@pytest.mark.skipif(bool(citus_cluster.addresses()), reason="Citus plans each search for the values at hand")
async def test_a_search_for_passages_with_a_filter_is_planned_once_too(postgres_db: str) -> None:
    base, rows = await grown(postgres_db, "c", pool_max=1)
    try:
        for n, row in enumerate(rows[:20]):
            await cast("Any", base.stores.vectors).rank_passages("c", row, 3, Equals("n", n))
        database = cast("PostgresDatabase", base.database)
        async with database.snapshot() as reader:
            connection = reader._open_connection()  # pyright: ignore[reportPrivateUsage]
            counted = await connection.fetch(
                "select generic_plans, custom_plans from pg_prepared_statements "
                "where statement like '%jsonpath%' and statement not like '%generic_plans%'"
            )
        # Nothing is counted beforehand, so one statement asks for the filter.
        [plans] = counted
        assert plans["generic_plans"] > plans["custom_plans"]
    finally:
        await base.close()


@pytest.mark.skipif(bool(citus_cluster.addresses()), reason="a cluster counts first")
async def test_more_than_a_few_that_a_filter_lets_through_are_left_to_the_graph(postgres_db: str) -> None:
    base, rows = await grown(postgres_db, "c")
    try:
        [row] = await base.database.fetch("collection_to_search", collection_id="c")
        asked = {
            "collection_id": "c",
            "model_id": row["active_model_id"],
            "metric": "cosine",
            "query": Singles(rows[0].tobytes()),
            "filter": compiled(Equals("n", 7)).path,
        }
        more = {"nearest_of_named": {"limit": 10}, "passages_of_named": {"top_k": 10, "margin": 1e-3}}
        for name, values in more.items():
            for few in (3, 100, None):
                found = await base.database.fetch(name, **asked, **values, few=few)
                assert len(found) == 3
                assert all(row["document_id"] is not None for row in found)
            [told] = await base.database.fetch(name, **asked, **values, few=2)
            assert told["document_id"] is None
            assert not told.get("are_few", False)
            assert told.get("looked_at") is None
            [told] = await base.database.fetch(name, **{**asked, "filter": NOTHING}, **values, few=2)
            assert told["document_id"] is None
            assert told.get("are_few") or told.get("looked_at") == 0
    finally:
        await base.close()


@pytest.mark.parametrize("by", ["search_semantic", "rank_passages"])
async def test_a_filter_for_many_finds_what_one_for_few_would(postgres_db: str, by: str) -> None:
    base = await open_base(Settings(db=postgres_db, vector_index="hnsw"), FixedClock())
    rows = vectors(1_700)
    assert few_matching(Graph.HALVES, near_vectors(5), len(rows)) < 0.98 * len(rows)
    try:
        await base.stores.vectors.create_collection(Collection("c", WIDTH))
        found_by = getattr(base.stores.vectors, by)
        chunks = [
            chunk(
                f"k{i:04}", vector, document=f"d{i // 100}", metadata={"many": i % 50 > 0, "few": i % 50 == 7}
            )
            for i, vector in enumerate(rows)
        ]
        await base.stores.vectors.add("c", chunks)
        await cast("Any", base.stores.vectors).prepare("c")
        # The second search knows what the first found out.
        for _ in range(2):
            many = await found_by("c", rows[7], 5, Equals("many", True))
            few = await found_by("c", rows[7], 5, Equals("few", True))
            nothing = await found_by("c", rows[7], 5, Equals("few", "never"))
            assert (len(many), len(few), nothing) == (5, 5, [])
            assert many[0].chunk.id == few[0].chunk.id == "k0007"
            assert many[0].score == few[0].score
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
