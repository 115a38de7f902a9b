"""A Citus cluster for the tests, where one is given: every test of PostgreSQL then runs on it.

`SOURCEBOOK_TEST_CITUS` has the addresses of the coordinator and of its workers, with spaces between them. On each the
tests may make databases; a base is spread over the workers by the command that a user would run. Like any base of the
tests it is made once and copied, on every server of the cluster.
"""

from __future__ import annotations

import os
import time
from urllib.parse import urlsplit

from sourcebook.storage.postgres.citus import Cluster, Node

VARIABLE = "SOURCEBOOK_TEST_CITUS"
SHARDS = 2
_PATIENCE = 30.0


def addresses() -> list[str]:
    """The coordinator first. None where no cluster is given."""
    return os.environ.get(VARIABLE, "").split()


def shards() -> int:
    """How many pieces the table of vectors is in."""
    return SHARDS if addresses() else 1


def nodes_of(server: str) -> list[str]:
    """Every server that holds a part of the databases of this one: itself, unless it is the coordinator."""
    given = addresses()
    return given if given and _place(given[0]) == _place(server) else [server]


def workers() -> list[Node]:
    return [Node(parts.hostname or "", parts.port or 5432) for parts in map(urlsplit, addresses()[1:])]


async def spread(base: str) -> None:
    """Spread an empty database over the workers."""
    from sourcebook.storage.postgres.citus_setup import spread as carry_out

    await carry_out(Cluster(base, workers(), shards=SHARDS))


async def set_aside(server: str, name: str) -> None:
    """Keep everybody out of a database, so that it can be copied: Citus itself watches over every one that it knows."""
    from tests.postgres_server import connected

    for node in nodes_of(server):
        async with connected(node) as connection:
            await connection.execute(f'alter database "{name}" allow_connections false')
            deadline = time.monotonic() + _PATIENCE
            while await connection.fetchval(
                "select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity where datname = $1",
                name,
            ):
                assert time.monotonic() < deadline, "somebody is still connected"


def _place(address: str) -> tuple[str | None, int | None]:
    parts = urlsplit(address)
    return parts.hostname, parts.port
