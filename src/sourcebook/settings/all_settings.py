"""All settings together. Each group of fields has a file of its own beside this one."""

from __future__ import annotations

from pydantic import ValidationError, field_validator

from sourcebook.errors import BadSetting
from sourcebook.providers.model_server_address import is_readable_url
from sourcebook.settings.review_fields import ReviewFields
from sourcebook.settings.secret_masks import masked


class Settings(ReviewFields):
    """All settings. Each field's description appears in the reference page."""

    @field_validator("embedder_base_url", "rerank_base_url", "chat_base_url", "telegram_api_base")
    @classmethod
    def _address(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("an address begins with http:// or https://")
        if url is not None and not is_readable_url(url):
            raise ValueError("the address is unreadable; write http://HOST:PORT/PATH, with %XX in a password")
        return url

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
