"""Addresses of pages: the same page has one address, and that is the path of its document."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import quote, urldefrag, urlsplit, urlunsplit

from sourcebook.errors import UsageError
from sourcebook.ingest.parsers.file_kinds import SUFFIXES, FileKind

LONGEST = 2_000
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\\]")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_NOT_FOLLOWED = frozenset({FileKind.IMAGE, FileKind.AUDIO, FileKind.ZIP, FileKind.TAR})
_ASSETS = frozenset([".css", ".js", ".mjs", ".ico", ".svg", ".woff", ".woff2", ".gz", ".exe", ".dmg", ".iso"])
# What a page is called when it is read, by what the server says that it is.
_NAMES = {
    "text/html": "page.html",
    "application/xhtml+xml": "page.html",
    "text/plain": "page.txt",
    "text/markdown": "page.md",
    "text/csv": "page.csv",
    "application/json": "page.json",
}


def is_web_address(text: object) -> bool:
    return isinstance(text, str) and text.lower().startswith(("http://", "https://"))


def normal_address(address: str) -> str:
    """The address in its one form: without what stands behind `#`, the host in small letters, no default port."""
    try:
        parts = urlsplit(urldefrag(address.strip()).url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise UsageError(f"{address!r} is not an address of a page.") from None
    if parts.scheme not in _DEFAULT_PORTS or not host or len(address) > LONGEST or _UNSEEN.search(host):
        raise UsageError(f"{address!r} is not an address of a page.")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "An address with a user and a password is not fetched: it would be shown with every citation."
        )
    name = f"[{host}]" if ":" in host else host
    place = name if port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{name}:{port}"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return urlunsplit((parts.scheme, place, path, query, ""))


def origin_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def may_be_document(address: str) -> bool:
    """Whether a link is worth following: pictures, sounds, archives and parts of pages are not."""
    suffix = PurePosixPath(urlsplit(address).path).suffix.lower()
    return suffix not in _ASSETS and SUFFIXES.get(suffix) not in _NOT_FOLLOWED


def is_document_type(content_type: str) -> bool:
    return not content_type.lower().startswith(("image/", "audio/", "video/", "font/"))


def is_page(content_type: str) -> bool:
    return _plain(content_type) in ("text/html", "application/xhtml+xml", "")


def name_for(address: str, content_type: str) -> str:
    """What to call the bytes when they are read: what the server says goes before what the address looks like."""
    return _NAMES.get(_plain(content_type)) or PurePosixPath(urlsplit(address).path).name or "page.html"


def _plain(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()
