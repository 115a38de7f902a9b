"""The outbox: messages that others have put into the queue are sent here, each until it was sent."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from aiogram.exceptions import TelegramAPIError, TelegramRetryAfter

from sourcebook.errors import DraftNotFound, SourcebookError, UserNotFound
from sourcebook.faces.telegram import rendering
from sourcebook.faces.telegram.announcing import Inbox
from sourcebook.faces.telegram.guests import Place, place_from
from sourcebook.faces.telegram.rich import Rich, clean
from sourcebook.faces.telegram.sending import Undeliverable
from sourcebook.locale import texts
from sourcebook.model.moderation import DraftStatus

if TYPE_CHECKING:
    from sourcebook.faces.telegram.office import Office
    from sourcebook.model.jobs import Job

log = logging.getLogger(__name__)

KIND = "message"
LEASE = 120
AGAIN = 30
"""Seconds after which a message that could not be sent is tried again."""


class Outbox:
    def __init__(self, office: Office, worker: str, every: float = 2.0) -> None:
        self._office = office
        self._worker = worker
        self._every = every
        self.inbox = Inbox(office)

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            try:
                sent = await self.send_one()
                await self.inbox.announce()
            except SourcebookError as error:
                log.warning("The queue could not be read: %s", error)
                sent = False
            if not sent:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._office.news.wait(), self._every)
                self._office.news.clear()

    async def send_one(self) -> bool:
        """Send the message that waits longest. False if none does."""
        jobs = self._office.book.stores.jobs
        job = await jobs.claim([KIND], self._worker, LEASE)
        if job is None:
            return False
        try:
            await self._send(job)
        except TelegramRetryAfter as error:
            await jobs.fail(job, "Telegram asks to wait", retry_in=int(error.retry_after) + 1)
        except TelegramAPIError as error:
            await jobs.fail(job, clean(error.message, 200), retry_in=AGAIN)
        except (Undeliverable, DraftNotFound, UserNotFound) as error:
            await jobs.complete(job, {"undelivered": clean(str(error), 200)})
        else:
            await jobs.complete(job)
        return True

    async def _send(self, job: Job) -> None:
        match job.payload.get("kind"):
            case "expert_answer":
                await self._expert_answer(job)
            case unknown:
                raise Undeliverable(f"no message is called {unknown!r}")

    async def _expert_answer(self, job: Job) -> None:
        """To who asked, where they asked; if that place is not Telegram, to their private chat."""
        book = self._office.book
        item = await book.moderation.get_item(_number(job, "draft_id"))
        user = await book.people.get_user(_number(job, "user_id"))
        place = place_from(_text(job, "channel_key"))
        if place is None and user.telegram_user_id is not None:
            place = Place(user.telegram_user_id)
        if place is None:
            raise Undeliverable("this person has no Telegram")
        said = texts(user.language)
        if item.status is DraftStatus.REJECTED:
            text = Rich(said("question_rejected", reason=clean(item.reason or "—")))
        else:
            entry = None if item.kb_id is None else await book.stores.curated.kb_get(item.kb_id)
            text = rendering.expert_answer(said, item, () if entry is None else entry.sources)
        await self._office.sender.say(place.chat_id, text, thread_id=place.thread_id)


def _number(job: Job, name: str) -> int:
    value = job.payload.get(name)
    if not isinstance(value, int):
        raise Undeliverable(f"the message has no {name}")
    return value


def _text(job: Job, name: str) -> str | None:
    value = job.payload.get(name)
    return value if isinstance(value, str) else None
