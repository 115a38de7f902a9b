"""What every handler uses: the base, the sender, and whom to notify."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from aiogram.utils.chat_action import ChatActionSender

from sourcebook.errors import SourcebookError
from sourcebook.faces.telegram.outgoing.outage_alerts import Outages
from sourcebook.faces.telegram.updates.permissions import ChatPlace, Guest, is_admin, is_staff
from sourcebook.locale import texts
from sourcebook.model.consultations import Direction
from sourcebook.model.people import UserRole
from sourcebook.text.case_and_accents import made_storable

if TYPE_CHECKING:
    from aiogram import Bot
    from aiogram.types import Message
    from aiogram.types import User as TelegramUser

    from sourcebook.client import AsyncSourcebook
    from sourcebook.faces.telegram.messages.rich_text import RichText
    from sourcebook.faces.telegram.outgoing.sender import Markup, Sender
    from sourcebook.locale import Texts
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.token_prices import Prices

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BotTerms:
    """What the settings say about the bot."""

    admins: frozenset[int]
    prices: Prices
    collection: str = "default"
    stars: int = 0
    """How many Telegram Stars a token costs; 0: none is sold."""
    max_file_mb: float = 20.0


class BotServices:
    def __init__(self, book: AsyncSourcebook, bot: Bot, sender: Sender, terms: BotTerms) -> None:
        self.book = book
        self.bot = bot
        self.sender = sender
        self.terms = terms
        self.troubles = Outages(self.tell_admins)
        self.news = asyncio.Event()
        """Set when there is something in the outbox."""
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, telegram_user_id: int) -> AsyncGenerator[None, None]:
        """One thing after the other for one person: what they sent first is done first."""
        lock = self._turns.get(telegram_user_id)
        if lock is None:
            lock = self._turns[telegram_user_id] = asyncio.Lock()
        async with lock:
            yield

    def key(self, update_id: int | str) -> str:
        return f"telegram:{self.bot.id}:{update_id}"

    async def guest(self, person: TelegramUser, place: ChatPlace, update_id: int) -> Guest:
        """The person, with their current role."""
        user = await self.book.people.get_or_create_user(
            person.id,
            username=_stored(person.username),
            first_name=_stored(person.first_name),
            last_name=_stored(person.last_name),
            language=_stored(person.language_code),
        )
        return Guest(
            user,
            place,
            texts(user.language),
            self.key(update_id),
            is_admin(user),
            is_staff(user),
        )

    async def is_new(self, guest: Guest, said: str) -> bool:
        """Note what a person said or pressed. False: this very update was here before."""
        row = await self.book.people.log_message(
            guest.user.id, Direction.INCOMING, text=made_storable(said) or "…", external_id=guest.key
        )
        return row is not None

    async def is_first_of_album(self, guest: Guest, album: str | None) -> bool:
        """Whether this is the first message of an album, or of none. An album is answered once."""
        if album is None:
            return True
        key = self.key(f"album:{guest.place.chat_id}:{album}")
        return await self.book.people.find_message(key) is None and (
            await self.book.people.log_message(
                guest.user.id, Direction.INCOMING, text="[album]", external_id=key
            )
            is not None
        )

    async def say(
        self, guest: Guest, text: RichText | str, markup: Markup | None = None, reply_to: int | None = None
    ) -> Message:
        place = guest.place
        return await self.sender.say(
            place.chat_id,
            text,
            thread_id=place.thread_id,
            markup=markup,
            reply_to=None if place.is_private else reply_to,
        )

    async def ask(
        self, guest: Guest, text: str, expects: Mapping[str, JsonValue], markup: Markup | None = None
    ) -> None:
        """Say something that wants an answer, and keep in the base what it is about."""
        sent = await self.say(guest, text, markup)
        await self._note(
            guest, text, {"expects": dict(expects)}, self.message_key(sent.chat.id, sent.message_id)
        )

    async def close(self, guest: Guest, text: RichText | str, markup: Markup | None = None) -> None:
        """Say something after which nothing is expected any more; once for an update."""
        key = f"{guest.key}:said"
        if await self.book.people.find_message(key) is None:
            await self.say(guest, text, markup)
            await self._note(guest, text if isinstance(text, str) else text.text, {}, key)

    async def expected(self, guest: Guest) -> Mapping[str, JsonValue]:
        """What the last thing that was said to this person asked for, if anything."""
        last = await self.book.people.last_message(guest.user.id, Direction.OUTGOING)
        return {} if last is None else _mapping(last.meta.get("expects"))

    def message_key(self, chat_id: int, message_id: int) -> str:
        return self.key(f"message:{chat_id}:{message_id}")

    async def labels(self) -> list[tuple[str | None, str | None]]:
        return await self.book.stores.library.labels(self.terms.collection)

    def typing(self, guest: Guest) -> ChatActionSender:
        return ChatActionSender.typing(guest.place.chat_id, self.bot, guest.place.thread_id)

    async def staff(self) -> dict[int, str | None]:
        """The reviewers' Telegram ids and languages."""
        return await self._told(UserRole.EXPERT, UserRole.ADMIN)

    async def tell_staff(self, sentence: Callable[[Texts], str]) -> None:
        """Tell everybody who reviews something, each in their language."""
        for chat_id, language in (await self.staff()).items():
            await self.sender.try_to_say(chat_id, sentence(texts(language)))

    async def tell_admins(self, sentence: Callable[[Texts], str]) -> None:
        """Tell every admin something, each in their language."""
        for chat_id, language in (await self._told(UserRole.ADMIN)).items():
            await self.sender.try_to_say(chat_id, sentence(texts(language)))

    async def appoint(self) -> None:
        """Give the admins in the settings their role in the base, which alone decides who may do what."""
        people = self.book.people
        for telegram_id in self.terms.admins:
            user = await people.get_or_create_user(telegram_id)
            if user.role is not UserRole.ADMIN:
                await people.set_role(user.id, UserRole.ADMIN)

    async def _told(self, *roles: UserRole) -> dict[int, str | None]:
        try:
            people = [user for role in roles for user in await self.book.people.list_users(role)]
        except SourcebookError:
            # It may be the base that there is trouble with; the admins of the settings are told all the same.
            log.warning("Those who review could not be looked up.", exc_info=True)
            return dict.fromkeys(self.terms.admins)
        reached = [user for user in people if user.telegram_user_id is not None and not user.is_blocked]
        return {user.telegram_user_id: user.language for user in reached if user.telegram_user_id is not None}

    async def _note(
        self, guest: Guest, text: str, meta: Mapping[str, JsonValue], external_id: str | None
    ) -> None:
        await self.book.people.log_message(
            guest.user.id, Direction.OUTGOING, text=made_storable(text), external_id=external_id, meta=meta
        )


def _stored(text: str | None) -> str | None:
    return None if text is None else made_storable(text)


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}
