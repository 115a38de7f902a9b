"""Servers of models that misbehave on command."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, TypeAlias

import numpy as np

from sourcebook.testing.crash import vector_of

SIZE = 8
Answer: TypeAlias = "Callable[[Exchange], None]"


@dataclass
class Exchange:
    """One request, and the means to answer it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    handler: BaseHTTPRequestHandler

    @property
    def texts(self) -> list[str]:
        return self.body["input"]

    def answer(self, status: int, text: str | bytes, headers: dict[str, str] | None = None) -> None:
        data = text.encode() if isinstance(text, str) else text
        self.handler.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **(headers or {}),
        }.items():
            self.handler.send_header(name, value)
        self.handler.end_headers()
        self.handler.wfile.write(data)

    def answer_vectors(self, vectors: Sequence[Any]) -> None:
        """The vectors in the shape that the path asks for."""
        if self.path.endswith("/api/embed"):
            self.answer(200, json.dumps({"embeddings": vectors}))
            return
        entries = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
        self.answer(200, json.dumps({"object": "list", "data": entries}))


@dataclass
class Server:
    """What was asked for, and what is answered: first what was planned, one after the other, then always well."""

    url: str = ""
    planned: list[Answer] = field(default_factory=list[Answer])
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    size: int = SIZE
    lock: Lock = field(default_factory=Lock)

    @property
    def asked(self) -> int:
        return len(self.exchanges)

    @property
    def texts(self) -> list[str]:
        return [text for exchange in self.exchanges for text in exchange.texts]

    def handle(self, exchange: Exchange) -> None:
        with self.lock:
            self.exchanges.append(exchange)
            planned = self.planned.pop(0) if self.planned else None
        if planned is None:
            exchange.answer_vectors(right_vectors(exchange.texts, self.size))
        else:
            planned(exchange)


def right_vectors(texts: Sequence[str], size: int = SIZE) -> list[list[float]]:
    """Vectors as a good model would make them: of the text alone, and of length one."""
    made = np.array([vector_of(text, size) for text in texts]).reshape(len(texts), size)
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).tolist()


@contextmanager
def serving(*planned: Answer, size: int = SIZE) -> Generator[Server]:
    """A server on this machine. Its address is `url`."""
    server = Server(planned=list(planned), size=size)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with suppress(BrokenPipeError, ConnectionResetError):
                server.handle(Exchange(self.path, headers, body, self))

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def status(code: int, text: str = "", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: exchange.answer(code, text or json.dumps({"error": {"message": "no"}}), named)


def raw(text: str, content_type: str = "application/json") -> Answer:
    return lambda exchange: exchange.answer(200, text, {"Content-Type": content_type})


def vectors(make: Callable[[list[str]], Sequence[Any]]) -> Answer:
    return lambda exchange: exchange.answer_vectors(make(exchange.texts))


def silence(seconds: float) -> Answer:
    return lambda exchange: time.sleep(seconds)


def drip(seconds: float) -> Answer:
    """An answer that comes letter by letter, so that no single wait is long."""

    def answer(exchange: Exchange) -> None:
        exchange.handler.send_response(200)
        exchange.handler.send_header("Content-Type", "application/json")
        exchange.handler.send_header("Content-Length", "100000")
        exchange.handler.end_headers()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            exchange.handler.wfile.write(b" ")
            exchange.handler.wfile.flush()
            time.sleep(0.02)

    return answer


def cut_short(exchange: Exchange) -> None:
    """A body that ends before it should."""
    exchange.handler.send_response(200)
    exchange.handler.send_header("Content-Type", "application/json")
    exchange.handler.send_header("Content-Length", "5000")
    exchange.handler.end_headers()
    exchange.handler.wfile.write(b'{"data": [{"index": 0, "embedding": [0.1, 0.')
    exchange.handler.close_connection = True


def hang_up(exchange: Exchange) -> None:
    """End the connection without a word."""
    exchange.handler.close_connection = True


def with_one(value: float) -> Answer:
    """Right vectors, but for one number of the last."""

    def make(texts: list[str]) -> list[list[float]]:
        made = right_vectors(texts)
        made[-1][3] = value
        return made

    return vectors(make)


def zeros(texts: list[str]) -> list[list[float]]:
    return np.zeros((len(texts), SIZE)).tolist()
