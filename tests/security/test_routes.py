"""S01, S02: every route, for everybody, and for what is not theirs."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import address_of, on_both_databases
from tests.faces.server_desk import SECRET_QUESTION, ServerDesk, server_desk
from tests.security.route_table import ADMIN, ANYBODY, EXPERT, KNOWN, READER, TABLE, Access
from tests.security.routes import routes_of

from sourcebook.faces.http.auth.caller import role_needed
from sourcebook.faces.http.auth.public_paths import PUBLIC_FOLDER, PUBLIC_PATHS, is_public
from sourcebook.model.accounts import AccountRole

if TYPE_CHECKING:
    import httpx2 as httpx

pytestmark = pytest.mark.anyio
ROLES = [READER, EXPERT, ADMIN]
SECRETS = ("marzipan", "Vault")


@pytest.fixture
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return address_of(request, tmp_path)


@pytest.fixture
async def desk(db: str, tmp_path: Path) -> AsyncGenerator[ServerDesk, None]:
    many: dict[str, Any] = {"requests_per_minute": 1_000_000, "questions_per_minute": 1_000_000}
    async with server_desk(db, files=str(tmp_path / "files"), **many) as made:
        yield made


@pytest.fixture
async def things(desk: ServerDesk) -> dict[str, str]:
    """Something of each kind in the collection that the bound keys may not see."""
    book = desk.book
    found = await book.search("vault", collection="secret")
    job = await book.upload("late.txt", b"The late word is marzipan.", collection="secret")
    entry = await book.curated.insert(
        "It is marzipan.", category="c", question="The word?", collection="secret"
    )
    admin = desk.client("admin")
    body = {"question": SECRET_QUESTION, "collections": ["secret"]}
    to_expert = {"question": SECRET_QUESTION, "collection": "secret"}
    draft = (await admin.post("/api/ask/expert", json=to_expert)).json()["draft"]
    session = (await admin.post("/api/ask", json=body)).json()["session_id"]
    return {
        "collection": "secret",
        "document": "vault",
        "passage": found[0].chunk.id,
        "session": session,
        "job": str(job.id),
        "curated": str(entry.id),
        "draft": str(draft["id"]),
    }


ABSENT = {
    "collection": "absent",
    "document": "absent",
    "passage": "absent",
    "session": "absent",
    "job": "987654",
    "curated": "987654",
    "draft": "987654",
}


def address(route: str, access: Access, things: dict[str, str]) -> tuple[str, str]:
    """The method and the address, with these things in it."""
    method, path = route.split(" ", 1)
    for name, what in access.path.items():
        path = path.replace("{" + name + "}", what.format(**things))
    return method, re.sub(r"\{[^}]+\}", "1", path)


def filled(request: Any, things: dict[str, str]) -> Any:
    if isinstance(request, str):
        return request.format(**things)
    if isinstance(request, dict):
        return {key: filled(value, things) for key, value in request.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(request, list):
        return [filled(value, things) for value in request]  # pyright: ignore[reportUnknownVariableType]
    return request


async def test_the_table_names_every_route_and_no_other(desk: ServerDesk) -> None:
    found = set(routes_of(desk.app))
    assert len(found) > 60, "the routes are no longer found"
    assert found - set(TABLE) == set(), "who may call these, and what could be reached with them?"
    assert set(TABLE) - found == set()


async def test_a_route_asks_for_the_role_of_the_table(desk: ServerDesk) -> None:
    needed = {
        name: role_needed(route.dependant) if hasattr(route, "dependant") else None
        for name, route in routes_of(desk.app).items()
    }
    expected = {
        name: None if access.role in (ANYBODY, KNOWN) else AccountRole(access.role).user_role
        for name, access in TABLE.items()
    }
    assert needed == expected


async def test_only_the_public_routes_are_open_to_anybody(desk: ServerDesk) -> None:
    client = desk.client()
    for route, access in TABLE.items():
        method, path = address(route, access, ABSENT)
        answer = await client.request(method, path)
        is_open = "not_signed_in" not in answer.text and "invalid_api_key" not in answer.text
        assert is_open == (access.role == ANYBODY) == is_public(path), route
    assert {"/healthz", "/readyz", "/api/login", "/login", "/favicon.ico"} == PUBLIC_PATHS
    assert PUBLIC_FOLDER == "/static/"


@pytest.mark.parametrize(
    "path",
    [
        "//api/me",
        "/api//me",
        "/healthz/../api/me",
        "/static/../api/me",
        "/API/ME",
        "/healthz/",
        "/login/x",
        "/api/me/",
    ],
)
async def test_an_address_that_is_written_otherwise_opens_nothing(desk: ServerDesk, path: str) -> None:
    answer = await desk.client().get(path)
    assert answer.status_code in (401, 404)
    assert "user_id" not in answer.text


async def test_each_role_is_refused_what_needs_a_higher_one_before_the_body(desk: ServerDesk) -> None:
    async def body() -> AsyncGenerator[bytes, None]:
        raise AssertionError("the body was read")
        yield b""

    for key in (READER, EXPERT, "bound reader", "bound expert"):
        client, role = desk.client(key), key.removeprefix("bound ")
        for route, access in TABLE.items():
            if access.role in ROLES and ROLES.index(access.role) > ROLES.index(role):
                method, path = address(route, access, ABSENT)
                answer = await client.request(method, path, content=body())
                assert (answer.status_code, answer.json()["code"]) == (403, "role_missing"), (key, route)


async def test_each_role_may_call_what_the_table_allows(desk: ServerDesk) -> None:
    for key in ROLES:
        for route, access in TABLE.items():
            if route.endswith("/mcp"):
                continue
            if access.role in ROLES and ROLES.index(access.role) <= ROLES.index(key):
                method, path = address(route, access, ABSENT)
                answer = await desk.client(key).request(method, path)
                assert answer.status_code not in (401, 403), (key, route, answer.text)


@on_both_databases
async def test_what_is_foreign_is_told_like_what_does_not_exist(
    desk: ServerDesk, things: dict[str, str]
) -> None:
    client = desk.client("bound admin")
    before = await desk.book.library.documents("secret")
    wrong: dict[str, object] = {}
    for route, access in TABLE.items():
        if access.reach is None:
            continue
        told = [await told_about(client, route, access, reached) for reached in (things, ABSENT)]
        if told[0] != told[1] or told[0][0] != 404 or any(secret in told[0][1] for secret in SECRETS):
            wrong[route] = told
    assert not wrong, "\n".join(f"{route}: {told}" for route, told in wrong.items())
    assert await desk.book.library.documents("secret") == before


async def told_about(
    client: httpx.AsyncClient, route: str, access: Access, reached: dict[str, str]
) -> tuple[int, str]:
    """The status and the text, with the names of the things taken out."""
    method, path = address(route, access, reached)
    answer = await client.request(method, path, **filled(access.reach, reached))
    text = answer.text
    for value in sorted(reached.values(), key=len, reverse=True):
        text = text.replace(f"'{value}'", "<it>").replace(f" {value}", " <it>")
    return answer.status_code, re.sub(r"sourcebook:\w+", "<model>", text)


async def test_what_concerns_the_whole_base_is_refused_to_who_sees_a_part(desk: ServerDesk) -> None:
    client = desk.client("bound admin")
    bodies: dict[str, Any] = {
        "/api/users/1/role": {"role": "admin"},
        "/api/users/1/tokens": {"amount": 5},
        "/api/collections": {"name": "x", "dimensions": 3},
    }
    for route, access in TABLE.items():
        if access.whole:
            method, path = address(route, access, ABSENT)
            answer = await client.request(method, path, json=None if method == "GET" else bodies.get(path))
            assert answer.status_code == 403, (route, answer.text)


@on_both_databases
async def test_lists_show_nothing_of_a_foreign_collection(desk: ServerDesk, things: dict[str, str]) -> None:
    for key in ("bound admin", "bound reader"):
        client, role = desk.client(key), key.removeprefix("bound ")
        for route, access in TABLE.items():
            allowed = access.role in ROLES and ROLES.index(access.role) <= ROLES.index(role)
            if route.startswith("GET ") and "{" not in route and allowed:
                answer = await client.get(route.removeprefix("GET "))
                assert answer.status_code in (200, 303, 403), route
                for secret in (*SECRETS, "secret", things["session"], SECRET_QUESTION):
                    assert secret not in answer.text, (route, secret)


@on_both_databases
async def test_one_persons_conversations_and_drafts_are_never_anothers(desk: ServerDesk) -> None:
    body = {"question": "When do I prune everbearing raspberries?"}
    expert, reader = desk.client("expert"), desk.client("reader")
    session = (await expert.post("/api/ask", json=body)).json()["session_id"]
    draft = (await expert.post("/api/ask/expert", json={"question": "Who prunes?"})).json()["draft"]["id"]
    assert session in (await expert.get("/api/sessions")).text
    for other in (reader, desk.client("admin"), desk.client("bound admin")):
        assert session not in (await other.get("/api/sessions")).text
        assert (await other.get(f"/api/sessions/{session}")).status_code == 404
        assert (await other.get(f"/api/sessions/{session}/export")).status_code == 404
        assert (await other.delete(f"/api/sessions/{session}")).status_code == 404
        asked = await other.post("/api/ask", json=body | {"session": session})
        assert asked.status_code == 404
    assert json.loads((await reader.get("/api/drafts/mine")).text)["drafts"] == []
    assert (await reader.post(f"/api/drafts/{draft}/cancel")).status_code == 404


async def test_two_keys_of_one_person_see_only_their_own_collections(desk: ServerDesk) -> None:
    narrow = (await desk.book.keys.create("narrow", account="reader", collections=["default"])).secret
    body = {"question": SECRET_QUESTION, "collections": ["secret"]}
    session = (await desk.client("reader").post("/api/ask", json=body)).json()["session_id"]
    client = desk.client(narrow)
    assert session not in (await client.get("/api/sessions")).text
    assert (await client.get(f"/api/sessions/{session}")).status_code == 404
    asked = await client.post("/api/ask", json={"question": "And again?", "session": session})
    assert asked.status_code == 404
