"""Spreading a base over several servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sourcebook.assembly.open_base import require_postgres
from sourcebook.errors import UsageError
from sourcebook.storage.base_address import is_server

if TYPE_CHECKING:
    from sourcebook.storage.postgres.citus import Cluster, DoneStep


async def spread_base(cluster: Cluster, on_step: Callable[[DoneStep], None] | None = None) -> list[DoneStep]:
    """Carry out the steps of `config citus` that have not been carried out yet, and check each."""
    if not is_server(cluster.address):
        raise UsageError(
            "Only a base on a server can be spread.", hint="Pass the coordinator's address to `--db`."
        )
    require_postgres()
    from sourcebook.storage.postgres.citus_setup import spread

    return await spread(cluster, on_step)
