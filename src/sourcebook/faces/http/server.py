"""Running the app: one process, or several that share a base on a server."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.supervisors import Multiprocess

from sourcebook.client import AsyncSourcebook
from sourcebook.errors import UsageError
from sourcebook.faces import logs
from sourcebook.faces.http.app import create_app
from sourcebook.faces.http.auth.client_addresses import believed_proxies
from sourcebook.faces.http.auth.identification import ServerGate, require_somebody
from sourcebook.faces.http.charged_questions import server_book
from sourcebook.faces.http.limits.slow_clients import connection_class
from sourcebook.faces.http.metrics import SHARED_FOLDER
from sourcebook.storage.base_address import is_server

if TYPE_CHECKING:
    import socket

    from fastapi import FastAPI

    from sourcebook.settings import Settings

_SILENT_SECONDS = 120
IDLE_SECONDS = 130
"""How long a connection stays open between two requests: longer than proxies keep theirs, which is up to two minutes.

A request that is on its way while the server closes the connection is lost.
"""


def serve(
    settings: Settings,
    host: str,
    port: int,
    *,
    workers: int = 1,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. Then answers in progress are finished, or given up and given back.

    `on_ready` is told the address as soon as connections are accepted there.
    """
    if workers > 1 and not is_server(settings.db):
        raise UsageError(
            "Several workers need a base on a PostgreSQL server.",
            hint="Leave out --workers: one process searches a base in a file as fast as several would. "
            "`sourcebook copy` moves the base to a server.",
        )
    # What is wrong with the base is told at once, and not by every worker. A new version's changes are made here, once.
    asyncio.run(_tried(settings, host))
    config = _config(settings, host, port, workers)
    listener = _bound(config)
    address = f"http://{_shown(host)}:{listener.getsockname()[1]}"
    if workers == 1:
        asyncio.run(_Server(config, lambda: on_ready(address) if on_ready else None).serve([listener]))
        return
    with tempfile.TemporaryDirectory(prefix="sourcebook-metrics-") as shared:
        os.environ[SHARED_FOLDER] = shared
        if on_ready is not None:
            on_ready(address)
        try:
            Multiprocess(config, sockets=[listener]).run()
        finally:
            del os.environ[SHARED_FOLDER]


async def _tried(settings: Settings, host: str) -> None:
    async with AsyncSourcebook(settings=settings, face="http") as book:
        await require_somebody(book, settings, host)


def make_app(settings: Settings, host: str = "127.0.0.1") -> FastAPI:
    """The app of these settings, as each worker makes it."""
    logs.configure(settings, sys.stderr)
    book = server_book(settings)
    return create_app(book, settings, ServerGate(book, settings, host))


def _config(settings: Settings, host: str, port: int, workers: int) -> uvicorn.Config:
    return uvicorn.Config(
        partial(make_app, settings, host),
        factory=True,
        host=host,
        port=port,
        http=connection_class(settings.http_client_seconds),
        workers=workers,
        # A worker that does not answer its parent for so long is replaced: on a busy machine it may still be starting.
        timeout_worker_healthcheck=_SILENT_SECONDS,
        lifespan="on",
        timeout_keep_alive=IDLE_SECONDS,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=int(settings.http_stop_seconds) or 1,
        # What a proxy says of its client is believed if it is on this machine, or named in the settings.
        forwarded_allow_ips=believed_proxies(settings.trusted_proxies),
    )


def _bound(config: uvicorn.Config) -> socket.socket:
    import socket  # noqa: PLC0415

    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # Named as TCP, or asyncio does not switch off the waiting of small packets for each other, which costs 40 ms each.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((config.host, config.port))
    except OSError as error:
        listener.close()
        raise UsageError(
            f"The server cannot listen at {config.host}:{config.port}: {error.strerror}.",
            hint="Choose another port with --port.",
        ) from None
    listener.set_inheritable(True)
    return listener


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class _Server(uvicorn.Server):
    """Tells when it is ready, and ends without an error when it was told to."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        handlers = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
