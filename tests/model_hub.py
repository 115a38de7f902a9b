"""A model hub on the loopback, which answers as the real one's answers are documented.

Large files are redirected to another server, where they really lie; small ones come at once. It can be told to break
off, to send something else, to know no ranges, to name no hashes, or to want a key.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = 1000
"""From so many bytes on a file is a large one."""


@dataclass
class Behaviour:
    """How the hub behaves, and what it has seen."""

    files: dict[str, dict[str, bytes]]
    sends: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """What is really sent under a path, if it is not what the hub tells of."""
    breaks_after: list[int] = field(default_factory=list[int])
    """After how many bytes each of the next answers for a large file breaks off."""
    knows_ranges: bool = True
    names_hashes: bool = True
    key: str | None = None
    asked: list[tuple[str, str, str | None]] = field(default_factory=list[tuple[str, str, "str | None"]])
    """Method and path of each request, and the range that it asked for."""
    keys_elsewhere: list[str | None] = field(default_factory=list["str | None"])
    """The keys that the other server was shown."""

    @property
    def ranges(self) -> list[str]:
        return [wanted for _, _, wanted in self.asked if wanted]


class Hub(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behaviour: Behaviour, elsewhere: Hub | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behaviour = behaviour
        self.elsewhere = elsewhere

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who leaves early is no error."""


class _Handler(BaseHTTPRequestHandler):
    @property
    def _hub(self) -> Hub:
        assert isinstance(self.server, Hub)
        return self.server

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        # A proxy is asked for whole addresses.
        path = unquote(urlsplit(self.path).path)
        behaviour = self._hub.behaviour
        behaviour.asked.append((self.command, self.path, self.headers.get("range")))
        if self._hub.elsewhere is None:
            behaviour.keys_elsewhere.append(self.headers.get("authorization"))
            self._send_large(path.removeprefix("/store/"))
            return
        if behaviour.key and self.headers.get("authorization") != f"Bearer {behaviour.key}":
            self._answer(401, b"gated")
        elif listing := re.fullmatch(r"/api/models/(.+)/revision/main", path):
            self._list(listing[1])
        elif file := re.fullmatch(rf"/(.+)/resolve/({COMMIT}|main)/(.+)", path):
            self._send(file[1], file[3])
        else:
            self._answer(404, b"")

    def _list(self, repo: str) -> None:
        behaviour = self._hub.behaviour
        if repo not in behaviour.files:
            self._answer(404, b"")
            return
        rows = [_row(name, data, behaviour.names_hashes) for name, data in behaviour.files[repo].items()]
        self._answer(200, json.dumps({"id": repo, "sha": COMMIT, "siblings": rows}).encode())

    def _send(self, repo: str, name: str) -> None:
        behaviour = self._hub.behaviour
        data = behaviour.files.get(repo, {}).get(name)
        if data is None:
            self._answer(404, b"")
        elif len(data) < LARGE:
            self._answer(200, behaviour.sends.get(name, data), {"ETag": f'"{git_sha1(data)}"'})
        else:
            assert self._hub.elsewhere is not None
            headers = {
                "Location": f"{self._hub.elsewhere.url}/store/{repo}/{name}",
                "X-Linked-Etag": f'"{hashlib.sha256(data).hexdigest()}"',
                "X-Linked-Size": str(len(data)),
                "X-Repo-Commit": COMMIT,
            }
            self._answer(302, b"", headers)

    def _send_large(self, place: str) -> None:
        behaviour = self._hub.behaviour
        owner_repo = next(one for one in behaviour.files if place.startswith(one + "/"))
        name = place.removeprefix(owner_repo + "/")
        data = behaviour.sends.get(name, behaviour.files[owner_repo][name])
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("range") or "")
        if wanted and behaviour.knows_ranges:
            start = int(wanted[1])
            headers = {"Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}"}
            self._answer(206, data[start:], headers, may_break=True)
        else:
            self._answer(200, data, may_break=True)

    def _answer(
        self, status: int, data: bytes, headers: dict[str, str] | None = None, *, may_break: bool = False
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "HEAD":
            return
        breaks = self._hub.behaviour.breaks_after
        self.wfile.write(data[: breaks.pop(0)] if may_break and breaks else data)
        if may_break:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass


def git_sha1(data: bytes) -> str:
    return hashlib.sha1(f"blob {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()


def _row(name: str, data: bytes, names_hashes: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"rfilename": name, "size": len(data)}
    if not names_hashes:
        return row
    row["blobId"] = git_sha1(data)
    if len(data) >= LARGE:
        row["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 135}
    return row


@contextmanager
def served(behaviour: Behaviour) -> Generator[Hub]:
    """The hub, with the other server behind it, for as long as this lasts."""
    elsewhere = Hub(behaviour)
    hub = Hub(behaviour, elsewhere)
    threads = [
        threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.01}) for one in (elsewhere, hub)
    ]
    for thread in threads:
        thread.start()
    try:
        yield hub
    finally:
        for one, thread in zip((elsewhere, hub), threads, strict=True):
            one.shutdown()
            thread.join()
            one.server_close()
