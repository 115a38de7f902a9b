"""The address of a model's server, with its key: whether it can be read, and how it is shown without secrets."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit, urlunsplit

from sourcebook.errors import BadSetting

_HOST = re.compile(r"[\w.-]+|[0-9A-Fa-f:.%]+")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0]")
_WORDS_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Address:
    """Where a model is, and the key that opens it. Neither is shown with its secrets."""

    base_url: str
    api_key: str | None = None
    is_own: bool = False
    """Whether a process of our own answers there: no proxy stands between."""

    def __post_init__(self) -> None:
        if not is_readable_url(self.base_url):
            raise BadSetting(
                "The address of the model's server cannot be read.",
                hint="It is `http://HOST:PORT/PATH`; in a user or password, `/` is written `%2F` and `@` `%40`.",
            )

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"

    @property
    def shown(self) -> str:
        """The address without user, password and query."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def plain_url(self) -> str:
        """The address without user and password, for libraries write addresses into their logs."""
        parts = urlsplit(self.base_url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))

    @property
    def headers(self) -> dict[str, str]:
        """The user and password of the address, in the form in which a server takes them."""
        parts = urlsplit(self.base_url)
        if parts.username is None:
            return {}
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}

    def without_secrets(self, text: str) -> str:
        """A server's words, short, in one line, and without the key even if the server repeats it."""
        for secret in (self.api_key, urlsplit(self.base_url).password):
            if secret:
                text = text.replace(secret, "***")
        text = re.sub(r"\bsk-[\w*-]+", "***", " ".join(text.split()))
        return text if len(text) <= _WORDS_SHOWN else text[:_WORDS_SHOWN] + "…"


def is_readable_url(url: str) -> bool:
    """Whether this is the http address of one host, which reads in one way only."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return False
    if parts.scheme not in ("http", "https") or _UNSEEN.search(url) or port == 0:
        return False
    # An @ behind the host was meant to end a password that has a slash in it.
    return bool(host and _HOST.fullmatch(host)) and parts.netloc.count("@") <= 1 and "@" not in parts.path
