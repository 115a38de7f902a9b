"""L11: a repair while others write: nothing that follows from something else is wrong afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import pytest
from tests.faults import server_workers
from tests.faults.processes import talking
from tests.faults.server_workers import COLLECTION, opened, write

from sourcebook.model.search import Equals
from sourcebook.storage.maintenance.doctor import examine
from sourcebook.storage.maintenance.repair import Repairer
from sourcebook.storage.postgres import driver
from sourcebook.testing.crash import embedding_model, prepared_document, word_of

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.documents import EmbeddingModel

pytestmark = pytest.mark.anyio


async def no_embedder(model: EmbeddingModel) -> None:
    return None


async def repaired(base: OpenBase) -> None:
    await Repairer(base.database, 0, no_embedder).run()


async def test_a_repair_beside_writers_leaves_every_count_right(db: str) -> None:
    async with opened(db) as base, opened(db) as other:
        done = anyio.Event()

        async def keep_writing(first: int) -> None:
            for number in range(first, first + 8):
                for revision in range(2):
                    await write(base, number, revision)
                await base.stores.writer.remove_document(COLLECTION, prepared_document(number).document.id)
                await write(base, number, 2)

        async def make_collections() -> None:
            for number in range(4):
                await base.stores.library.open_collection(f"new{number}", embedding_model())
                await base.stores.writer.replace_document(f"new{number}", prepared_document(number))

        async def keep_repairing() -> None:
            while not done.is_set():
                await repaired(other)

        async with anyio.create_task_group() as group:
            group.start_soon(keep_repairing)
            async with anyio.create_task_group() as writers:
                writers.start_soon(make_collections)
                for first in (0, 100):
                    writers.start_soon(keep_writing, first)
            done.set()
        report = await examine(base.database, {})
        assert [finding.message for finding in report.findings] == []


async def test_what_an_earlier_version_let_filters_see_is_corrected(postgres_db: str) -> None:
    admin = await driver.connect(postgres_db, patience=120, settings={})
    async with opened(postgres_db) as base:
        scoped = replace(
            prepared_document(0).document, metadata={"chunk": {"a": 1}, "document": {"document": {"b": 2}}}
        )
        await base.stores.writer.replace_document(COLLECTION, replace(prepared_document(0), document=scoped))
        right = await admin.fetch("select facts::text from document_chunks order by id")
        for table in ("documents", "document_chunks"):
            await admin.execute(f'update {table} set facts = facts || \'{{"chunk.a": {{"n": [1]}}}}\'')  # noqa: S608
        found = await base.stores.fts.search(COLLECTION, word_of(0), 9, Equals("chunk.a", 1))
        assert found
        done, _ = await Repairer(base.database, 0, no_embedder).run()
        assert [(repair.code, repair.count) for repair in done] == [("correct_facts", 1)]
        assert await admin.fetch("select facts::text from document_chunks order by id") == right
        assert not await base.stores.fts.search(COLLECTION, word_of(0), 9, Equals("chunk.a", 1))
        done, _ = await Repairer(base.database, 0, no_embedder).run()
        assert done == []
    await admin.close()


async def test_what_a_writer_has_not_committed_yet_is_waited_for_before_anything_is_counted(
    postgres_db: str,
) -> None:
    admin = await driver.connect(postgres_db, patience=120, settings={})
    async with opened(postgres_db) as base, anyio.create_task_group() as group:
        await write(base, 0)
        # Wrong, so that the repair has something to correct, in a row that the writer has changed as well.
        await admin.execute("update terms set chunk_count = chunk_count + 90")
        with talking(server_workers.write_and_wait, postgres_db, 2) as (_, line):
            assert await anyio.to_thread.run_sync(line.recv) == "written"
            group.start_soon(repaired, base)
            while not await admin.fetchval(  # noqa: ASYNC110 - the server has no event for it
                "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
            ):
                await anyio.sleep(0.01)
            line.send("go on")
            assert await anyio.to_thread.run_sync(line.recv) == "committed"
    async with opened(postgres_db) as base:
        report = await examine(base.database, {})
    await admin.close()
    assert [finding.message for finding in report.findings] == []
