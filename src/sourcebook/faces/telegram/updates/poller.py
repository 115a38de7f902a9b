"""Fetching updates. One counts as received only when it is done, so that a stop in the middle loses nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from aiogram.exceptions import TelegramAPIError, TelegramRetryAfter, TelegramUnauthorizedError

from sourcebook.faces.telegram.updates.dispatch import UPDATES

if TYPE_CHECKING:
    from aiogram import Bot
    from aiogram.types import Update

log = logging.getLogger(__name__)

PAUSE = 0.3
"""Seconds between two looks for news while something is being done."""
LONGEST_PAUSE = 30.0
GRACE = 10.0
"""Seconds that what is being done may still take when the bot is to stop."""
AT_ONCE = 100
AGAIN = (5.0, 60.0)
"""Seconds after which an update is handled again whose answer Telegram did not take."""


class Poller:
    """Hands updates to `feed`, many at once. Telegram repeats what is not confirmed, which begins with the oldest."""

    def __init__(self, bot: Bot, feed: Callable[[Update], Awaitable[None]], timeout: int = 30) -> None:
        self.bot = bot
        self._feed = feed
        self._timeout = timeout
        self._running: dict[int, asyncio.Task[None]] = {}
        self._done: set[int] = set()
        self._next = 0
        self.handled = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set. What is being done then is finished; what is not is fetched again at the next start."""
        failures = 0
        while not stop.is_set():
            try:
                found = await self._fetch(stop)
                failures = 0
            except TelegramUnauthorizedError:
                raise
            except TelegramAPIError as error:
                failures += 1
                log.warning("Updates could not be fetched: %s", error)
                await _until(stop, _pause(error, failures))
                continue
            started = [self._start(update) for update in found]
            if not any(started) and self._running:
                await asyncio.wait(self._running.values(), timeout=PAUSE, return_when=asyncio.FIRST_COMPLETED)
        await self._finish()

    async def _fetch(self, stop: asyncio.Event) -> list[Update]:
        # While something is unfinished Telegram answers at once with it: there is nothing to wait for there.
        asked = asyncio.ensure_future(
            self.bot.get_updates(
                offset=self._offset(),
                limit=AT_ONCE,
                timeout=0 if self._running else self._timeout,
                allowed_updates=UPDATES,
                request_timeout=self._timeout + 30,
            )
        )
        stopped = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({asked, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return asked.result() if asked.done() else []
        finally:
            for task in (asked, stopped):
                task.cancel()
            with suppress(asyncio.CancelledError, TelegramAPIError):
                await asked

    def _offset(self) -> int:
        """The oldest update that is not done: everything before it is confirmed by asking for it."""
        offset = min(self._running, default=self._next)
        self._done = {number for number in self._done if number >= offset}
        return offset

    def _start(self, update: Update) -> bool:
        number = update.update_id
        if number in self._running or number in self._done:
            return False
        self._next = max(self._next, number + 1)
        self._running[number] = asyncio.create_task(self._handle(update))
        return True

    async def _handle(self, update: Update) -> None:
        try:
            await self._feed_patiently(update)
            self.handled += 1
        except Exception:
            log.exception("An update could not be handled.")
        finally:
            self._running.pop(update.update_id, None)
            if (task := asyncio.current_task()) is None or not task.cancelling():
                self._done.add(update.update_id)

    async def _feed_patiently(self, update: Update) -> None:
        """What could not be said is tried again: a question that was paid for has an answer that waits."""
        for pause in AGAIN:
            try:
                return await self._feed(update)
            except TelegramAPIError as error:
                log.warning("An answer could not be sent, and is tried again: %s", error)
                await asyncio.sleep(pause)
        return await self._feed(update)

    async def _finish(self) -> None:
        unfinished = dict(self._running)
        if unfinished:
            await asyncio.wait(unfinished.values(), timeout=GRACE)
        oldest = min((number for number, task in unfinished.items() if not task.done()), default=self._next)
        for task in unfinished.values():
            task.cancel()
        await asyncio.gather(*unfinished.values(), return_exceptions=True)
        with suppress(TelegramAPIError):
            await self.bot.get_updates(offset=oldest, limit=1, timeout=0, allowed_updates=UPDATES)


def _pause(error: TelegramAPIError, failures: int) -> float:
    if isinstance(error, TelegramRetryAfter):
        return float(error.retry_after)
    return min(2.0 ** (failures - 1), LONGEST_PAUSE)


async def _until(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
