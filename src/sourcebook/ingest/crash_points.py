"""The named moments of an `add` outside the base, at which tests stop the process. No effect otherwise."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class IngestCrashPoint(StrEnum):
    PARSED = "parsed"
    CHUNKED = "chunked"
    EMBEDDED = "embedded"
    ACKNOWLEDGED = "acknowledged"
    FILE_WRITTEN = "file_written"
    FILE_MOVED = "file_moved"
    UPLOAD_QUEUED = "upload_queued"


_observer: Callable[[IngestCrashPoint], None] | None = None


def observe(observer: Callable[[IngestCrashPoint], None] | None) -> None:
    """Let `observer` see every step of this process from now on."""
    global _observer
    _observer = observer


def reached(step: IngestCrashPoint) -> None:
    if _observer is not None:
        _observer(step)
