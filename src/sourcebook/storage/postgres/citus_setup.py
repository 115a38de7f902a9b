"""Carries out the steps that spread a base over the servers of a Citus cluster, and checks each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sourcebook.errors import Conflict, StorageError, UsageError
from sourcebook.storage.postgres import citus, driver
from sourcebook.storage.postgres.citus import Cluster, DoneStep, Step
from sourcebook.storage.postgres.database import UNLIMITED
from sourcebook.storage.postgres.migrate import bring_up_to_date

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from sourcebook.storage.postgres.driver import Connection

_PATIENCE = 10.0


async def spread(cluster: Cluster, on_step: Callable[[DoneStep], None] | None = None) -> list[DoneStep]:
    """Carry out what has not been done yet. Run again, it changes nothing, or brings a new worker up to date."""
    coordinator = cluster.as_others_see_it()
    done: list[DoneStep] = []

    async def take(connection: Connection, steps: Sequence[Step]) -> None:
        for step in steps:
            done.append(await _taken(connection, step))
            if on_step is not None:
                on_step(done[-1])

    for worker in cluster.workers:
        async with _connected(cluster.at(worker)) as connection:
            extensions = citus.joining([])[0]
            await take(
                connection, [Step(f"{extensions.title} on {worker}", extensions.statements, extensions.check)]
            )
    async with _connected(cluster.address) as connection:
        await take(connection, citus.joining(cluster.workers))
        with driver.translated():
            await _require_workers(connection)
            await bring_up_to_date(connection)
            await _refuse_filled_base(connection)
        await take(connection, citus.spreading(cluster.database, cluster.shards, coordinator))
    return done


@asynccontextmanager
async def _connected(address: str) -> AsyncGenerator[Connection]:
    with driver.translated():
        connection = await driver.connect(address, patience=_PATIENCE, settings=UNLIMITED.settings())
    try:
        with driver.translated():
            await _require_citus(connection)
        yield connection
    finally:
        await connection.close(timeout=5)


async def _taken(connection: Connection, step: Step) -> DoneStep:
    with driver.translated():
        if await _is_done(connection, step):
            return DoneStep(step.title, was_done=True)
        for statement in step.statements:
            await connection.execute(statement)
        if not await _is_done(connection, step):
            raise StorageError(f"this step had no effect: {step.title}", hint="Look into the servers' logs.")
    return DoneStep(step.title, was_done=False)


async def _is_done(connection: Connection, step: Step) -> bool:
    return bool(await connection.fetchval(step.check))


async def _require_citus(connection: Connection) -> None:
    if await connection.fetchval("select current_setting('citus.shard_count', true)") is None:
        place = await connection.fetchval("select host(inet_server_addr()) || ':' || inet_server_port()")
        raise UsageError(
            f"The server at {place or 'this address'} does not run Citus.",
            hint="Install Citus on every server, put `citus` first in its `shared_preload_libraries`, and restart it.",
        )


async def _require_workers(connection: Connection) -> None:
    if not await connection.fetchval("select count(*) from citus_get_active_worker_nodes()"):
        raise UsageError("The cluster has no worker.", hint="Name each: `--worker HOST:PORT`.")


async def _refuse_filled_base(connection: Connection) -> None:
    """What is in a base would be moved table by table, without a way back."""
    is_spread = await connection.fetchval(
        "select exists (select 1 from pg_dist_partition where logicalrelid = to_regclass('documents'))"
    )
    if not is_spread and await connection.fetchval("select exists (select 1 from collections)"):
        raise Conflict(
            "the base is not empty",
            hint="Spread an empty database, and copy this base to it with `sourcebook copy`.",
        )
