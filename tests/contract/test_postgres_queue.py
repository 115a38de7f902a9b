"""Who waits for a connection of a pool, and how long."""

from __future__ import annotations

import asyncio
import re
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
            with pytest.raises(BaseBusy, match="All 3 connections"):
                await base.database.fetch("base_info")
    finally:
        await base.close()


class Hours:
    """The clock of the event loop, which a test puts forward instead of waiting."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ahead = 0.0
        loop = asyncio.get_running_loop()
        time_passed = loop.time
        monkeypatch.setattr(loop, "time", lambda: time_passed() + self._ahead)

    def pass_by(self, seconds: float) -> None:
        self._ahead += seconds


async def test_who_waits_in_a_line_that_moves_is_not_refused(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All together take longer than anybody would wait for one that nobody gives back."""
    base = await opened(postgres_db, pool_max=1, busy_timeout=3_600)
    hours = Hours(monkeypatch)
    served: list[int] = []

    async def use(number: int) -> None:
        async with base.database.snapshot():
            served.append(number)
            hours.pass_by(1_800)

    try:
        async with anyio.create_task_group() as tasks:
            for number in range(24):
                tasks.start_soon(use, number)
        assert served == list(range(24))
    finally:
        await base.close()


async def test_who_is_refused_is_told_how_long_it_waited(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One connection was given back meanwhile, to somebody who was there before."""
    base = await opened(postgres_db, pool_max=1, busy_timeout=3_600)
    hours = Hours(monkeypatch)
    refused: list[str] = []
    may_end = anyio.Event()

    async def keep() -> None:
        async with base.database.snapshot():
            hours.pass_by(3_700)
            await may_end.wait()

    async def ask() -> None:
        try:
            await base.database.fetch("base_info")
        except BaseBusy as error:
            refused.append(error.message)
            may_end.set()

    try:
        async with anyio.create_task_group() as tasks, base.database.snapshot():
            tasks.start_soon(keep)
            tasks.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            hours.pass_by(1_800)
        assert len(refused) == 1
        [seconds] = re.findall(r"in use for ([0-9.]+) seconds", refused[0])
        assert float(seconds) >= 1_800 + 3_600
    finally:
        await base.close()
