"""Putting a complete file in the place of a base, so that at any moment there is the old base or the new one.

While SQLite can still read the old file, it is overwritten in one transaction, under a lock that keeps everybody else
out: whoever waits for that lock finds the new base behind it, and not a file that has lost its name. Only a file that
SQLite does not recognise any more is replaced as a whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import BaseBusy, BaseDamaged, NotASourcebook
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.sqlite import base_files, driver
from sourcebook.storage.sqlite.migrate import refuse_foreign_file
from sourcebook.storage.sqlite.other_files import is_database, stands_alone
from sourcebook.storage.temporary_folders import keep_mode, make_private_file, temporary_folder

if TYPE_CHECKING:
    from sourcebook.storage.sqlite.driver import Connection

Advance = Callable[[int, int], None]

_PAGES_AT_ONCE = 64
_SMALLEST_PAGE = 512


def install(complete: Path, base: Path, keep_as: str, advance: Advance, busy_timeout: float) -> Path | None:
    """Make the file the base. The one that was there is kept under a name with `keep_as` in it, which is returned."""
    if not base.exists():
        _clear_sides(base, base)
        complete.replace(base)
        driver.sync_folder(base.parent)
        reached(CrashPoint.RESTORE_INSTALLED)
        return None
    _refuse_other_file(base)
    former = free_name(base, keep_as)
    try:
        with driver.translated(), _held(base, busy_timeout) as connection:
            refuse_foreign_file(connection, base)
            _keep_copy(connection, former)
            reached(CrashPoint.RESTORE_FORMER_KEPT)
            _overwrite(connection, complete, advance)
            # Nobody else has the base open, and what a killed process left here would speak of the former one.
            base_files.side(base, "-shm").unlink(missing_ok=True)
    except BaseDamaged:
        _replace(complete, base, former)
    reached(CrashPoint.RESTORE_INSTALLED)
    return former


def _refuse_other_file(base: Path) -> None:
    """A base that lost its first page is still a number of whole pages, or has its log or its files beside it.

    What has none of this, somebody wrote for another end.
    """
    if not is_database(base) and stands_alone(base) and base.stat().st_size % _SMALLEST_PAGE:
        raise NotASourcebook(
            f"{base} is not a base, but another file", hint="Name the base to restore with `--db`."
        )


def free_name(base: Path, keep_as: str) -> Path:
    """A name for the former base that nothing has yet."""
    for number in range(1, 1000):
        path = base.with_name(f"{base.name}.{keep_as}" + (f"-{number}" if number > 1 else ""))
        if not path.exists() and not base_files.stored_files_of(path).exists():
            return path
    raise BaseBusy(
        f"There are too many files called {base.name}.{keep_as}", hint="Remove the ones you do not need."
    )


@contextmanager
def _held(base: Path, busy_timeout: float) -> Generator[Connection]:
    """A connection beside which there is no other, in any process, until it is closed."""
    with closing(driver.connect(base, busy_timeout=0)) as connection:
        connection.execute("pragma locking_mode = exclusive").fetchall()
        deadline = time.monotonic() + busy_timeout
        while True:
            try:
                with driver.translated():
                    connection.execute("begin exclusive")
                    connection.execute("commit")
                break
            except BaseBusy as error:
                if time.monotonic() >= deadline:
                    raise BaseBusy(
                        f"Another process has {base} open",
                        hint="Stop everything that uses the base (`serve`, `bot`, `add --watch`), then try again. "
                        "Nothing was changed.",
                    ) from error
                time.sleep(0.1)
        yield connection


def _keep_copy(connection: Connection, former: Path) -> None:
    with temporary_folder(former, "unfinished") as folder:
        unfinished = folder / former.name
        make_private_file(unfinished)
        with closing(driver.connect_alone(unfinished)) as destination:
            for _ in driver.copy_pages(connection, destination):
                pass
            driver.make_one_file(destination)
        driver.sync_file(unfinished)
        base_files.name_it(unfinished, former)


def _overwrite(connection: Connection, complete: Path, advance: Advance) -> None:
    """All pages in one transaction: a process that dies in it leaves the former base."""
    with (
        closing(driver.connect_to_read(complete)) as source,
        closing(driver.copy_pages(source, connection, _PAGES_AT_ONCE)) as steps,
    ):
        for done, total in steps:
            reached(CrashPoint.RESTORE_OVERWRITING)
            advance(done, total)
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()


def _replace(complete: Path, base: Path, former: Path) -> None:
    """For a file that cannot be opened any more. It keeps its log, in case somebody can make something of them."""
    if not former.exists():
        base_files.link_or_copy(base, former)
    reached(CrashPoint.RESTORE_FORMER_KEPT)
    _clear_sides(base, former)
    keep_mode(base, complete)
    complete.replace(base)
    driver.sync_folder(base.parent)


def _clear_sides(base: Path, former: Path) -> None:
    """A log belongs to the file beside which it was written: beside another it would destroy that."""
    log = base_files.side(base, "-wal")
    if log.exists():
        log.replace(base_files.side(former, "-wal.lost" if former == base else "-wal"))
    for suffix in ("-shm", "-journal"):
        with suppress(OSError):
            base_files.side(base, suffix).unlink(missing_ok=True)
