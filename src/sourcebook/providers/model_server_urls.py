"""Whether an address of a server of a model can be asked at all."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_HOST = re.compile(r"[\w.-]+|[0-9A-Fa-f:.%]+")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0]")


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
