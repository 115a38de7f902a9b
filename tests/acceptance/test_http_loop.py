"""The loop through HTTP, on both databases: declined, answered by an expert, given first, outdated, reviewed again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.conftest import BACKENDS
from tests.faces.http_server import Served, served_on, until

PRUNING = "Everbearing raspberries are pruned in late autumn. All canes are cut at ground level."
GEARBOX = "The gearbox of the tractor takes six litres of oil. The oil is changed every two years."
UNKNOWN = "How much oil does the gearbox of the tractor take?"
PERSON = "How many litres of oil go into the gearbox of our tractor?"
REPLY = "The gearbox of the tractor takes six litres of oil."


@pytest.fixture(scope="module", params=BACKENDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from served_on(request, tmp_path_factory, notes={})


def if_cancelled(draft: dict[str, Any]) -> dict[str, Any] | None:
    """The draft, once it is closed: that comes after the file is taken in."""
    return draft if draft["status"] == "cancelled" else None


def test_the_loop_through_http(server: Served) -> None:
    # A file is uploaded; what it does not say is declined, and waits for the expert.
    (job,) = server.upload({"pruning.md": PRUNING.encode()}, id="pruning", category="berries")["jobs"]
    assert job["status"] == "done"
    declined = server.post("/api/ask", {"question": UNKNOWN})
    assert (declined["tier"], declined["citations"]) == ("none", [])
    (waiting,) = server.get("/api/drafts", params={"kind": "declined"})["drafts"]
    assert (waiting["id"], waiting["question"]) == (declined["draft_id"], UNKNOWN)
    assert [gap["question"] for gap in server.get("/api/gaps")["gaps"]] == [UNKNOWN]

    # A page that answers it closes it. Who wants a person still gets one.
    called = server.post("/api/ask/expert", {"question": PERSON})["draft"]
    (page,) = server.upload({"tractor.md": GEARBOX.encode()}, id="tractor")["jobs"]
    closed = until(lambda: if_cancelled(server.get(f"/api/drafts/{waiting['id']}")["draft"]))
    assert closed["reason"].startswith("the documents answer it now: ")
    assert [d["id"] for d in server.get("/api/drafts", params={"kind": "declined"})["drafts"]] == [
        called["id"]
    ]

    # The expert's answer is bound to the page, and reaches who asked.
    answered = server.post(f"/api/drafts/{called['id']}/answer", {"answer": REPLY, "category": "machines"})
    entry = answered["entry"]
    assert [source["document_id"] for source in entry["sources"]] == [page["document_id"]]
    told = server.get(f"/api/sessions/{called['session_id']}")["session"]["messages"][-1]
    assert told["content"].startswith(REPLY[:-1])

    # It comes first now.
    given = server.post("/api/ask", {"question": PERSON})
    assert (given["tier"], given["curated_id"], given["curated"]["stale"]) == ("curated", entry["id"], None)

    # The page changes: the answer is stale and back in the queue, and the documents go first.
    changed = GEARBOX.replace("six litres", "eight litres")
    server.upload({"tractor.md": changed.encode()}, id="tractor")
    stale = server.post("/api/ask", {"question": PERSON})
    assert (stale["tier"], "eight litres" in stale["answer"]) == ("documents", True)
    assert (stale["outdated"]["id"], stale["outdated"]["reason"]) == (
        entry["id"],
        "a source has changed: tractor",
    )
    (again,) = server.get("/api/drafts", params={"kind": "stale"})["drafts"]
    assert again["stale_kb_id"] == entry["id"]
    assert "sourcebook_stale_answers 1.0" in server.client.get("/metrics").text

    # Approved in other words, it is current again, and nothing waits.
    fixed = REPLY.replace("six", "eight")
    renewed = server.post(f"/api/drafts/{again['id']}/approve", {"answer": fixed})["entry"]
    assert (renewed["id"], renewed["revision"], renewed["stale_since"]) == (entry["id"], 2, None)
    assert server.post("/api/ask", {"question": PERSON})["curated"]["stale"] is None
    assert not server.get("/api/drafts", params={"kind": "stale"})["drafts"]
