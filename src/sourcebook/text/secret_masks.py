"""Secrets in a text: passwords and keys in addresses, and bot tokens."""

from __future__ import annotations

import re

# As it stands in the addresses of the Bot API, which libraries put into their errors.
_BOT_TOKEN = re.compile(r"(?<!\d)(\d{1,20}):[A-Za-z0-9_-]{30,}")

# An address as it should be, or with a slash too few, as a path that was made of it has.
_ACCOUNT = re.compile(r"(?i)(\bpostgres(?:ql)?:/*|:/+)([^/?#@:\s]*):.*@")
# A key in place of an account, as some services take it. In an address of PostgreSQL it is a user name: shown.
_KEY_AS_ACCOUNT = re.compile(r"(?i)\b(https?:/+)[^/?#@:\s]+@")
_KEY = re.compile(r"(?i)([?&;](?:[\w-]*(?:key|token|secret|signature|credential)|auth|sig|code)=)[^&#\s]*")
_PASSWORD = re.compile(r"""(?i)\b(\w*password|passwd|pwd)\s*=\s*(?:'(?:[^'\\]|\\.)*'|"[^"]*"|[^&\s]*)""")


def without_secrets(text: str) -> str:
    """The text, safe to show: each secret is masked."""
    shown = _BOT_TOKEN.sub(r"\1:***", _ACCOUNT.sub(r"\1\2:***@", text))
    shown = _KEY.sub(r"\1***", _KEY_AS_ACCOUNT.sub(r"\1***@", shown))
    return _PASSWORD.sub(r"\1=***", shown)
