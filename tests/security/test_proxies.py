"""Whom the server believes about its clients: proxies on this machine, and those that the settings name."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx2
import pytest
from tests.faces.http_server import PATIENCE, serving

from sourcebook.errors import BadSetting
from sourcebook.settings import load

ELSEWHERE = "203.0.113.5"
ANOTHER = "127.0.0.2"
"""An address of this machine that the server takes for one of a machine beside it."""


@pytest.fixture
def _another_address() -> None:  # pyright: ignore[reportUnusedFunction]
    with socket.socket() as tried:
        try:
            tried.bind((ANOTHER, 0))
        except OSError:
            pytest.skip(f"this machine has no address {ANOTHER}")


@pytest.mark.usefixtures("_another_address")
@pytest.mark.parametrize(
    ("proxies", "status"),
    [("", 200), ("127.0.0.3, 10.0.0.0/8", 200), (ANOTHER, 401), ("127.0.0.7/30, 127.0.0.0/29", 401)],
)
def test_a_proxy_beside_this_machine_is_believed_only_if_it_is_named(
    tmp_path: Path, proxies: str, status: int
) -> None:
    """The one person at this machine needs no login; somebody for whom a proxy speaks does."""
    with serving(str(tmp_path / "base.db"), tmp_path, SOURCEBOOK_TRUSTED_PROXIES=proxies) as server:
        assert said_by_a_proxy(server.url, ANOTHER) == status
        assert said_by_a_proxy(server.url, "127.0.0.1") == 401


def said_by_a_proxy(url: str, address: str) -> int:
    with httpx2.Client(transport=httpx2.HTTPTransport(local_address=address), timeout=PATIENCE) as proxy:
        return proxy.get(f"{url}/api/me", headers={"X-Forwarded-For": ELSEWHERE}).status_code


@pytest.mark.parametrize("proxies", ["*", "proxy.example.org", "10.0.0.0/33", "10.0.0.1, all"])
def test_what_is_no_address_is_not_taken_for_a_proxy(tmp_path: Path, proxies: str) -> None:
    with pytest.raises(BadSetting, match="neither an address nor a network"):
        load(cwd=tmp_path, environ={"SOURCEBOOK_TRUSTED_PROXIES": proxies})
