"""All settings, with their defaults, limits and descriptions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator

from sourcebook.errors import BadSetting
from sourcebook.ingest.folder.type_rules import parse_rules
from sourcebook.model.token_prices import Prices
from sourcebook.providers.catalogue.table import is_known
from sourcebook.providers.url_checks import is_readable_url
from sourcebook.settings.masks import masked
from sourcebook.settings.model_fields import ModelFields
from sourcebook.storage.base_address import checked_base, is_server

_PRICES = Prices()


class Settings(ModelFields):
    """All settings. Each field's description appears in the reference page."""

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
    welcome_tokens: int = Field(
        default=_PRICES.welcome_tokens,
        ge=0,
        le=1_000_000,
        description="How many tokens a new user receives.",
    )
    price_new_topic: int = Field(
        default=_PRICES.new_topic,
        ge=0,
        le=1_000_000,
        description="The price of a consultation in tokens. With 0, all questions are free. Curated answers, declines "
        "and failures are always free.",
    )
    follow_ups_included: int = Field(
        default=_PRICES.follow_ups_included,
        ge=0,
        le=1_000_000,
        description="How many follow-up questions a paid consultation includes.",
    )
    price_more_questions: int = Field(
        default=_PRICES.more_questions,
        ge=1,
        le=1_000_000,
        description="The price of more questions in a consultation, in tokens.",
    )
    more_questions: int = Field(
        default=_PRICES.questions_in_a_purchase,
        ge=1,
        le=1_000_000,
        description="How many questions that price buys.",
    )
    reservation_seconds: int = Field(
        default=60,
        ge=3,
        le=3600,
        description="Seconds to hold the tokens for a question after its worker last reported in. "
        "Then they are returned.",
    )
    draft_answers: Literal["all", "model", "unverified", "none"] = Field(
        default="all",
        description="Which answers from documents go to review: `all`; `model`, those written by a chat model; "
        "`unverified`, those with an unsupported sentence; or `none`. Unanswered questions always go to review.",
    )
    draft_share: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="The share of those answers to review, chosen at random.",
    )
    sign_in_days: int = Field(
        default=14,
        ge=1,
        le=365,
        description="How many days a sign-in on the page lasts.",
    )
    login: Literal["auto", "always"] = Field(
        default="auto",
        description="Whether the server asks for an account or an API key: `always`, or `auto`, which lets one person "
        "in without a login on this machine as long as there are no accounts.",
    )
    allowed_hosts: str = Field(
        default="",
        description="Further names by which the server may be reached, separated by commas, for example "
        "`kb.example.org`. With a login, any name is accepted while this is empty.",
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

    @field_validator("type_rules")
    @classmethod
    def _with_sense(cls, rules: str) -> str:
        parse_rules(rules)
        return rules

    @field_validator("embedder")
    @classmethod
    def _known_embedder(cls, embedder: str) -> str:
        kind, _, model = embedder.partition(":")
        if embedder in ("default", "none", "minilm") or is_known(embedder):
            return embedder
        if kind in ("onnx", "openai", "ollama") and model.strip():
            return embedder
        raise ValueError(
            "choose default, none, minilm, an embedder of `sourcebook models list`, onnx:FOLDER, openai:MODEL or "
            "ollama:MODEL, and replace the word in capitals with your own"
        )

    @field_validator("embedder_base_url", "rerank_base_url", "chat_base_url", "telegram_api_base")
    @classmethod
    def _address(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("an address begins with http:// or https://")
        if url is not None and not is_readable_url(url):
            raise ValueError("the address is unreadable; write http://HOST:PORT/PATH, with %XX in a password")
        return url

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

    @field_validator("db")
    @classmethod
    def _with_home(cls, db: str) -> str:
        if not db.startswith("~"):
            return checked_base(db)
        try:
            return str(Path(db).expanduser())
        except RuntimeError:
            # Like a shell: `~name` without such a home folder is an ordinary name.
            return db

    @field_validator("db_direct", "db_replicas")
    @classmethod
    def _of_servers(cls, addresses: str | None) -> str | None:
        if addresses is None:
            return None
        checked = [checked_base(address) for address in addresses.split()]
        if not all(map(is_server, checked)):
            raise ValueError("write addresses of PostgreSQL servers, postgresql://user:password@host/name")
        return " ".join(checked)

    def at(self, db: str) -> Settings:
        """The same settings for another base, which has neither the pooler nor the replicas of this one."""
        try:
            return Settings.model_validate(
                {**self.model_dump(), "db": db, "db_direct": None, "db_replicas": ""}
            )
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise BadSetting(f"`db` is not valid: {reason.removeprefix('Value error, ')}.") from None

    def with_embedder(self, name: str) -> Settings:
        """The same settings with another embedder."""
        try:
            return Settings.model_validate({**self.model_dump(), "embedder": name})
        except ValidationError as error:
            reason = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            raise BadSetting(f"The model cannot be {name!r}: {reason}.") from None

    def __repr_args__(self) -> list[tuple[str | None, object]]:
        return [(key, masked(value)) for key, value in self]
