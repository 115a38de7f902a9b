"""Carries out the steps that spread a base over the servers of a Citus cluster, and checks each."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sourcebook.errors import BaseUnreachable, Conflict, SourcebookError, StorageError, UsageError
from sourcebook.storage.postgres import citus, driver
from sourcebook.storage.postgres.citus import Cluster, DoneStep, Step
from sourcebook.storage.postgres.connections import close_or_let_go
from sourcebook.storage.postgres.database import UNLIMITED
from sourcebook.storage.postgres.migrate import bring_up_to_date, require_new_server

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from sourcebook.storage.postgres.driver import Connection

_PATIENCE = 10.0


async def spread(cluster: Cluster, on_step: Callable[[DoneStep], None] | None = None) -> list[DoneStep]:
    """Carry out what has not been done yet. Run again, it changes nothing, or brings a new worker up to date."""
    coordinator = cluster.as_others_see_it()
    done: list[DoneStep] = []
    versions: dict[str, dict[str, str]] = {}

    async def take(connection: Connection, steps: Sequence[Step]) -> None:
        for step in steps:
            done.append(await _taken(connection, step))
            if on_step is not None:
                on_step(done[-1])

    for worker in cluster.workers:
        async with _connected(cluster.at(worker), f"worker {worker}") as connection:
            extensions = citus.joining([])[0]
            await take(
                connection, [Step(f"{extensions.title} on {worker}", extensions.statements, extensions.check)]
            )
            versions[f"worker {worker}"] = await _versions(connection)
    async with _connected(cluster.address, f"coordinator {coordinator}") as connection:
        first, *others = citus.joining(cluster.workers)
        await take(connection, [first])
        _require_same_versions(await _versions(connection), versions)
        await take(connection, others)
        with driver.translated():
            await _require_workers(connection)
            if not await _is_spread(connection):
                await _refuse_early_coordinator(connection)
            await bring_up_to_date(connection)
            if not await _is_spread(connection):
                await _refuse_filled_base(connection)
        await take(connection, citus.spreading(cluster.database, cluster.shards, coordinator))
    return done


@asynccontextmanager
async def _connected(address: str, place: str) -> AsyncGenerator[Connection]:
    try:
        with driver.translated():
            connection = await driver.connect(address, patience=_PATIENCE, settings=UNLIMITED.settings())
    except BaseUnreachable as error:
        raise BaseUnreachable(
            f"{place}: {error.message}",
            hint="Each server must run, let the user in the address in, and have a database of that name.",
        ) from error
    try:
        with driver.translated():
            require_new_server(connection, place)
            await _require_citus(connection, place)
            await _require_installed(connection, place)
        yield connection
    finally:
        await close_or_let_go(connection)


async def _taken(connection: Connection, step: Step) -> DoneStep:
    try:
        with driver.translated():
            if await _is_done(connection, step):
                return DoneStep(step.title, was_done=True)
            for statement in step.statements:
                await connection.execute(statement)
            is_done = await _is_done(connection, step)
    except SourcebookError as error:
        ours = BaseUnreachable if isinstance(error, BaseUnreachable) else StorageError
        raise ours(
            f"This step failed: {step.title} ({error.message.removesuffix('.')}).",
            hint="What was done before stays. See to it that every server runs, and run the command again.",
        ) from error
    if not is_done:
        raise StorageError(f"This step had no effect: {step.title}", hint="Look into the servers' logs.")
    return DoneStep(step.title, was_done=False)


async def _is_done(connection: Connection, step: Step) -> bool:
    return bool(await connection.fetchval(step.check))


async def _require_citus(connection: Connection, place: str) -> None:
    if await connection.fetchval("select current_setting('citus.shard_count', true)") is None:
        raise UsageError(
            f"The {place} does not run Citus.",
            hint="Install Citus on every server, put `citus` first in its `shared_preload_libraries`, and restart it.",
        )


async def _require_installed(connection: Connection, place: str) -> None:
    missing = await connection.fetchval(
        "select min(name) from unnest($1::text[]) as wanted (name) "
        "where not exists (select 1 from pg_available_extensions e where e.name = wanted.name)",
        list(citus.EXTENSIONS),
    )
    if missing is not None:
        raise UsageError(
            f"The {place} has no extension `{missing}`.", hint="Install Citus and pgvector on every server."
        )


async def _versions(connection: Connection) -> dict[str, str]:
    """Of the server, without the last number, and of the extensions."""
    with driver.translated():
        found = await connection.fetchval(
            "select json_object_agg(extname, extversion) from pg_extension where extname = any ($1::text[])",
            list(citus.EXTENSIONS),
        )
    return {"PostgreSQL": str(connection.get_server_version()[0]), **json.loads(found or "{}")}


def _require_same_versions(wanted: dict[str, str], workers: dict[str, dict[str, str]]) -> None:
    """Citus lets servers of different versions in, and some statements then fail on one of them."""
    for place, found in workers.items():
        for name, version in wanted.items():
            if found.get(name) != version:
                raise UsageError(
                    f"The {place} has {name} {found.get(name)}, and the coordinator {version}.",
                    hint="Install the same versions on every server; then `alter extension NAME update` on each.",
                )


async def _require_workers(connection: Connection) -> None:
    if not await connection.fetchval("select count(*) from citus_get_active_worker_nodes()"):
        raise UsageError("The cluster has no worker.", hint="Name each: `--worker HOST:PORT`.")


async def _is_spread(connection: Connection) -> bool:
    return bool(
        await connection.fetchval(
            "select exists (select 1 from pg_dist_partition "
            "where logicalrelid = to_regclass('documents') and partmethod = 'h')"
        )
    )


async def _refuse_early_coordinator(connection: Connection) -> None:
    """Once it has joined, Citus takes over each table that is referred to, and does not spread it any more."""
    if await connection.fetchval("select exists (select 1 from pg_dist_node where groupid = 0)"):
        raise UsageError(
            "The coordinator joined the cluster before the tables were spread.",
            hint="Begin again with a fresh database on every server, and let this command add the coordinator.",
        )


async def _refuse_filled_base(connection: Connection) -> None:
    """What is in a base would be moved table by table, without a way back."""
    if await connection.fetchval("select exists (select 1 from collections)"):
        raise Conflict(
            "The base is not empty",
            hint="Spread an empty database, and copy this base to it with `sourcebook copy`.",
        )
