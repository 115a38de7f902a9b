"""The named moments of a write. Tests stop a process at each of them; in a running program nobody listens."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class Step(StrEnum):
    MIGRATION_COPIED = "migration_copied"
    MIGRATION_BEGUN = "migration_begun"
    MIGRATION_STATEMENT = "migration_statement"
    MIGRATION_RECORDED = "migration_recorded"
    MIGRATION_COMMITTED = "migration_committed"
    OLD_REMOVED = "old_removed"
    DOCUMENT_WRITTEN = "document_written"
    CHUNKS_WRITTEN = "chunks_written"
    VECTORS_WRITTEN = "vectors_written"
    WORDS_WRITTEN = "words_written"
    COUNTS_WRITTEN = "counts_written"
    CHANGE_LOGGED = "change_logged"
    BEFORE_COMMIT = "before_commit"
    COMMITTED = "committed"


_observer: Callable[[Step], None] | None = None


def observe(observer: Callable[[Step], None] | None) -> None:
    """Let `observer` see every step of this process from now on."""
    global _observer
    _observer = observer


def reached(step: Step) -> None:
    if _observer is not None:
        _observer(step)
