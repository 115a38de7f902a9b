"""The bot as a whole: it polls or listens, sends what is in the outbox, and looks after itself."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import TelegramAPIError, TelegramNotFound, TelegramUnauthorizedError
from aiogram.types import BotCommand
from aiogram.utils.token import TokenValidationError
from aiohttp import web

from sourcebook.client import AsyncSourcebook
from sourcebook.errors import AuthError, BadSetting, ProviderMissing, ProviderUnreachable
from sourcebook.faces.telegram.bot_services import BotServices, BotTerms
from sourcebook.faces.telegram.outgoing.outbox_delivery import Outbox
from sourcebook.faces.telegram.outgoing.sender import Sender
from sourcebook.faces.telegram.periodic_checks import Upkeep
from sourcebook.faces.telegram.updates.dispatch import UPDATES, make_dispatcher
from sourcebook.faces.telegram.updates.permissions import admin_ids
from sourcebook.faces.telegram.updates.poller import Poller
from sourcebook.faces.telegram.updates.webhook import make_app, require_secret
from sourcebook.locale import LANGUAGES, texts
from sourcebook.settings import masked

if TYPE_CHECKING:
    from aiogram import Dispatcher
    from aiogram.types import Update
    from aiogram.types import User as TelegramUser

    from sourcebook.settings import Settings


log = logging.getLogger(__name__)

TELEGRAM = "https://api.telegram.org"
LARGEST_FROM_TELEGRAM = 20.0
"""Megabytes: as much as Telegram's own server lets a bot fetch."""
_MADE_BEFORE_A_LOOK = 10_000
"""How many things are made before the garbage collector looks at them."""


class Session(AiohttpSession):
    """Closes when its connections have closed, which aiohttp sees to itself; there is no need to wait any longer."""

    async def close(self) -> None:
        if self._session is not None and not self._session.closed:
            await self._session.close()


@dataclass(frozen=True, slots=True)
class Ended:
    """What a bot did until it was stopped."""

    username: str
    mode: str
    handled: int


@dataclass(frozen=True, slots=True)
class Ready:
    """A bot that can be fed."""

    me: TelegramUser
    office: BotServices
    dispatcher: Dispatcher

    async def feed(self, update: Update) -> None:
        await self.dispatcher.feed_update(self.office.bot, update)


async def run(
    settings: Settings, stop: asyncio.Event, on_ready: Callable[[str, str], None] | None = None
) -> Ended:
    """Run the bot of these settings until `stop` is set. `on_ready` receives its name and where it listens."""
    secret = require_secret(settings) if settings.telegram_webhook_url else None
    async with (
        AsyncSourcebook(settings=settings, face="telegram") as book,
        made(book, settings) as ready,
        asyncio.TaskGroup() as others,
    ):
        if not any(each.document_count for each in await book.library.collections()):
            log.warning(
                "The base has no documents yet, so nobody gets an answer: `sourcebook add PATH` adds some."
            )
        background = [
            others.create_task(Outbox(ready.office, f"telegram:{ready.me.id}:{os.getpid()}").run(stop)),
            others.create_task(Upkeep(ready.office, _folder(settings)).run(stop)),
        ]
        try:
            with settled_memory():
                if secret is not None:
                    return await _listen(ready, settings, secret, stop, on_ready)
                return await _poll(ready, stop, on_ready)
        finally:
            stop.set()
            ready.office.news.set()
            await asyncio.gather(*background)


@contextmanager
def settled_memory() -> Generator[None, None, None]:
    """Let the garbage collector look only at what is made from now on: all else would be walked over for nothing."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    # A question makes thousands of things and leaves next to none in a circle.
    gc.set_threshold(_MADE_BEFORE_A_LOOK, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@asynccontextmanager
async def made(book: AsyncSourcebook, settings: Settings) -> AsyncGenerator[Ready, None]:
    """The bot of these settings on an open base, known to Telegram."""
    bot = _bot(settings)
    try:
        try:
            me = await bot.me()
            await _introduce(bot)
        except (TelegramUnauthorizedError, TelegramNotFound):
            raise AuthError(
                "Telegram rejected the bot's token.",
                hint="Set `telegram_token` to the token from @BotFather.",
            ) from None
        except TelegramAPIError as error:
            raise ProviderUnreachable(
                f"The Bot API cannot be reached: {masked(error.message)}.",
                hint="Check the network, `telegram_api_base` and `telegram_proxy`.",
            ) from None
        office = BotServices(book, bot, Sender(bot), _terms(book, settings))
        await office.appoint()
        yield Ready(me, office, make_dispatcher(office))
    finally:
        await bot.session.close()


def _bot(settings: Settings) -> Bot:
    token = settings.telegram_token
    if token is None:
        raise BadSetting("`telegram_token` is not set.", hint="Create a bot with @BotFather to get a token.")
    try:
        session = Session(
            proxy=settings.telegram_proxy,
            api=TelegramAPIServer.from_base(settings.telegram_api_base.rstrip("/")),
        )
        return Bot(token.get_secret_value(), session=session)
    except TokenValidationError:
        raise BadSetting("`telegram_token` is not a token.", hint="A token looks like 123456:ABC….") from None
    except RuntimeError:
        raise ProviderMissing(
            "A proxy needs the package aiohttp-socks", hint="Install it: pip install aiohttp-socks."
        ) from None


async def _introduce(bot: Bot) -> None:
    """Tell Telegram the commands, so that it offers them."""
    for language in (None, *LANGUAGES):
        lines = [line for line in texts(language)("help").splitlines() if line.startswith("/")]
        pairs = [line[1:].split(" - ", 1) for line in lines]
        await bot.set_my_commands(
            [BotCommand(command=name, description=text) for name, text in pairs], language_code=language
        )


def _terms(book: AsyncSourcebook, settings: Settings) -> BotTerms:
    largest = settings.max_file_mb
    if settings.telegram_api_base.rstrip("/") == TELEGRAM:
        largest = min(largest, LARGEST_FROM_TELEGRAM)
    return BotTerms(
        admins=admin_ids(settings.telegram_admins),
        prices=book.people.prices,
        collection=settings.collection,
        stars=settings.telegram_stars,
        max_file_mb=largest,
    )


async def _poll(ready: Ready, stop: asyncio.Event, on_ready: Callable[[str, str], None] | None) -> Ended:
    await ready.office.bot.delete_webhook()
    _tell(on_ready, ready, "")
    poller = Poller(ready.office.bot, ready.feed)
    await poller.run(stop)
    return Ended(ready.me.username or "", "polling", poller.handled)


async def _listen(
    ready: Ready,
    settings: Settings,
    secret: str,
    stop: asyncio.Event,
    on_ready: Callable[[str, str], None] | None,
) -> Ended:
    handled = 0

    async def feed(update: Update) -> None:
        nonlocal handled
        await ready.feed(update)
        handled += 1

    runner = web.AppRunner(make_app(feed, secret), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.telegram_webhook_host, settings.telegram_webhook_port)
        await site.start()
        await ready.office.bot.set_webhook(
            settings.telegram_webhook_url or "", secret_token=secret, allowed_updates=UPDATES
        )
        host, port = runner.addresses[0][:2]
        _tell(on_ready, ready, f"{host}:{port}")
        await stop.wait()
    finally:
        await runner.cleanup()
    return Ended(ready.me.username or "", "webhook", handled)


def _tell(on_ready: Callable[[str, str], None] | None, ready: Ready, where: str) -> None:
    if on_ready is not None:
        on_ready(ready.me.username or "", where)


def _folder(settings: Settings) -> Path | None:
    return None if "://" in settings.db else Path(settings.db).absolute().parent
