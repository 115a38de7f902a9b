"""Who waits for a connection of a pool, and how long."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from sourcebook.assembly import OpenBase, open_base
from sourcebook.errors import BaseBusy
from sourcebook.settings import Settings
from sourcebook.testing.fakes import FixedClock

pytestmark = pytest.mark.anyio


async def opened(address: str, **settings: Any) -> OpenBase:
    return await open_base(Settings(db=address, **settings), FixedClock())


async def test_a_connection_that_is_only_being_opened_is_waited_for(postgres_db: str) -> None:
    """Longer than for one that somebody else has: no server opens one within this time."""
    base = await opened(postgres_db, pool_max=3, busy_timeout=0.001)
    try:
        async with base.database.snapshot(), base.database.snapshot(), base.database.snapshot():
            with pytest.raises(BaseBusy, match="all 3 connections"):
                await base.database.fetch("base_info")
    finally:
        await base.close()


async def test_who_waits_in_a_line_that_moves_is_not_refused(postgres_db: str) -> None:
    """All together take longer than anybody would wait for one that nobody gives back."""
    base = await opened(postgres_db, pool_max=1, busy_timeout=4)
    served: list[int] = []

    async def use(number: int) -> None:
        async with base.database.snapshot():
            await anyio.sleep(0.25)
        served.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(24):
            tasks.start_soon(use, number)
    assert served == list(range(24))
    await base.close()
