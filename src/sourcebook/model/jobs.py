"""Work that a worker does later."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from sourcebook.model.documents import JsonValue, Metadata


class JobStatus(StrEnum):
    PENDING = "pending"
    DOING = "doing"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work. `attempts` also fences: a worker whose lease expired cannot finish another's attempt."""

    id: int
    kind: str
    payload: Metadata = field(default_factory=dict[str, JsonValue])
    status: JobStatus = JobStatus.PENDING
    attempts: int = 0
    max_attempts: int = 5
    worker: str | None = None
    lease_until: int | None = None
    run_at: int = 0
    unique_key: str | None = None
    result: Metadata | None = None
    error: str | None = None
