"""Shows what the documents say while a model on this machine still writes the answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiogram.exceptions import TelegramAPIError

from sourcebook.faces.telegram.messages.rich_text import from_markdown, italic, joined
from sourcebook.faces.telegram.outgoing.sender import Undeliverable
from sourcebook.model.chat import ExcerptFound

if TYPE_CHECKING:
    from aiogram.types import Message

    from sourcebook.consult.reception.paid_answer import OnEvent
    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.updates.permissions import Guest
    from sourcebook.model.chat import AnswerEvent


@asynccontextmanager
async def excerpt_preview(guest: Guest, office: BotServices) -> AsyncGenerator[OnEvent, None]:
    """Listens to an answer, and sends its excerpt at once. When the answer is there, or has failed, it is taken away.

    The excerpt is extra: that it cannot be shown or taken away stops nothing.
    """
    sent = list[asyncio.Task["Message | None"]]()

    def listen(event: AnswerEvent) -> None:
        if isinstance(event, ExcerptFound) and not sent:
            sent.append(asyncio.create_task(_shown(guest, office, event)))

    try:
        yield listen
    finally:
        for task in sent:
            if (message := await task) is not None:
                await office.sender.take_away(message.chat.id, message.message_id)


async def _shown(guest: Guest, office: BotServices, found: ExcerptFound) -> Message | None:
    text = joined([italic(guest.texts("still_writing")), from_markdown(found.text)])
    try:
        return await office.say(guest, text)
    except (Undeliverable, TelegramAPIError):
        return None
