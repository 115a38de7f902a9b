"""Backups of a base in a file, for code that awaits."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.storage.progress import StagedProgress
from sourcebook.storage.sqlite.backup import restore
from sourcebook.storage.sqlite.backup.writer import SHARES, BackupWriter

if TYPE_CHECKING:
    from sourcebook.model.backup import BackupReport, OnExisting, RestoreReport
    from sourcebook.ports.work import Clock
    from sourcebook.storage.progress import OnProgress


class SqliteBackups:
    """Writes backups of one base, and puts one in its place. Whoever cancels waits until nothing is left behind."""

    def __init__(self, base: Path, clock: Clock, program: str) -> None:
        self._base = base
        self._clock = clock
        self._program = program

    async def write(
        self, target: Path, on_existing: OnExisting, on_progress: OnProgress | None = None
    ) -> BackupReport:
        stages = StagedProgress(SHARES, on_progress)
        writer = BackupWriter(self._base, target, self._program, self._clock.now(), stages)
        return await anyio.to_thread.run_sync(partial(writer.run, on_existing))

    async def restore(
        self, source: Path, on_existing: OnExisting, on_progress: OnProgress | None = None
    ) -> RestoreReport:
        stages = StagedProgress(restore.SHARES, on_progress)
        restorer = restore.Restorer(source, self._base, self._clock.now(), stages)
        return await anyio.to_thread.run_sync(partial(restorer.run, on_existing))
