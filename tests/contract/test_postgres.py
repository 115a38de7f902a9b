"""What only a base on a server has: a pool, a shape that many processes make at once, graphs, rights."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import anyio
import numpy as np
import pytest
from tests import citus_cluster
from tests.postgres_server import at_database, create_database, drop_database, execute

from sourcebook.assembly import OpenBase, open_base
from sourcebook.errors import (
    BaseBusy,
    BaseReadOnly,
    BaseTooNew,
    BaseUnreachable,
    MigrationEdited,
    NotASourcebook,
    NotOpen,
    ServerTooOld,
    UsageError,
)
from sourcebook.model.documents import Collection
from sourcebook.model.jobs import JobStatus
from sourcebook.model.search import And, Equals, GreaterThan, Not
from sourcebook.settings import Settings
from sourcebook.storage.index.vector_encoding import Singles
from sourcebook.storage.job_queue import SqlJobs
from sourcebook.storage.postgres import driver, migrate
from sourcebook.storage.postgres.citus import Cluster, Node
from sourcebook.storage.postgres.citus_setup import spread
from sourcebook.storage.postgres.database import PoolLimits, PostgresDatabase
from sourcebook.storage.postgres.filter_paths import compiled
from sourcebook.storage.postgres.migrate import bring_up_to_date, known_migrations
from sourcebook.storage.postgres.vector_indexes import GraphRules, Graphs
from sourcebook.testing.contract.material import MODEL, SIZE, chunk, make_collection, prepared, unit
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.storage import PassageSearch
    from sourcebook.storage.database import Database, Executor, Row

pytestmark = pytest.mark.anyio

ROWS, WIDTH = 1_200, 32


async def opened(address: str, **settings: Any) -> OpenBase:
    return await open_base(Settings(db=address, **settings), FixedClock())


# The pool


async def test_a_base_that_is_not_open_says_so(postgres_db: str) -> None:
    database = PostgresDatabase(postgres_db, PoolLimits())
    with pytest.raises(NotOpen):
        await database.fetch("base_info")
    base = await opened(postgres_db)
    await base.close()
    await base.close()
    with pytest.raises(NotOpen):
        await base.stores.vectors.list_collections()


async def test_who_needs_one_connection_more_waits_and_is_then_told(postgres_db: str) -> None:
    base = await opened(postgres_db, pool_max=2, busy_timeout=0.3)
    async with base.database.snapshot(), base.database.snapshot():
        with pytest.raises(BaseBusy, match="All 2 connections") as raised:
            await base.database.fetch("base_info")
        assert "pool_max" in raised.value.hint
    assert await base.database.fetch("base_info")
    await base.close()


async def test_many_more_tasks_than_connections_all_get_their_turn(postgres_db: str) -> None:
    base = await opened(postgres_db, pool_max=2)
    await make_collection(base)
    found: list[int] = []

    async def ask() -> None:
        found.append(len(await base.stores.vectors.list_collections()))

    async with anyio.create_task_group() as tasks:
        for _ in range(60):
            tasks.start_soon(ask)
    assert found == [1] * 60
    await base.close()


async def test_searches_at_once_queue_for_the_connections_there_are(postgres_db: str) -> None:
    base = await opened(postgres_db, pool_max=2)
    await make_collection(base, model=MODEL)
    await base.stores.writer.replace_document("c", prepared("d", ["Raspberries are pruned in autumn."]))
    passages = cast("PassageSearch", base.stores.vectors)
    found: list[int] = []

    async def search() -> None:
        found.append(len(await passages.search_passages("c", unit(0), 1)))
        found.append(len(await base.stores.fts.search("c", "pruning", 1)))

    async with base.database.snapshot(), anyio.create_task_group() as tasks:
        # One of the two connections is never free.
        for _ in range(64):
            tasks.start_soon(search)
    assert found == [1] * 128
    await base.close()


@pytest.mark.parametrize("wrong", ["database", "user", "address"])
async def test_an_address_that_leads_nowhere_is_a_clear_error(postgres_db: str, wrong: str) -> None:
    addresses = {
        "database": at_database(postgres_db, "no_such_database"),
        "user": postgres_db.replace("postgres@", "nobody_known@"),
        "address": "postgresql://postgres@127.0.0.1:1/x",
    }
    with pytest.raises(BaseUnreachable) as raised:
        await opened(addresses[wrong])
    assert wrong in raised.value.hint


async def test_a_statement_that_takes_too_long_is_given_up(postgres_db: str) -> None:
    database = await PostgresDatabase.open(postgres_db)
    async with database.apart(PoolLimits(statement_timeout=0.2)) as connection:
        with pytest.raises(BaseBusy), driver.translated():
            await connection.execute("select pg_sleep(600)")
    await database.close()


async def test_writers_of_one_collection_take_turns_and_others_do_not_wait(postgres_db: str) -> None:
    base = await opened(postgres_db, busy_timeout=0.3)
    await make_collection(base)
    await make_collection(base, "other")
    async with base.database.transaction() as transaction:
        await transaction.fetch("collection_by_id", collection_id="c")
        with pytest.raises(BaseBusy) as raised:
            await base.stores.vectors.add("c", [chunk("k")])
        assert raised.value.hint
        await base.stores.vectors.add("other", [chunk("k")])
        assert await base.stores.vectors.search_semantic("c", unit(0), 1) == []
    await base.stores.vectors.add("c", [chunk("k")])
    await base.close()


# The shape


@pytest.fixture
def empty_db(postgres_address: str) -> Any:
    name = "sourcebook_empty"
    drop_database(postgres_address, name)
    create_database(postgres_address, name)
    yield at_database(postgres_address, name)
    drop_database(postgres_address, name)


async def test_many_that_open_an_empty_database_at_once_make_one_base(empty_db: str) -> None:
    made: list[OpenBase] = []

    async def make() -> None:
        made.append(await opened(empty_db))

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(make)
    infos = [await base.database.fetch("base_info") for base in made]
    assert len({str(info) for info in infos}) == 1
    for base in made:
        await base.close()


async def test_a_base_of_an_earlier_version_is_given_the_indexes_over_chunk_ids(empty_db: str) -> None:
    connection = await driver.connect(empty_db, patience=120, settings={})
    await bring_up_to_date(connection, known_migrations()[:6])
    indexes = (
        "select count(*) from pg_indexes where indexname in ('idx_vectors_chunk', 'idx_document_chunks_id')"
    )
    assert await connection.fetchval(indexes) == 0
    await (await opened(empty_db)).close()
    assert await connection.fetchval(indexes) == 2
    await connection.close()


async def test_the_tables_of_somebody_else_are_left_alone(empty_db: str) -> None:
    await anyio.to_thread.run_sync(execute, empty_db, "create table users (id bigint)")
    with pytest.raises(NotASourcebook):
        await opened(empty_db)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("insert into schema_migrations values (9999, 'later', 'x', 0)", BaseTooNew),
        ("update schema_migrations set digest = 'x' where version = 1", MigrationEdited),
    ],
    ids=["newer", "edited"],
)
async def test_a_base_of_another_program_is_refused(
    postgres_db: str, change: str, error: type[Exception]
) -> None:
    await anyio.to_thread.run_sync(execute, postgres_db, change)
    with pytest.raises(error):
        await opened(postgres_db)


# Rights


async def test_who_may_only_read_can_search_and_not_write(postgres_db: str) -> None:
    base = await opened(postgres_db)
    await make_collection(base, model=MODEL)
    await base.stores.writer.replace_document("c", prepared("d", ["Raspberries are pruned in autumn."]))
    await base.close()
    await anyio.to_thread.run_sync(execute, postgres_db, READER)
    reader = await opened(postgres_db.replace("postgres@", "sourcebook_reader@"))
    try:
        assert (
            len(await reader.stores.vectors.search_semantic("c", unit(0), 1, Equals("language", "en"))) == 1
        )
        passages = cast("PassageSearch", reader.stores.vectors)
        [found] = await passages.search_passages("c", unit(0), 1)
        assert [r.chunk_id for r in await reader.stores.fts.search("c", "pruning", 5)] == [found.chunk.id]
        assert (await reader.examine()).ok
        with pytest.raises(BaseReadOnly) as raised:
            await reader.stores.writer.remove_document("c", "d")
        assert "right" in raised.value.hint
    finally:
        await reader.close()


READER = """
do $$ begin
    if not exists (select 1 from pg_roles where rolname = 'sourcebook_reader') then
        create role sourcebook_reader login;
    end if;
end $$;
grant select on all tables in schema public to sourcebook_reader
"""


# Graphs


def vectors(count: int, seed: int) -> NDArray[np.float32]:
    """Vectors as texts have them: around some topics."""
    numbers = np.random.default_rng(seed)
    topics = np.random.default_rng(0).standard_normal((40, WIDTH))
    return (topics[numbers.integers(40, size=count)] + 0.5 * numbers.standard_normal((count, WIDTH))).astype(
        np.float32
    )


@pytest.fixture(params=["hnsw", "hnsw_bits"])
async def grown(
    request: pytest.FixtureRequest, postgres_db: str
) -> AsyncGenerator[tuple[OpenBase, NDArray[np.float32]]]:
    """A base with a graph over its vectors."""
    base = await opened(postgres_db)
    await base.stores.vectors.create_collection(Collection("c", WIDTH))
    rows = vectors(ROWS, 1)
    await base.stores.vectors.add(
        "c",
        [
            chunk(
                f"k{i:05}",
                rows[i],
                document=f"d{i // 20}",
                metadata={"half": i % 2, "tenth": i % 10, "rare": i % 200, "n": i},
            )
            for i in range(ROWS)
        ],
    )
    shares: list[float] = []
    await graphs(base, request.param).tend("c", shares.append)
    assert shares[-1] == 1.0
    await anyio.to_thread.run_sync(execute, postgres_db, "analyze")
    yield base, rows
    await base.close()


def graphs(base: OpenBase, kind: str) -> Graphs:
    return Graphs(cast("PostgresDatabase", base.database), GraphRules(kind=kind))


NUMBERS = np.arange(ROWS)
FILTERS: dict[str, tuple[MetadataFilter | None, NDArray[np.bool_]]] = {
    "none": (None, NUMBERS >= 0),
    "half": (Equals("half", 1), NUMBERS % 2 == 1),
    "tenth": (Equals("tenth", 3), NUMBERS % 10 == 3),
    "rare": (Equals("rare", 7), NUMBERS % 200 == 7),
    "range": (GreaterThan("n", ROWS - 20), NUMBERS > ROWS - 20),
    "both": (And([Not(Equals("half", 1)), GreaterThan("n", 100)]), (NUMBERS % 2 != 1) & (NUMBERS > 100)),
    "nothing": (Equals("rare", -1), NUMBERS < 0),
}


async def test_a_graph_finds_nearly_all_and_never_too_few(
    grown: tuple[OpenBase, NDArray[np.float32]],
) -> None:
    base, rows = grown
    for name, (tree, matching) in FILTERS.items():
        assert await share_found(base, rows, tree, matching) >= 0.95, name


async def share_found(
    base: OpenBase, rows: NDArray[np.float32], tree: MetadataFilter | None, matching: NDArray[np.bool_]
) -> float:
    """How many of the ten nearest are found, on average; ten come back whenever ten match."""
    allowed = np.flatnonzero(matching)
    shares: list[float] = []
    for query in vectors(12, 2):
        found = [r.chunk.id for r in await base.stores.vectors.search_semantic("c", query, 10, tree)]
        scores = rows[allowed] @ query / np.linalg.norm(rows[allowed], axis=1)
        wanted = {f"k{i:05}" for i in allowed[np.argsort(-scores, kind="stable")[:10]]}
        assert len(found) == min(10, len(allowed))
        shares.append(len(wanted & set(found)) / max(len(wanted), 1) if wanted else 1.0)
    return float(np.mean(shares))


async def test_the_server_uses_the_graph_and_the_index_over_facts(
    grown: tuple[OpenBase, NDArray[np.float32]],
) -> None:
    base, rows = grown
    database = cast("PostgresDatabase", base.database)
    [graph] = await database.fetch("graphs_of_collection", collection_id="c")
    common: dict[str, object] = {
        "collection_id": driver.Constant("c"),
        "model_id": driver.Constant(graph["model_id"]),
        "dimensions": driver.Constant(WIDTH),
        "query": Singles(rows[0].tobytes()),
        "filter": driver.Constant(None),
        "of_passages": 0,
        "limit": driver.Constant(10),
    }
    statement = "nearest_by_graph" if graph["kind"] == "hnsw" else "nearest_by_bits"
    if graph["kind"] == "bits":
        common["candidates"] = 80
    common |= {"top_k": 5, "margin": 1e-3}
    # On so few rows looking at all of them is as fast; the question is whether the graph can be used at all.
    for name in (statement, statement.replace("nearest", "passages")):
        plan = await plan_of(database, name, common, "enable_seqscan", "enable_sort")
        assert graph["name"] in plan
        filtered = {**common, "filter": compiled(Equals("half", 1)).path}
        assert graph["name"] in await plan_of(database, name, filtered, "enable_seqscan", "enable_sort")
    counted = {"collection_id": "c", "filter": compiled(Equals("rare", 7)).path, "limit": 1000}
    plan = await plan_of(database, "count_matching", counted, "enable_seqscan", "enable_indexscan")
    assert "idx_document_chunks_facts" in plan


async def plan_of(
    database: PostgresDatabase, name: str, parameters: Mapping[str, object], *switched_off: str
) -> str:
    statement = driver.prepared(database.queries[name], parameters)
    async with database.apart() as connection:
        await driver.know_vectors(connection)
        await connection.execute("begin")
        # In a cluster the workers are told, too: their plans are what is shown.
        await connection.execute("set local citus.propagate_set_commands = 'local'")
        for setting in switched_off:
            await connection.execute(f"set local {setting} = off")
        rows = await connection.fetch(f"explain {statement.sql}", *statement.arguments(parameters))
    return "\n".join(next(iter(row.values())) for row in rows)


async def test_a_graph_follows_what_is_written(grown: tuple[OpenBase, NDArray[np.float32]]) -> None:
    base, rows = grown
    store = base.stores.vectors
    await store.delete("c", [f"k{i:05}" for i in range(0, ROWS, 3)])
    await store.add("c", [chunk("new", rows[0])])
    found = [r.chunk.id for r in await store.search_semantic("c", rows[0], 10)]
    assert found[0] == "new"
    assert all(int(name[1:]) % 3 for name in found[1:])
    await base.stores.writer.set_active("c", "d1", active=False)
    found = [r.chunk.id for r in await store.search_semantic("c", rows[22], ROWS)]
    assert not {f"k{i:05}" for i in range(20, 40)} & set(found)
    assert len(found) == 787


async def test_a_graph_goes_with_its_collection(grown: tuple[OpenBase, NDArray[np.float32]]) -> None:
    base, _ = grown
    database = cast("PostgresDatabase", base.database)
    assert len(await database.fetch("graphs_of_collection", collection_id="c")) == 1
    await base.stores.vectors.delete_collection("c")
    assert await database.fetch("graphs_of_collection", collection_id="c") == []


async def test_a_collection_gets_its_graph_when_it_has_grown_and_loses_it_when_it_shrank(
    postgres_db: str,
) -> None:
    base = await opened(postgres_db)
    database = cast("PostgresDatabase", base.database)
    pieces = citus_cluster.shards()
    tender = Graphs(database, GraphRules(rows=100 // pieces, rows_for_bits=400 // pieces))

    async def kinds() -> list[str]:
        await tender.tend("c")
        return [row["kind"] for row in await database.fetch("graphs_of_collection", collection_id="c")]

    await make_collection(base)
    await base.stores.vectors.add("c", [chunk(f"a{i}") for i in range(99)])
    assert await kinds() == []
    await base.stores.vectors.add("c", [chunk(f"b{i}") for i in range(10)])
    assert await kinds() == ["hnsw"]
    await base.stores.vectors.delete("c", [f"b{i}" for i in range(10)])
    assert await kinds() == ["hnsw"]
    await base.stores.vectors.add("c", [chunk(f"c{i}") for i in range(400)])
    assert await kinds() == ["bits"]
    await base.stores.vectors.delete("c", [f"c{i}" for i in range(400)] + [f"a{i}" for i in range(60)])
    assert await kinds() == []
    await base.close()


async def test_what_a_builder_left_halfway_is_made_again(postgres_db: str) -> None:
    base = await opened(postgres_db)
    await make_collection(base)
    await base.stores.vectors.add("c", [chunk(f"k{i}", np.eye(SIZE)[i % SIZE]) for i in range(50)])
    await graphs(base, "hnsw").tend("c")
    broken = (
        "update pg_index set indisvalid = false where indrelid = 'vectors'::regclass and not indisprimary"
    )
    await anyio.to_thread.run_sync(execute, postgres_db, broken)
    assert len(await base.stores.vectors.search_semantic("c", unit(0), 5)) == 5
    await graphs(base, "hnsw").tend("c")
    database = cast("PostgresDatabase", base.database)
    [row] = await database.fetch("graphs_of_collection", collection_id="c")
    assert row["is_valid"]
    await base.close()


@pytest.mark.skipif(bool(citus_cluster.addresses()), reason="it runs Citus")
async def test_a_server_without_citus_cannot_spread_a_base(postgres_db: str) -> None:
    with pytest.raises(UsageError, match="does not run Citus"):
        await spread(Cluster(postgres_db, coordinator=Node("here")))


async def test_of_the_servers_of_a_cluster_the_one_that_is_too_old_is_named(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "OLDEST_SERVER", 99)
    with pytest.raises(ServerTooOld, match="The coordinator here:5432 is PostgreSQL"):
        await spread(Cluster(postgres_db, coordinator=Node("here")))


# Jobs


class EndsTheOther:
    """A base in which, when a new job finds one like it in its way, that one ends before it is read."""

    def __init__(self, base: OpenBase) -> None:
        self._base = base
        self._transaction: Executor = base.database

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[EndsTheOther, None]:
        async with self._base.database.transaction() as transaction:
            self._transaction = transaction
            yield self

    async def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        if name == "live_job":
            job = await self._base.stores.jobs.claim(["uploads"], "worker")
            assert job is None or await self._base.stores.jobs.complete(job)
        return await self._transaction.fetch_one(name, **parameters)


async def test_a_job_that_ends_while_another_like_it_is_enqueued_is_not_in_its_way(postgres_db: str) -> None:
    base = await opened(postgres_db)
    first = await base.stores.jobs.enqueue("uploads", {}, unique_key="file")
    second = await SqlJobs(cast("Database", EndsTheOther(base)), FixedClock()).enqueue(
        "uploads", {}, unique_key="file"
    )
    assert (second.id != first.id, second.status) == (True, JobStatus.PENDING)
    await base.close()
