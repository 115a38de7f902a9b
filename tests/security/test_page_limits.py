"""The page keeps the limits that the API keeps: of roles, collections, sizes and questions per minute."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import pytest
from tests.conftest import address_of, on_both_databases
from tests.faces.server_desk import SECRET_QUESTION, ServerDesk, server_desk
from tests.unit.consulting import QUESTION

from sourcebook.faces.http.background_work import UploadWorker
from sourcebook.faces.http.limits.body_limits import LARGEST_BODY
from sourcebook.model.accounts import AccountRole

pytestmark = pytest.mark.anyio
FOR_EVERYBODY = [
    ("GET", "/people"),
    ("GET", "/people/2"),
    ("POST", "/people/2/credit"),
    ("POST", "/people/2/role"),
    ("POST", "/people/2/block"),
    ("POST", "/people/2/unblock"),
    ("POST", "/people/2/forget"),
    ("POST", "/terms"),
    ("POST", "/terms/remove"),
    ("GET", "/health"),
    ("GET", "/settings"),
    ("POST", "/settings/try"),
    ("POST", "/settings/find"),
    ("POST", "/settings/use"),
]
FIELDS = {"amount": "1", "role": "user", "term": "moss", "preferred": "sphagnum", "model": "m", "server": "s"}


@pytest.fixture
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return address_of(request, tmp_path)


@pytest.fixture
async def desk(db: str) -> AsyncGenerator[ServerDesk, None]:
    async with server_desk(db) as made:
        yield made


@pytest.mark.parametrize(("method", "path"), FOR_EVERYBODY)
async def test_what_concerns_everybody_is_not_for_who_sees_a_part(
    desk: ServerDesk, method: str, path: str
) -> None:
    bound = desk.client("bound admin")
    answer = await bound.request(method, path, data=FIELDS if method == "POST" else None)
    assert answer.status_code == 403


@on_both_databases
async def test_a_key_that_sees_less_does_not_read_what_its_person_said_elsewhere(desk: ServerDesk) -> None:
    body = {"question": SECRET_QUESTION, "collections": ["secret"]}
    session = (await desk.client("admin").post("/api/ask", json=body)).json()["session_id"]
    assert "marzipan" in (await desk.client("admin").get(f"/ask/{session}")).text
    less = await desk.book.keys.create(
        "less", role=AccountRole.ADMIN, account="admin", collections=["default"]
    )
    bound = desk.client(less.secret)
    for path in (f"/ask/{session}", f"/ask/{session}/export"):
        assert (await bound.get(path)).status_code == 404
    for act, fields in (("expert", {"question": "x"}), ("rename", {"title": "x"}), ("remove", {})):
        assert (await bound.post(f"/ask/{session}/{act}", data=fields)).status_code == 404
    for path in ("/conversations", "/ask"):
        assert session not in (await bound.get(path)).text
    assert session in (await desk.client("admin").get("/conversations")).text


async def test_a_file_larger_than_a_form_is_brought_on_the_page(desk: ServerDesk) -> None:
    large = b"The walnut tree by the gate was planted in May.\n" + b"\n" * LARGEST_BODY
    admin = desk.client("admin")
    desk.app.state.worker = UploadWorker(desk.book)
    answer = await admin.post(
        "/documents", files={"files": ("large.txt", large)}, headers={"X-Sourcebook-Fragment": "1"}
    )
    assert answer.status_code == 200
    assert await desk.book.process_uploads() == 1
    assert "walnut tree" in (await admin.post("/api/search", json={"query": "walnut tree"})).text


async def test_files_of_somebody_who_may_bring_none_are_not_read(desk: ServerDesk) -> None:
    read: list[int] = []

    async def body() -> AsyncIterator[bytes]:
        for number in range(3):
            read.append(number)
            yield b"--x\r\n"

    answer = await desk.client("reader").post(
        "/documents", content=body(), headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    assert answer.status_code == 403
    assert len(read) <= 1


async def test_questions_on_the_page_count_as_questions(db: str) -> None:
    async with server_desk(db, questions_per_minute=1) as desk:
        reader = desk.client("reader")
        assert (await reader.get("/ask")).status_code == 200
        asked = [(await reader.post("/ask", data={"question": "And at noon?"})).status_code for _ in "12"]
        assert asked == [303, 429]
        assert (await reader.get("/ask")).status_code == 200


@on_both_databases
async def test_a_question_on_the_page_is_charged_where_questions_are(db: str) -> None:
    async with server_desk(db, http_charges=True, price_new_topic=1, welcome_tokens=0) as desk:
        reader = desk.client("reader")
        (person,) = [each for each in await desk.book.people.list_users() if each.username == "reader"]
        poor = await reader.post("/ask", data={"question": QUESTION})
        assert poor.status_code == 402
        await desk.book.people.add_tokens(person.id, 1)
        assert (await reader.post("/ask", data={"question": QUESTION})).status_code == 303
        assert (await desk.book.people.get_user(person.id)).token_balance == 0
