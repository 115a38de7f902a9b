"""A bot on a small base, fed with updates of a Bot API server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiogram.exceptions import TelegramAPIError
from aiogram.types import Update

from sourcebook import AsyncSourcebook, Settings
from sourcebook.faces.telegram.bot import Ready, made
from sourcebook.faces.telegram.outgoing.outbox_delivery import Outbox
from sourcebook.testing.fakes import FakeEmbedder
from sourcebook.testing.telegram import Json, Person, Sent, TelegramServer

if TYPE_CHECKING:
    from sourcebook.model.people import User
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.providers import Embedder

ADMIN = 1000
NOTES = {
    "pruning": "Everbearing raspberries fruit twice. "
    "Prune everbearing raspberries in late autumn, after the last berries.",
    "soil": "Blueberries want sour soil. The pH of the soil for blueberries is between 4.0 and 5.0.",
    "water": "Tomatoes are watered in the morning. Two litres of water for each tomato plant are enough.",
}
LABELS = {
    "pruning": ("berries", "raspberry_everbearing"),
    "soil": ("berries", "blueberry"),
    "water": (None, "tomato"),
}
QUESTION = "When do I prune everbearing raspberries?"
UNKNOWN = "Which gearbox oil suits a tractor?"


@dataclass
class Desk:
    telegram: TelegramServer
    book: AsyncSourcebook
    ready: Ready
    outbox: Outbox

    def person(self, id: int, language: str = "en", first_name: str = "Anna") -> Person:
        return self.telegram.person(id, first_name, language)

    async def feed(self, *updates: Json) -> None:
        """Let the bot handle these, one after the other, as if Telegram had just sent them."""
        for update in updates:
            with suppress(TelegramAPIError):
                await self.ready.feed(Update.model_validate(update, context={"bot": self.ready.office.bot}))

    async def feed_at_once(self, *updates: Json) -> None:
        await asyncio.gather(*(self.feed(update) for update in updates))

    async def says(self, person: Person, text: str) -> Sent:
        """The last thing that a person sees after saying something."""
        await self.feed(person.says(text))
        return self.telegram.last(person.id)

    async def presses(self, person: Person, on: Sent, label: str) -> Sent:
        await self.feed(person.presses(on, on.buttons[label]))
        return self.telegram.last(person.id)

    async def deliver(self) -> None:
        """Send what is in the outbox, and tell those who review what is new."""
        while await self.outbox.send_one():
            pass
        await self.outbox.inbox.announce()

    async def user(self, person: Person) -> User:
        return await self.book.people.get_or_create_user(person.id)

    async def balance(self, person: Person) -> int:
        return (await self.user(person)).token_balance

    def notes(self) -> list[str]:
        """What was shown for a moment when buttons were pressed."""
        return [call["text"] for call in self.telegram.called("answerCallbackQuery") if "text" in call]


@asynccontextmanager
async def opened(
    db: str,
    *,
    telegram: TelegramServer | None = None,
    chat_model: ChatModel | None = None,
    is_local: bool = False,
    embedder: Embedder | None = None,
    notes: dict[str, str] | None = None,
    **settings: object,
) -> AsyncGenerator[Desk, None]:
    """A desk; with the server of another one, the bot has been started again."""
    async with TelegramServer() if telegram is None else _as_it_is(telegram) as server:
        chosen = Settings.model_validate(
            {
                "db": db,
                "telegram_token": server.token,
                "telegram_api_base": server.address,
                "telegram_admins": str(ADMIN),
                **({"chat_model": "local:slow"} if is_local else {}),
                **settings,
            }
        )
        async with (
            AsyncSourcebook(
                settings=chosen, embedder=embedder or FakeEmbedder(), chat_model=chat_model, face="telegram"
            ) as book,
            made(book, chosen) as ready,
        ):
            for name, text in (NOTES if notes is None else notes).items():
                category, subcategory = LABELS.get(name, (None, None))
                await book.add_text(
                    text, id=name, title=name.title(), category=category, subcategory=subcategory
                )
            yield Desk(server, book, ready, Outbox(ready.office, "test"))


@asynccontextmanager
async def _as_it_is(server: TelegramServer) -> AsyncGenerator[TelegramServer, None]:
    yield server
