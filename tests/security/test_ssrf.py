"""S07: an address that somebody gives leads to nothing of this machine or its network, whatever it is written like."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.faces.http_server import running, served
from tests.web_site import Site
from tests.web_site import served as serving_site

from sourcebook import Settings, Sourcebook
from sourcebook.errors import AddressRefused, SourcebookError
from sourcebook.ports.page_fetcher import NotFetched
from sourcebook.providers.page_fetcher import WebPageFetcher
from sourcebook.testing.fakes import FakeEmbedder

HOSTS = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0.0.0.0",  # noqa: S104
    "0",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::127.0.0.1]",
    "[2002:7f00:1::]",
    "127.0.0.1%2f@example.org",
    "169.254.169.254",
    "[fd00:ec2::254]",
    "10.0.0.1",
    "192.168.0.1",
    "172.16.0.1",
    "100.64.0.1",
    "①②⑦.⓪.⓪.①",
]
SCHEMES = [
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "gopher://127.0.0.1:70/_x",
    "ftp://127.0.0.1/x",
    "dict://127.0.0.1:11211/stats",
    "ldap://127.0.0.1/x",
    "jar:http://127.0.0.1!/x",
    "http://user:pass@127.0.0.1/",
    "http://127.0.0.1:22\\@example.org/",
]


@pytest.fixture
def site() -> Iterator[Site]:
    with serving_site() as made:
        made.pages["/"] = "<p>Only for this machine.</p>"
        yield made


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Sourcebook]:
    settings = Settings(db=str(tmp_path / "base.db"), embedder="none", web_pause=0)
    with Sourcebook(settings=settings, embedder=FakeEmbedder()) as opened:
        yield opened


def stored(book: Sourcebook) -> int:
    return sum(each.document_count for each in book.library.collections())


@pytest.mark.parametrize("host", HOSTS)
def test_no_spelling_of_a_private_address_is_connected_to(site: Site, book: Sourcebook, host: str) -> None:
    with suppress(SourcebookError):
        assert book.add(f"http://{host}:{site.port}/").failed
    assert site.asked == []
    assert stored(book) == 0


@pytest.mark.parametrize("address", SCHEMES)
def test_nothing_but_pages_is_fetched(book: Sourcebook, address: str) -> None:
    with pytest.raises(SourcebookError):
        book.add(address)
    assert stored(book) == 0


@pytest.mark.parametrize("host", ["localhost", "[::ffff:127.0.0.1]", "127.1", "2130706433"])
def test_a_page_does_not_lead_to_a_private_address(site: Site, book: Sourcebook, host: str) -> None:
    """The first host is allowed by name, and stands for one that everybody shares; where it leads is checked again."""
    site.pages["/out"] = f"http://{host}:{site.port}/"
    with pytest.raises(AddressRefused):
        book.add(f"{site.address}/out", allow_hosts=["127.0.0.1"])
    assert site.visits() == ["/out"]


@pytest.mark.anyio
async def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is public when it is looked up first, and this machine ever after."""
    looked_up: list[str] = []
    look_up = socket.getaddrinfo

    def answers(host: Any, *more: Any, **options: Any) -> Any:
        if host not in ("rebind.test", b"rebind.test"):
            return look_up(host, *more, **options)
        looked_up.append("rebind.test")
        # A network to which there is no way here, so that nothing is waited for.
        public = (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("2606:4700::1111", site.port, 0, 0))
        private = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", site.port))
        return [public if len(looked_up) == 1 else private]

    monkeypatch.setattr(socket, "getaddrinfo", answers)
    fetcher = WebPageFetcher(1_000_000, patience=5.0)
    with pytest.raises(NotFetched):
        await fetcher.fetch(f"http://rebind.test:{site.port}/")
    await fetcher.close()
    assert looked_up == ["rebind.test"]
    assert site.asked == []


@pytest.mark.anyio
async def test_a_page_without_an_end_is_given_up() -> None:
    ended = threading.Event()

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while (await _next(receive)) != "http.disconnect":
            await send({"type": "http.response.body", "body": b"x" * 50_000, "more_body": True})
        ended.set()

    with running(endless) as url:
        fetcher = WebPageFetcher(1_000_000, ["127.0.0.1"])
        with pytest.raises(NotFetched, match="larger"):
            await fetcher.fetch(f"{url}/")
        await fetcher.close()
        assert ended.wait(200)


async def _next(receive: Any) -> str:
    with anyio.move_on_after(0.001):
        if (message := await receive())["type"] == "http.disconnect":
            return message["type"]
    return ""


@pytest.mark.anyio
async def test_a_page_that_comes_byte_by_byte_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        stop = threading.Event()
        thread = threading.Thread(target=_dribble, args=(listener, stop))
        thread.start()
        fetcher = WebPageFetcher(1_000_000, ["127.0.0.1"], patience=0.5)
        with pytest.raises(NotFetched, match="takes more than"):
            await fetcher.fetch(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        await fetcher.close()
        stop.set()
        thread.join(200)


def _dribble(listener: socket.socket, stop: threading.Event) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not stop.wait(0.05):
            try:
                connection.sendall(b"x")
            except OSError:
                return


def test_no_route_of_the_server_fetches_an_address(site: Site, tmp_path: Path) -> None:
    """Pages are added by who has a shell here, and not over HTTP."""
    address = f"{site.address}/"
    with served(str(tmp_path / "base.db"), notes={}) as server:
        for body in ({"url": address}, {"files": address}, {"path": address}):
            assert server.client.post("/api/documents", json=body).status_code == 400
            assert server.client.post("/api/documents", data=body).status_code == 400
        uploaded = server.upload({address: f"<img src='{address}'><a href='{address}'>x</a>".encode()})
        assert uploaded["jobs"]
        server.post("/api/ask", {"question": f"What does {address} say?"})
    assert site.asked == []
