"""Backups of a base in a file, for code that awaits."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.storage.progress import StagedProgress
from sourcebook.storage.sqlite.backup import restore
from sourcebook.storage.sqlite.backup.writer import SHARES, BackupWriter
from sourcebook.storage.sqlite.base_files import stored_files_of

if TYPE_CHECKING:
    from sourcebook.model.backup import BackupReport, OnExisting, RestoreReport
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.progress import OnProgress


class SqliteBackups:
    """Writes backups of one base, and puts one in its place. Whoever cancels waits until nothing is left behind."""

    def __init__(self, base: Path, clock: Clock, program: str, files: Path | None = None) -> None:
        """`files` is the folder of uploads, if it is not the one beside the base."""
        self._base = base
        self._clock = clock
        self._program = program
        self._files = files

    async def write(
        self, target: Path, on_existing: OnExisting, on_progress: OnProgress | None = None
    ) -> BackupReport:
        stages = StagedProgress(SHARES, on_progress)
        writer = BackupWriter(self._base, target, self._program, self._clock.now(), stages, files=self._files)
        return await anyio.to_thread.run_sync(partial(writer.run, on_existing))

    async def restore(
        self, source: Path, on_existing: OnExisting, on_progress: OnProgress | None = None
    ) -> RestoreReport:
        stages = StagedProgress(restore.SHARES, on_progress)
        restorer = restore.Restorer(source, self._base, self._clock.now(), stages)
        report = await anyio.to_thread.run_sync(partial(restorer.run, on_existing))
        if self._files is not None:
            await anyio.to_thread.run_sync(_move_files, stored_files_of(self._base), self._files)
        return report


def _move_files(restored: Path, wanted: Path) -> None:
    """Put uploads where the settings want them. Their names say what they hold, so one that is there is the same."""
    for path in sorted(restored.rglob("*")):
        if path.is_file():
            place = wanted / path.relative_to(restored)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, place)
    shutil.rmtree(restored, ignore_errors=True)
