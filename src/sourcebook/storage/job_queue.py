"""A queue in the base itself: the contract of `ports.work.Jobs`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.model.jobs import Job, JobStatus
from sourcebook.storage.argument_checks import metadata_text, require_storable

if TYPE_CHECKING:
    from sourcebook.model.documents import Metadata
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Row


class SqlJobs:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def enqueue(
        self,
        kind: str,
        payload: Metadata,
        *,
        unique_key: str | None = None,
        run_at: int | None = None,
        max_attempts: int = 5,
    ) -> Job:
        require_storable(f"the job {kind!r}", kind, unique_key)
        now = self._clock.now()
        row: Row | None = None
        # The job that was in the way may end before it is read: then there is room for this one.
        while row is None:
            async with self._database.transaction() as transaction:
                row = await transaction.fetch_one(
                    "insert_job",
                    kind=kind,
                    payload=metadata_text(payload, f"the job {kind!r}"),
                    unique_key=unique_key,
                    run_at=now if run_at is None else run_at,
                    max_attempts=max_attempts,
                    now=now,
                ) or await transaction.fetch_one("live_job", kind=kind, unique_key=unique_key)
        return _job(row)

    async def claim(self, kinds: Sequence[str], worker: str, lease_seconds: int = 60) -> Job | None:
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            await transaction.execute("take_turn_to_claim")
            row = await transaction.fetch_one(
                "claim_job", kinds=list(kinds), worker=worker, lease_until=now + lease_seconds, now=now
            )
        return None if row is None else _job(row)

    async def extend(self, job: Job, lease_seconds: int = 60) -> bool:
        now = self._clock.now()
        changed = await self._database.execute(
            "extend_job", job_id=job.id, attempt=job.attempts, lease_until=now + lease_seconds, now=now
        )
        return changed == 1

    async def complete(self, job: Job, result: Metadata | None = None) -> bool:
        text = None if result is None else metadata_text(result, f"the result of the job {job.kind!r}")
        changed = await self._database.execute(
            "complete_job", job_id=job.id, attempt=job.attempts, result=text, now=self._clock.now()
        )
        return changed == 1

    async def fail(self, job: Job, error: str, *, retry_in: int | None = None) -> bool:
        require_storable(f"the error of the job {job.kind!r}", error)
        now = self._clock.now()
        changed = await self._database.execute(
            "fail_job",
            job_id=job.id,
            attempt=job.attempts,
            error=error,
            retry_at=None if retry_in is None else now + retry_in,
            now=now,
        )
        return changed == 1

    async def supersede(self, kind: str, collection: str, path: str, *, before: int, result: Metadata) -> int:
        return await self._database.execute(
            "supersede_jobs",
            kind=kind,
            collection=collection,
            path=path,
            before=before,
            result=metadata_text(result, f"the result of the job {kind!r}"),
            now=self._clock.now(),
        )

    async def sweep(self) -> int:
        return await self._database.execute("sweep_jobs", now=self._clock.now())

    async def overdue(self, seconds: int, *, kind: str | None = None) -> int:
        row = await self._database.fetch_one("overdue_jobs", before=self._clock.now() - seconds, kind=kind)
        return 0 if row is None else row["jobs"]

    async def get(self, job_id: int) -> Job | None:
        row = await self._database.fetch_one("job_by_id", job_id=job_id)
        return None if row is None else _job(row)

    async def newest(
        self,
        kind: str,
        *,
        collections: Sequence[str] | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[Job]:
        rows = await self._database.fetch(
            "newest_jobs",
            kind=kind,
            collections=None if collections is None else list(collections),
            before=before,
            limit=limit,
        )
        return [_job(row) for row in rows]

    async def count(self) -> dict[str, dict[JobStatus, int]]:
        counted: dict[str, dict[JobStatus, int]] = {}
        for row in await self._database.fetch("job_counts"):
            counted.setdefault(row["kind"], {})[JobStatus(row["status"])] = row["jobs"]
        return counted


def _job(row: Row) -> Job:
    return Job(
        id=row["id"],
        kind=row["kind"],
        payload=json.loads(row["payload"]),
        status=JobStatus(row["status"]),
        attempts=row["attempts"],
        max_attempts=row["max_attempts"],
        worker=row["worker"],
        lease_until=row["lease_until"],
        run_at=row["run_at"],
        unique_key=row["unique_key"],
        result=None if row["result"] is None else json.loads(row["result"]),
        error=row["error"],
    )
