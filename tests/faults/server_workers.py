"""What the processes of the tests with a server do. Each function is the whole life of one of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import anyio
from tests.faults.reindexers import new_embedder, reindexed

from sourcebook.assembly import OpenBase, open_base
from sourcebook.settings import Settings
from sourcebook.storage.crash_points import CrashPoint, observe
from sourcebook.testing.crash import arm, embedding_model, prepared_document
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from tests.faults.processes import Line

    from sourcebook.model.documents import WriteReport

COLLECTION = "default"


@asynccontextmanager
async def opened(
    address: str, *, busy_timeout: float = 30.0, clock: FixedClock | None = None
) -> AsyncGenerator[OpenBase]:
    base = await open_base(Settings(db=address, busy_timeout=busy_timeout), clock or FixedClock())
    try:
        await base.stores.library.open_collection(COLLECTION, embedding_model())
        yield base
    finally:
        await base.close()


@asynccontextmanager
async def opened_as_it_is(address: str) -> AsyncGenerator[OpenBase]:
    """The base, whatever the model of its collection."""
    base = await open_base(Settings(db=address), FixedClock())
    try:
        yield base
    finally:
        await base.close()


async def write(base: OpenBase, number: int, revision: int = 0) -> WriteReport:
    """Write the document in the place of whatever the base holds of it."""
    prepared = prepared_document(number, revision)
    held = await base.stores.library.get_document(COLLECTION, prepared.document.id)
    expected = held.file_hash if held else None
    return await base.stores.writer.replace_document(COLLECTION, replace(prepared, expected_hash=expected))


async def numbers_in(base: OpenBase) -> set[int]:
    """The numbers of the documents that are there, each with exactly the chunks that belong to it."""
    found: set[int] = set()
    for document in await base.stores.library.list_documents(COLLECTION):
        number, revision = (cast("int", document.metadata[key]) for key in ("number", "revision"))
        held = await base.stores.vectors.get_by_document(COLLECTION, document.id)
        expected = prepared_document(number, revision).chunks
        assert [c.chunk.id for c in held] == [c.chunk.id for c in expected]
        assert all(c.embedding is not None for c in held)
        found.add(number)
    return found


def write_and_wait(line: Line, address: str, number: int) -> None:
    """Write a document, and wait before it is committed until somebody says so."""

    async def work() -> None:
        async with opened(address) as base:

            def wait(step: CrashPoint) -> None:
                if step is CrashPoint.BEFORE_COMMIT:
                    observe(None)
                    line.send("written")
                    line.recv()

            observe(wait)
            await write(base, number)
        line.send("committed")

    anyio.run(work)


def stop_update_at(step: CrashPoint, address: str, number: int, revision: int) -> None:
    """Write a document up to a step."""

    async def work() -> None:
        async with opened(address) as base:
            arm(step)
            await write(base, number, revision)

    anyio.run(work)


def stop_reindex_at(step: CrashPoint, address: str) -> None:
    """Change the model up to a step."""

    async def work() -> None:
        async with opened_as_it_is(address) as base:
            arm(step)
            await reindexed(base, new_embedder())

    anyio.run(work)


def write_all(address: str, numbers: Sequence[int]) -> None:
    """Write documents of which others write the same at the same time."""

    async def work() -> None:
        async with opened(address) as base:
            for number in numbers:
                await base.stores.writer.replace_document(COLLECTION, prepared_document(number))

    anyio.run(work)


def follow(line: Line, address: str, count: int) -> None:
    """Write documents one by one, and acknowledge each after it was committed."""

    async def work() -> None:
        async with opened(address) as base:
            for number in range(count):
                await write(base, number)
                line.send(number)

    anyio.run(work)


def work_off_jobs(line: Line, address: str, kind: str, worker: str, stops_after: int | None) -> None:
    """Do jobs until there are none; or take one more after so many, say so, and wait to be killed."""

    async def work() -> None:
        done = 0
        async with opened(address) as base:
            while (job := await base.stores.jobs.claim([kind], worker)) is not None:
                if done == stops_after:
                    line.send(job.id)
                    await anyio.sleep(60)
                await write(base, cast("int", job.payload["number"]))
                assert await base.stores.jobs.complete(job)
                done += 1
        line.send("done")

    anyio.run(work)
