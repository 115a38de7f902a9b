"""Fetching pages: asked for an address, a fetcher gives what a server answered, or says why it does not ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PageStamp:
    """By what a server tells whether a page is still as it was when it was fetched, and the hash of its bytes then."""

    etag: str = ""
    modified: str = ""
    file_hash: str = ""


NO_STAMP = PageStamp()


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What a server answered. A redirect is not followed: `location` is where it leads."""

    status: int
    data: bytes = b""
    content_type: str = ""
    location: str = ""
    stamp: PageStamp = NO_STAMP
    retry_after: float = 0.0


class NotFetched(Exception):
    """There is no answer, for a reason that people can read."""


class PageFetcher(Protocol):
    """Fetches one page at a time, from public addresses only unless a host is allowed by its name."""

    async def fetch(self, address: str, known: PageStamp = NO_STAMP) -> FetchedPage:
        """The answer. With a stamp, the status is 304 if the page is as it was.

        Raises AddressRefused for an address that is not to be asked, and NotFetched if nobody answers.
        """
        ...

    async def close(self) -> None: ...
