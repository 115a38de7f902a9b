"""Once a minute: cleans up after dead processes, and notices what does not work."""

from __future__ import annotations

import asyncio
import logging
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import SourcebookError
from sourcebook.faces.telegram.outgoing.outage_alerts import OutagePart, part_of

if TYPE_CHECKING:
    from sourcebook.faces.telegram.bot_services import BotServices

log = logging.getLogger(__name__)

EVERY = 60.0
LEAST_FREE = 100_000_000
"""Bytes. Below this the disk counts as full."""
OVERDUE = 600
"""Seconds that work may wait before somebody should know."""


class Upkeep:
    def __init__(self, office: BotServices, folder: Path | None, every: float = EVERY) -> None:
        self._office = office
        self._folder = folder
        self._every = every

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            await self.look()
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), self._every)

    async def look(self) -> None:
        troubles, jobs = self._office.troubles, self._office.book.stores.jobs
        try:
            await jobs.sweep()
            await self._office.book.reception.sweep()
            overdue = await jobs.overdue(OVERDUE)
        except SourcebookError as error:
            log.warning("The base could not be looked after: %s", error)
            await troubles.began(part_of(error) or OutagePart.OTHER, error.message)
            return
        await self._judge(OutagePart.DISK, _disk_trouble(self._folder))
        await self._judge(OutagePart.QUEUE, f"{overdue} > {OVERDUE // 60} min." if overdue else None)

    async def _judge(self, part: OutagePart, reason: str | None) -> None:
        if reason is None:
            await self._office.troubles.over(part)
        else:
            await self._office.troubles.began(part, reason)


def _disk_trouble(folder: Path | None) -> str | None:
    """Why the disk of a base in a file counts as full, or None."""
    if folder is None:
        return None
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return f"{error.strerror}."
    return f"{free // 1_000_000} MB." if free < LEAST_FREE else None
