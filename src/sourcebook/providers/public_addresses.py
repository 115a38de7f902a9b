"""Which addresses a program may be sent to by a stranger: those of the internet, none of the network it runs in."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from sourcebook.errors import AddressRefused

_TRANSLATED = ip_network("64:ff9b::/96")


def require_public(name: str, addresses: Sequence[str]) -> None:
    """Refuse a host one of whose addresses is not public."""
    for address in addresses:
        if not is_public(address):
            leads = "" if name == address else f" leads to {address}, which"
            raise AddressRefused(f"{name}{leads} is not a public address.")


def is_public(address: str) -> bool:
    """Whether an address belongs to the internet that everybody shares."""
    try:
        inner = _inner(ip_address(address.partition("%")[0]))
    except ValueError:
        return False
    return all(one.is_global and not one.is_multicast and not one.is_reserved for one in inner)


def _inner(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """The address, or those that it carries inside: newer addresses can stand for older ones."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return [*address.teredo]
    if address in _TRANSLATED:
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    return [address]
