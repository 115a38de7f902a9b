"""How a setting may be shown."""

from __future__ import annotations

import re

from pydantic import SecretStr

# As it stands in the addresses of the Bot API, which libraries put into their errors.
_BOT_TOKEN = re.compile(r"(?<!\d)(\d{1,20}):[A-Za-z0-9_-]{30,}")


def masked(value: object) -> object:
    """The value, safe to show: passwords in addresses, bot tokens and secrets are masked."""
    if isinstance(value, SecretStr):
        return "***"
    if not isinstance(value, str):
        return value
    shown = _BOT_TOKEN.sub(r"\1:***", re.sub(r"(?<=://)([^/?#@:]*):.*@", r"\1:***@", value))
    return re.sub(r"(?i)([?&\s]|^)(\w*password)=[^&\s]*", r"\1\2=***", shown)
