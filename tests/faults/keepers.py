"""What the processes of the backup tests do, and files as those tests handle them."""

from __future__ import annotations

import os
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from tests.faults.bases import opened
from tests.faults.processes import heard

from sourcebook import AsyncSourcebook, Settings
from sourcebook.model.backup import OnExisting
from sourcebook.storage.crash_points import CrashPoint, observe
from sourcebook.storage.sqlite import driver, tables
from sourcebook.storage.sqlite.backup.backups import SqliteBackups
from sourcebook.testing.crash import arm, prepared_document
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from tests.faults.processes import Line

    from sourcebook.model.backup import BackupReport, RestoreReport


def backups_of(base: Path) -> SqliteBackups:
    return SqliteBackups(base, FixedClock(), "test")


async def back_up(base: Path, target: Path, on_existing: OnExisting = OnExisting.REFUSE) -> BackupReport:
    return await backups_of(base).write(target, on_existing)


async def restore(source: Path, base: Path, on_existing: OnExisting = OnExisting.REPLACE) -> RestoreReport:
    return await backups_of(base).restore(source, on_existing)


def digest_of_rows(path: Path) -> str:
    """Every row of every table of a base or of a backup."""
    with driver.translated(), closing(driver.connect(path, busy_timeout=5)) as connection:
        return tables.digest_of(connection, lambda more: None)


def without_sides(path: Path) -> Path:
    """The file, alone."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return path


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


def end(process: BaseProcess, line: Line, after: float) -> None:
    """Kill a process after so many seconds, whatever it is doing then."""
    time.sleep(after)
    process.kill()
    heard(line)


# Whole lives of processes


def back_up_and_stop_at(step: CrashPoint, base: Path, target: Path, on_existing: OnExisting) -> None:
    arm(step)
    anyio.run(back_up, base, target, on_existing)


def restore_and_stop_at(step: CrashPoint, source: Path, base: Path) -> None:
    arm(step)
    anyio.run(restore, source, base)


def back_up_and_wait(line: Line, base: Path, target: Path) -> None:
    """Begin a backup, with a process id that means nothing outside, and stay there."""
    os.getpid = lambda: 999_999_999

    def wait(step: CrashPoint) -> None:
        if step is CrashPoint.BACKUP_SEALED:
            line.send("sealed")
            line.recv()

    observe(wait)
    anyio.run(back_up, base, target)


def back_up_again_and_again(line: Line, base: Path, target: Path) -> None:
    """Replace a backup until somebody ends this."""
    line.send("ready")
    for _ in count():
        anyio.run(back_up, base, target, OnExisting.REPLACE)
        line.send("done")


def restore_again_and_again(line: Line, sources: list[Path], base: Path) -> None:
    """Restore one backup after the other."""
    line.send("ready")
    for number in count():
        anyio.run(restore, sources[number % len(sources)], base)
        line.send("done")


def keep_open(line: Line, base: Path) -> None:
    """Have the base open until told otherwise."""

    async def work() -> None:
        async with opened(base):
            line.send("open")
            line.recv()

    anyio.run(work)


def write_on(line: Line, base: Path) -> None:
    """Write one document after the other, and acknowledge each."""

    async def work() -> None:
        async with opened(base) as book:
            for number in range(100_000):
                await book.write(prepared_document(number))
                line.send(number)

    anyio.run(work)


def write_and_die(base: Path, documents: int) -> None:
    """Write documents, and leave the log as a process that was killed leaves it."""

    async def work() -> None:
        async with opened(base) as book:
            for number in range(documents):
                await book.write(prepared_document(number))
            os._exit(9)

    anyio.run(work)


def export(line: Line, base: Path, target: Path) -> None:
    """Write a bundle."""

    async def work() -> None:
        async with AsyncSourcebook(settings=Settings(db=str(base), embedder="none")) as book:
            line.send("ready")
            await book.export(target)

    anyio.run(work)


async def digest_of_import(bundle: Path, base: Path) -> str:
    async with AsyncSourcebook(settings=Settings(db=str(base), embedder="none")) as book:
        await book.import_bundle(bundle)
    async with opened(base) as made:
        return await made.digest()
