"""Watches folders for changes.

The system tells of changes; and because it does not tell of all of them (other machines on a network disk, too many
folders, a disk that is taken away and put back), everything is looked through again from time to time.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import create_task_group, current_time, sleep
from anyio.lowlevel import checkpoint

from sourcebook.ingest.folder.ignore_rules import IGNORE_FILES
from sourcebook.ingest.index.pipeline import one_error

if TYPE_CHECKING:
    from watchfiles import Change

    from sourcebook.ingest.stop_signal import StopSignal

EVERY_SECONDS = 300.0
"""How often everything is looked through although nothing was told."""
QUIET_MILLISECONDS = 200
"""How long nothing may happen before changes are looked at: who copies a folder makes many."""
LONGEST_MILLISECONDS = 3_000
"""How long changes may go on before they are looked at all the same."""
_POLL_SECONDS = 0.2
_AGAIN_SECONDS = 2.0

_log = logging.getLogger(__name__)


class FolderWatch:
    """Calls back whenever what lies in some folders, or some files, may have changed."""

    def __init__(
        self,
        roots: Sequence[Path],
        stop: StopSignal,
        *,
        excluded: Iterable[str] = (),
        every: float = EVERY_SECONDS,
    ) -> None:
        self._roots = [root.absolute() for root in roots]
        self._excluded = [Path(place).absolute() for place in excluded]
        self._stop = stop
        self._every = every
        self._is_due = False

    async def run(
        self, on_due: Callable[[], Awaitable[None]], at_first: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """Call `on_due` after each change, and from time to time, until stopped.

        A change during a call, `at_first` included, leads to another call.
        """
        async with one_error(), create_task_group() as tasks:
            tasks.start_soon(self._listen)
            # Let the listener start first, so that no change from here on is missed.
            await checkpoint()
            if at_first is not None:
                await at_first()
            while await self._wait():
                await on_due()
            tasks.cancel_scope.cancel()

    async def _wait(self) -> bool:
        """Wait until it is time to look. False: it is time to stop."""
        deadline = current_time() + self._every
        while not self._stop.is_set():
            if self._is_due or current_time() >= deadline:
                self._is_due = False
                return True
            await sleep(_POLL_SECONDS)
        return False

    async def _listen(self) -> None:
        """Listen for changes. When the folders themselves come and go, start over."""
        while True:
            present = self._present()
            if not present:
                await sleep(_AGAIN_SECONDS)
                self._is_due = bool(self._present())
                continue
            try:
                await self._listen_to(present)
            except (OSError, RuntimeError) as error:
                # No more watches to be had, or a folder that went away this moment.
                _log.info("Cannot watch for changes: %s", error)
                await sleep(_AGAIN_SECONDS)
            self._is_due = True

    async def _listen_to(self, present: dict[Path, int]) -> None:
        import watchfiles  # noqa: PLC0415 - only who watches needs it

        told = watchfiles.awatch(  # pyright: ignore[reportUnknownMemberType] - one of its types is its own secret
            *present,
            watch_filter=self._concerns_us,
            debounce=LONGEST_MILLISECONDS,
            step=QUIET_MILLISECONDS,
            rust_timeout=int(_AGAIN_SECONDS * 1000),
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        async for changes in told:
            self._is_due = self._is_due or bool(changes)
            if self._present() != present:
                return

    def _present(self) -> dict[Path, int]:
        """The folders that are there, each with what makes it the same one."""
        found: dict[Path, int] = {}
        for root in self._roots:
            try:
                found[root] = root.stat().st_ino
            except OSError:
                continue
        return found

    def _concerns_us(self, change: Change, path: str) -> bool:
        place = Path(path)
        if any(place.is_relative_to(own) for own in self._excluded):
            return False
        root = next((root for root in self._roots if place.is_relative_to(root)), None)
        parts = place.relative_to(root).parts if root else place.parts[-1:]
        return place.name in IGNORE_FILES or not any(part.startswith(".") for part in parts)
