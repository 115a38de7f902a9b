"""Writing a backup: one state of a base, while others go on reading and writing it.

The file appears under its name when it is complete, on the disk, and verified: until then nothing has that name, or the
earlier backup has.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import BackupDamaged, BaseDamaged, BaseUnreachable, Conflict
from sourcebook.model.backup import BackupReport, OnExisting
from sourcebook.ports.disk_errors import named
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.sqlite import base_files, driver, tables
from sourcebook.storage.sqlite.backup import backup_format
from sourcebook.storage.sqlite.other_files import refuse_other_file
from sourcebook.storage.temporary_folders import (
    keep_mode,
    left_behind,
    make_private_file,
    make_private_folder,
    remove_leftover,
    temporary_folder,
)

if TYPE_CHECKING:
    from sourcebook.storage.progress import StagedProgress
    from sourcebook.storage.sqlite.driver import Connection

COPYING, READING, FILES, VERIFYING = "copying", "reading", "stored files", "verifying"
SHARES = {COPYING: 25, READING: 30, FILES: 10, VERIFYING: 35}


@dataclass(frozen=True, slots=True)
class BackupWriter:
    """One backup of a base. It works in a worker thread."""

    base: Path
    target: Path
    program: str
    now: int
    stages: StagedProgress
    busy_timeout: float = 30.0
    vfs: str | None = None
    """The file system that the backup is written to, as SQLite knows it."""
    files: Path | None = None
    """The folder of uploads, if it is not the one beside the base. Other bases may use it, too."""

    def run(self, on_existing: OnExisting) -> BackupReport:
        """Write the backup, verify it, and give it its name. On any error nothing is left of it."""
        if not self.base.is_file():
            raise BaseUnreachable(f"There is no base {str(self.base)!r}.", hint="Check the path in `--db`.")
        with named(f"cannot write {self.target}"):
            require_place(self.target, self.base, on_existing)
            make_private_folder(self.target.parent)
            for path in left_behind(self.target.parent, self.target.name):
                remove_leftover(path)
            with temporary_folder(self.target, "unfinished") as folder:
                unfinished = folder / self.target.name
                record = self._write(unfinished)
                self._verify(unfinished, record)
                size = unfinished.stat().st_size
                reached(CrashPoint.BACKUP_VERIFIED)
                self._give_name(unfinished, on_existing)
            reached(CrashPoint.BACKUP_NAMED)
            return BackupReport(
                path=str(self.target),
                size=size,
                digest=record.digest,
                counts=record.counts,
                stored_files=len(record.files),
            )

    def _write(self, unfinished: Path) -> backup_format.BackupRecord:
        make_private_file(unfinished)
        with driver.translated(), closing(driver.connect_alone(unfinished, vfs=self.vfs)) as destination:
            with self._snapshot() as source:
                reached(CrashPoint.BACKUP_BEGUN)
                with closing(driver.copy_pages(source, destination)) as steps:
                    for done, total in steps:
                        self.stages.at(COPYING, done, total)
                reached(CrashPoint.BACKUP_COPIED)
                rows = tables.row_count(source)
                digest = tables.digest_of(source, self.stages.counting(READING, rows))
                counts = tables.counts_of(source)
            driver.make_one_file(destination)
            backup_format.make_room(destination)
            uploads = backup_format.upload_folder_of(self.base, self.files, destination)
            files = backup_format.put_files(destination, uploads, partial(self.stages.at, FILES))
            record = backup_format.BackupRecord(digest, rows, self.program, self.now, counts, files)
            backup_format.seal(destination, record)
        driver.sync_file(unfinished)
        reached(CrashPoint.BACKUP_SEALED)
        return record

    @contextmanager
    def _snapshot(self) -> Generator[Connection]:
        """One state of the base, for as long as it is copied and read."""
        refuse_other_file(self.base)
        with closing(driver.connect(self.base, busy_timeout=self.busy_timeout, make=False)) as source:
            source.execute("pragma query_only = on")
            source.execute("begin")
            source.execute("select count(*) from sqlite_schema").fetchall()
            yield source

    def _verify(self, unfinished: Path, record: backup_format.BackupRecord) -> None:
        """Open what was written and see that it says of itself what the base said."""
        try:
            with driver.translated(), closing(driver.connect_to_read(unfinished)) as written:
                if backup_format.record_of(written) != record:
                    raise BackupDamaged("The record of the backup cannot be read back")
                backup_format.require_intact(written, record, partial(self.stages.at, VERIFYING))
        except BackupDamaged as error:
            raise BaseDamaged(
                f"The copy of {self.base} does not pass its check, so no backup was written: {error.message}",
                hint="Run `sourcebook doctor` to see whether the base or the backup's disk is damaged.",
            ) from error

    def _give_name(self, unfinished: Path, on_existing: OnExisting) -> None:
        # Writing may have taken long, and somebody may have put something there meanwhile.
        require_place(self.target, self.base, on_existing)
        if on_existing is OnExisting.REPLACE:
            keep_mode(self.target, unfinished)
            unfinished.replace(self.target)
            driver.sync_folder(self.target.parent)
            return
        try:
            base_files.name_it(unfinished, self.target)
        except FileExistsError as error:
            raise Conflict(f"{self.target} was created by another process in the meantime") from error


def require_place(target: Path, base: Path, on_existing: OnExisting) -> None:
    """Refuse to write over the base or what belongs to it, over anything unknown, or over a backup without consent."""
    if _belongs_to(target, base):
        raise Conflict(
            f"{target} belongs to the base itself",
            hint="Choose another file, preferably on another disk. Nothing was written.",
        )
    if not target.exists() and not target.is_symlink():
        return
    if on_existing is OnExisting.REFUSE:
        raise Conflict(
            f"{target} already exists", hint="Choose another file, or add `--force` to replace a backup."
        )
    if not target.is_file() or not backup_format.is_backup(target):
        raise Conflict(
            f"{target} exists and is not a backup",
            hint="Choose a file that does not exist. Nothing was written.",
        )


def _belongs_to(target: Path, base: Path) -> bool:
    if target.exists() and base.exists() and target.samefile(base):
        return True
    place, own = target.resolve(), base.resolve()
    files = {own, *(base_files.side(own, suffix) for suffix in base_files.SIDES)}
    folders = (base_files.stored_files_of(own), base_files.derived_files_of(own))
    return place in files or any(place.is_relative_to(folder) for folder in folders)
