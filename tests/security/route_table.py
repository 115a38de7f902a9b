"""Every route of the server: who may call it, and how somebody would reach for what is not theirs.

`{…}` in an address or a body is filled in by the test, once with something of a collection that the caller may not see,
and once with something that does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ANYBODY, KNOWN, READER, EXPERT, ADMIN = "anybody", "known", "reader", "expert", "admin"
"""Who may call a route. `known`: whoever comes through the gate."""


@dataclass(frozen=True)
class Access:
    """`reach` is the request, without its address, that names a thing; `whole` means that it concerns the whole base,
    and is refused to whoever is limited to some collections."""

    role: str
    reach: dict[str, Any] | None = None
    path: dict[str, str] = field(default_factory=dict[str, str])
    whole: bool = False


def of(role: str, path: str, **reach: Any) -> Access:
    """A route with one thing in its address: `document_id={document}`."""
    name, _, what = path.partition("=")
    return Access(role, reach, {name: what})


def in_page(role: str, **more: str) -> Access:
    """A route of the page, which has the collection in its address."""
    return Access(role, {}, {"collection": "{collection}", "document_id": "{document}", **more})


IN_COLLECTION = {"params": {"collection": "{collection}"}}
EDIT = {"json": {"answer": "Another answer to this."}}
USER = Access(ADMIN, whole=True)

TABLE = {
    "GET /openapi.json": Access(KNOWN),
    "GET /healthz": Access(ANYBODY),
    "GET /readyz": Access(ANYBODY),
    "GET /metrics": Access(ADMIN, whole=True),
    "GET /api/health": Access(ADMIN, whole=True),
    "POST /api/login": Access(ANYBODY),
    "POST /api/logout": Access(READER),
    "GET /login": Access(ANYBODY),
    "POST /login": Access(ANYBODY),
    "POST /logout": Access(READER),
    "GET /api/me": Access(READER),
    "POST /api/search": Access(READER, {"json": {"query": "vault word", "collections": ["{collection}"]}}),
    "POST /api/ask": Access(
        READER, {"json": {"question": "Which word opens the vault?", "session": "{session}"}}
    ),
    "POST /api/ask/expert": Access(
        READER, {"json": {"question": "Which word opens the vault?", "collection": "{collection}"}}
    ),
    "GET /api/documents": Access(READER, IN_COLLECTION),
    "GET /api/documents/{document_id}": of(READER, "document_id={document}", **IN_COLLECTION),
    "GET /api/documents/{document_id}/text": of(READER, "document_id={document}", **IN_COLLECTION),
    "GET /api/documents/{document_id}/pages/{page}": Access(
        READER, IN_COLLECTION, {"document_id": "{document}", "page": "1"}
    ),
    "POST /api/documents/{document_id}/hide": of(ADMIN, "document_id={document}", **IN_COLLECTION),
    "POST /api/documents/{document_id}/unhide": of(ADMIN, "document_id={document}", **IN_COLLECTION),
    "DELETE /api/documents/{document_id}": of(ADMIN, "document_id={document}", **IN_COLLECTION),
    "GET /api/passages/{chunk_id}": of(READER, "chunk_id={passage}", **IN_COLLECTION),
    "POST /api/documents": Access(
        ADMIN, {"files": {"files": ("a.txt", b"Some text.")}, "data": {"collection": "{collection}"}}
    ),
    "GET /api/jobs": Access(ADMIN),
    "GET /api/jobs/{number}": of(ADMIN, "number={job}"),
    "GET /api/jobs/{number}/events": of(ADMIN, "number={job}"),
    "GET /api/sessions": Access(READER),
    "GET /api/sessions/{session_id}": of(READER, "session_id={session}"),
    "PATCH /api/sessions/{session_id}": of(READER, "session_id={session}", json={"title": "Mine"}),
    "GET /api/sessions/{session_id}/export": of(READER, "session_id={session}"),
    "DELETE /api/sessions/{session_id}": of(READER, "session_id={session}"),
    "GET /api/curated": Access(EXPERT, IN_COLLECTION),
    "GET /api/curated/{number}": of(EXPERT, "number={curated}"),
    "POST /api/curated": Access(
        EXPERT,
        {"json": {"answer": "Yes.", "category": "c", "question": "Is it?", "collection": "{collection}"}},
    ),
    "PATCH /api/curated/{number}": of(EXPERT, "number={curated}", **EDIT),
    "DELETE /api/curated/{number}": of(EXPERT, "number={curated}"),
    "GET /api/drafts": Access(EXPERT),
    "GET /api/drafts/mine": Access(READER),
    "GET /api/drafts/{number}": of(EXPERT, "number={draft}"),
    "POST /api/drafts/{number}/approve": of(EXPERT, "number={draft}", json={}),
    "POST /api/drafts/{number}/reject": of(EXPERT, "number={draft}", json={}),
    "POST /api/drafts/{number}/answer": of(EXPERT, "number={draft}", **EDIT),
    "POST /api/drafts/{number}/keep": of(EXPERT, "number={draft}", json={}),
    "POST /api/drafts/{number}/cancel": of(READER, "number={draft}"),
    "GET /api/gaps": Access(EXPERT),
    "GET /api/digest": Access(EXPERT),
    "GET /api/terms": Access(READER),
    "PUT /api/terms": Access(EXPERT),
    "DELETE /api/terms/{term}": Access(EXPERT),
    "GET /api/users": USER,
    "GET /api/users/{number}": USER,
    "POST /api/users/{number}/block": USER,
    "POST /api/users/{number}/unblock": USER,
    "PUT /api/users/{number}/role": USER,
    "DELETE /api/users/{number}": USER,
    "GET /api/users/{number}/tokens": USER,
    "POST /api/users/{number}/tokens": USER,
    "GET /api/collections": Access(READER),
    "POST /api/collections": Access(ADMIN, whole=True),
    "DELETE /api/collections/{name}": Access(ADMIN, whole=True),
    "POST /api/evaluation": Access(
        ADMIN,
        {
            "json": {
                "questions": [{"question": "Which word?", "documents": ["x"]}],
                "collection": "{collection}",
            }
        },
    ),
    "GET /v1/models": Access(READER),
    "GET /v1/models/{name:path}": of(READER, "name:path=sourcebook:{collection}"),
    "POST /v1/chat/completions": Access(
        READER,
        {
            "json": {
                "model": "sourcebook:{collection}",
                "messages": [{"role": "user", "content": "Which word?"}],
            }
        },
    ),
    "POST /v1/embeddings": Access(READER),
    "POST /v1/rerank": Access(READER),
    # The page.
    "* /static/*": Access(ANYBODY),
    "GET /": Access(READER),
    "GET /ask": Access(READER),
    "POST /ask": Access(
        READER, {"data": {"question": "Which word opens the vault?", "session": "{session}"}}
    ),
    "GET /ask/{session_id}": of(READER, "session_id={session}"),
    "GET /ask/{session_id}/export": of(READER, "session_id={session}"),
    "POST /ask/{session_id}/expert": of(READER, "session_id={session}", data={"question": "Which word?"}),
    "POST /ask/{session_id}/withdraw": of(READER, "session_id={session}", data={"draft": "{draft}"}),
    "POST /ask/{session_id}/thumb": of(READER, "session_id={session}", data={"message": "x", "value": "up"}),
    "POST /ask/{session_id}/rename": of(READER, "session_id={session}", data={"title": "Mine"}),
    "POST /ask/{session_id}/remove": of(READER, "session_id={session}"),
    "GET /conversations": Access(READER),
    "POST /preferences": Access(KNOWN),
    "POST /sample": Access(ADMIN),
    "GET /search": Access(READER, {"params": {"q": "vault word", "collection": "{collection}"}}),
    "GET /documents": Access(READER, IN_COLLECTION),
    "POST /documents": Access(
        ADMIN, {"files": {"files": ("a.txt", b"Some text.")}, "data": {"collection": "{collection}"}}
    ),
    "GET /uploads": Access(ADMIN, IN_COLLECTION),
    "GET /uploads/{number}": of(ADMIN, "number={job}"),
    "GET /documents/{collection}/{document_id}": in_page(READER),
    "GET /documents/{collection}/{document_id}/pages/{number}": in_page(READER, number="1"),
    "POST /documents/{collection}/{document_id}/hide": in_page(ADMIN),
    "POST /documents/{collection}/{document_id}/unhide": in_page(ADMIN),
    "POST /documents/{collection}/{document_id}/remove": in_page(ADMIN),
    "GET /inbox": Access(EXPERT),
    "GET /inbox/gaps": Access(EXPERT),
    "GET /inbox/digest": Access(EXPERT),
    "GET /inbox/{draft_id}": of(EXPERT, "draft_id={draft}"),
    "POST /inbox/{draft_id}/approve": of(EXPERT, "draft_id={draft}", data={"answer": "This is the answer."}),
    "POST /inbox/{draft_id}/sources": of(EXPERT, "draft_id={draft}"),
    "POST /inbox/{draft_id}/reply": of(EXPERT, "draft_id={draft}", data={"answer": "This is the answer."}),
    "POST /inbox/{draft_id}/reject": of(EXPERT, "draft_id={draft}", data={"reason": "No."}),
    "GET /curated": Access(EXPERT),
    "POST /curated": Access(EXPERT),
    "POST /curated/{entry_id}/edit": of(EXPERT, "entry_id={curated}", data={"answer": "Another answer."}),
    "POST /curated/{entry_id}/remove": of(EXPERT, "entry_id={curated}"),
    "POST /curated/{entry_id}/wordings": of(EXPERT, "entry_id={curated}", data={"question": "Is it so?"}),
    "POST /curated/{entry_id}/wordings/{wording_id}": Access(
        EXPERT, {"data": {"decision": "accept"}}, {"entry_id": "{curated}", "wording_id": "1"}
    ),
    "GET /terms": Access(EXPERT),
    "POST /terms": Access(EXPERT),
    "POST /terms/remove": Access(EXPERT),
    "GET /people": USER,
    "GET /people/{user_id}": USER,
    "POST /people/{user_id}/credit": USER,
    "POST /people/{user_id}/role": USER,
    "POST /people/{user_id}/block": USER,
    "POST /people/{user_id}/unblock": USER,
    "POST /people/{user_id}/forget": USER,
    "GET /quality": USER,
    "POST /quality/measure": USER,
    "POST /quality/calibrate": USER,
    "POST /quality/threshold": USER,
    "GET /quality/compare": USER,
    "POST /quality/compare": USER,
    "GET /health": USER,
    "GET /settings": USER,
    "POST /settings/try": USER,
    "POST /settings/find": USER,
    "POST /settings/use": USER,
    "GET /settings/access": USER,
    "POST /settings/accounts": USER,
    "POST /settings/accounts/password": USER,
    "POST /settings/accounts/change": USER,
    "POST /settings/accounts/signout": USER,
    "POST /settings/accounts/remove": USER,
    "POST /settings/keys": USER,
    "POST /settings/keys/{number}/revoke": USER,
    "GET /mcp": Access(KNOWN),
    "POST /mcp": Access(KNOWN),
    "DELETE /mcp": Access(KNOWN),
}
