"""What only a base on Citus has to keep. The rest of the contract holds there, too: see `tests/citus_cluster.py`."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator

import pytest
from tests import citus_cluster
from tests.postgres_server import at_database, connected

from sourcebook.assembly import open_base
from sourcebook.errors import Conflict, UsageError
from sourcebook.settings import Settings
from sourcebook.storage.postgres.citus import Cluster
from sourcebook.storage.postgres.citus_setup import spread
from sourcebook.testing.contract.material import make_collection

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


async def test_every_worker_holds_documents(postgres_db: str) -> None:
    async with connected(postgres_db) as connection:
        ports = await connection.fetchval(
            "select count(distinct nodeport) from citus_shards where table_name = 'documents'::regclass"
        )
    assert ports == len(citus_cluster.addresses()) - 1


async def test_a_collection_that_is_removed_leaves_nothing_behind(postgres_db: str) -> None:
    base = await open_base(Settings(db=postgres_db))
    assert "citus" in base.versions
    await make_collection(base)
    await base.stores.vectors.delete_collection("c")
    await base.close()
    async with connected(postgres_db) as connection:
        assert await connection.fetchval("select count(*) from collection_models") == 0
