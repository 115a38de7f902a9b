"""Conversations of a file with documents and chats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sourcebook.storage.database import in_transaction
from sourcebook.storage.importing.documents import seconds
from sourcebook.storage.importing.layouts import CHATS, NUMBER
from sourcebook.storage.index import chunks as chunk_rows

if TYPE_CHECKING:
    from sourcebook.storage.database import Database, Executor
    from sourcebook.storage.importing.layouts import OldBase, Values
    from sourcebook.storage.importing.progress import ImportProgress

LOCAL_USER = 1
FACE = "import"
_PAGE = 200


@dataclass(frozen=True, slots=True)
class ChatImport:
    """Sessions with their messages, some at a time. Those that the base holds already are left as they are."""

    database: Database
    old: OldBase
    collection_id: str
    tally: ImportProgress

    async def run(self) -> None:
        after = 0
        while sessions := await self.old.page("chat_sessions", CHATS.tables["chat_sessions"], after, _PAGE):
            after = sessions[-1][NUMBER]
            messages = await self.old.belonging(
                "chat_messages", CHATS.tables["chat_messages"], "session_id", [s["id"] for s in sessions]
            )
            await self._write(sessions, messages)
            self.tally.read("chat_sessions", len(sessions) + len(messages))

    async def _write(self, sessions: Sequence[Values], messages: Sequence[Values]) -> None:
        cited = await self._documents_of(messages)
        rows = [self._message(row, position, cited) for row, position in _numbered(messages)]

        async def write(transaction: Executor) -> tuple[int, int]:
            before = await _counts(transaction)
            await transaction.execute_many("import_session", [_session(row) for row in sessions])
            await transaction.execute_many("import_chat_message", rows)
            after = await _counts(transaction)
            return after[0] - before[0], after[1] - before[1]

        written = await in_transaction(self.database, write)
        self.tally.written["chat_sessions"] += written[0]
        self.tally.written["chat_messages"] += written[1]

    async def _documents_of(self, messages: Sequence[Values]) -> dict[str, str]:
        """The document of each chunk that is cited, as far as it is here."""
        wanted = {
            str(citation.get("chunkId"))
            for row in messages
            for citation in _citations(row["citations"]) or ()
            if citation.get("chunkId")
        }
        found = await chunk_rows.places(self.database, self.collection_id, sorted(wanted))
        return {row["chunk_id"]: row["document_id"] for row in found}

    def _message(self, row: Values, position: int, cited: dict[str, str]) -> dict[str, object]:
        citations = _citations(row["citations"])
        if citations is None and row["citations"] is not None:
            self.tally.left_out["citations that are not a JSON list"] += 1
        return {
            "message_id": str(row["id"]),
            "session_id": str(row["session_id"]),
            "position": position,
            "role": row["role"],
            "content": row["content"],
            "citations": None if citations is None else self._placed(citations, cited),
            "created_at": seconds(row["created_at"]),
        }

    def _placed(self, citations: Sequence[dict[str, Any]], cited: dict[str, str]) -> str:
        """The citations as they are, with the place of what they cite, by which it is known when that changes."""
        placed = [
            {**c, "collection": self.collection_id, "documentId": cited[str(c.get("chunkId"))]}
            if str(c.get("chunkId")) in cited
            else c
            for c in citations
        ]
        return json.dumps(placed, ensure_ascii=False)


def _numbered(messages: Sequence[Values]) -> list[tuple[Values, int]]:
    """Each message with its place in its session: by time and, within a second, as they were written."""
    ordered = sorted(messages, key=lambda m: (str(m["session_id"]), seconds(m["created_at"]), m[NUMBER]))
    numbered: list[tuple[Values, int]] = []
    for row in ordered:
        is_next = bool(numbered) and numbered[-1][0]["session_id"] == row["session_id"]
        numbered.append((row, numbered[-1][1] + 1 if is_next else 0))
    return numbered


def _citations(text: str | None) -> list[dict[str, Any]] | None:
    try:
        found: object = json.loads(text or "null")
    except ValueError:
        return None
    if not isinstance(found, list):
        return None
    entries = cast("list[object]", found)
    return cast("list[dict[str, Any]]", entries) if all(isinstance(e, dict) for e in entries) else None


def _session(row: Values) -> dict[str, object]:
    return {
        "session_id": str(row["id"]),
        "title": row["title"],
        "user_id": LOCAL_USER,
        "face": FACE,
        "channel_key": None,
        "created_at": seconds(row["created_at"]),
        "updated_at": seconds(row["updated_at"]),
    }


async def _counts(transaction: Executor) -> tuple[int, int]:
    row = await transaction.fetch_one("import_chat_counts")
    return (row["sessions"], row["messages"]) if row else (0, 0)
