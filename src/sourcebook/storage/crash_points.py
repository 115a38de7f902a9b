"""The named moments of a write, at which tests stop the process. No effect otherwise."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class CrashPoint(StrEnum):
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
    BACKUP_BEGUN = "backup_begun"
    BACKUP_COPIED = "backup_copied"
    BACKUP_SEALED = "backup_sealed"
    BACKUP_VERIFIED = "backup_verified"
    BACKUP_NAMED = "backup_named"
    RESTORE_PREPARED = "restore_prepared"
    RESTORE_FILES_PUT = "restore_files_put"
    RESTORE_FORMER_KEPT = "restore_former_kept"
    RESTORE_OVERWRITING = "restore_overwriting"
    RESTORE_INSTALLED = "restore_installed"
    REINDEX_BEGUN = "reindex_begun"
    REINDEX_VECTORS_WRITTEN = "reindex_vectors_written"
    REINDEX_CURATED_WRITTEN = "reindex_curated_written"
    REINDEX_SWITCHED = "reindex_switched"
    REINDEX_OLD_REMOVED = "reindex_old_removed"
    REINDEX_WORDS_WRITTEN = "reindex_words_written"


_observer: Callable[[CrashPoint], None] | None = None


def observe(observer: Callable[[CrashPoint], None] | None) -> None:
    """Let `observer` see every step of this process from now on."""
    global _observer
    _observer = observer


def reached(step: CrashPoint) -> None:
    if _observer is not None:
        _observer(step)
