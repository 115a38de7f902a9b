"""A web site on this machine, whose pages a test writes and whose visitors it counts."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Site:
    """Pages by their paths. A page that is a number is a status; one that is an address leads there."""

    port: int = 0
    pages: dict[str, str | bytes | int] = field(default_factory=dict[str, "str | bytes | int"])
    redirects: dict[str, int] = field(default_factory=dict[str, int])
    """The status of a page that leads elsewhere, where it is not 302."""
    types: dict[str, str] = field(default_factory=dict[str, str])
    asked: list[str] = field(default_factory=list[str])
    sent: list[str] = field(default_factory=list[str])
    agents: set[str] = field(default_factory=set[str])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def visits(self) -> list[str]:
        """What was asked for since the last time, without robots.txt."""
        asked, self.asked = self.asked, []
        return [path for path in asked if path != "/robots.txt"]

    def bodies(self) -> list[str]:
        """The pages that were sent whole since the last time."""
        sent, self.sent = self.sent, []
        return [path for path in sent if path != "/robots.txt"]


@contextmanager
def served() -> Generator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            site.agents.add(self.headers.get("User-Agent", ""))
            page = site.pages.get(self.path, 404)
            if isinstance(page, int):
                self._head(page, {})
            elif isinstance(page, str) and page.startswith(("http://", "https://", "/")):
                self._head(site.redirects.get(self.path, 302), {"Location": page})
            else:
                self._send(page.encode() if isinstance(page, str) else page)

        def _send(self, body: bytes) -> None:
            tag = f'"{sha256(body).hexdigest()[:12]}"'
            if self.headers.get("If-None-Match") == tag:
                self._head(304, {"ETag": tag})
                return
            site.sent.append(self.path)
            kind = site.types.get(self.path, "text/html; charset=utf-8")
            self._head(200, {"ETag": tag, "Content-Type": kind, "Content-Length": str(len(body))})
            self.wfile.write(body)

        def _head(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if "Content-Length" not in headers:
                self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
