"""Searching and asking over HTTP, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.conftest import BACKENDS
from tests.faces.http_server import QUESTION, UNKNOWN, Served, served_on

if TYPE_CHECKING:
    import httpx2


@pytest.fixture(scope="module", params=BACKENDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from served_on(request, tmp_path_factory)


def test_a_search_finds_passages_with_their_places(server: Served) -> None:
    found = server.post("/api/search", {"query": "sour soil", "mode": "keyword", "top_k": 1})
    assert (found["query"], found["mode"]) == ("sour soil", "keyword")
    (result,) = found["results"]
    assert (result["document_path"], result["collection_id"]) == ("soil", "default")
    passage = server.get(f"/api/passages/{result['chunk_id']}")["passage"]
    assert passage["content"] == result["content"]


def test_a_filter_is_written_as_on_the_command_line(server: Served) -> None:
    everything = server.post("/api/search", {"query": "soil water raspberries", "where": "category=garden"})
    assert len(everything["results"]) == 3
    assert not server.post("/api/search", {"query": "soil", "where": "category=kitchen"})["results"]
    one = server.post("/api/search", {"query": "soil water raspberries", "where": "title=Water"})
    assert [result["title"] for result in one["results"]] == ["Water"]


def test_a_search_says_how_it_ranked_and_why_a_document_is_missing(server: Served) -> None:
    found = server.post(
        "/api/search",
        {"query": "sour soil", "explain": True, "explain_document": "water", "top_k": 1, "rerank": True},
    )
    assert found["explanation"]["results"]
    assert found["document"]["document_id"]
    assert found["results"][0]["score_breakdown"]["rerank_score"] is not None


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "bad_request"),
        ({"query": ""}, 422, "bad_request"),
        ({"query": "x", "top_k": 10**9}, 422, "bad_request"),
        ({"query": "x", "topk": 3}, 422, "bad_request"),
        ({"query": "x", "where": "type="}, 400, "bad_filter"),
        ({"query": "x", "collections": ["nowhere"]}, 404, "collection_not_found"),
    ],
)
def test_a_search_that_makes_no_sense_is_a_problem(
    server: Served, body: dict[str, object], status: int, code: str
) -> None:
    response = server.client.post("/api/search", json=body)
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert (response.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert problem["title"]
    assert problem["hint"]


def test_a_form_is_told_to_be_json(server: Served) -> None:
    response = server.client.post("/api/ask", data={"question": QUESTION})
    assert (response.status_code, response.json()["code"]) == (422, "bad_request")
    assert "Content-Type: application/json" in response.json()["hint"]


def test_an_answer_names_its_source_and_continues_its_conversation(server: Served) -> None:
    first = server.post("/api/ask", {"question": QUESTION})
    assert (first["tier"], first["citations"][0]["documentPath"]) == ("documents", "pruning")
    assert isinstance(first["draft_id"], int)
    second = server.post(
        "/api/ask", {"question": "How much water for a tomato plant?", "session": first["session_id"]}
    )
    assert second["session_id"] == first["session_id"]
    read = server.get(f"/api/sessions/{first['session_id']}")["session"]
    assert [message["role"] for message in read["messages"]] == ["USER", "ASSISTANT"] * 2
    assert (read["face"], read["scope"]) == ("http", {"collections": ["default"]})


def test_a_conversation_begun_in_python_goes_on_over_http(server: Served) -> None:
    with server.book() as book:
        begun = book.ask(QUESTION).session_id
    answer = server.post("/api/ask", {"question": "Which soil do blueberries want?", "session": begun})
    assert answer["session_id"] == begun
    again = server.post("/api/ask", {"question": "And which pH?", "session": begun})
    assert again["session_id"] == begun
    assert len(server.get(f"/api/sessions/{begun}")["session"]["messages"]) == 6


def test_an_answer_comes_as_events(server: Served) -> None:
    events = server.events("/api/ask", {"question": QUESTION})
    names = [name for name, _ in events]
    assert names[:3] == ["searching", "passages", "token"]
    assert names[-2:] == ["citation", "done"]
    written = "".join(content["text"] for name, content in events if name == "token")
    assert written == events[-1][1]["answer"]
    assert events[-1][1]["session_id"]


def test_what_is_not_in_the_base_is_declined_and_goes_to_the_expert(server: Served) -> None:
    events = server.events("/api/ask", {"question": UNKNOWN})
    name, answer = events[-1]
    assert (name, answer["tier"]) == ("declined", "none")
    draft = server.get(f"/api/drafts/{answer['draft_id']}")["draft"]
    assert (draft["question"], draft["kind"], draft["status"]) == (UNKNOWN, "declined", "pending")


def test_an_error_while_answering_is_an_event(server: Served) -> None:
    ((name, problem),) = server.events("/api/ask", {"question": "Hello!"})
    assert (name, problem["code"]) == ("failed", "nothing_asked")
    response = server.client.post("/api/ask", json={"question": "Hello!"})
    assert (response.status_code, response.json()["code"]) == (400, "nothing_asked")


def test_the_same_key_is_answered_once(server: Served) -> None:
    body, header = {"question": "Which pH do blueberries want?"}, {"Idempotency-Key": "the-same"}
    one = server.post("/api/ask", body, headers=header)
    other = server.post("/api/ask", body, headers=header)
    assert (one["message_id"], one["answer"]) == (other["message_id"], other["answer"])
    assert one["draft_id"] == other["draft_id"]
    assert len(server.get(f"/api/sessions/{one['session_id']}")["session"]["messages"]) == 2
    reused = server.client.post("/api/ask", json={"question": UNKNOWN}, headers=header)
    assert (reused.status_code, reused.json()["code"]) == (409, "conflict")


def test_a_session_that_is_not_there_is_not_found(server: Served) -> None:
    response: httpx2.Response = server.client.post("/api/ask", json={"question": QUESTION, "session": "x"})
    assert (response.status_code, response.json()["code"]) == (404, "session_not_found")


def test_a_question_can_go_to_a_person_and_be_taken_back(server: Served) -> None:
    header = {"Idempotency-Key": "call"}
    body = {"question": "May I call you about my garden?"}
    draft = server.post("/api/ask/expert", body, headers=header)["draft"]
    assert server.post("/api/ask/expert", body, headers=header)["draft"]["id"] == draft["id"]
    other = server.client.post("/api/ask/expert", json={"question": UNKNOWN}, headers=header)
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    mine = server.get("/api/drafts/mine", params={"status": "pending"})["drafts"]
    assert draft["id"] in [each["id"] for each in mine]
    cancelled = server.post(f"/api/drafts/{draft['id']}/cancel")["draft"]
    assert cancelled["status"] == "cancelled"
