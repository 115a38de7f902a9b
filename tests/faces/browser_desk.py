"""A real server of the page in this process, and a real browser in front of it."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from sourcebook import Sourcebook
from sourcebook.errors import AuthError
from sourcebook.faces.http.app import create_app
from sourcebook.faces.http.auth.caller import Caller, OpenGate
from sourcebook.faces.http.charged_questions import server_book
from sourcebook.faces.sample_library import sample_folder
from sourcebook.settings import Settings

if TYPE_CHECKING:
    from fastapi import Request

    from sourcebook.client import AsyncSourcebook
    from sourcebook.model.people import UserRole
    from sourcebook.ports.chat import ChatModel

expect.set_options(timeout=180_000)
PERSON = "x-person"
"""The header by which these tests say who is in front of the browser."""


class People:
    """A gate that believes what a request says of itself. Nobody is let in who is not known."""

    def __init__(self, **known: Caller) -> None:
        self._known = known

    async def admit(self, request: Request) -> None:
        return None

    async def caller(self, request: Request) -> Caller:
        found = self._known.get(request.headers.get(PERSON, ""))
        if found is None:
            raise AuthError("Nobody is known by this name.")
        return found


def person(number: int, role: UserRole, name: str, *collections: str) -> Caller:
    return Caller(number, role, name, frozenset(collections) if collections else None)


class Desk:
    """A base and the server of its page. It can be stopped and started again at the same address."""

    def __init__(
        self, folder: Path, chat_model: ChatModel | None = None, gate: Any = None, db: str | None = None
    ) -> None:
        self.folder = folder
        self.settings = Settings(db=db or str(folder / "base.db"))
        self._chat_model = chat_model
        self._gate = gate
        # Held while the server is away, or somebody else could be given the port meanwhile. Nobody listens on this one.
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        self._port = self._held.getsockname()[1]
        self.address = f"http://127.0.0.1:{self._port}"
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        book = server_book(self.settings, chat_model=self._chat_model)
        app = create_app(book, self.settings, self.gate_of(book))
        config = uvicorn.Config(
            app, host="127.0.0.1", port=self._port, log_level="error", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        _wait_for(lambda: bool(self._server and self._server.started), "the server to start")

    def gate_of(self, book: AsyncSourcebook) -> Any:
        return self._gate or OpenGate()

    def stop(self) -> None:
        if self._server is None or self._thread is None:
            return
        self._server.should_exit = True
        self._thread.join(200)
        assert not self._thread.is_alive()
        self._server = self._thread = None

    def close(self) -> None:
        """Stop, and give the address away."""
        self.stop()
        self._held.close()


@contextmanager
def desk(
    folder: Path, chat_model: ChatModel | None = None, gate: Any = None, db: str | None = None
) -> Generator[Desk]:
    made = Desk(folder, chat_model, gate, db)
    try:
        made.start()
        yield made
    finally:
        made.close()


SHELF = ("blueberry/acid-soil.md", "blueberry/growers-handbook.pdf", "голубика_общая/почва_и_полив.md")


def fill(folder: Path, db: str | None = None) -> Path:
    """Put a few documents of the sample into the base of a folder. Returns where they lie, to be edited."""
    documents = folder / "documents"
    for name in SHELF:
        target = documents / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(sample_folder() / name, target)
    with Sourcebook(db or folder / "base.db") as book:
        assert book.add(documents).added == len(SHELF)
    return documents


@contextmanager
def a_browser(*names: str) -> Generator[Browser]:
    """Debian's chromium. A test that needs it is left out at home without one, and fails where it counts.

    `names` lead to this machine, and are no names of it: over plain HTTP a browser trusts them less than `localhost`.
    """
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        _unavailable("there is no chromium: `apt-get install chromium`, or set CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", *_leading_here(names)], timeout=180_000
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def looking(browser: Browser, at: Desk, **options: Any) -> Generator[Page]:
    """A page of its own. What its scripts complain about fails the test."""
    context: BrowserContext = browser.new_context(base_url=at.address, **options)
    page = context.new_page()
    page.set_default_timeout(180_000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        yield page
        assert not complaints, complaints
    finally:
        context.close()


def ask(page: Page, question: str) -> None:
    """Ask as a person does, and wait for the whole answer."""
    page.fill("#question", question)
    # Before its script has run, Enter is a new line.
    page.wait_for_load_state("load")
    page.keyboard.press("Enter")
    page.wait_for_selector("#last:not([aria-busy]) .verdict")


def _leading_here(names: Sequence[str]) -> list[str]:
    rules = ", ".join(f"MAP {name} 127.0.0.1" for name in names)
    return [f"--host-resolver-rules={rules}"] if names else []


def _wait_for(is_so: Any, what: str, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, f"waited too long for {what}"
        time.sleep(0.02)


def _unavailable(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
