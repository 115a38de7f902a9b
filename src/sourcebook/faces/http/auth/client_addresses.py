"""Addresses of clients, and of the proxies whose word about their clients is believed.

A server that listens at `::` sees a client at 192.0.2.1 as `::ffff:192.0.2.1`. Both are the same machine.
"""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Network, IPv6Address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_ON_THIS_MACHINE = ("127.0.0.1", "::1")
_MAPPED_PREFIX = 96
"""So many bits of a mapped address come before those of the IPv4 address."""


def believed_proxies(named: str) -> list[str]:
    """This machine and the addresses and networks named between commas, in every form in which they are seen."""
    proxies = [*_ON_THIS_MACHINE, *filter(None, named.split(","))]
    return [form for proxy in proxies for form in _forms(proxy)]


def _forms(proxy: str) -> list[str]:
    network = ip_network(proxy, strict=False)
    if isinstance(network, IPv4Network):
        return [proxy, f"::ffff:{network.network_address}/{_MAPPED_PREFIX + network.prefixlen}"]
    return [proxy]


def plain_address(address: str) -> str:
    """The IPv4 address that is written as an IPv6 address; any other as it is."""
    try:
        mapped = IPv6Address(address).ipv4_mapped
    except AddressValueError:
        return address
    return address if mapped is None else str(mapped)


class PlainClientAddress:
    """Tells the app the plain address of each client, whether the connection or a proxy has told it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if client := scope.get("client"):
            scope["client"] = (plain_address(client[0]), *client[1:])
        await self._app(scope, receive, send)
