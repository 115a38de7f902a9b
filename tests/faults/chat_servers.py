"""Servers of a chat model, good and bad, on this machine. They notice when somebody hangs up."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, TypeAlias

Reply: TypeAlias = "Callable[[Call], None]"


@dataclass
class Call:
    """One request to write, and the means to answer it."""

    body: dict[str, Any]
    headers: dict[str, str]
    handler: BaseHTTPRequestHandler

    def begin(self, kind: str = "text/event-stream") -> None:
        self.handler.send_response(200)
        self.handler.send_header("Content-Type", kind)
        self.handler.send_header("Connection", "close")
        self.handler.end_headers()

    def send(self, line: str) -> None:
        self.handler.wfile.write(f"data: {line}\n\n".encode())
        self.handler.wfile.flush()

    def piece(self, text: str | None, reason: str | None = None) -> None:
        choice = {"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": reason}
        self.send(json.dumps({"id": "1", "object": "chat.completion.chunk", "choices": [choice]}))

    def refuse(self, status: int, body: str, **headers: str) -> None:
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.send_header("Content-Length", str(len(body.encode())))
        self.handler.end_headers()
        self.handler.wfile.write(body.encode())


@dataclass
class ChatServer:
    """What was asked, and whether somebody left before the end. What was planned comes first, the last one for ever."""

    planned: list[Reply]
    url: str = ""
    calls: list[Call] = field(default_factory=list[Call])
    left: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)

    def handle(self, call: Call) -> None:
        with self.lock:
            self.calls.append(call)
            reply = self.planned.pop(0) if len(self.planned) > 1 else self.planned[0]
        try:
            reply(call)
        except (BrokenPipeError, ConnectionResetError):
            self.left.set()


@contextmanager
def chatting(*planned: Reply) -> Generator[ChatServer]:
    """A server whose address is `url`; its chat is at `/v1`."""
    server = ChatServer(list(planned))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.close_connection = True
            server.handle(Call(body, headers, self))

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


def says(*pieces: str) -> Reply:
    """A whole answer."""

    def reply(call: Call) -> None:
        call.begin()
        for piece in pieces:
            call.piece(piece)
        call.piece(None, "stop")
        call.send("[DONE]")

    return reply


def status(code: int, body: str = '{"error": {"message": "no"}}', **headers: str) -> Reply:
    return lambda call: call.refuse(code, body, **headers)


def silent(seconds: float, *pieces: str) -> Reply:
    """Some pieces, and then nothing for a while."""

    def reply(call: Call) -> None:
        if pieces:
            call.begin()
        for piece in pieces:
            call.piece(piece)
        time.sleep(seconds)

    return reply


def breaks_off(*pieces: str) -> Reply:
    """Some pieces, and the connection ends."""

    def reply(call: Call) -> None:
        call.begin()
        for piece in pieces:
            call.piece(piece)

    return reply


def lines(*texts: str, kind: str = "text/event-stream") -> Reply:
    """Whatever lines, as data."""

    def reply(call: Call) -> None:
        call.begin(kind)
        for text in texts:
            call.send(text)

    return reply


def endless(pause: float = 0.02, piece: str | None = "word ") -> Reply:
    """An answer that goes on until somebody hangs up."""

    def reply(call: Call) -> None:
        call.begin()
        while True:
            call.piece(piece)
            if pause:
                time.sleep(pause)

    return reply
