"""How a setting may be shown."""

from __future__ import annotations

from pydantic import SecretStr

from sourcebook.text.secret_masks import without_secrets


def masked(value: object) -> object:
    """The value, safe to show: passwords and keys in addresses, bot tokens and secrets are masked."""
    if isinstance(value, SecretStr):
        return "***"
    return without_secrets(value) if isinstance(value, str) else value
