"""F02 on a server: a process stops at every step of an update and of a change of the model, and another goes on."""

from __future__ import annotations

import pytest
from tests.faults import server_workers
from tests.faults.processes import exit_code_of
from tests.faults.reindexers import NEW, OLD, add_curated, new_embedder, reindexed, require_serving
from tests.faults.server_workers import COLLECTION, opened, opened_as_it_is, write

from sourcebook.storage.crash_points import CrashPoint
from sourcebook.storage.maintenance.base_checksum import base_checksum
from sourcebook.storage.maintenance.doctor import examine
from sourcebook.testing.crash import CRASHED, REINDEX_STEPS, WRITE_STEPS, prepared_document

pytestmark = pytest.mark.anyio

NUMBERS = (0, 1, 2)
STEPS_OF_A_CHANGE = tuple(step for step in REINDEX_STEPS if step is not CrashPoint.REINDEX_WORDS_WRITTEN)


async def filled(address: str) -> None:
    async with opened(address) as base:
        for number in NUMBERS:
            await write(base, number)


@pytest.mark.parametrize("step", WRITE_STEPS)
async def test_a_process_that_stops_at_a_step_of_an_update_leaves_the_old_state_or_the_new(
    postgres_db: str, step: CrashPoint
) -> None:
    await filled(postgres_db)

    assert exit_code_of(server_workers.stop_update_at, step, postgres_db, 1, 1) == CRASHED

    async with opened(postgres_db) as base:
        assert (await examine(base.database, {})).findings == []
        wanted = prepared_document(1, 1 if step is CrashPoint.COMMITTED else 0)
        held = await base.stores.vectors.get_by_document(COLLECTION, wanted.document.id)
        assert [c.chunk.content for c in held] == [c.chunk.content for c in wanted.chunks]
        await write(base, 1, 1)
        finished = await base_checksum(base.database)
        await write(base, 1, 0)
        await write(base, 1, 1)
        assert await base_checksum(base.database) == finished
        assert (await examine(base.database, {})).findings == []


@pytest.mark.parametrize("step", STEPS_OF_A_CHANGE)
async def test_a_process_that_stops_at_a_step_of_a_reindex_leaves_a_base_that_serves_and_is_gone_on_with(
    postgres_db: str, step: CrashPoint
) -> None:
    await filled(postgres_db)
    async with opened_as_it_is(postgres_db) as base:
        await add_curated(base)

    assert exit_code_of(server_workers.stop_reindex_at, step, postgres_db) == CRASHED

    async with opened_as_it_is(postgres_db) as base:
        size = await require_serving(base, NUMBERS)
        assert size == (NEW if step is CrashPoint.REINDEX_OLD_REMOVED else OLD) or (
            step is CrashPoint.REINDEX_CURATED_WRITTEN
        )
        await reindexed(base, new_embedder())
        assert await require_serving(base, NUMBERS) == NEW
