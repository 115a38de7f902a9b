"""Making a new base of what can be read of a damaged one."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import anyio.to_thread

from sourcebook.errors import StorageError
from sourcebook.model.health import Finding, Repair
from sourcebook.storage.progress import StagedProgress
from sourcebook.storage.sqlite import base_files, driver, tables
from sourcebook.storage.sqlite.backup.install import install
from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.storage.sqlite.doctor_file_checks import lost_findings
from sourcebook.storage.sqlite.other_files import refuse_other_file
from sourcebook.storage.sqlite.salvage import rescue
from sourcebook.storage.temporary_folders import remove_tree, temporary_folder

if TYPE_CHECKING:
    from sourcebook.storage.database import Database
    from sourcebook.storage.progress import OnProgress

Outcome: TypeAlias = tuple[list[Repair], list[Finding]]
Mend: TypeAlias = Callable[["Database"], Awaitable[Outcome]]

SAVING, INSTALLING = "saving what can be read", "installing"


async def is_damaged(base: Path) -> bool:
    """Whether the file itself is damaged, so that mending its rows would not help."""
    return await anyio.to_thread.run_sync(_is_damaged, base)


async def rebuild(base: Path, mend: Mend, now: int, on_progress: OnProgress | None = None) -> Outcome:
    """Save what can be read into a new file, have it mended, and put it in the place of the base, which is kept.

    What was done, and what is lost. Nobody may have the base open.
    """
    base = await anyio.to_thread.run_sync(base.resolve)
    kept_as = f"damaged-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}"
    with temporary_folder(base, "rebuilt") as folder:
        complete = folder / base.name
        stages = StagedProgress({SAVING: 100}, on_progress)
        lost = await anyio.to_thread.run_sync(
            partial(rescue.save, base, complete, partial(stages.at, SAVING))
        )
        database = await SqliteDatabase.open(complete)
        try:
            repairs, findings = await mend(database)
        finally:
            await database.close()
        stages = StagedProgress({INSTALLING: 100}, on_progress)
        former = await anyio.to_thread.run_sync(
            partial(install, complete, base, kept_as, partial(stages.at, INSTALLING), 5.0)
        )
    remove_tree(base_files.derived_files_of(base))
    rebuilt = Repair("rebuilt", f"the file was rebuilt from what could be read; the damaged one is {former}")
    # What follows from other rows was made again by the mending.
    return [rebuilt, *repairs], [
        *lost_findings([rows for rows in lost if rows.table not in rescue.DERIVED_TABLES]),
        *findings,
    ]


def _is_damaged(base: Path) -> bool:
    if not base.exists():
        return False
    refuse_other_file(base)
    try:
        with driver.translated(), closing(driver.connect(base, busy_timeout=5)) as connection:
            connection.execute("pragma query_only = on")
            said = connection.execute("pragma integrity_check(1)").fetchall()
            if said != [("ok",)]:
                return True
            return bool(rescue.find_lost_rows(connection, tables.tables_of(connection)))
    except StorageError:
        return True


async def lost_of(base: Path) -> list[Finding]:
    """What cannot be read of a base that cannot be opened as one."""
    return lost_findings(await anyio.to_thread.run_sync(rescue.lost_rows_of, base))
