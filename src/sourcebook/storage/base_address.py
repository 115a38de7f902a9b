"""Where a base is: a file, or a server. What looks like a server's address is read as one or refused, never shown."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from sourcebook.errors import BadAddress

SERVER_SCHEMES = ("postgresql://", "postgres://")
_HIGHEST_PORT = 65_535

# A scheme has two letters at least, because one letter is a drive of Windows.
_SCHEME = re.compile(r"(?i)\s*[a-z][a-z0-9+.-]+:/")
_POSTGRES = re.compile(r"(?i)\s*postgres(ql)?\s*:")
# `host=… password=…`, as libpq and many other programs take it.
_WORDS = re.compile(r"(?i)(^|[\s;])(host|hostaddr|server|user|username|password|passwd|pwd|dbname)\s*=")
_ACCOUNT = re.compile(r"[^\\/@\s]+:[^@]*@[\w.:\[-]")
# These are paths whatever follows, so that every file can be named.
_PATH = re.compile(r"\.{0,2}[\\/]|[A-Za-z]:[\\/]")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^:\[\]@\s]*)(?::(\d*))?")


def is_server(base: str) -> bool:
    """Whether the base is kept by a server, as opposed to a file."""
    return base.startswith(SERVER_SCHEMES)


def checked_base(base: str) -> str:
    """The base as it was given, if it can be told where that is: a path, or an address that reads in one way only.

    An address of a kind that we do not know passes; opening it says so. `BadAddress` shows nothing of what was given,
    as a password may stand anywhere in it.
    """
    lowered = _with_lower_scheme(base)
    if is_server(lowered):
        _require_readable(lowered)
        return lowered
    if "://" not in base and _looks_like_a_server(base):
        raise BadAddress
    return base


def _with_lower_scheme(base: str) -> str:
    scheme, mark, rest = base.partition("://")
    return f"{scheme.lower()}{mark}{rest}" if mark and is_server(f"{scheme.lower()}://") else base


def _looks_like_a_server(base: str) -> bool:
    if _PATH.match(base):
        return False
    return any(look.match(base) for look in (_SCHEME, _POSTGRES, _ACCOUNT)) or bool(_WORDS.search(base))


def _require_readable(address: str) -> None:
    try:
        parts = urlsplit(address)
        parse_qsl(parts.query, strict_parsing=bool(parts.query))
    except ValueError:
        raise BadAddress from None
    account, _, hosts = parts.netloc.rpartition("@")
    # A mark that is not written as %XX ends the password early, and the rest of it would be a host, a port or a name.
    if "@" in account or "@" in parts.path or "#" in address:
        raise BadAddress
    if not all(_is_host(host) for host in hosts.split(",")):
        raise BadAddress


def _is_host(host: str) -> bool:
    found = _HOST.fullmatch(host)
    return found is not None and int(found[2] or 0) <= _HIGHEST_PORT
