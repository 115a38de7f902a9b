"""Where a request comes from and where it was sent to, as far as a browser tells.

A page of another site can make a browser send requests here, and a name of its own can be made to lead here. Programs
other than browsers send none of these headers, and are not concerned.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.requests import Request

from sourcebook.errors import ForeignRequest

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def known_hosts(host: str, more: str) -> frozenset[str]:
    """The names by which a server is reached: those of this machine, the address it listens at, and further ones."""
    named = [part.strip() for part in more.split(",")]
    return _OWN_NAMES | {name.strip("[]").lower() for name in [host, *named] if name}


def require_known_host(request: Request, hosts: Iterable[str]) -> None:
    """Refuse a request that was sent to another name: somebody may have made that name lead here."""
    sent_to = _host_name(request.headers.get("host", ""))
    if sent_to is None or sent_to not in hosts:
        raise ForeignRequest("This server is not known by the name that the request was sent to.")


def require_same_site(request: Request) -> None:
    """Refuse what a page of another site made a browser send, if it could change something."""
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        raise ForeignRequest("Another site sent this request.")
    origin = request.headers.get("origin")
    # A page that tells nobody where it is has the origin `null`; then the browser's word for it is needed.
    is_own = origin is None or _is_own(request, origin) or (origin == "null" and site == "same-origin")
    if not is_own:
        raise ForeignRequest("Another site sent this request.")


def is_surely_same_site(request: Request) -> bool:
    """Whether the browser itself says that a page of this server sent it. Over plain HTTP it tells the origin alone."""
    origin = request.headers.get("origin")
    return request.headers.get("sec-fetch-site") == "same-origin" or (
        origin is not None and _is_own(request, origin)
    )


def _is_own(request: Request, origin: str) -> bool:
    place = _place(origin)
    return place is not None and place == request.headers.get("host", "").lower()


def _place(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.lower() or None
    except ValueError:
        return None


def _host_name(header: str) -> str | None:
    """The name in a Host header, without its port."""
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port
    except ValueError:
        return None
    if parts.username is not None or parts.path or parts.query or parts.fragment:
        return None
    return parts.hostname
