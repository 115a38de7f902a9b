"""Handles every update: finds the sender, keeps one person's updates in order, and reports errors."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from aiogram import BaseMiddleware, Dispatcher
from aiogram.exceptions import TelegramAPIError
from aiogram.types import Message, Update

from sourcebook.errors import SourcebookError
from sourcebook.faces.telegram.handlers import (
    admin_commands,
    button_presses,
    payments,
    questions,
    user_commands,
)
from sourcebook.faces.telegram.outgoing.outage_alerts import part_of
from sourcebook.faces.telegram.outgoing.sender import Undeliverable
from sourcebook.faces.telegram.updates.incoming_message import place_of, words
from sourcebook.faces.telegram.updates.permissions import ChatPlace, Guest
from sourcebook.locale import texts
from sourcebook.settings import masked

if TYPE_CHECKING:
    from aiogram.types import TelegramObject
    from aiogram.types import User as TelegramUser

    from sourcebook.faces.telegram.bot_services import BotServices

log = logging.getLogger(__name__)

UPDATES = ["message", "edited_message", "callback_query", "pre_checkout_query"]
"""What Telegram is asked for; nothing else is ever looked at."""
Handler = Callable[["TelegramObject", dict[str, Any]], Awaitable[Any]]


def make_dispatcher(office: BotServices) -> Dispatcher:
    dispatcher = Dispatcher(disable_fsm=True, office=office)
    dispatcher.update.outer_middleware(UpdateGate(office))
    for quick in (user_commands.router(), admin_commands.router()):
        quick.message.middleware(OnlyOnce(office))
        dispatcher.include_router(quick)
    dispatcher.include_routers(payments.router(), button_presses.router(), questions.router())
    return dispatcher


class UpdateGate(BaseMiddleware):
    """Handles one update at a time per person, and tells them when something goes wrong."""

    def __init__(self, office: BotServices) -> None:
        self._office = office

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        if not isinstance(event, Update) or (found := _who(event)) is None:
            return
        person, place = found
        if event.pre_checkout_query is not None:
            # Telegram waits ten seconds for this one: it takes nobody's turn.
            await self._let_in(handler, event, data, person, place)
            return
        async with self._office.turn(person.id):
            await self._let_in(handler, event, data, person, place)

    async def _let_in(
        self, handler: Handler, event: Update, data: dict[str, Any], person: TelegramUser, place: ChatPlace
    ) -> None:
        try:
            guest = await self._office.guest(person, place, event.update_id)
            if guest.user.is_blocked and event.pre_checkout_query is None:
                await self._refuse(guest, event)
            else:
                await handler(event, data | {"guest": guest})
        except Undeliverable:
            log.info("A chat takes no messages any more.")
        except TelegramAPIError:
            # Nothing can be said now. Whoever brought the update brings it again, and what was done is not done twice.
            raise
        except Exception as error:
            await self._failed(error, person, place, event)

    async def _refuse(self, guest: Guest, event: Update) -> None:
        if event.callback_query is not None:
            await self._office.sender.answer_press(event.callback_query.id, guest.texts("blocked"))
        elif guest.place.is_private and await self._office.is_new(guest, "…"):
            await self._office.say(guest, guest.texts("blocked"))

    async def _failed(self, error: Exception, person: TelegramUser, place: ChatPlace, event: Update) -> None:
        """Everybody gets a reply. The details are for the admins and the log."""
        log.error(
            "An update could not be handled: %s", error, exc_info=not isinstance(error, SourcebookError)
        )
        if event.callback_query is not None:
            await self._office.sender.answer_press(event.callback_query.id)
        if event.pre_checkout_query is None:
            await self._office.sender.try_to_say(place.chat_id, texts(person.language_code)("failed"))
        part = part_of(error)
        if part is not None:
            await self._office.troubles.began(part, str(masked(_reason(error))))


class OnlyOnce(BaseMiddleware):
    """A command that came before is not done again."""

    def __init__(self, office: BotServices) -> None:
        self._office = office

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        guest: Guest = data["guest"]
        if isinstance(event, Message) and await self._office.is_new(guest, words(event)):
            return await handler(event, data)
        return None


def _who(event: Update) -> tuple[TelegramUser, ChatPlace] | None:
    """The person behind an update and where they are; None if it is not a person's."""
    message = event.message or event.edited_message
    if message is not None:
        found = message.from_user, place_of(message)
    elif event.callback_query is not None:
        shown = event.callback_query.message
        person = event.callback_query.from_user
        found = person, place_of(shown) if isinstance(shown, Message) else ChatPlace(person.id)
    elif event.pre_checkout_query is not None:
        found = event.pre_checkout_query.from_user, ChatPlace(event.pre_checkout_query.from_user.id)
    else:
        return None
    person, place = found
    return None if person is None or person.is_bot else (person, place)


def _reason(error: Exception) -> str:
    return error.message if isinstance(error, SourcebookError) else type(error).__name__ + "."
