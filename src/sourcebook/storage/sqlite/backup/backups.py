"""Backups of a base in a file, for code that awaits."""

from __future__ import annotations

import shutil
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.storage.progress import StagedProgress
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.backup import backup_format, restore
from sourcebook.storage.sqlite.backup.writer import SHARES, BackupWriter
from sourcebook.storage.sqlite.base_files import link_or_copy, stored_files_of
from sourcebook.storage.temporary_folders import make_private_folder

if TYPE_CHECKING:
    from sourcebook.model.backup import BackupReport, OnExisting, RestoreReport
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.progress import OnProgress


class SqliteBackups:
    """Writes backups of one base, and puts one in its place. Whoever cancels waits until nothing is left behind."""

    def __init__(self, base: Path, clock: Clock, program: str, files: Path | None = None) -> None:
        """`files` is the folder of uploads, if it is not the one beside the base. Other bases may use it, too."""
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
            former = None if report.former is None else Path(report.former)
            await anyio.to_thread.run_sync(_move_files, self._base, self._files, former)
        return report


def _move_files(base: Path, shared: Path, former: Path | None) -> None:
    """Put uploads where the settings want them. Their names say what they hold, so one that is there is the same.

    A former base that kept its uploads in the same place has them beside it from now on.
    """
    restored, wanted = stored_files_of(base), _folder_of(base, shared)
    if former is not None and _folder_of(former, shared) == wanted:
        for path in _files_in(wanted):
            place = stored_files_of(former) / path.relative_to(wanted)
            make_private_folder(place.parent)
            with suppress(FileExistsError):
                link_or_copy(path, place)
    for path in _files_in(restored):
        place = wanted / path.relative_to(restored)
        make_private_folder(place.parent)
        shutil.move(path, place)
    shutil.rmtree(restored, ignore_errors=True)


def _folder_of(base: Path, shared: Path) -> Path:
    with driver.translated(), closing(driver.connect_to_read(base)) as connection:
        return backup_format.upload_folder_of(base, shared, connection).own


def _files_in(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]
