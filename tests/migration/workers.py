"""What the processes of the migration tests do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.testing.crash import arm

if TYPE_CHECKING:
    from sourcebook.storage.crash_points import CrashPoint


def open_base(path: Path) -> None:
    async def work() -> None:
        database = await SqliteDatabase.open(path)
        await database.close()

    anyio.run(work)


def open_base_and_stop_at(step: CrashPoint, nth: int, path: Path) -> None:
    arm(step, nth)
    open_base(path)
