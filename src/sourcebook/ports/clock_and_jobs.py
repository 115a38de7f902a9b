"""Time and jobs, behind doors so that tests can be exact."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sourcebook.model.documents import Metadata
    from sourcebook.model.jobs import Job, JobStatus


class Clock(Protocol):
    """Unix seconds. Order never depends on them: rows that need an order have a sequence."""

    def now(self) -> int: ...


class Claims(Protocol):
    """Who works on what, among processes that do the same work. A claim ends with the process that has it, too.

    Claims only save work: whatever is written is checked again when it is written.
    """

    async def take(self, key: str) -> bool:
        """Claim it. False: another process has it."""
        ...

    async def give_back(self, key: str) -> None: ...


@asynccontextmanager
async def alone() -> AsyncGenerator[Claims, None]:
    """Claims of one who knows of nobody else: they are all granted."""
    yield _Alone()


class _Alone:
    async def take(self, key: str) -> bool:
        return True

    async def give_back(self, key: str) -> None:
        return None


class Jobs(Protocol):
    """A queue with leases. A worker that dies loses its lease, and the job goes to another."""

    async def enqueue(
        self,
        kind: str,
        payload: Metadata,
        *,
        unique_key: str | None = None,
        run_at: int | None = None,
        max_attempts: int = 5,
    ) -> Job:
        """Add a job. While a job with the same `unique_key` waits or runs, that one is returned instead."""
        ...

    async def claim(self, kinds: Sequence[str], worker: str, lease_seconds: int = 60) -> Job | None:
        """The oldest job that is due, leased to this worker, or None.

        Jobs of one kind whose payloads name the same `path` of the same `collection` are never leased at once.
        """
        ...

    async def extend(self, job: Job, lease_seconds: int = 60) -> bool:
        """Keep the lease. False: it was lost, stop working on the job."""
        ...

    async def complete(self, job: Job, result: Metadata | None = None) -> bool:
        """Finish the job. False: the lease was lost and the result does not count."""
        ...

    async def fail(self, job: Job, error: str, *, retry_in: int | None = None) -> bool:
        """Give the job back after an error; without `retry_in`, or after the last attempt, for good."""
        ...

    async def supersede(self, kind: str, collection: str, path: str, *, before: int, result: Metadata) -> int:
        """End the jobs for a path that came before the one of this number and are not done. Returns how many."""
        ...

    async def sweep(self) -> int:
        """Give back the jobs whose lease ran out. Returns how many."""
        ...

    async def overdue(self, seconds: int, *, kind: str | None = None) -> int:
        """How many jobs, of this kind or of all, have been waiting for longer than this."""
        ...

    async def get(self, job_id: int) -> Job | None: ...

    async def newest(
        self,
        kind: str,
        *,
        collections: Sequence[str] | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[Job]:
        """The jobs of a kind, the newest first, before the one of this number; of these collections, or of all."""
        ...

    async def count(self) -> dict[str, dict[JobStatus, int]]:
        """How many jobs of each kind are in each state."""
        ...
