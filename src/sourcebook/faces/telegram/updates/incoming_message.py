"""What a message of Telegram is to us: words, media, addressed to the bot or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiogram.enums import ContentType

from sourcebook.faces.telegram.messages.button_data import Press, decode
from sourcebook.faces.telegram.updates.permissions import ChatPlace
from sourcebook.text.case_and_accents import made_storable

if TYPE_CHECKING:
    from aiogram.types import Message
    from aiogram.types import User as TelegramUser

    from sourcebook.model.documents import JsonValue

# What a person can send that an expert can look at or listen to.
MEDIA = frozenset(
    {
        "photo",
        "voice",
        "document",
        "video",
        "video_note",
        "audio",
        "animation",
        "sticker",
        "location",
        "contact",
    }
    | {"venue", "poll"}
)


def place_of(message: Message) -> ChatPlace:
    thread = message.message_thread_id if message.is_topic_message else None
    return ChatPlace(message.chat.id, thread, message.chat.type == "private")


def words(message: Message) -> str:
    """What the person wrote: the text, or the caption of what they sent."""
    return made_storable(message.text or message.caption or "").strip()


def question(message: Message, bot: TelegramUser) -> str:
    """The words without the name of the bot."""
    text = words(message)
    name = f"@{bot.username}"
    for found in message.entities or message.caption_entities or []:
        if (
            found.type == "mention"
            and found.extract_from(message.text or message.caption or "").lower() == name.lower()
        ):
            text = text.replace(found.extract_from(message.text or message.caption or ""), "", 1)
    return text.strip()


def is_addressed(message: Message, bot: TelegramUser) -> bool:
    """Whether a message in a group is meant for the bot: it names it, or is a reply to it."""
    replied = message.reply_to_message
    if replied is not None and replied.from_user is not None and replied.from_user.id == bot.id:
        return True
    text = message.text or message.caption or ""
    marks = message.entities or message.caption_entities or []
    return any(
        mark.type == "mention" and mark.extract_from(text).lower() == f"@{bot.username}".lower()
        for mark in marks
    )


def attachment(message: Message) -> dict[str, JsonValue] | None:
    """What the person sent besides words, as it is kept with a draft; None if there is nothing."""
    kind = ContentType(message.content_type).value
    if kind not in MEDIA:
        return None
    found: dict[str, JsonValue] = {
        "channel": "telegram",
        "kind": kind,
        "chat_id": message.chat.id,
        "message_id": message.message_id,
        "caption": words(message),
    }
    for name in ("voice", "document", "video", "video_note", "audio", "animation", "sticker"):
        media = getattr(message, name)
        if media is not None:
            found["file_id"] = str(media.file_id)
    if message.photo:
        found["file_id"] = message.photo[-1].file_id
    return found


def pressed_under(message: Message, bot_id: int) -> list[Press]:
    """The buttons under the message of the bot that this one replies to."""
    replied = message.reply_to_message
    if (
        replied is None
        or replied.from_user is None
        or replied.from_user.id != bot_id
        or replied.reply_markup is None
    ):
        return []
    data = [button.callback_data for row in replied.reply_markup.inline_keyboard for button in row]
    return [press for press in map(decode, data) if press is not None]
