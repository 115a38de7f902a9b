"""Fetches web pages. Whatever a name leads to, the address that is connected to is the one that was checked."""

from __future__ import annotations

import socket
from collections.abc import Sequence

import anyio
import httpx2

from sourcebook._version import __version__
from sourcebook.ports.page_fetcher import NO_STAMP, FetchedPage, NotFetched, PageStamp
from sourcebook.providers.public_addresses import require_public

USER_AGENT = f"sourcebook/{__version__}"
CONNECT_SECONDS = 10.0
PAGE_SECONDS = 60.0
_LONGEST_HEADER = 500


class WebPageFetcher:
    """Fetches pages by HTTP, without cookies, proxies or redirects. `allowed` are hosts that may be private."""

    def __init__(self, largest: int, allowed: Sequence[str] = (), patience: float = PAGE_SECONDS) -> None:
        self._largest = largest
        self._patience = patience
        self._allowed = frozenset(host.lower() for host in allowed)
        self._client: httpx2.AsyncClient | None = None

    async def fetch(self, address: str, known: PageStamp = NO_STAMP) -> FetchedPage:
        """The answer to one request. A body above the limit is an error, and so is a page that takes too long."""
        headers = {"If-None-Match": known.etag, "If-Modified-Since": known.modified}
        request = {name: value for name, value in headers.items() if value}
        try:
            with anyio.fail_after(self._patience):
                return await self._asked(address, request)
        except TimeoutError:
            raise NotFetched(f"The page takes more than {self._patience:g} seconds") from None
        except httpx2.InvalidURL:
            raise NotFetched("The address cannot be read") from None
        except httpx2.HTTPError as error:
            raise NotFetched(str(error) or type(error).__name__) from None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def _asked(self, address: str, headers: dict[str, str]) -> FetchedPage:
        client = self._client = self._client or _client(self._allowed)
        async with client.stream("GET", address, headers=headers) as response:
            data = bytearray()
            if response.status_code < 300:
                async for piece in response.aiter_bytes():
                    data += piece
                    if len(data) > self._largest:
                        raise NotFetched(f"The page is larger than {self._largest // 1_000_000} MB")
            said = response.headers
            return FetchedPage(
                response.status_code,
                bytes(data),
                said.get("Content-Type", ""),
                said.get("Location", ""),
                PageStamp(
                    said.get("ETag", "")[:_LONGEST_HEADER], said.get("Last-Modified", "")[:_LONGEST_HEADER]
                ),
                _seconds(said.get("Retry-After", "")),
            )


def _client(allowed: frozenset[str]) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        transport=_CheckedTransport(allowed),
        headers={"User-Agent": USER_AGENT, "Accept": "text/html, */*;q=0.5"},
        timeout=httpx2.Timeout(PAGE_SECONDS, connect=CONNECT_SECONDS),
        follow_redirects=False,
        # A proxy would connect to addresses that nobody here has checked.
        trust_env=False,
    )


class _CheckedTransport(httpx2.AsyncBaseTransport):
    """Resolves a name itself, checks what it leads to, and connects to just that."""

    def __init__(self, allowed: frozenset[str]) -> None:
        self._allowed = allowed
        self._inner = httpx2.AsyncHTTPTransport(retries=0, trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        name = request.url.host
        addresses = await _resolved(name, request.url.port or (443 if request.url.scheme == "https" else 80))
        if name.lower() not in self._allowed:
            require_public(name, addresses)
        last: httpx2.ConnectError | None = None
        for address in addresses[:4]:
            # The server is still asked, and has to prove itself, by its name.
            checked = httpx2.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": name},
            )
            try:
                return await self._inner.handle_async_request(checked)
            except httpx2.ConnectError as error:
                last = error
        raise last or httpx2.ConnectError("The name leads nowhere", request=request)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _resolved(name: str, port: int) -> list[str]:
    try:
        found = await anyio.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotFetched(f"There is no host {name}, or no network") from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _seconds(value: str) -> float:
    return float(value) if value.isascii() and value.isdigit() and len(value) < 6 else 0.0
