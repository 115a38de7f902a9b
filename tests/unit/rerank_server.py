"""A server on the loopback that judges what it is sent, or misbehaves as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Behaviour: TypeAlias = Callable[[Any], tuple[int, bytes]]


class Server(ThreadingHTTPServer):
    """Answers what it is told to, and remembers what it was asked."""

    daemon_threads = True

    def __init__(self, answer: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.bodies.append(body)
        server.paths.append(self.path)
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        status, answer = server.answer(body)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving(answer: object) -> Generator[Server]:
    with behaving(lambda _: (200, json.dumps(answer).encode())) as server:
        yield server


@contextmanager
def behaving(answer: Behaviour) -> Generator[Server]:
    server = Server(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def judged(*pairs: tuple[object, object]) -> dict[str, object]:
    return {"results": [{"index": index, "relevance_score": score} for index, score in pairs]}
