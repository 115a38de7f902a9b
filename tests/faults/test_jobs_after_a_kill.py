"""F12: a worker dies with its job in hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faults import workers
from tests.faults.bases import digest_of, opened
from tests.faults.processes import PATIENCE, talking

from sourcebook.model.documents import WriteOutcome
from sourcebook.model.jobs import JobStatus
from sourcebook.storage.crash_points import CrashPoint
from sourcebook.testing.crash import prepared_document

pytestmark = pytest.mark.anyio

LEASE = 60
KIND = "ingest"


@pytest.mark.parametrize("next_worker", ["worker-1", "worker-2"], ids=["same_worker", "other_worker"])
@pytest.mark.parametrize(
    "step", [None, CrashPoint.CHUNKS_WRITTEN, CrashPoint.COMMITTED], ids=["before", "in_the_middle", "after"]
)
async def test_the_job_of_a_killed_worker_is_done_again_and_makes_one_document(
    tmp_path: Path, step: CrashPoint | None, next_worker: str
) -> None:
    path = tmp_path / "base.db"
    async with opened(path) as base:
        jobs = base.stores.jobs
        queued = await jobs.enqueue(KIND, {"number": 0}, unique_key="note-0")
        with talking(workers.take_a_job, path, KIND, "worker-1", LEASE, step) as (process, line):
            first = line.recv()
            if step is None:
                process.kill()
            process.join(PATIENCE)
            assert process.exitcode not in (0, None)
        assert first.id == queued.id

        assert await jobs.sweep() == 0
        assert await jobs.claim([KIND], next_worker, LEASE) is None
        base.clock.wait(LEASE + 1)
        assert await jobs.sweep() == 1
        second = await jobs.claim([KIND], next_worker, LEASE)
        assert second is not None
        assert (second.id, second.attempts) == (queued.id, 2)

        report = await base.stores.writer.replace_document("default", prepared_document(0))
        expected = WriteOutcome.UNCHANGED if step is CrashPoint.COMMITTED else WriteOutcome.WRITTEN
        assert report.outcome is expected

        # The first worker, had it only been slow, has nothing to say any more.
        assert not await jobs.extend(first, LEASE)
        assert not await jobs.complete(first, {"by": "the first"})
        assert not await jobs.fail(first, "too late")
        assert await jobs.complete(second, {"by": "the second"})
        assert not await jobs.complete(second, {"by": "the second again"})

        done = await jobs.get(queued.id)
        assert done is not None
        assert (done.status, done.result) == (JobStatus.DONE, {"by": "the second"})
        assert await base.faults() == []
        finished = await base.digest()
    assert finished == await digest_of(tmp_path / "undisturbed.db", {0: 0})


async def test_a_job_whose_worker_dies_every_time_fails_in_the_end(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    async with opened(path) as base:
        jobs = base.stores.jobs
        queued = await jobs.enqueue(KIND, {"number": 0}, max_attempts=3)
        for attempt in range(1, 4):
            with talking(workers.take_a_job, path, KIND, "worker-1", LEASE, None, base.clock.now()) as (
                process,
                line,
            ):
                assert line.recv().attempts == attempt
                process.kill()
            base.clock.wait(LEASE + 1)
            assert await jobs.sweep() == 1
        failed = await jobs.get(queued.id)
        assert failed is not None
        assert failed.status is JobStatus.FAILED
        assert await jobs.claim([KIND], "worker-1", LEASE) is None


async def test_a_job_is_given_to_one_of_many_workers_that_ask_at_once(tmp_path: Path) -> None:
    from tests.faults.processes import all_at_once

    path = tmp_path / "base.db"
    async with opened(path) as base:
        for number in range(24):
            await base.stores.jobs.enqueue(KIND, {"number": number}, unique_key=f"note-{number}")
        codes = all_at_once(workers.work_off_jobs, [(path, KIND, f"worker-{n}") for n in range(4)])
        assert codes == [0] * 4
        done = [await base.stores.jobs.get(job_id) for job_id in range(1, 25)]
        assert all(job is not None and job.status is JobStatus.DONE and job.attempts == 1 for job in done)
        assert await base.folder() == dict.fromkeys(range(24), 0)
        assert await base.faults() == []
