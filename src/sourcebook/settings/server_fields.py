"""The settings of the server: uploads, sign-in, limits on requests, and the log."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Literal

from pydantic import Field, field_validator

from sourcebook.settings.telegram_fields import TelegramFields


class ServerFields(TelegramFields):
    """Who may come in, how much they may send, and what is logged."""

    http_charges: bool = Field(
        default=False,
        description="Whether people who ask over HTTP or on the page pay with tokens, as they do in the bot.",
    )
    http_upload_mb: float = Field(
        default=200.0,
        gt=0,
        le=100_000,
        description="The largest request that uploads files to the server, in megabytes. Each file may have "
        "`max_file_mb`.",
    )
    http_client_seconds: float = Field(
        default=30.0,
        gt=0,
        le=3600,
        description="Seconds after which the server gives up a client that neither sends nor reads.",
    )
    http_stop_seconds: float = Field(
        default=30.0,
        gt=0,
        le=3600,
        description="Seconds that answers and uploads in progress have to finish when the server is told to stop.",
    )
    login: Literal["auto", "always"] = Field(
        default="auto",
        description="Whether the server asks for an account or an API key: `always`, or `auto`, which lets one person "
        "in without a login on this machine as long as there are no accounts.",
    )
    sign_in_days: int = Field(
        default=14,
        ge=1,
        le=365,
        description="How many days a sign-in on the page lasts.",
    )
    allowed_hosts: str = Field(
        default="",
        description="Further names by which the server may be reached, separated by commas, for example "
        "`kb.example.org`. With a login, any name is accepted while this is empty.",
    )
    trusted_proxies: str = Field(
        default="",
        description="Addresses or networks of proxies that are not on this machine, separated by commas, for example "
        "`172.18.0.0/16`. What they say about their clients (`X-Forwarded-For`, `X-Forwarded-Proto`) is believed.",
    )
    requests_per_minute: int = Field(
        default=600,
        ge=1,
        le=1_000_000,
        description="The most requests an account or an API key may send in a minute. One person without a login has "
        "no limit.",
    )
    questions_per_minute: int = Field(
        default=60,
        ge=1,
        le=1_000_000,
        description="The most questions an account or an API key may ask in a minute.",
    )
    questions_per_day: int = Field(
        default=5_000,
        ge=1,
        le=100_000_000,
        description="The most questions an account or an API key may ask in a day, which bounds what a model costs.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning",
        description="The lowest level of message to log.",
    )
    log_format: Literal["text", "json"] = Field(
        default="text",
        description="The log format: readable text, or one JSON object per line.",
    )

    @field_validator("trusted_proxies")
    @classmethod
    def _of_addresses(cls, proxies: str) -> str:
        return ",".join(_network_of(proxy.strip()) for proxy in proxies.split(",") if proxy.strip())


def _network_of(proxy: str) -> str:
    try:
        network = ip_network(proxy, strict=False)
    except ValueError:
        raise ValueError(f"{proxy!r} is neither an address nor a network such as 172.18.0.0/16") from None
    return str(network) if "/" in proxy else proxy
