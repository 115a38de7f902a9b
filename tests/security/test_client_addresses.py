"""A client or a proxy is the same machine, whichever way its address is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.faces.server_desk import server_desk
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from sourcebook.faces.http.auth.client_addresses import PlainClientAddress, believed_proxies

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

pytestmark = pytest.mark.anyio
CLIENT = "203.0.113.5"


async def seen(proxies: str, peer: str, forwarded: str = CLIENT) -> tuple[str, str]:
    """The address and the scheme that the app sees of a request, as the server wraps it."""
    seen: dict[str, Any] = {}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.update(scope)

    async def receive() -> Message:
        raise AssertionError("nothing is received")

    async def send(message: Any) -> None:
        raise AssertionError("nothing is sent")

    wrapped: Any = ProxyHeadersMiddleware(
        PlainClientAddress(app),  # pyright: ignore[reportArgumentType]
        trusted_hosts=believed_proxies(proxies),
    )
    headers = [(b"x-forwarded-for", forwarded.encode()), (b"x-forwarded-proto", b"https")]
    await wrapped({"type": "http", "scheme": "http", "client": (peer, 5), "headers": headers}, receive, send)
    return seen["client"][0], seen["scheme"]


@pytest.mark.parametrize(
    ("proxies", "peer"),
    [
        ("", "127.0.0.1"),
        ("", "::1"),
        ("", "::ffff:127.0.0.1"),
        ("172.18.0.0/16", "172.18.0.3"),
        ("172.18.0.0/16", "::ffff:172.18.0.3"),
        ("172.18.0.0/16", "::ffff:ac12:3"),
        ("10.0.0.1,172.18.0.3", "::ffff:172.18.0.3"),
        ("0.0.0.0/0", "::ffff:198.51.100.1"),
        ("fd00::/8", "fd00::5"),
    ],
)
async def test_a_proxy_is_believed_in_every_form_of_its_address(proxies: str, peer: str) -> None:
    assert await seen(proxies, peer) == (CLIENT, "https")


@pytest.mark.parametrize(
    ("proxies", "peer", "plain"),
    [
        ("", "198.51.100.1", "198.51.100.1"),
        ("", "::ffff:198.51.100.1", "198.51.100.1"),
        ("", "::ffff:127.0.0.2", "127.0.0.2"),
        ("172.18.0.0/16", "::ffff:172.19.0.3", "172.19.0.3"),
        ("172.18.0.3", "::ffff:172.18.0.4", "172.18.0.4"),
        ("0.0.0.0/0", "2001:db8::7", "2001:db8::7"),
    ],
)
async def test_nobody_else_is_believed(proxies: str, peer: str, plain: str) -> None:
    assert await seen(proxies, peer) == (plain, "http")


@pytest.mark.parametrize(
    ("forwarded", "plain"),
    [
        (f"::ffff:{CLIENT}", CLIENT),
        (f"198.51.100.1, ::ffff:{CLIENT}, ::ffff:172.18.0.9", CLIENT),
        ("2001:db8::7", "2001:db8::7"),
        ("unknown", "unknown"),
    ],
)
async def test_the_address_that_a_proxy_tells_is_taken_over_plain(forwarded: str, plain: str) -> None:
    assert await seen("172.18.0.0/16", "::ffff:172.18.0.3", forwarded) == (plain, "https")


async def test_whoever_guesses_passwords_is_one_address_in_both_of_its_forms(tmp_path: Path) -> None:
    async with server_desk(str(tmp_path / "base.db")) as desk:
        answers = [
            (
                await desk.client(address=address).post(
                    "/api/login", json={"login": f"name{n}", "password": "x"}
                )
            )
            for n, address in enumerate(["198.51.100.9"] * 10 + ["::ffff:198.51.100.9"] * 11)
        ]
        assert [answer.status_code for answer in answers] == [401] * 20 + [429]
