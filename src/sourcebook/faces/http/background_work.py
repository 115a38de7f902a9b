"""What goes on beside the requests: uploads are taken in, and what dead processes left is cleaned up."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from sourcebook.errors import SourcebookError
from sourcebook.ingest.uploads.uploads import UPLOADS

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from sourcebook.client import AsyncSourcebook
    from sourcebook.model.add_reports import Progress
    from sourcebook.model.jobs import Job

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 2.0
_SWEEP_SECONDS = 60.0
_PAUSE_SECONDS = 10.0
"""After an error, so that a base that is full is not asked a hundred times a second."""


class UploadWorker:
    """Takes uploads in, one after another. Other processes may do the same; each upload is done by one."""

    def __init__(self, book: AsyncSourcebook) -> None:
        self._book = book
        self._name = f"http:{socket.gethostname()}:{os.getpid()}"
        self._wanted = anyio.Event()
        self._idle = anyio.Event()
        self._is_stopped = False
        self._running: tuple[int, Progress] | None = None

    def progress(self, job: int) -> Progress | None:
        """How far an upload is that is being taken in here; None of any other."""
        return self._running[1] if self._running is not None and self._running[0] == job else None

    def wake(self) -> None:
        """There is something to do."""
        self._wanted.set()

    async def run(self) -> None:
        """Work until stopped. What another process queued is found within seconds."""
        while not self._is_stopped:
            self._idle = anyio.Event()
            try:
                if self._wanted.is_set() or await self._is_needed():
                    self._wanted = anyio.Event()
                    await self._book.process_uploads(self._name, on_progress=self._note)
            except SourcebookError as error:
                _log.warning("Uploads cannot be taken in now: %s", error.message)
                await self._pause(_PAUSE_SECONDS)
            finally:
                self._idle.set()
            await self._pause(_LOOK_SECONDS)

    async def stop(self, seconds: float) -> None:
        """Let what is being taken in be finished, for so long; the rest is done after the next start."""
        self._is_stopped = True
        self._wanted.set()
        with anyio.move_on_after(seconds):
            await self._idle.wait()

    def _note(self, job: Job, progress: Progress) -> None:
        self._running = (job.id, progress)

    async def _is_needed(self) -> bool:
        return await self._book.stores.jobs.overdue(0, kind=UPLOADS) > 0

    async def _pause(self, seconds: float) -> None:
        if not self._is_stopped:
            with anyio.move_on_after(seconds):
                await self._wanted.wait()


async def sweep_now_and_then(book: AsyncSourcebook, seconds: float = _SWEEP_SECONDS) -> None:
    """Give back what dead processes held, and make the drafts they owed."""
    while True:
        try:
            await book.stores.jobs.sweep()
            await book.reception.sweep()
        except SourcebookError as error:
            _log.warning("The base could not be looked after: %s", error.message)
        await anyio.sleep(seconds)


@asynccontextmanager
async def upkeep(
    book: AsyncSourcebook, worker: UploadWorker, stop_seconds: float
) -> AsyncGenerator[TaskGroup, None]:
    """Work beside the requests, until they are over. Views may let more run in the same group."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        tasks.start_soon(sweep_now_and_then, book)
        yield tasks
        await worker.stop(stop_seconds)
        tasks.cancel_scope.cancel()
