"""Receives updates over HTTP. A call without the secret is rejected."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from aiogram.types import Update
from aiohttp import web
from pydantic import ValidationError

from sourcebook.errors import BadSetting

if TYPE_CHECKING:
    from sourcebook.settings import Settings


HEADER = "X-Telegram-Bot-Api-Secret-Token"
LARGEST = 1_000_000
"""Bytes. An update holds no files, only their names."""


def require_secret(settings: Settings) -> str:
    """The secret, without which no webhook is opened: anybody could speak for anybody."""
    secret = settings.telegram_webhook_secret
    if secret is None or not secret.get_secret_value():
        raise BadSetting(
            "A webhook needs `telegram_webhook_secret`.",
            hint="Set it to 32 or more random letters and digits. The bot registers it with Telegram at "
            "the start.",
        )
    return secret.get_secret_value()


def make_app(feed: Callable[[Update], Awaitable[None]], secret: str) -> web.Application:
    """Takes updates by POST at any path. The answer comes when the update is done: what fails is sent again."""

    async def receive(request: web.Request) -> web.Response:
        given = request.headers.get(HEADER, "")
        if not hmac.compare_digest(given.encode(), secret.encode()):
            return web.Response(status=401)
        try:
            update = Update.model_validate_json(await request.read())
        except ValidationError:
            return web.Response(status=400)
        await feed(update)
        return web.Response()

    application = web.Application(client_max_size=LARGEST)
    application.router.add_post("/{path:.*}", receive)
    return application
