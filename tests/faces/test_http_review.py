"""Review, curated answers, terms, people, collections and evaluation over HTTP, on both databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.conftest import BACKENDS
from tests.faces.http_server import NOTES, QUESTION, UNKNOWN, Served, served_on


@pytest.fixture(scope="module", params=BACKENDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from served_on(request, tmp_path_factory)


def test_a_draft_is_approved_once_and_comes_first(server: Served) -> None:
    asked = server.post("/api/ask", {"question": QUESTION})
    number = asked["draft_id"]
    shown = server.get(f"/api/drafts/{number}")["draft"]
    assert (shown["question"], shown["entry"]) == (QUESTION, None)
    better = "Prune everbearing raspberries in late autumn."
    entry = server.post(f"/api/drafts/{number}/approve", {"answer": better, "category": "berries"})["entry"]
    assert (entry["approved_by"], entry["category"], len(entry["sources"])) == (1, "berries", 1)
    assert server.get(f"/api/drafts/{number}")["draft"]["entry"]["id"] == entry["id"]
    again = server.client.post(f"/api/drafts/{number}/reject", json={"reason": "late"})
    assert (again.status_code, again.json()["code"]) == (409, "already_decided")
    answer = server.post("/api/ask", {"question": QUESTION})
    assert (answer["tier"], answer["curated_id"]) == ("curated", entry["id"])
    assert "draft_id" not in answer


def test_the_inbox_comes_in_parts(server: Served) -> None:
    for word in ("tractor", "aeroplane", "submarine"):
        server.post("/api/ask", {"question": f"Which gearbox oil suits a {word}?"})
    seen: list[int] = []
    cursor = None
    while True:
        part = server.get(
            "/api/drafts", params={"kind": "declined", "limit": 1, **({"cursor": cursor} if cursor else {})}
        )
        seen += [draft["id"] for draft in part["drafts"]]
        cursor = part["next"]
        if cursor is None:
            break
    assert seen == sorted(seen)
    assert len(seen) == 3
    gaps = server.get("/api/gaps")["gaps"]
    assert sum(gap["count"] for gap in gaps) >= 3
    digest = server.get("/api/digest")["digest"]
    assert digest["declined"] == 3


def test_an_expert_answers_and_the_asker_reads_it(server: Served) -> None:
    asked = server.post("/api/ask", {"question": "Which fuel does a chainsaw need?"})
    number = asked["draft_id"]
    done = server.post(
        f"/api/drafts/{number}/answer", {"answer": "A mixture of petrol and oil.", "keep": "reply_only"}
    )
    assert (done["draft"]["status"], done["entry"]) == ("approved", None)
    read = server.get(f"/api/sessions/{asked['session_id']}")["session"]
    assert read["messages"][-1]["content"] == "A mixture of petrol and oil."
    kept = server.post(f"/api/drafts/{number}/keep", {"category": "tools"})["entry"]
    assert kept["answer"].startswith("A mixture")
    assert server.post(f"/api/drafts/{number}/keep", {"category": "tools"})["entry"]["id"] == kept["id"]


def test_a_reply_in_other_words_is_bound_to_the_source_that_is_named(server: Served) -> None:
    number = server.post("/api/ask", {"question": "Which glue mends a rubber boot?"})["draft_id"]
    (document, *_) = server.get("/api/documents")["documents"]
    refused = server.client.post(f"/api/drafts/{number}/answer", json={"answer": "None.", "sources": [99]})
    assert (refused.status_code, refused.json()["code"]) == (400, "usage")
    done = server.post(f"/api/drafts/{number}/answer", {"answer": "None.", "sources": [document["id"]]})
    assert [source["document_id"] for source in done["entry"]["sources"]] == [document["id"]]
    kept = server.post(f"/api/drafts/{number}/keep", {"sources": [document["id"]]})["entry"]
    assert (kept["id"], len(kept["sources"])) == (done["entry"]["id"], 1)
    nearest = server.get(f"/api/drafts/{number}")["draft"]["nearest"]
    assert [near["number"] for near in nearest] == list(range(1, len(nearest) + 1))


def test_a_rejected_draft_says_why(server: Served) -> None:
    number = server.post("/api/ask", {"question": "How deep is the ocean?"})["draft_id"]
    rejected = server.post(f"/api/drafts/{number}/reject", {"reason": "not our subject"})["draft"]
    assert (rejected["status"], rejected["reason"]) == ("rejected", "not our subject")
    mine = server.get("/api/drafts/mine", params={"status": "rejected"})["drafts"]
    assert [draft["id"] for draft in mine] == [number]


def test_a_curated_answer_without_named_sources_is_bound_to_what_supports_it(server: Served) -> None:
    said = "The pH of the soil for blueberries is between 4.0 and 5.0."
    body = {"question": "How sour?", "answer": said, "category": "soil"}
    made = server.client.post("/api/curated", json=body)
    entry = made.json()["entry"]
    assert (made.status_code, entry["answer"]) == (201, f"{said} [1]")
    assert [(each["document_id"], each["quote"]) for each in entry["sources"]] == [("soil", said)]
    same = server.client.post("/api/curated", json=body)
    assert (same.status_code, same.json()["entry"]["id"]) == (200, entry["id"])

    unbound = server.client.post("/api/curated", json={**body, "question": "How sour is it?", "sources": []})
    assert (unbound.json()["entry"]["answer"], unbound.json()["entry"]["sources"]) == (said, [])
    with server.book() as book:
        by_program = book.curated.insert(said, category="soil", question="How sour must it be?")
    assert [source.quote for source in by_program.sources] == [said]
    form = {"question": "How sour is the soil?", "answer": said, "category": "soil"}
    page = server.client.post("/curated", data=form, headers={"Sec-Fetch-Site": "same-origin"})
    assert page.headers["location"].endswith("done=kept")
    form |= {"question": "Who may enter?", "answer": "Nobody without a badge."}
    page = server.client.post("/curated", data=form, headers={"Sec-Fetch-Site": "same-origin"})
    assert page.headers["location"].endswith("done=approved_without_source")
    added = [each for each in server.get("/api/curated")["entries"] if each["id"] >= entry["id"]]
    assert [each["sources"][0]["quote"] if each["sources"] else "" for each in added] == [
        said,
        "",
        said,
        said,
        "",
    ]
    for each in added:
        server.client.delete(f"/api/curated/{each['id']}")


def test_a_curated_answer_is_added_once_edited_by_proposal_and_removed(server: Served) -> None:
    body = {
        "question": "Which pH?",
        "answer": "Between 4.0 and 5.0.",
        "category": "soil",
        "sources": [{"document": "soil", "quote": "between 4.0 and 5.0"}],
    }
    made = server.client.post("/api/curated", json=body)
    assert made.status_code == 201
    entry = made.json()["entry"]
    assert entry["sources"][0]["quote"] == "between 4.0 and 5.0"
    same = server.client.post("/api/curated", json=body)
    assert (same.status_code, same.json()["entry"]["id"]) == (200, entry["id"])
    listed = server.get("/api/curated", params={"limit": 1})
    assert len(listed["entries"]) == 1
    proposed = server.client.patch(f"/api/curated/{entry['id']}", json={"answer": "From 4.0 to 5.0."})
    assert (proposed.status_code, proposed.json()["draft"]["stale_kb_id"]) == (202, entry["id"])
    assert server.get(f"/api/curated/{entry['id']}")["entry"]["answer"] == "Between 4.0 and 5.0."
    assert server.client.delete(f"/api/curated/{entry['id']}").json() == {"removed": entry["id"]}
    assert server.client.get(f"/api/curated/{entry['id']}").status_code == 404
    wrong = server.client.post("/api/curated", json={**body, "sources": [{"document": "nowhere"}]})
    assert (wrong.status_code, wrong.json()["code"]) == (404, "document_not_found")


def test_terms_are_listed_changed_and_removed(server: Served) -> None:
    body = {"term": "kill the weeds", "preferred_phrase": "remove the weeds"}
    assert server.client.put("/api/terms", json=body).status_code == 200
    changed = server.client.put("/api/terms", json={**body, "preferred_phrase": "pull the weeds"}).json()
    assert changed["term"]["preferred_phrase"] == "pull the weeds"
    assert len(server.get("/api/terms")["terms"]) == 1
    assert server.client.delete("/api/terms/kill the weeds").status_code == 200
    assert server.client.delete("/api/terms/kill the weeds").status_code == 404


def test_people_are_blocked_credited_and_forgotten(server: Served) -> None:
    with server.book() as book:
        anna = book.people.create_user(username="anna").id
    assert server.get("/api/me")["name"] == "local"
    assert "anna" in [user["username"] for user in server.get("/api/users")["users"]]
    assert server.post(f"/api/users/{anna}/block")["user"]["is_blocked"]
    assert not server.post(f"/api/users/{anna}/unblock")["user"]["is_blocked"]
    role = server.client.put(f"/api/users/{anna}/role", json={"role": "expert"}).json()
    assert role["user"]["role"] == "expert"
    header = {"Idempotency-Key": "november"}
    before = server.get(f"/api/users/{anna}/tokens")["balance"]
    for _ in range(2):
        given = server.post(f"/api/users/{anna}/tokens", {"amount": 5, "note": "thanks"}, headers=header)
        assert given["balance"] == before + 5
    rows = server.get(f"/api/users/{anna}/tokens")["transactions"]
    assert rows[0]["description"] == "thanks"
    assert server.client.put("/api/users/1/role", json={"role": "user"}).status_code == 400
    assert server.client.post("/api/users/1/block").status_code == 400
    forgotten = server.client.delete(f"/api/users/{anna}").json()["forgotten"]
    assert forgotten["user_id"] == anna
    assert server.client.get("/api/users/99999").status_code == 404


def test_collections_are_made_filled_and_removed(server: Served) -> None:
    assert [c["id"] for c in server.get("/api/collections")["collections"]] == ["default"]
    made = server.client.post("/api/collections", json={"name": "own", "dimensions": 3}).json()
    assert (made["collection"]["id"], made["collection"]["embedding_dimensions"]) == ("own", 3)
    other = server.client.post("/api/collections", json={"name": "own", "dimensions": 4})
    assert (other.status_code, other.json()["code"]) == (409, "collection_conflict")
    (job,) = server.upload({"x.txt": b"Mint spreads."}, collection="herbs")["jobs"]
    assert job["collection_id"] == "herbs"
    found = server.post("/api/search", {"query": "mint", "collections": ["herbs"], "mode": "keyword"})
    assert len(found["results"]) == 1
    for name in ("own", "herbs"):
        assert server.client.delete(f"/api/collections/{name}").json() == {"removed": name}
    assert len(server.get("/api/collections")["collections"]) == 1


def test_conversations_are_searched_renamed_exported_and_removed(server: Served) -> None:
    session = server.post("/api/ask", {"question": "How much water for a tomato?"})["session_id"]
    found = server.get("/api/sessions", params={"text": "TWO LITRES of water"})["sessions"]
    assert session in [each["id"] for each in found]
    assert not server.get("/api/sessions", params={"text": "nobody said this"})["sessions"]
    renamed = server.client.patch(f"/api/sessions/{session}", json={"title": "Помидоры"}).json()
    assert renamed["session"]["title"] == "Помидоры"
    assert [s["id"] for s in server.get("/api/sessions", params={"text": "помидоры"})["sessions"]] == [
        session
    ]
    exported = server.client.get(f"/api/sessions/{session}/export")
    assert exported.headers["content-type"].startswith("text/markdown")
    assert "Помидоры" in exported.text
    first = server.get("/api/sessions", params={"limit": 1})
    second = server.get("/api/sessions", params={"limit": 1, "cursor": first["next"]})
    assert first["sessions"][0]["id"] != second["sessions"][0]["id"]
    assert server.client.delete(f"/api/sessions/{session}").json() == {"removed": session}
    for gone in (
        server.client.get(f"/api/sessions/{session}"),
        server.client.delete(f"/api/sessions/{session}"),
        server.client.patch(f"/api/sessions/{session}", json={"title": "x"}),
        server.client.get(f"/api/sessions/{session}/export"),
    ):
        assert (gone.status_code, gone.json()["code"]) == (404, "session_not_found")


def test_an_evaluation_has_the_figures_of_the_command_line(server: Served) -> None:
    questions = [{"question": text.split(". ")[0], "documents": [name]} for name, text in NOTES.items()]
    done = server.post(
        "/api/evaluation", {"questions": questions, "search": ["keyword", "hybrid"], "top_k": 3}
    )
    assert [result["search"] for result in done["results"]] == ["keyword", "hybrid"]
    assert done["results"][0]["ndcg"] == 1.0
    unknown = server.client.post("/api/evaluation", json={"questions": questions, "search": ["magic"]})
    assert unknown.status_code == 400


def test_a_base_is_examined(server: Served) -> None:
    health = server.get("/api/health")
    assert (health["ok"], health["findings"]) == (True, [])
    assert health["counts"]


def test_what_is_not_there_is_a_problem_with_its_code(server: Served) -> None:
    for path in ("/api/drafts/999999", "/api/curated/999999", "/api/jobs/999999", "/api/passages/none"):
        response = server.client.get(path)
        assert (response.status_code, response.json()["status"]) == (404, 404)
    assert server.client.get("/api/nothing").json()["code"] == "not_found"
    wrong = server.client.put("/api/ask", json={"question": UNKNOWN})
    assert (wrong.status_code, wrong.json()["code"], wrong.headers["allow"]) == (
        405,
        "method_not_allowed",
        "POST",
    )
