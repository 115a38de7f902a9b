"""The outbox: messages that others have put into the queue are sent here, each until it was sent."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from aiogram.exceptions import TelegramAPIError, TelegramRetryAfter

from sourcebook.errors import DraftNotFound, SourcebookError, UserNotFound
from sourcebook.faces.telegram.messages import answer_and_draft_texts
from sourcebook.faces.telegram.messages.rich_text import clean
from sourcebook.faces.telegram.outgoing.announcements import Inbox
from sourcebook.faces.telegram.outgoing.sender import Undeliverable
from sourcebook.faces.telegram.updates.permissions import ChatPlace, place_from
from sourcebook.locale import texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.messages.rich_text import RichText
    from sourcebook.locale import Texts
    from sourcebook.model.jobs import Job

log = logging.getLogger(__name__)

KIND = "message"
LEASE = 120
AGAIN = 30
"""Seconds after which a message that could not be sent is tried again."""


class Outbox:
    def __init__(self, office: BotServices, worker: str, every: float = 2.0) -> None:
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
            await self._tell_expert(job)
        else:
            await jobs.complete(job)
        return True

    async def _send(self, job: Job) -> None:
        match job.payload.get("kind"):
            case "expert_answer":
                await self._expert_answer(job)
            case "question_rejected":
                await self._question_rejected(job)
            case "answer_found":
                await self._answer_found(job)
            case unknown:
                raise Undeliverable(f"no message is called {unknown!r}")

    async def _expert_answer(self, job: Job) -> None:
        book = self._office.book
        item = await book.moderation.get_item(_number(job, "draft_id"))
        entry = None if item.kb_id is None else await book.stores.curated.kb_get(item.kb_id)
        sources = () if entry is None else entry.sources
        await self._tell(job, lambda said: answer_and_draft_texts.expert_answer(said, item, sources))

    async def _answer_found(self, job: Job) -> None:
        item = await self._office.book.moderation.get_item(_number(job, "draft_id"))
        await self._tell(job, lambda said: answer_and_draft_texts.answer_found(said, item))

    async def _question_rejected(self, job: Job) -> None:
        item = await self._office.book.moderation.get_item(_number(job, "draft_id"))
        reason = _text(job, "reason") or "—"
        await self._tell(job, lambda said: answer_and_draft_texts.question_rejected(said, item, reason))

    async def _tell_expert(self, job: Job) -> None:
        """Who answered is told that it reached nobody."""
        if job.payload.get("kind") != "expert_answer":
            return
        people = self._office.book.people
        with suppress(Undeliverable, DraftNotFound, UserNotFound):
            item = await self._office.book.moderation.get_item(_number(job, "draft_id"))
            expert = None if item.admin_id is None else await people.get_user(item.admin_id)
            if expert is not None and expert.telegram_user_id is not None:
                said = texts(expert.language)("answer_undelivered", id=item.id)
                await self._office.sender.try_to_say(expert.telegram_user_id, said)

    async def _tell(self, job: Job, message: Callable[[Texts], RichText]) -> None:
        """To the person who asked, in the same place; if that place is not Telegram, in their private chat."""
        user = await self._office.book.people.get_user(_number(job, "user_id"))
        place = place_from(_text(job, "channel_key"))
        if place is None and user.telegram_user_id is not None:
            place = ChatPlace(user.telegram_user_id)
        if place is None:
            raise Undeliverable("this person has no Telegram")
        await self._office.sender.say(place.chat_id, message(texts(user.language)), thread_id=place.thread_id)


def _number(job: Job, name: str) -> int:
    value = job.payload.get(name)
    if not isinstance(value, int):
        raise Undeliverable(f"the message has no {name}")
    return value


def _text(job: Job, name: str) -> str | None:
    value = job.payload.get(name)
    return value if isinstance(value, str) else None
