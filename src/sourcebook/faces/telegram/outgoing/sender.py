"""Sending: nothing that is to be said is lost because of how it looks or because Telegram is busy."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from aiogram.exceptions import (
    TelegramAPIError,
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramServerError,
)
from aiogram.types import BufferedInputFile, ForceReply, LinkPreviewOptions, MessageEntity, ReplyParameters

from sourcebook.faces.telegram.messages.message_length import CAPTION_LIMIT, split
from sourcebook.faces.telegram.messages.rich_text import RichText, clean, entities

if TYPE_CHECKING:
    from aiogram import Bot
    from aiogram.types import InlineKeyboardMarkup, Message

log = logging.getLogger(__name__)

NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
ATTEMPTS = 5
LONGEST_WAIT = 60.0
"""Seconds. Telegram that asks for more patience than this gets its message later, from the outbox."""

Markup: TypeAlias = "InlineKeyboardMarkup | ForceReply"
Result = TypeVar("Result")


class Undeliverable(Exception):
    """This chat takes no messages: the person has blocked the bot, or is gone."""


class Sender:
    """Says things in chats. A flood wait is honoured, the network tried again, marks left out if they are refused."""

    def __init__(self, bot: Bot, pause: float = 1.0) -> None:
        self._bot = bot
        self._pause = pause

    async def say(
        self,
        chat_id: int,
        text: RichText | str,
        *,
        thread_id: int | None = None,
        markup: Markup | None = None,
        reply_to: int | None = None,
    ) -> Message:
        """Send a text, in several messages if it is long; the buttons are under the last, which is returned."""
        pieces = split(RichText(text) if isinstance(text, str) else text) or [RichText("…")]
        for index, piece in enumerate(pieces):
            is_last = index == len(pieces) - 1
            last = await self._message(
                chat_id, piece, thread_id, markup if is_last else None, reply_to if index == 0 else None
            )
        return last  # pyright: ignore[reportPossiblyUnboundVariable] - there is at least one piece

    async def try_to_say(self, chat_id: int, text: RichText | str, markup: Markup | None = None) -> bool:
        """Say something that is not worth failing for. False if it could not be said."""
        try:
            await self.say(chat_id, text, markup=markup)
        except (Undeliverable, TelegramAPIError) as error:
            log.warning("A message could not be delivered: %s", error)
            return False
        return True

    async def edit(self, chat_id: int, message_id: int, text: str, markup: Markup | None = None) -> None:
        """Put another text, of which only the first message fits, in the place of one; or say it anew if that fails."""
        piece = split(RichText(text))[0]
        try:
            await self._tried(
                lambda: self._bot.edit_message_text(
                    text=piece.text,
                    entities=_entities(piece),
                    chat_id=chat_id,
                    message_id=message_id,
                    link_preview_options=NO_PREVIEW,
                    reply_markup=_inline(markup),
                )
            )
        except TelegramBadRequest as error:
            if "not modified" not in str(error):
                await self.say(chat_id, text, markup=markup)

    async def drop_buttons(self, chat_id: int, message_id: int) -> None:
        """Take the buttons away from a message that has done its work. That this fails does not matter."""
        try:
            await self._tried(
                lambda: self._bot.edit_message_reply_markup(chat_id=chat_id, message_id=message_id)
            )
        except (TelegramBadRequest, Undeliverable):
            return

    async def take_away(self, chat_id: int, message_id: int) -> None:
        """Delete a message that has done its work. That this fails does not matter."""
        try:
            await self._tried(lambda: self._bot.delete_message(chat_id, message_id))
        except (TelegramAPIError, Undeliverable):
            log.debug("A message could not be taken away.")

    async def picture(
        self, chat_id: int, data: bytes, caption: RichText, thread_id: int | None = None
    ) -> None:
        short = split(caption, CAPTION_LIMIT)[0]
        await self._tried(
            lambda: self._bot.send_photo(
                chat_id,
                BufferedInputFile(data, "page.png"),
                message_thread_id=thread_id,
                caption=short.text,
                caption_entities=_entities(short),
            )
        )

    async def copy(self, chat_id: int, from_chat_id: int, message_id: int) -> bool:
        """Show somebody a message of another chat without naming that chat. False if it is gone."""
        try:
            await self._tried(lambda: self._bot.copy_message(chat_id, from_chat_id, message_id))
        except TelegramBadRequest:
            return False
        return True

    async def answer_press(self, query_id: str, text: str | None = None) -> None:
        """Let the button rest, with a short note or without. A press that is too old cannot be answered any more."""
        short = None if text is None else clean(text, 200)
        try:
            await self._tried(lambda: self._bot.answer_callback_query(query_id, text=short))
        except TelegramBadRequest:
            log.debug("A press was too old to be answered.")

    async def _message(
        self,
        chat_id: int,
        piece: RichText,
        thread_id: int | None,
        markup: Markup | None,
        reply_to: int | None,
    ) -> Message:
        def send(
            marks: Sequence[MessageEntity] | None, buttons: Markup | None
        ) -> Callable[[], Awaitable[Message]]:
            return lambda: self._bot.send_message(
                chat_id,
                piece.text,
                message_thread_id=thread_id,
                entities=None if marks is None else list(marks),
                link_preview_options=NO_PREVIEW,
                reply_markup=buttons,
                reply_parameters=_reply(reply_to),
            )

        try:
            return await self._tried(send(_entities(piece), markup))
        except TelegramBadRequest as error:
            log.warning("Telegram refused a message (%s); it is sent without marks.", error.message)
        try:
            return await self._tried(send(None, markup))
        except TelegramBadRequest as error:
            log.warning("Telegram refused a message (%s); it is sent without buttons.", error.message)
            return await self._tried(send(None, None))

    async def _tried(self, call: Callable[[], Awaitable[Result]]) -> Result:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await call()
            except TelegramRetryAfter as error:
                if attempt == ATTEMPTS or error.retry_after > LONGEST_WAIT:
                    raise
                wait = float(error.retry_after)
            except (TelegramNetworkError, TelegramServerError):
                if attempt == ATTEMPTS:
                    raise
                wait = self._pause * 2 ** (attempt - 1)
            except (TelegramForbiddenError, TelegramNotFound) as error:
                raise Undeliverable(error.message) from None
            except TelegramBadRequest as error:
                if "chat not found" in error.message:
                    raise Undeliverable(error.message) from None
                raise
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")


def _entities(piece: RichText) -> list[MessageEntity]:
    return [
        MessageEntity(type=mark, offset=offset, length=length) for mark, offset, length in entities(piece)
    ]


def _reply(message_id: int | None) -> ReplyParameters | None:
    # The question may be deleted while it is being answered; the answer is sent all the same.
    return (
        None
        if message_id is None
        else ReplyParameters(message_id=message_id, allow_sending_without_reply=True)
    )


def _inline(markup: Markup | None) -> InlineKeyboardMarkup | None:
    return None if isinstance(markup, ForceReply) else markup
