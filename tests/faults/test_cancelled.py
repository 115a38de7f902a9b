"""Calls that are given up, in the way of asyncio and not of anyio, leave the base as if they had never been made."""

from __future__ import annotations

import asyncio
import random
from functools import partial
from pathlib import Path

import numpy as np

from sourcebook import Collection
from sourcebook.assembly import OpenBase, open_base
from sourcebook.settings import Settings
from sourcebook.testing.contract.material import chunk


async def opened(path: Path) -> OpenBase:
    base = await open_base(Settings(db=str(path)))
    await base.stores.vectors.create_collection(Collection("c", 8))
    return base


async def give_up_at_random(base: OpenBase, seed: int, calls: int) -> int:
    """How many of the calls were given up. Nothing but a time-out may come out of any."""
    chance = random.Random(seed)
    rng = np.random.default_rng(seed)
    given_up = 0
    for number in range(calls):
        chunks = [
            chunk(f"k{number}-{i}", rng.standard_normal(8).tolist(), document=f"d{number % 7}")
            for i in range(20)
        ]
        vectors = base.stores.vectors
        call = chance.choice(
            [
                partial(vectors.add, "c", chunks),
                partial(vectors.search_semantic, "c", rng.standard_normal(8), 5),
                partial(vectors.delete, "c", [f"k{number - 1}-{i}" for i in range(20)]),
            ]
        )
        try:
            await asyncio.wait_for(call(), chance.uniform(0.0001, 0.006))
        except TimeoutError:
            given_up += 1
    return given_up


def test_calls_with_a_time_limit_end_in_nothing_but_that(tmp_path: Path) -> None:
    async def run() -> int:
        base = await opened(tmp_path / "base.db")
        try:
            counts = await asyncio.gather(*(give_up_at_random(base, seed, 150) for seed in range(3)))
            await base.stores.vectors.add("c", [chunk("last")])
            report = await base.examine()
            assert report.findings == []
        finally:
            await base.close()
        return sum(counts)

    assert asyncio.run(run()) > 50
