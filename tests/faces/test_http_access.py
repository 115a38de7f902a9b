"""Who may do what: every route, every role, and collections that are not the caller's to see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import pytest
from tests.faces.http_server import QUESTION, UNKNOWN, HeaderGate, Served, served

from sourcebook import AsyncSourcebook, Settings
from sourcebook.faces.http.app import create_app
from sourcebook.testing.fakes import FakeEmbedder

OPEN = {("GET", "/healthz"), ("GET", "/readyz"), ("POST", "/api/login")}
# Every other operation: the lowest role that may, and a body that makes sense.
ROLES = ("user", "expert", "admin")
TABLE: dict[tuple[str, str], tuple[str, Any]] = {
    ("POST", "/api/search"): ("user", {"query": "soil"}),
    ("POST", "/api/ask"): ("user", {"question": QUESTION}),
    ("POST", "/api/ask/expert"): ("user", {"question": "May I call you about it?"}),
    ("GET", "/api/documents"): ("user", None),
    ("GET", "/api/documents/{document_id}"): ("user", None),
    ("GET", "/api/documents/{document_id}/text"): ("user", None),
    ("GET", "/api/documents/{document_id}/pages/{page}"): ("user", None),
    ("GET", "/api/passages/{chunk_id}"): ("user", None),
    ("POST", "/api/documents"): ("admin", None),
    ("POST", "/api/documents/{document_id}/hide"): ("admin", None),
    ("POST", "/api/documents/{document_id}/unhide"): ("admin", None),
    ("DELETE", "/api/documents/{document_id}"): ("admin", None),
    ("GET", "/api/jobs"): ("admin", None),
    ("GET", "/api/jobs/{number}"): ("admin", None),
    ("GET", "/api/jobs/{number}/events"): ("admin", None),
    ("GET", "/api/sessions"): ("user", None),
    ("GET", "/api/sessions/{session_id}"): ("user", None),
    ("PATCH", "/api/sessions/{session_id}"): ("user", {"title": "x"}),
    ("DELETE", "/api/sessions/{session_id}"): ("user", None),
    ("GET", "/api/sessions/{session_id}/export"): ("user", None),
    ("GET", "/api/curated"): ("expert", None),
    ("POST", "/api/curated"): ("expert", {"answer": "x", "category": "x"}),
    ("GET", "/api/curated/{number}"): ("expert", None),
    ("PATCH", "/api/curated/{number}"): ("expert", {"answer": "y"}),
    ("DELETE", "/api/curated/{number}"): ("expert", None),
    ("GET", "/api/drafts"): ("expert", None),
    ("GET", "/api/drafts/mine"): ("user", None),
    ("GET", "/api/drafts/{number}"): ("expert", None),
    ("POST", "/api/drafts/{number}/approve"): ("expert", {"answer": "x"}),
    ("POST", "/api/drafts/{number}/reject"): ("expert", {}),
    ("POST", "/api/drafts/{number}/answer"): ("expert", {"answer": "x"}),
    ("POST", "/api/drafts/{number}/keep"): ("expert", {}),
    ("POST", "/api/drafts/{number}/cancel"): ("user", None),
    ("GET", "/api/gaps"): ("expert", None),
    ("GET", "/api/digest"): ("expert", None),
    ("GET", "/api/terms"): ("user", None),
    ("PUT", "/api/terms"): ("expert", {"term": "x", "preferred_phrase": "y"}),
    ("DELETE", "/api/terms/{term}"): ("expert", None),
    ("GET", "/api/me"): ("user", None),
    ("POST", "/api/logout"): ("user", None),
    ("GET", "/api/users"): ("admin", None),
    ("GET", "/api/users/{number}"): ("admin", None),
    ("DELETE", "/api/users/{number}"): ("admin", None),
    ("POST", "/api/users/{number}/block"): ("admin", None),
    ("POST", "/api/users/{number}/unblock"): ("admin", None),
    ("PUT", "/api/users/{number}/role"): ("admin", {"role": "user"}),
    ("GET", "/api/users/{number}/tokens"): ("admin", None),
    ("POST", "/api/users/{number}/tokens"): ("admin", {"amount": 1}),
    ("GET", "/api/collections"): ("user", None),
    ("POST", "/api/collections"): ("admin", {"name": "own", "dimensions": 3}),
    ("DELETE", "/api/collections/{name}"): ("admin", None),
    ("POST", "/api/evaluation"): ("admin", {"questions": [{"question": "x"}]}),
    ("GET", "/metrics"): ("admin", None),
    ("GET", "/api/health"): ("admin", None),
}
WHOLE_BASE = [
    ("GET", "/api/digest"),
    ("PUT", "/api/terms"),
    ("DELETE", "/api/terms/{term}"),
    ("GET", "/api/users"),
    ("GET", "/api/users/{number}"),
    ("DELETE", "/api/users/{number}"),
    ("POST", "/api/users/{number}/block"),
    ("POST", "/api/users/{number}/unblock"),
    ("PUT", "/api/users/{number}/role"),
    ("GET", "/api/users/{number}/tokens"),
    ("POST", "/api/users/{number}/tokens"),
    ("POST", "/api/collections"),
    ("DELETE", "/api/collections/{name}"),
    ("GET", "/metrics"),
    ("GET", "/api/health"),
]


@dataclass
class Secret:
    """What there is in the collection `secret`, asked and answered by the person 2."""

    document_id: str
    chunk_id: str
    session_id: str
    draft: int
    declined: int
    entry: int
    job: int


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(str(tmp_path_factory.mktemp("access") / "base.db"), gate=HeaderGate()) as made:
        with made.book() as book:
            for name in ("anna", "ben"):
                book.people.create_user(username=name)
        yield made


@pytest.fixture(scope="module")
def secret(server: Served) -> Secret:
    anna = {"X-User": "2", "X-Role": "admin"}
    server.client.headers.update(anna)
    (job,) = server.upload({"plan.txt": b"The secret vault opens at midnight."}, collection="secret")["jobs"]
    inside = {"collections": ["secret"]}
    asked = server.post("/api/ask", {"question": "When does the secret vault open?", **inside})
    assert asked["tier"] == "documents"
    declined = server.post("/api/ask", {"question": UNKNOWN, **inside})
    entry = server.client.post(
        "/api/curated", json={"answer": "At midnight.", "category": "x", "collection": "secret"}
    ).json()["entry"]
    server.client.headers.clear()
    return Secret(
        job["document_id"],
        asked["citations"][0]["chunkId"],
        asked["session_id"],
        asked["draft_id"],
        declined["draft_id"],
        entry["id"],
        job["id"],
    )


def call(server: Served, method: str, path: str, body: Any = None, **headers: str) -> Any:
    return server.client.request(
        method, path, json=body, headers={f"X-{name}": value for name, value in headers.items()}
    )


def absent(path: str) -> str:
    """The path with ids of what does not exist."""
    for name in ("document_id", "chunk_id", "session_id", "term", "name"):
        path = path.replace(f"{{{name}}}", "absent")
    return path.replace("{number}", "987654").replace("{page}", "1")


def test_every_route_is_in_the_table(server: Served) -> None:
    described = server.app.openapi()["paths"]
    operations = {(method.upper(), path) for path, methods in described.items() for method in methods}
    assert operations == OPEN | set(TABLE)
    # Without its body, a sign-in is malformed; it is not refused.
    assert all(server.client.request(method, path).status_code in (200, 422) for method, path in OPEN)


@pytest.mark.parametrize(("method", "path"), TABLE)
def test_nobody_comes_in_unknown_nor_with_a_lower_role(server: Served, method: str, path: str) -> None:
    lowest, body = TABLE[method, path]
    assert call(server, method, absent(path), body).status_code == 403
    for role in ROLES:
        response = call(server, method, absent(path), body, User="2", Role=role)
        is_enough = ROLES.index(role) >= ROLES.index(lowest)
        assert (response.status_code != 403) is is_enough, f"{role}: {response.text}"
        assert response.status_code < 500


def test_who_is_unknown_is_told_so_before_a_body_is_read(server: Served) -> None:
    for path in ("/api/ask", "/api/documents"):
        # The body never comes, and nobody waits for it.
        answer = server.raw(f"POST {path} HTTP/1.1\nContent-Length: 900000\nConnection: close")
        assert answer.startswith("HTTP/1.1 403 ")


@pytest.mark.parametrize(("method", "path"), WHOLE_BASE)
def test_what_concerns_everybody_is_not_for_who_sees_a_part(server: Served, method: str, path: str) -> None:
    _, body = TABLE[method, path]
    response = call(server, method, absent(path), body, User="2", Role="admin", Collections="default")
    assert (response.status_code, response.json()["code"]) == (403, "auth")


FOREIGN: list[tuple[str, str, Any]] = [
    ("GET", "/api/documents/{document_id}", None),
    ("GET", "/api/documents/{document_id}/text", None),
    ("GET", "/api/documents/{document_id}/pages/1", None),
    ("POST", "/api/documents/{document_id}/hide", None),
    ("POST", "/api/documents/{document_id}/unhide", None),
    ("DELETE", "/api/documents/{document_id}", None),
    ("GET", "/api/passages/{chunk_id}", None),
    ("GET", "/api/jobs/{job}", None),
    ("GET", "/api/jobs/{job}/events", None),
    ("GET", "/api/sessions/{session_id}", None),
    ("PATCH", "/api/sessions/{session_id}", {"title": "x"}),
    ("DELETE", "/api/sessions/{session_id}", None),
    ("GET", "/api/sessions/{session_id}/export", None),
    ("POST", "/api/ask", {"question": "And at noon?", "session": "{session_id}"}),
    ("POST", "/api/ask", {"question": "And at noon?", "session": "{session_id}", "collections": ["default"]}),
    ("GET", "/api/curated/{entry}", None),
    ("PATCH", "/api/curated/{entry}", {"answer": "y"}),
    ("DELETE", "/api/curated/{entry}", None),
    ("GET", "/api/drafts/{draft}", None),
    ("POST", "/api/drafts/{draft}/approve", {}),
    ("POST", "/api/drafts/{draft}/reject", {}),
    ("POST", "/api/drafts/{draft}/keep", {}),
    ("POST", "/api/drafts/{draft}/cancel", None),
    ("POST", "/api/drafts/{declined}/answer", {"answer": "x"}),
]


def filled(template: Any, secret: Secret | None) -> Any:
    """The path or body with the ids of the secret, or of nothing."""
    if isinstance(template, dict):
        return {key: filled(value, secret) for key, value in template.items()}  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(template, str):
        return template
    for name in Secret.__dataclass_fields__:
        number = "987654" if Secret.__annotations__[name] == "int" else "absent"
        template = template.replace(f"{{{name}}}", str(getattr(secret, name)) if secret else number)
    return template


@pytest.mark.parametrize(("method", "path", "body"), FOREIGN)
def test_what_is_in_a_foreign_collection_is_not_found_as_what_does_not_exist(
    server: Served, secret: Secret, method: str, path: str, body: Any
) -> None:
    limited = {"User": "2", "Role": "admin", "Collections": "default"}
    foreign = call(server, method, filled(path, secret), filled(body, secret), **limited)
    nothing = call(server, method, filled(path, None), filled(body, None), **limited)
    assert foreign.status_code == nothing.status_code == 404

    assert told(foreign) == told(nothing)


def told(response: Any) -> dict[str, Any]:
    """The problem without the id that was asked for."""
    problem = response.json()
    return {**problem, "title": re.sub(r"'[^']*'|\d+", "it", problem["title"])}


NAMED: list[tuple[str, str, Any]] = [
    ("POST", "/api/search", {"query": "vault", "collections": ["secret"]}),
    ("POST", "/api/search", {"query": "vault", "collections": ["default", "secret"]}),
    ("POST", "/api/ask", {"question": "When does the vault open?", "collections": ["secret"]}),
    ("POST", "/api/ask/expert", {"question": "When does the vault open?", "collection": "secret"}),
    ("GET", "/api/documents?collection=secret", None),
    ("GET", "/api/documents/{document_id}?collection=secret", None),
    ("GET", "/api/documents/{document_id}/text?collection=secret", None),
    ("GET", "/api/documents/{document_id}/pages/1?collection=secret", None),
    ("DELETE", "/api/documents/{document_id}?collection=secret", None),
    ("GET", "/api/passages/{chunk_id}?collection=secret", None),
    ("GET", "/api/jobs?collection=secret", None),
    ("GET", "/api/curated?collection=secret", None),
    ("POST", "/api/curated", {"answer": "x", "category": "x", "collection": "secret"}),
    ("GET", "/api/drafts?collection=secret", None),
    ("POST", "/api/evaluation", {"questions": [{"question": "x"}], "collection": "secret"}),
]


@pytest.mark.parametrize(("method", "path", "body"), NAMED)
def test_a_foreign_collection_is_not_found_by_its_name(
    server: Served, secret: Secret, method: str, path: str, body: Any
) -> None:
    limited = {"User": "2", "Role": "admin", "Collections": "default"}
    response = call(server, method, filled(path, secret), body, **limited)
    assert (response.status_code, response.json()["code"]) == (404, "collection_not_found")


def test_lists_leave_out_what_is_in_foreign_collections(server: Served, secret: Secret) -> None:
    limited = {"User": "2", "Role": "admin", "Collections": "default"}
    everything = {"User": "2", "Role": "admin"}
    for path in (
        "/api/collections",
        "/api/documents",
        "/api/jobs",
        "/api/sessions",
        "/api/sessions?text=vault",
        "/api/curated",
        "/api/drafts",
        "/api/drafts/mine",
        "/api/gaps",
    ):
        some, full = (call(server, "GET", path, **who) for who in (limited, everything))
        assert (some.status_code, full.status_code) == (200, 200)
        assert not any(word in some.text for word in ("secret", "vault", UNKNOWN)), path
        if path != "/api/documents":
            assert any(word in full.text for word in ("secret", "vault", UNKNOWN)), path


def test_nobody_sees_the_conversations_and_questions_of_another(server: Served, secret: Secret) -> None:
    ben = {"User": "3", "Role": "admin"}
    for path in (f"/api/sessions/{secret.session_id}", f"/api/sessions/{secret.session_id}/export"):
        assert call(server, "GET", path, **ben).status_code == 404
    for path in ("/api/sessions", "/api/sessions?text=vault", "/api/drafts/mine"):
        assert "vault" not in call(server, "GET", path, **ben).text
    follow = {"question": "And at noon?", "session": secret.session_id}
    assert call(server, "POST", "/api/ask", follow, **ben).status_code == 404
    assert call(server, "POST", f"/api/drafts/{secret.declined}/cancel", **ben).status_code == 404
    assert call(server, "DELETE", f"/api/sessions/{secret.session_id}", **ben).status_code == 404


def test_one_persons_key_is_not_anothers(server: Served) -> None:
    body = {"question": QUESTION}
    one, other = (
        server.client.post("/api/ask", json=body, headers={"X-User": user, "Idempotency-Key": "same"}).json()
        for user in ("2", "3")
    )
    assert one["session_id"] != other["session_id"]


def repeat(server: Served, path: str, key: str, body: Any, sees: str | None = None) -> Any:
    """What Anna gets for this key, from a program that sees everything or only this collection."""
    limit = {} if sees is None else {"X-Collections": sees}
    return server.client.post(path, json=body, headers={"X-User": "2", "Idempotency-Key": key, **limit})


@pytest.mark.usefixtures("secret")
def test_a_repeated_key_gives_no_answer_from_other_collections(server: Served) -> None:
    body = {"question": "When does the secret vault open?"}
    first, same = (
        repeat(server, "/api/ask", "vault", {**body, "collections": ["secret"]}).json() for _ in range(2)
    )
    assert "midnight" in first["answer"]
    assert same["message_id"] == first["message_id"]
    for sees in (None, "default"):
        other = repeat(server, "/api/ask", "vault", body, sees)
        assert (other.status_code, other.json()["code"]) == (409, "conflict")
        assert "midnight" not in other.text


def test_a_repeated_key_gives_no_answer_from_a_conversation_that_the_caller_does_not_see(
    server: Served, secret: Secret
) -> None:
    body = {"question": QUESTION, "collections": ["default"]}
    first = repeat(server, "/api/ask", "follow", {**body, "session": secret.session_id})
    assert first.status_code == 200
    other = repeat(server, "/api/ask", "follow", body, "default")
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


@pytest.mark.usefixtures("secret")
def test_a_repeated_call_for_an_expert_gives_no_draft_of_another_collection(server: Served) -> None:
    body = {"question": "Who may open the vault for me?"}
    first = repeat(server, "/api/ask/expert", "call", {**body, "collection": "secret"})
    assert first.status_code == 201
    other = repeat(server, "/api/ask/expert", "call", body, "default")
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


def test_an_administrator_cannot_forget_themselves(server: Served) -> None:
    with server.book() as book:
        carla = book.people.create_user(username="carla").id
    response = call(server, "DELETE", f"/api/users/{carla}", User=str(carla), Role="admin")
    assert (response.status_code, response.json()["code"]) == (400, "usage")
    with server.book() as book:
        assert book.people.get_user(carla).username == "carla"


@pytest.mark.anyio
async def test_a_base_without_anything_in_it_finds_nothing_and_says_what_to_upload(db: str) -> None:
    settings = Settings(db=db)
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder(), face="http") as book:
        transport = httpx.ASGITransport(create_app(book, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test") as client:
            found = await client.post("/api/search", json={"query": "raspberries"})
            assert (found.status_code, found.json()["results"]) == (200, [])
            for path, body in (
                ("/api/ask", {"question": QUESTION}),
                ("/api/search", {"query": "soil", "collections": ["default"]}),
            ):
                told = await client.post(path, json=body)
                assert (told.status_code, told.json()["code"]) == (404, "collection_not_found")
                assert "POST /api/documents" in told.json()["hint"]
