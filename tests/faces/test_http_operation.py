"""The server at work: its figures, its logs, its limits (L09), and clients that leave (F14) or are too slow."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import pytest
from tests.conftest import BACKENDS
from tests.faces.http_server import (
    NOTES,
    PATIENCE,
    QUESTION,
    UNKNOWN,
    HeaderGate,
    Served,
    running,
    served,
    served_on,
    until,
)

from sourcebook.errors import ProviderUnreachable
from sourcebook.faces.http.responses.events import EventStream
from sourcebook.faces.logs import JsonLogFormatter, current_request
from sourcebook.model.token_ledger import OperationType
from sourcebook.testing.fakes import ScriptedChatModel

if TYPE_CHECKING:
    from collections.abc import Generator

    from sourcebook.ports.chat import PromptMessage

SHOWN = "Prune everbearing raspberries in late autumn [1]. "
ENDLESS = "endlessly"
FOR_EVER = 100_000
GOING_ON = "and so on "
LONG_QUESTION = "When do I prune everbearing raspberries, and endlessly?"
PRICE, WELCOME = 1, 50
FACES = ("api", "page", "openai")


class SlowModel(ScriptedChatModel):
    """Writes a sentence, and then goes on for ever; or fails, if it is asked about water."""

    def __init__(self) -> None:
        super().__init__(write=self._pieces_of, pause=0.05)

    @staticmethod
    def _pieces_of(messages: Sequence[PromptMessage]) -> Sequence[str | Exception]:
        asked = messages[-1].content
        if "tomato plant" in asked:
            return [ProviderUnreachable("the model is away")]
        return [SHOWN] + [GOING_ON] * FOR_EVER if ENDLESS in asked else [SHOWN]


@pytest.fixture(scope="module")
def model() -> SlowModel:
    return SlowModel()


@pytest.fixture(scope="module", params=BACKENDS)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model: SlowModel
) -> Iterator[Served]:
    """With prices, and people who say who they are."""
    more: dict[str, Any] = {"http_charges": True, "welcome_tokens": WELCOME, "price_new_topic": PRICE}
    for made in served_on(request, tmp_path_factory, gate=HeaderGate(), chat_model=model, **more):
        made.client.headers.update({"X-User": "1", "X-Role": "admin"})
        with made.book() as book:
            book.people.create_user(username="anna")
        yield made


ANNA = {"X-User": "2"}


def balance(server: Served) -> int:
    return server.get("/api/users/2/tokens")["balance"]


def held(server: Served) -> int:
    """How many of Anna's questions are neither settled nor given back."""
    rows = server.get("/api/users/2/tokens", params={"limit": 500})["transactions"]
    return -sum(row["amount"] for row in rows if row["operation_type"] in ("new_topic", "refund"))


def test_an_answer_is_charged_once_and_a_decline_and_a_failure_are_free(server: Served) -> None:
    before = balance(server)
    body = {"question": QUESTION}
    key = {**ANNA, "Idempotency-Key": "charged"}
    for _ in range(2):
        assert server.post("/api/ask", body, headers=key)["tier"] == "documents"
    assert balance(server) == before - PRICE
    assert server.post("/api/ask", {"question": UNKNOWN}, headers=ANNA)["tier"] == "none"
    failed = server.client.post(
        "/api/ask", json={"question": "How much water for each tomato plant?"}, headers=ANNA
    )
    assert (failed.status_code, failed.json()["code"]) == (502, "provider_unreachable")
    assert balance(server) == before - PRICE
    figures = server.client.get("/metrics").text
    assert 'sourcebook_provider_errors_total{code="provider_unreachable"} 1.0' in figures


def asked_on(face: str, question: str) -> dict[str, Any]:
    """A question as each face takes it, to be answered while it is written."""
    match face:
        case "page":
            return {"url": "/ask", "data": {"question": question}}
        case "openai":
            said = {"messages": [{"role": "user", "content": question}], "stream": True}
            return {"url": "/v1/chat/completions", "json": said}
        case _:
            return {"url": "/api/ask", "json": {"question": question}}


@contextmanager
def reading(server: Served, face: str, question: str) -> Generator[Iterator[str]]:
    headers = {**ANNA, "Accept": "text/event-stream"}
    with server.client.stream("POST", **asked_on(face, question), headers=headers) as response:
        assert response.status_code == 200
        yield response.iter_lines()


@pytest.mark.parametrize("face", FACES)
def test_who_leaves_while_text_is_shown_ends_the_model_and_pays_once(
    server: Served, model: SlowModel, face: str
) -> None:
    before, ended = balance(server), model.closed
    with reading(server, face, LONG_QUESTION) as lines:
        until(lambda: GOING_ON in next(lines))
    until(lambda: model.closed > ended)
    until(lambda: balance(server) == before - PRICE)
    assert held(server) == WELCOME - balance(server)


@pytest.mark.parametrize("face", FACES)
def test_a_server_that_stops_charges_nobody(server: Served, model: SlowModel, face: str) -> None:
    before, ended = balance(server), model.closed
    with reading(server, face, LONG_QUESTION) as lines:
        until(lambda: GOING_ON in next(lines))
        server.app.state.stopping.is_set = True
    until(lambda: model.closed > ended)
    # Who stopped it is asked after that, so the server must go on stopping until the tokens are given back.
    until(lambda: balance(server) == before)
    server.app.state.stopping.is_set = False


@pytest.mark.parametrize("face", FACES)
def test_who_leaves_before_any_text_pays_nothing(server: Served, model: SlowModel, face: str) -> None:
    before, ended, asked = balance(server), model.closed, len(model.asked)
    sent = asked_on(face, LONG_QUESTION)
    if face == "openai":
        sent["json"]["stream"] = False
    request = server.client.build_request("POST", **sent)
    with closing(connected(server)) as connection:
        head = f"POST {sent['url']} HTTP/1.1\r\nHost: x\r\nX-User: 2\r\n"
        head += f"Content-Type: {request.headers['content-type']}\r\nContent-Length: {len(request.content)}\r\n\r\n"
        connection.sendall(head.encode() + request.content)
        until(lambda: len(model.asked) > asked)
    until(lambda: model.closed > ended)
    until(lambda: balance(server) == before)


def test_the_page_that_asks_again_after_a_broken_connection_is_charged_once(server: Served) -> None:
    before = balance(server)
    form = {"question": QUESTION, "key": "17-4-99-3"}
    seen = [server.client.post("/ask", data=form, headers=ANNA) for _ in range(2)]
    assert {each.headers["location"] for each in seen} == {seen[0].headers["location"]}
    assert seen[0].status_code == 303
    assert balance(server) == before - PRICE


def connected(server: Served) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def test_who_has_no_tokens_is_told_so(server: Served) -> None:
    with server.book() as book:
        poor = book.people.create_user(username="poor").id
        book.people.deduct_tokens(poor, WELCOME, OperationType.BUY_QUESTIONS)
    response = server.client.post("/api/ask", json={"question": QUESTION}, headers={"X-User": str(poor)})
    assert (response.status_code, response.json()["code"]) == (402, "not_enough_tokens")


def test_figures_say_what_happened(server: Served) -> None:
    server.post("/api/search", {"query": "soil"})
    server.client.get("/api/documents/absent")
    figures = server.client.get("/metrics")
    assert figures.headers["content-type"].startswith("text/plain; version=")
    for line in (
        'sourcebook_http_requests_total{method="GET",route="/api/documents/{document_id}",status="404"} 1.0',
        'sourcebook_stage_seconds_count{stage="search"} 1.0',
        'sourcebook_answers_total{tier="none"} 1.0',
        'sourcebook_drafts_waiting{kind="declined"} 1.0',
        "sourcebook_stale_answers 0.0",
    ):
        assert line in figures.text, line
    assert "absent" not in figures.text


def test_a_request_has_an_id_in_its_response_and_in_the_log(
    server: Served, caplog: pytest.LogCaptureFixture
) -> None:
    own = server.client.get("/healthz", headers={"X-Request-ID": "my-own-request"})
    assert own.headers["x-request-id"] == "my-own-request"
    forged = server.client.get("/healthz", headers={"X-Request-ID": "x\t<script>"})
    assert forged.headers["x-request-id"] != "x\t<script>"
    secret = "canary-3f9a"
    with caplog.at_level(logging.INFO):
        server.client.post(
            f"/api/ask?token={secret}",
            json={"question": f"Who is {secret}?"},
            headers={"Authorization": f"Bearer {secret}", "Cookie": f"session={secret}", **ANNA},
        )
    (record,) = [
        r for r in caplog.records if r.name == "sourcebook.http" and r.getMessage().startswith("POST")
    ]
    assert record.getMessage() == "POST /api/ask 200"
    written = JsonLogFormatter().format(record)
    entry = json.loads(written)
    assert (entry["path"], entry["status"], entry["user_id"]) == ("/api/ask", 200, 2)
    ours = [r.getMessage() for r in caplog.records if not r.name.startswith("httpx2")]
    assert secret not in "".join(ours) + written


def test_a_log_line_carries_the_request_that_it_belongs_to() -> None:
    record = logging.LogRecord("x", logging.INFO, "", 0, "told", (), None)
    token = current_request.set("r-1")
    try:
        assert json.loads(JsonLogFormatter().format(record))["request_id"] == "r-1"
    finally:
        current_request.reset(token)
    assert "request_id" not in json.loads(JsonLogFormatter().format(record))


@contextmanager
def impatient(tmp_path: Path, **more: Any) -> Generator[Served]:
    with served(str(tmp_path / "base.db"), http_client_seconds=2.0, **more) as made:
        yield made


def test_a_client_that_does_not_send_is_given_up(tmp_path: Path) -> None:
    with impatient(tmp_path) as server:
        answer = server.raw("POST /api/ask HTTP/1.1\nContent-Type: application/json\nContent-Length: 50")
        assert answer.startswith("HTTP/1.1 408 ")
        assert '"code":"too_slow"' in answer


def test_a_client_that_sends_its_question_byte_by_byte_is_given_up(tmp_path: Path) -> None:
    def dribble() -> Iterator[bytes]:
        for _ in range(100):
            time.sleep(0.1)
            yield b" "

    with impatient(tmp_path) as server:
        head = "POST /api/ask HTTP/1.1\nContent-Type: application/json\nContent-Length: 100"
        answer = server.raw(head, dribble())
        assert answer.startswith("HTTP/1.1 408 ")


@pytest.mark.parametrize("first", [b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], ids=["new", "kept"])
def test_a_client_that_sends_its_headers_line_by_line_is_given_up(tmp_path: Path, first: bytes) -> None:
    with impatient(tmp_path) as server, closing(connected(server)) as connection:
        connection.sendall(first)
        if first:
            assert b"200 OK" in connection.recv(65536)
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert is_cut(connection, lambda: connection.sendall(b"X-A: b\r\n"))
        assert server.get("/healthz") == {"status": "ok"}


def is_cut(connection: socket.socket, meanwhile: Callable[[], None]) -> bool:
    """Whether the server ends the connection while a client goes on like this."""
    connection.settimeout(0.05)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(TimeoutError):
            try:
                meanwhile()
                if connection.recv(65536) == b"":
                    return True
            except OSError as error:
                if not isinstance(error, TimeoutError):
                    return True
    return False


def test_headers_without_an_end_are_not_collected(tmp_path: Path) -> None:
    with served(str(tmp_path / "base.db")) as server, closing(connected(server)) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert is_cut(connection, lambda: connection.sendall(b"X-A: " + b"b" * 10_000 + b"\r\n"))


def test_a_client_that_never_reads_its_events_is_cut_off_and_the_work_ended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ended = threading.Event()

    async def endless() -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
        try:
            while True:
                await anyio.lowlevel.checkpoint()
                yield "token", {"text": "and so on " * 10_000}
        finally:
            ended.set()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await EventStream(endless())(scope, receive, send)

    with running(app, patience=0.3) as url, caplog.at_level(logging.INFO):
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert ended.wait(PATIENCE)
    assert "stopped reading" in caplog.text


def test_a_client_that_reads_slowly_but_steadily_gets_everything() -> None:
    async def large(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 8_000_000})

    with running(large, patience=30.0) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            received = 0
            while more := connection.recv(400_000):
                received += len(more)
                time.sleep(0.05)
    assert received > 8_000_000


def test_nothing_is_answered_when_the_base_is_gone_or_the_server_stops(tmp_path: Path) -> None:
    with served(str(tmp_path / "base.db"), notes=NOTES) as server:
        assert server.get("/readyz") == {"status": "ok"}
        server.app.state.stopping.is_set = True
        stopping = server.client.get("/readyz")
        assert (stopping.status_code, stopping.json()["code"]) == (503, "not_ready")
        assert server.get("/healthz") == {"status": "ok"}
