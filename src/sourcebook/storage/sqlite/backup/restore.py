"""Putting a backup in the place of a base: verified first, and the former base kept."""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import BackupDamaged, BaseDamaged, Conflict, NotASourcebook, PathNotFound
from sourcebook.model.backup import OnExisting, RestoreReport
from sourcebook.ports.disk_errors import named
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.migrate import pending, read_migrations
from sourcebook.storage.sqlite import base_files, driver, tables
from sourcebook.storage.sqlite.backup import backup_format
from sourcebook.storage.sqlite.backup.install import install
from sourcebook.storage.sqlite.migrate import applied_migrations, bring_up_to_date
from sourcebook.storage.temporary_folders import (
    make_private_file,
    make_private_folder,
    remove_tree,
    temporary_folder,
)

if TYPE_CHECKING:
    from sourcebook.storage.progress import StagedProgress
    from sourcebook.storage.sqlite.driver import Connection

VERIFYING, COPYING, CHECKING, INSTALLING = (
    "verifying the backup",
    "copying",
    "verifying the copy",
    "installing",
)
SHARES = {VERIFYING: 30, COPYING: 15, CHECKING: 30, INSTALLING: 25}
KEPT_AS = "before-restore"


@dataclass(frozen=True, slots=True)
class Restorer:
    """One restore. It works in a worker thread."""

    source: Path
    base: Path
    now: int
    stages: StagedProgress
    busy_timeout: float = 5.0

    def run(self, on_existing: OnExisting) -> RestoreReport:
        """Verify the backup, then put it in the place of the base. On any error the base stays as it is."""
        self._require_places(on_existing)
        base = self.base.resolve()
        with named(f"cannot restore {base}"):
            make_private_folder(base.parent)
            with temporary_folder(base, "restoring") as folder:
                complete = folder / base.name
                record, digest = self._prepare(complete)
                counts = _counts(complete)
                reached(CrashPoint.RESTORE_PREPARED)
                stored = self._uploads(base) if record is None else list(record.files)
                before = self._put_files(base, record, stored)
                reached(CrashPoint.RESTORE_FILES_PUT)
                former = install(
                    complete,
                    base,
                    f"{KEPT_AS}-{_stamp(self.now)}",
                    partial(self.stages.at, INSTALLING),
                    self.busy_timeout,
                )
            _put_files_in_order(base, former, before, None if record is None else stored)
            remove_tree(base_files.derived_files_of(base))
        return RestoreReport(
            base=str(self.base),
            digest=digest,
            former=None if former is None else str(former),
            counts=counts,
            stored_files=len(stored),
        )

    def _require_places(self, on_existing: OnExisting) -> None:
        if not self.source.is_file():
            raise PathNotFound(f"There is no backup {str(self.source)!r}.")
        if not self.base.exists():
            return
        if self.source.samefile(self.base):
            raise Conflict(f"{self.source} is the base itself", hint="Give the backup to restore.")
        if on_existing is OnExisting.REFUSE:
            raise Conflict(
                f"The base {self.base} already exists",
                hint="Add `--force` to replace it; the old base is then kept under another name.",
            )

    def _prepare(self, complete: Path) -> tuple[backup_format.BackupRecord | None, str]:
        """A verified copy of the backup beside the base, which is the base from then on."""
        make_private_file(complete)
        try:
            with driver.translated(), closing(driver.connect_to_read(self.source)) as source:
                source.execute("begin")
                require_base(source, self.source)
                record = backup_format.record_of(source)
                digest = backup_format.require_intact(source, record, partial(self.stages.at, VERIFYING))
                with closing(driver.connect_alone(complete)) as copy:
                    self._copy(source, copy)
            with driver.translated(), closing(driver.connect_to_read(complete)) as copy:
                rows = tables.row_count(copy)
                if tables.digest_of(copy, self.stages.counting(CHECKING, rows)) != digest:
                    raise BackupDamaged("The copy differs from the backup")
        except (BaseDamaged, NotASourcebook) as error:
            raise BackupDamaged(f"{self.source} is not an intact backup: {error.message}") from error
        driver.sync_file(complete)
        return record, digest

    def _copy(self, source: Connection, copy: Connection) -> None:
        with closing(driver.copy_pages(source, copy)) as steps:
            for done, total in steps:
                self.stages.at(COPYING, done, total)
        driver.make_one_file(copy)
        has_files = backup_format.holds_files(copy)
        backup_format.unseal(copy)
        if has_files:
            copy.execute("vacuum")

    def _uploads(self, base: Path) -> list[str]:
        """The uploads of a base that serves as a backup. Its file is not the whole of it, so they must be at hand."""
        with driver.translated(), closing(driver.connect_to_read(self.source)) as source:
            names = backup_format.uploads_named_in(source)
        folders = base_files.stored_files_of(self.source), base_files.stored_files_of(base)
        missing = [name for name in names if not any((folder / name).is_file() for folder in folders)]
        if missing:
            raise BackupDamaged(
                f"{self.source} is not a backup but a base, and {len(missing)} of its uploads are not beside it",
                hint=f"Put its folder {folders[0].name} beside it, or restore what `sourcebook backup` wrote.",
            )
        return names

    def _put_files(
        self, base: Path, record: backup_format.BackupRecord | None, stored: list[str]
    ) -> set[str]:
        """Put the uploads of the backup beside those of the base. The names that were there before."""
        folder, own = base_files.stored_files_of(base), base_files.stored_files_of(self.source)
        before = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
        with driver.translated(), closing(driver.connect_to_read(self.source)) as source:
            for name in stored:
                target = folder / name
                if not target.resolve().is_relative_to(folder.resolve()):
                    raise BackupDamaged(f"The stored file {name!r} of the backup would be outside its folder")
                if record is not None:
                    if not target.is_file() or _hash_of(target) != record.files[name]:
                        _write_file(backup_format.pieces_of(source, name), target)
                elif (own / name).is_file() and not target.is_file():
                    _write_file([(own / name).read_bytes()], target)
        return before


def require_base(connection: Connection, path: Path) -> None:
    """Refuse what is not a base of ours, or has tables, views or triggers that no migration made."""
    known = read_migrations(files("sourcebook.storage.sqlite") / "migrations")
    applied = applied_migrations(connection)
    pending(known, applied)
    if not applied:
        raise NotASourcebook(f"{path} is not a Sourcebook base")
    with closing(driver.connect(Path(":memory:"), busy_timeout=0)) as fresh:
        bring_up_to_date(fresh, path, known[: max(m.version for m in applied)])
        expected = _declared(fresh)
    unknown = _declared(connection) - expected - {("table", name) for name in tables.BACKUP_TABLES}
    if unknown:
        raise NotASourcebook(f"{path} holds what no base holds, for example {min(unknown)}")
    if missing := expected - _declared(connection):
        raise BaseDamaged(f"{path} lacks {min(missing)}")


def _declared(connection: Connection) -> set[tuple[str, str]]:
    rows = connection.execute("select type, name from sqlite_schema where name not like 'sqlite_%'")
    return {(str(kind), str(name)) for kind, name in rows}


def _write_file(pieces: Iterable[bytes], target: Path) -> None:
    """Whole or not at all; what has the name already stays until then."""
    make_private_folder(target.parent)
    unfinished = target.with_name(f"{secrets.token_hex(16)}.unfinished")
    make_private_file(unfinished)
    try:
        with unfinished.open("r+b") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    driver.sync_folder(target.parent)


def _put_files_in_order(base: Path, former: Path | None, before: set[str], stored: list[str] | None) -> None:
    """Give the former base its uploads, and leave the new one only its own. What fails here, `doctor` finds."""
    folder = base_files.stored_files_of(base)
    kept = None if former is None else base_files.stored_files_of(former)
    for name in before:
        with suppress(OSError):
            if kept is not None:
                make_private_folder((kept / name).parent)
                base_files.link_or_copy(folder / name, kept / name)
            # What a base that is no backup had besides, for example for a job that waits, is not known.
            if stored is not None and name not in stored:
                (folder / name).unlink()


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _counts(complete: Path) -> dict[str, int]:
    with driver.translated(), closing(driver.connect_to_read(complete)) as connection:
        return tables.counts_of(connection)


def _stamp(now: int) -> str:
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
