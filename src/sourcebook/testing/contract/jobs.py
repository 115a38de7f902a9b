"""What every `Jobs` promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from sourcebook.model.jobs import Job, JobStatus

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.testing.fakes import FixedClock


@pytest.mark.anyio
class JobsContract:
    """Also needs a fixture `clock`: the `FixedClock` that the base was opened with."""

    async def test_a_job_is_claimed_once_and_in_order(self, base: OpenBase) -> None:
        jobs = base.stores.jobs
        for number in range(3):
            await jobs.enqueue("ingest", {"number": number})
        claimed = [await jobs.claim(["ingest"], "w") for _ in range(4)]
        assert [job.payload["number"] if job else None for job in claimed] == [0, 1, 2, None]

    async def test_only_wanted_kinds_are_claimed(self, base: OpenBase) -> None:
        await base.stores.jobs.enqueue("ingest", {})
        assert await base.stores.jobs.claim(["outbox"], "w") is None

    async def test_a_job_is_not_claimed_before_its_time(self, base: OpenBase, clock: FixedClock) -> None:
        await base.stores.jobs.enqueue("ingest", {}, run_at=clock.now() + 10)
        assert await base.stores.jobs.claim(["ingest"], "w") is None
        clock.wait(10)
        assert await base.stores.jobs.claim(["ingest"], "w") is not None

    async def test_a_unique_job_is_enqueued_once_while_it_lives(self, base: OpenBase) -> None:
        jobs = base.stores.jobs
        first = await jobs.enqueue("ingest", {"n": 1}, unique_key="file")
        assert (await jobs.enqueue("ingest", {"n": 2}, unique_key="file")).id == first.id
        assert (await jobs.enqueue("outbox", {}, unique_key="file")).id != first.id
        claimed = await jobs.claim(["ingest"], "w")
        assert claimed is not None
        assert await jobs.complete(claimed)
        assert (await jobs.enqueue("ingest", {"n": 3}, unique_key="file")).id != first.id

    async def test_a_completed_job_keeps_its_result(self, base: OpenBase) -> None:
        jobs = base.stores.jobs
        await jobs.enqueue("ingest", {})
        claimed = await jobs.claim(["ingest"], "w")
        assert claimed is not None
        assert await jobs.complete(claimed, {"документов": 3})
        done = await jobs.get(claimed.id)
        assert done is not None
        assert (done.status, done.result) == (JobStatus.DONE, {"документов": 3})
        assert not await jobs.complete(claimed)

    async def test_a_silent_worker_loses_its_job(self, base: OpenBase, clock: FixedClock) -> None:
        jobs = base.stores.jobs
        await jobs.enqueue("ingest", {})
        first = await jobs.claim(["ingest"], "same worker", lease_seconds=60)
        assert first is not None
        clock.wait(59)
        assert await jobs.sweep() == 0
        clock.wait(2)
        assert await jobs.sweep() == 1
        second = await jobs.claim(["ingest"], "same worker")
        assert second is not None
        assert (second.id, second.attempts) == (first.id, 2)
        assert not await jobs.extend(first)
        assert not await jobs.complete(first)
        assert not await jobs.fail(first, "late")
        assert await jobs.complete(second)

    async def test_a_worker_that_speaks_up_keeps_its_job(self, base: OpenBase, clock: FixedClock) -> None:
        jobs = base.stores.jobs
        await jobs.enqueue("ingest", {})
        job = await jobs.claim(["ingest"], "w", lease_seconds=60)
        assert job is not None
        for _ in range(5):
            clock.wait(50)
            assert await jobs.extend(job, 60)
            assert await jobs.sweep() == 0
        assert await jobs.complete(job)

    async def test_a_failed_job_comes_back_until_its_attempts_are_used_up(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        jobs = base.stores.jobs
        made = await jobs.enqueue("ingest", {}, max_attempts=2)
        for attempt in (1, 2):
            job = await jobs.claim(["ingest"], "w")
            assert job is not None
            assert job.attempts == attempt
            assert await jobs.fail(job, "provider down", retry_in=30)
            assert await jobs.claim(["ingest"], "w") is None
            clock.wait(30)
        failed = await jobs.get(made.id)
        assert failed is not None
        assert (failed.status, failed.error) == (JobStatus.FAILED, "provider down")

    async def test_a_job_that_kills_its_workers_ends_as_failed(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        jobs = base.stores.jobs
        made = await jobs.enqueue("ingest", {}, max_attempts=3)
        for _ in range(3):
            assert await jobs.claim(["ingest"], "w", lease_seconds=1) is not None
            clock.wait(2)
            assert await jobs.sweep() == 1
        assert await jobs.claim(["ingest"], "w") is None
        failed = await jobs.get(made.id)
        assert failed is not None
        assert failed.status is JobStatus.FAILED

    async def test_many_workers_never_share_a_job(self, base: OpenBase) -> None:
        jobs = base.stores.jobs
        for number in range(20):
            await jobs.enqueue("ingest", {"number": number})
        taken: list[Job] = []

        async def work(name: str) -> None:
            while (job := await jobs.claim(["ingest"], name)) is not None:
                taken.append(job)

        async with anyio.create_task_group() as workers:
            for number in range(8):
                workers.start_soon(work, f"w{number}")
        assert sorted(job.id for job in taken) == sorted({job.id for job in taken})
        assert len(taken) == 20

    async def test_jobs_are_listed_newest_first_by_collection_and_counted(self, base: OpenBase) -> None:
        jobs = base.stores.jobs
        ids = [(await jobs.enqueue("uploads", {"collection": name})).id for name in ("a", "b", "a", "c")]
        await jobs.enqueue("outbox", {})
        assert [job.id for job in await jobs.newest("uploads")] == ids[::-1]
        assert [job.id for job in await jobs.newest("uploads", limit=1, before=ids[2])] == [ids[1]]
        assert [job.id for job in await jobs.newest("uploads", collections=["a", "c"])] == [
            ids[3],
            ids[2],
            ids[0],
        ]
        assert await jobs.newest("uploads", collections=[]) == []
        assert await jobs.claim(["uploads"], "w") is not None
        assert await jobs.count() == {
            "uploads": {JobStatus.PENDING: 3, JobStatus.DOING: 1},
            "outbox": {JobStatus.PENDING: 1},
        }

    async def test_two_versions_of_a_file_are_never_worked_on_at_once(self, base: OpenBase) -> None:
        jobs = base.stores.jobs
        places = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x")]
        ids = [(await jobs.enqueue("uploads", {"collection": c, "path": p})).id for c, p in places]
        first, *others = [await jobs.claim(["uploads"], "w") for _ in places]
        assert first is not None
        assert [job and job.id for job in (first, *others)] == [ids[0], ids[2], ids[3], None]
        assert await jobs.fail(first, "provider down", retry_in=30)
        second = await jobs.claim(["uploads"], "w")
        assert second is not None
        assert second.id == ids[1]

    async def test_many_workers_take_the_versions_of_a_file_in_turn(self, base: OpenBase) -> None:
        jobs = base.stores.jobs
        for number in range(8):
            await jobs.enqueue("uploads", {"collection": "a", "path": "x", "number": number})
        taken: list[Job] = []

        async def work(name: str) -> None:
            if (job := await jobs.claim(["uploads"], name)) is not None:
                taken.append(job)

        async with anyio.create_task_group() as workers:
            for number in range(8):
                workers.start_soon(work, f"w{number}")
        assert [job.payload["number"] for job in taken] == [0]

    async def test_what_came_before_for_the_same_path_is_ended_and_nothing_else(self, base: OpenBase) -> None:
        jobs = base.stores.jobs
        places = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("a", "x"), ("a", "x")]
        ids = [(await jobs.enqueue("uploads", {"collection": c, "path": p})).id for c, p in places]
        other = await jobs.enqueue("outbox", {"collection": "a", "path": "x"})
        worked_on = await jobs.claim(["uploads"], "w")
        assert worked_on is not None
        assert await jobs.supersede("uploads", "a", "x", before=ids[4], result={"by": 4}) == 2
        assert await jobs.supersede("uploads", "a", "x", before=ids[4], result={"by": 5}) == 0
        found = [await jobs.get(number) for number in (*ids, other.id)]
        ended, waiting = (JobStatus.DONE, {"by": 4}), (JobStatus.PENDING, None)
        assert [(job.status, job.result) for job in found if job] == [ended, ended, *[waiting] * 5]
        # Whoever worked on it finds out, and cannot put it back.
        assert not await jobs.extend(worked_on)
        assert not await jobs.fail(worked_on, "late", retry_in=1)
        assert not await jobs.complete(worked_on)
