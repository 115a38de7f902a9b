"""A real server on loopback, in a thread or in a process of its own, and what tests say to it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import uvicorn

if TYPE_CHECKING:
    import pytest
    from tests.postgres_bases import Bases

from sourcebook import Settings, Sourcebook
from sourcebook.errors import AuthError
from sourcebook.faces.http.app import create_app
from sourcebook.faces.http.auth.caller import Caller
from sourcebook.faces.http.charged_questions import server_book
from sourcebook.faces.http.limits.slow_clients import connection_class
from sourcebook.model.people import UserRole
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

    from sourcebook.faces.http.auth.caller import Gate
    from sourcebook.ports.chat import ChatModel

PATIENCE = 200.0
NOTES = {
    "pruning": "Everbearing raspberries fruit twice. "
    "Prune everbearing raspberries in late autumn, after the last berries.",
    "soil": "Blueberries want sour soil. The pH of the soil for blueberries is between 4.0 and 5.0.",
    "water": "Tomatoes are watered in the morning. Two litres of water for each tomato plant are enough.",
}
QUESTION = "When do I prune everbearing raspberries?"
UNKNOWN = "Which gearbox oil suits a tractor?"


class HeaderGate:
    """Believes what a request says of its caller. Whoever says nothing is nobody."""

    async def caller(self, request: Request) -> Caller:
        if "x-user" not in request.headers:
            raise AuthError("Nobody knows who you are.")
        named = request.headers.get("x-collections")
        return Caller(
            int(request.headers["x-user"]),
            UserRole(request.headers.get("x-role", "user")),
            "somebody",
            None if named is None else frozenset(named.split(",")),
        )


@dataclass
class Served:
    """A server that runs. `client` is somebody who may do everything."""

    url: str
    db: str
    app: FastAPI
    settings: Settings
    client: httpx2.Client

    def get(self, path: str, **more: Any) -> Any:
        return _read(self.client.get(path, **more))

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        return _read(self.client.post(path, json={} if body is None else body, **more))

    def upload(self, files: dict[str, bytes], **fields: str) -> dict[str, Any]:
        """Upload files and wait until all of them are done or have failed."""
        parts = [("files", (name, data)) for name, data in files.items()]
        sent = _read(self.client.post("/api/documents", files=parts, data=fields))
        jobs = [self.finished(job["id"]) for job in sent["jobs"]]
        return {"jobs": jobs, "failed": sent["failed"]}

    def finished(self, number: int) -> dict[str, Any]:
        return until(lambda: _if_over(self.get(f"/api/jobs/{number}")["job"]))

    def events(self, path: str, body: Any, **headers: str) -> list[tuple[str, Any]]:
        with self.client.stream(
            "POST", path, json=body, headers={"Accept": "text/event-stream", **headers}
        ) as response:
            assert response.status_code == 200
            return list(events_of(response.iter_lines()))

    def raw(self, head: str, bodies: Iterable[bytes] = ()) -> str:
        """What is answered to these bytes, until the server has nothing more to say."""
        host, port = self.url.removeprefix("http://").split(":")
        lines = [*head.strip().splitlines(), f"Host: {host}:{port}"]
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            answer = b""
            with suppress(BrokenPipeError, ConnectionResetError):
                for body in bodies:
                    connection.sendall(body)
            with suppress(ConnectionResetError):
                while more := connection.recv(65536):
                    answer += more
        return answer.decode()

    @contextmanager
    def book(self) -> Generator[Sourcebook]:
        """The same base, opened beside the server."""
        with Sourcebook(settings=self.settings, embedder=FakeEmbedder()) as opened:
            yield opened


def _if_over(job: dict[str, Any]) -> dict[str, Any] | None:
    return job if job["status"] in ("done", "failed") else None


def _read(response: httpx2.Response) -> Any:
    assert response.status_code < 300, f"{response.status_code}: {response.text}"
    return response.json()


def events_of(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def until(look: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """What `look` returns, as soon as it returns something."""
    end = time.monotonic() + patience
    while not (seen := look()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
    return seen


@contextmanager
def served(
    db: str,
    *,
    gate: Gate | None = None,
    chat_model: ChatModel | None = None,
    notes: dict[str, str] | None = None,
    **settings: object,
) -> Generator[Served]:
    """A server in a thread, on a base with a few notes."""
    chosen = Settings.model_validate({"db": db, **settings})
    with Sourcebook(settings=chosen, embedder=FakeEmbedder()) as book:
        for name, text in (NOTES if notes is None else notes).items():
            book.add_text(text, id=name, title=name.title(), category="garden")
    opened = server_book(chosen, embedder=FakeEmbedder(), chat_model=chat_model)
    app = create_app(opened, chosen, gate)
    patience = chosen.http_client_seconds
    with (
        running(app, lifespan="on", patience=patience) as url,
        httpx2.Client(base_url=url, timeout=PATIENCE) as client,
    ):
        yield Served(url, db, app, chosen, client)


@contextmanager
def running(app: Any, *, lifespan: Any = "off", patience: float = 30.0) -> Generator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            lifespan=lifespan,
            http=connection_class(patience),
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=5,
        )
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
    thread.start()
    try:
        until(lambda: server.started or not thread.is_alive())
        assert server.started
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


@dataclass
class Process:
    """`sourcebook serve` in a process of its own."""

    url: str
    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list[str])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


@contextmanager
def serving(db: str, folder: Path, *words: str, **variables: str) -> Generator[Process]:
    """Start it, and end it with SIGTERM if it is still there."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("SOURCEBOOK_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "sourcebook", "--db", db, "serve", "--port", "0", *words],
        cwd=folder,
        env={**own, "OMP_NUM_THREADS": "1", **variables},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    found = re.search(r"http://\S+?:\d+", first)
    assert found, first + process.stderr.read()
    started = Process(found.group(), process)
    reader = threading.Thread(target=lambda: started.said.extend(process.stderr or ()))
    reader.start()
    try:
        yield started
    finally:
        process.terminate()
        process.wait(PATIENCE)
        reader.join(PATIENCE)
        process.stderr.close()


def served_on(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, **more: Any
) -> Iterator[Served]:
    """For a fixture of a module with the parameters of both databases: one server for all its tests."""
    folder = tmp_path_factory.mktemp("http")
    if request.param == "sqlite":
        with served(str(folder / "base.db"), **more) as made:
            yield made
        return
    bases: Bases = request.getfixturevalue("postgres_bases")
    with served(bases.lend(), files=str(folder / "files"), **more) as made:
        yield made
    bases.take_back()
