"""The settings of the Telegram bot."""

from __future__ import annotations

import re

from pydantic import Field, SecretStr, field_validator

from sourcebook.settings.judge_and_reader_fields import JudgeAndReaderFields


class TelegramFields(JudgeAndReaderFields):
    """How the bot reaches Telegram, who its admins are, and what a token costs in Stars."""

    telegram_token: SecretStr | None = Field(
        default=None,
        description="The Telegram bot's token, from @BotFather.",
    )
    telegram_api_base: str = Field(
        default="https://api.telegram.org",
        min_length=1,
        description="The address of the Bot API: Telegram's, or your own server's.",
    )
    telegram_proxy: str | None = Field(
        default=None,
        min_length=1,
        description="A proxy for reaching the Bot API, for example `socks5://127.0.0.1:1080`. "
        "Requires the package `aiohttp-socks`.",
    )
    telegram_admins: str = Field(
        default="",
        description="The Telegram ids of people who may review answers, credit tokens and add files in the bot, "
        "separated by commas. Users with the role admin may too.",
    )
    telegram_webhook_url: str | None = Field(
        default=None,
        min_length=1,
        description="The public `https://…` address where Telegram delivers messages. Without it, the bot polls "
        "Telegram instead.",
    )
    telegram_webhook_secret: SecretStr | None = Field(
        default=None,
        description="The secret that proves a webhook call comes from Telegram: 1 to 256 letters, digits, `_` or `-`. "
        "Required for a webhook.",
    )
    telegram_webhook_host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="The local address on which the bot listens for webhook calls.",
    )
    telegram_webhook_port: int = Field(
        default=8081,
        ge=0,
        le=65535,
        description="The port on which the bot listens for webhook calls. 0 picks a free one.",
    )
    telegram_stars: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="The price of a token in Telegram Stars. With 0, the bot sells no tokens.",
    )

    @field_validator("telegram_admins")
    @classmethod
    def _ids(cls, admins: str) -> str:
        if all(part.strip().isdecimal() for part in admins.split(",") if part.strip()):
            return admins
        raise ValueError("ids are numbers, separated by commas; @userinfobot tells people theirs")

    @field_validator("telegram_webhook_secret")
    @classmethod
    def _fit_for_a_header(cls, secret: SecretStr | None) -> SecretStr | None:
        if secret is None or re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret.get_secret_value()):
            return secret
        raise ValueError("use 1 to 256 letters, digits, `_` or `-`")
