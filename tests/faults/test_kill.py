"""F01: a worker is killed at random moments, again and again."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from tests.faults import workers
from tests.faults.bases import bring_to, digest_of, opened
from tests.faults.processes import heard, talking

pytestmark = pytest.mark.anyio

NUMBERS = range(16)
ONE_WRITE = 0.008
"""About as long as one document takes, in seconds."""


def next_folder(folder: dict[int, int], version: int, chance: random.Random) -> dict[int, int]:
    """The folder after somebody worked in it: some documents go, some come back, most change."""
    following: dict[int, int] = {}
    for number in NUMBERS:
        match chance.choices(["gone", "changed", "same"], [2, 6, 2])[0]:
            case "changed":
                following[number] = version
            case "same" if number in folder:
                following[number] = folder[number]
            case _:
                pass
    return following


def killed_on_the_way(path: Path, folder: dict[int, int], chance: random.Random) -> tuple[set[int], bool]:
    """Let a worker bring the base to the folder and kill it. What it acknowledged, and whether it was still at work."""
    with talking(workers.follow, path, folder) as (process, line):
        assert line.recv() == "ready"
        acknowledged: list[object] = []
        for _ in range(chance.randrange(len(NUMBERS))):
            acknowledged.append(line.recv())
            if acknowledged[-1] == "done":
                break
        time.sleep(chance.uniform(0, ONE_WRITE))
        process.kill()
        acknowledged += heard(line)
    return {number for number in acknowledged if isinstance(number, int)}, "done" not in acknowledged


@pytest.mark.parametrize("kills", [15, pytest.param(200, marks=pytest.mark.soak)])
async def test_a_killed_worker_leaves_no_half_document_and_loses_nothing_acknowledged(
    tmp_path: Path, kills: int
) -> None:
    chance = random.Random(kills)
    path = tmp_path / "base.db"
    before: dict[int, int] = {}
    at_work = 0
    while at_work < kills:
        folder = next_folder(before, at_work + 1, chance)
        acknowledged, was_at_work = killed_on_the_way(path, folder, chance)
        at_work += was_at_work
        async with opened(path) as base:
            assert await base.faults() == []
            found = await base.folder()
        for number in NUMBERS:
            allowed = (
                {folder.get(number)} if number in acknowledged else {before.get(number), folder.get(number)}
            )
            assert found.get(number) in allowed
        before = found

    folder = next_folder(before, kills + 1, chance)
    async with opened(path) as base:
        async for _ in bring_to(base, folder):
            pass
        assert await base.faults() == []
        finished = await base.digest()
    assert finished == await digest_of(tmp_path / "undisturbed.db", folder)
