"""The server is stopped and killed in the middle of uploads and answers, on both databases."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import pytest
from tests.faces.http_server import PATIENCE, Process, events_of, serving, until
from tests.faults.chat_servers import Call, chatting

from sourcebook import Settings, Sourcebook
from sourcebook.assembly import open_base
from sourcebook.faces.http import server as server_module
from sourcebook.model.documents import DocumentStatus
from sourcebook.model.jobs import JobStatus
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from tests.faults.chat_servers import ChatServer

NOTE = "Everbearing raspberries fruit twice. Prune everbearing raspberries in late autumn, after the last berries."
QUESTION = "When do I prune everbearing raspberries?"
SHOWN = "Prune everbearing raspberries in late autumn [1]."
TOKENS = 5


@pytest.fixture
def settings(db: str, tmp_path: Path) -> Settings:
    return Settings(db=db, files=str(tmp_path / "files") if "://" in db else f"{db}.files")


@pytest.fixture
def filled(settings: Settings) -> Settings:
    """A base with a note, and tokens for the person whom the server takes everybody for."""
    with Sourcebook(settings=settings) as book:
        book.add_text(NOTE, id="pruning", title="Pruning")
        book.people.add_tokens(1, TOKENS)
    return settings


class Model:
    """Shows a sentence at once or after it was let go, and ends when it is let go."""

    def __init__(self, *, shows_at_once: bool) -> None:
        self.release = threading.Event()
        self._shows_at_once = shows_at_once

    def __call__(self, call: Call) -> None:
        call.begin()
        if self._shows_at_once:
            call.piece(SHOWN)
        end = time.monotonic() + PATIENCE
        while not self.release.wait(0.1) and time.monotonic() < end:
            call.handler.wfile.write(b":\n\n")  # whoever left is noticed
            call.handler.wfile.flush()
        if not self._shows_at_once:
            call.piece(SHOWN)
        call.piece(None, "stop")
        call.send("[DONE]")


@contextmanager
def answering(settings: Settings, folder: Path, chat: ChatServer, **more: str) -> Generator[Process]:
    with serving(
        settings.db,
        folder,
        SOURCEBOOK_FILES=str(settings.files),
        SOURCEBOOK_CHAT_MODEL="openai:test",
        SOURCEBOOK_CHAT_BASE_URL=f"{chat.url}/v1",
        SOURCEBOOK_HTTP_CHARGES="true",
        **more,
    ) as server:
        yield server


def ask(url: str, heard: list[tuple[str, Any]], key: str = "the-question") -> None:
    try:
        with httpx2.stream(
            "POST",
            f"{url}/api/ask",
            json={"question": QUESTION},
            headers={"Accept": "text/event-stream", "Idempotency-Key": key},
            timeout=PATIENCE,
        ) as response:
            for event in events_of(response.iter_lines()):
                heard.append(event)  # noqa: PERF402 - others look at it meanwhile
    except httpx2.TransportError:
        heard.append(("broken", None))


@contextmanager
def asking(server: Process) -> Generator[list[tuple[str, Any]]]:
    heard: list[tuple[str, Any]] = []
    thread = threading.Thread(target=ask, args=(server.url, heard))
    thread.start()
    yield heard
    thread.join(PATIENCE)


def names(heard: list[tuple[str, Any]]) -> list[str]:
    return [name for name, _ in heard]


def balance_of(settings: Settings) -> int:
    with Sourcebook(settings=settings) as book:
        book.people.sweep_reservations()
        return book.people.get_token_balance(1)


def test_a_server_that_is_told_to_stop_finishes_its_answers(filled: Settings, tmp_path: Path) -> None:
    model = Model(shows_at_once=True)
    with chatting(model) as chat, answering(filled, tmp_path, chat) as server:
        with asking(server) as heard:
            until(lambda: "token" in names(heard))
            server.process.terminate()
            until(lambda: _refuses(server))
            assert heard[-1][0] != "done"
            model.release.set()
        assert names(heard)[-1] == "done"
        assert server.process.wait(PATIENCE) == 0
    assert "The server has stopped.\n" in server.said
    with Sourcebook(settings=filled) as book:
        (session,) = book.conversations.latest()
        assert session.message_count == 2
    assert balance_of(filled) == TOKENS - 1


def _refuses(server: Process) -> bool:
    try:
        return httpx2.get(f"{server.url}/healthz", timeout=PATIENCE).status_code != 200
    except httpx2.TransportError:
        return True


def test_an_answer_that_does_not_end_in_time_is_given_up_and_given_back(
    filled: Settings, tmp_path: Path
) -> None:
    model = Model(shows_at_once=False)
    with (
        chatting(model) as chat,
        answering(filled, tmp_path, chat, SOURCEBOOK_HTTP_STOP_SECONDS="1") as server,
    ):
        with asking(server) as heard:
            until(lambda: chat.calls)
            server.process.terminate()
            assert server.process.wait(PATIENCE) == 0
        assert not {"done", "token"} & set(names(heard))
        assert chat.left.wait(PATIENCE)
    with Sourcebook(settings=filled) as book:
        # Nobody had to wait for a sweep.
        assert book.people.get_token_balance(1) == TOKENS
        assert not book.conversations.latest()[0].message_count


def test_a_killed_answer_costs_nothing_and_is_given_when_it_is_asked_for_again(
    filled: Settings, tmp_path: Path
) -> None:
    model = Model(shows_at_once=False)
    with chatting(model) as chat:
        soon = {"SOURCEBOOK_RESERVATION_SECONDS": "3"}
        with answering(filled, tmp_path, chat, **soon) as server, asking(server) as heard:
            until(lambda: chat.calls)
            server.kill()
        assert names(heard)[-1] == "broken"
        until(lambda: balance_of(filled) == TOKENS)
        model.release.set()
        with answering(filled, tmp_path, chat) as server:
            for _ in range(2):
                heard.clear()
                ask(server.url, heard)
                assert names(heard)[-1] == "done"
    assert balance_of(filled) == TOKENS - 1
    with Sourcebook(settings=filled) as book:
        assert [session.message_count for session in book.conversations.latest()] == [2]


def test_what_was_acknowledged_is_a_document_after_a_kill(settings: Settings, tmp_path: Path) -> None:
    acknowledged: list[str] = []
    for round_number in range(2):
        with serving(settings.db, tmp_path, SOURCEBOOK_FILES=str(settings.files)) as server:
            uploads = [
                threading.Thread(target=upload, args=(server.url, f"{round_number}-{n}", acknowledged))
                for n in range(3)
            ]
            for thread in uploads:
                thread.start()
            wanted = len(acknowledged) + 4 * (round_number + 1)
            until(lambda wanted=wanted: len(acknowledged) >= wanted)
            server.kill()
            for thread in uploads:
                thread.join(PATIENCE)
    anyio.run(let_time_pass, settings)
    with (
        serving(settings.db, tmp_path, SOURCEBOOK_FILES=str(settings.files)),
        Sourcebook(settings=settings) as book,
    ):
        until(lambda: not unfinished(book))
        documents = book.library.documents()
    by_name = {document.file_path.rpartition("/")[2]: document for document in documents}
    assert len(acknowledged) >= 12
    assert [by_name[name].status for name in acknowledged] == [DocumentStatus.COMPLETED] * len(acknowledged)
    with Sourcebook(settings=settings) as book:
        assert book.doctor().faults == []


def upload(url: str, prefix: str, acknowledged: list[str]) -> None:
    """Upload files until nobody takes them any more. Whatever was answered must be there afterwards."""
    with httpx2.Client(base_url=url, timeout=PATIENCE) as client:
        for number in range(1000):
            name = f"{prefix}-{number}.txt"
            try:
                sent = client.post("/api/documents", files=[("files", (name, f"The note {name}.".encode()))])
            except httpx2.TransportError:
                return
            assert sent.status_code == 202
            acknowledged.append(name)


def unfinished(book: Any) -> bool:
    states: dict[JobStatus, int] = book.stores.jobs.count().get("uploads", {})
    return bool(states.get(JobStatus.PENDING) or states.get(JobStatus.DOING))


async def let_time_pass(settings: Settings) -> None:
    """As if a minute had gone by: what the dead had in hand is anybody's again."""
    base = await open_base(settings, FixedClock(int(time.time()) + 120))
    await base.stores.jobs.sweep()
    await base.close()


def test_a_worker_that_takes_long_to_start_is_not_killed_for_it() -> None:
    """By itself the parent gives it five seconds, and on a busy machine would start and kill workers for ever."""
    config = vars(server_module)["_config"](Settings(), "127.0.0.1", 0, 2)
    assert config.timeout_worker_healthcheck >= 60


def test_a_connection_stays_open_for_longer_than_proxies_keep_it() -> None:
    """By itself it ends after five seconds, and a request that a proxy just sends on it is lost: a 502."""
    kept = {"nginx": 60, "Go and Traefik": 90, "Caddy": 120}
    config = vars(server_module)["_config"](Settings(), "127.0.0.1", 0, 1)
    assert config.timeout_keep_alive > max(kept.values())


def test_several_processes_serve_one_base(postgres_db: str, tmp_path: Path) -> None:
    settings = Settings(db=postgres_db, files=str(tmp_path / "files"))
    with Sourcebook(settings=settings) as book:
        book.add_text(NOTE, id="pruning", title="Pruning")
    with serving(postgres_db, tmp_path, "--workers", "2", SOURCEBOOK_FILES=str(settings.files)) as server:
        until(lambda: not _refuses(server))

        def search(_: int) -> int:
            # A new connection each time, so that both of them get some.
            return httpx2.post(
                f"{server.url}/api/search", json={"query": "prune"}, timeout=PATIENCE
            ).status_code

        assert [search(n) for n in range(20)] == [200] * 20
        figures = httpx2.get(f"{server.url}/metrics", timeout=PATIENCE).text
        assert 'route="/api/search",status="200"} 20.0' in figures
        server.process.terminate()
        server.process.wait(PATIENCE)
    assert _refuses(server)
