"""What only a base on Citus has to keep. The rest of the contract holds there, too: see `tests/citus_cluster.py`."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import numpy as np
import pytest
from tests import citus_cluster
from tests.postgres_server import at_database, connected

from sourcebook.assembly import open_base
from sourcebook.errors import BaseUnreachable, Conflict, UsageError
from sourcebook.settings import Settings
from sourcebook.storage.index.vector_encoding import Singles
from sourcebook.storage.postgres import driver
from sourcebook.storage.postgres.citus import Cluster, Node
from sourcebook.storage.postgres.citus_setup import spread
from sourcebook.storage.postgres.driver import Constant
from sourcebook.testing.contract.material import make_collection

if TYPE_CHECKING:
    from sourcebook.storage.postgres.database import PostgresDatabase

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        not citus_cluster.addresses(), reason=f"no cluster is given: {citus_cluster.VARIABLE}"
    ),
]


@pytest.fixture
async def new_database(postgres_address: str) -> AsyncGenerator[str]:
    """The address of an empty database that is on every server and not yet spread."""
    name = f"sourcebook_new_{os.getpid()}"
    await on_every_server(f'create database "{name}"')
    yield at_database(postgres_address, name)
    await on_every_server(f'drop database "{name}" with (force)')


async def on_every_server(sql: str) -> None:
    for server in citus_cluster.addresses():
        async with connected(server) as connection:
            await connection.execute(sql)


async def test_a_base_is_spread_step_by_step_and_only_once(new_database: str) -> None:
    with pytest.raises(UsageError, match="no worker"):
        await spread(Cluster(new_database))
    first = await spread(Cluster(new_database, citus_cluster.workers(), shards=citus_cluster.SHARDS))
    again = await spread(Cluster(new_database))
    assert [step.title for step in first[-len(again) :]][1:] == [step.title for step in again][1:]
    assert not first[-1].was_done
    assert all(step.was_done for step in again)


async def test_a_filled_base_is_not_spread_where_it_is(new_database: str) -> None:
    base = await open_base(Settings(db=new_database))
    await make_collection(base)
    await base.close()
    with pytest.raises(Conflict, match="not empty"):
        await spread(Cluster(new_database, citus_cluster.workers()))


async def test_a_coordinator_that_joined_before_the_tables_were_spread_is_refused(new_database: str) -> None:
    """It would take over tables that are to be spread, and they would look as if they were."""
    workers = citus_cluster.workers()
    coordinator = Cluster(new_database).as_others_see_it()
    async with connected(new_database) as connection:
        await connection.execute("create extension citus")
        await connection.execute(f"select citus_set_coordinator_host({coordinator.arguments})")
    with pytest.raises(UsageError, match="before the tables"):
        await spread(Cluster(new_database, workers))


async def test_a_worker_that_cannot_be_reached_is_named(new_database: str) -> None:
    with pytest.raises(BaseUnreachable, match=r"worker 127\.0\.0\.1:1:") as raised:
        await spread(Cluster(new_database, [Node("127.0.0.1", 1)]))
    assert raised.value.hint
    [first, *_] = citus_cluster.workers()
    with pytest.raises(BaseUnreachable, match=f"worker {first}: .*does not exist"):
        await spread(Cluster(at_database(new_database, "nobody_made_this"), [first]))


@pytest.mark.parametrize(
    ("name", "explained"), [("nearest_of_all", 1), ("nearest_by_graph", 2), ("ranked_words", 1)]
)
async def test_a_search_asks_each_shard_once_for_chunks_and_texts(
    postgres_db: str, name: str, explained: int
) -> None:
    """A second question might be answered after a document was replaced. Only which are hidden is asked before."""
    base = await open_base(Settings(db=postgres_db))
    await make_collection(base)
    database = cast("PostgresDatabase", base.database)
    [row] = await database.fetch("collection_to_search", collection_id="c")
    given: dict[str, object] = {
        "collection_id": Constant("c"),
        "model_id": Constant(row["active_model_id"]),
        "dimensions": Constant(row["embedding_dimensions"]),
        "metric": "cosine",
        "query": Singles(np.ones(row["embedding_dimensions"], dtype=np.float32).tobytes()),
        "filter": Constant(None),
        "limit": Constant(10),
        **dict.fromkeys(("chunk_length", "document_length", "k1", "b"), 1.0),
        **{key: [1] for key in ("term_ids", "chunk_idf", "document_idf")},
    }
    statement = database.queries[name]
    asked = {key: given[key] for key in statement.parameters}
    prepared = driver.prepared(statement, asked)
    async with database.apart() as connection:
        await driver.know_vectors(connection)
        plan = await connection.fetch(f"explain (costs off) {prepared.sql}", *prepared.arguments(asked))
    await base.close()
    tasks = [line.strip() for (line,) in plan if "Task Count:" in line]
    assert tasks.count(f"Task Count: {citus_cluster.SHARDS}") == explained


async def test_every_worker_holds_documents(postgres_db: str) -> None:
    async with connected(postgres_db) as connection:
        ports = await connection.fetchval(
            "select count(distinct nodeport) from citus_shards where table_name = 'documents'::regclass"
        )
    assert ports == len(citus_cluster.addresses()) - 1


async def test_every_shard_has_the_short_list_of_new_facts(postgres_db: str) -> None:
    name = urlsplit(postgres_db).path.lstrip("/")
    settings: list[object] = []
    for worker in citus_cluster.addresses()[1:]:
        async with connected(at_database(worker, name)) as connection:
            await connection.execute("set citus.override_table_visibility = off")
            rows = await connection.fetch(
                "select reloptions from pg_class where relname ~ '^idx_document_chunks_facts_[0-9]+$'"
            )
            settings += [row["reloptions"] for row in rows]
    assert settings == [["gin_pending_list_limit=64"]] * citus_cluster.SHARDS


async def test_a_collection_that_is_removed_leaves_nothing_behind(postgres_db: str) -> None:
    base = await open_base(Settings(db=postgres_db))
    assert "citus" in base.versions
    await make_collection(base)
    await base.stores.vectors.delete_collection("c")
    await base.close()
    async with connected(postgres_db) as connection:
        assert await connection.fetchval("select count(*) from collection_models") == 0
