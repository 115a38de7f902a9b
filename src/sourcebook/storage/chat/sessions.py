"""Conversations: the contract of `ports.chat.Sessions`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from sourcebook.curate.told_places import told_places, with_states
from sourcebook.errors import SessionNotFound
from sourcebook.model.chat import (
    MANUAL_COLLECTION,
    ChatMessage,
    ChatSession,
    Conversation,
    Role,
    SourceState,
    Tier,
)
from sourcebook.storage.argument_checks import metadata_text, require_storable
from sourcebook.storage.chat.citations import citations_from, citations_text, state_of
from sourcebook.storage.database import in_transaction

if TYPE_CHECKING:
    from sourcebook.model.chat import Citation
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row

_LONGEST_TITLE = 80


def _new_id() -> str:
    return uuid4().hex


class SqlSessions:
    def __init__(self, database: Database, clock: Clock, new_id: Callable[[], str] = _new_id) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id

    async def create_session(
        self,
        user_id: int,
        face: str,
        *,
        title: str | None = None,
        scope: Mapping[str, JsonValue] | None = None,
    ) -> ChatSession:
        require_storable("the session", title, face)
        now = self._clock.now()
        session = ChatSession(self._new_id(), title, user_id, face, dict(scope or {}), now, now)
        await self._database.execute(
            "insert_session",
            session_id=session.id,
            title=title,
            user_id=user_id,
            face=face,
            scope=metadata_text(dict(scope or {}), "the session"),
            now=now,
        )
        return session

    async def get_session(self, session_id: str, user_id: int) -> ChatSession | None:
        row = await self._database.fetch_one("session_by_id", session_id=session_id, user_id=user_id)
        return None if row is None else _session_from(row)

    async def list_sessions(
        self, user_id: int, limit: int = 50, *, after: ChatSession | None = None
    ) -> list[ChatSession]:
        if after is None:
            rows = await self._database.fetch("sessions_of_user", user_id=user_id, limit=limit)
        else:
            rows = await self._database.fetch(
                "sessions_behind",
                user_id=user_id,
                updated_at=after.updated_at,
                session_id=after.id,
                limit=limit,
            )
        return [_session_from(row) for row in rows]

    async def search_sessions(self, user_id: int, text: str, limit: int = 50) -> list[ChatSession]:
        # No database folds the case of every script alike, so that is done here.
        wanted = text.casefold()
        found: dict[str, None] = {}
        for row in await self._database.fetch("said_by_user", user_id=user_id):
            if (
                row["id"] not in found
                and wanted in f"{row['title'] or ''}\n{row['content'] or ''}".casefold()
            ):
                found[row["id"]] = None
            if len(found) == limit:
                break
        sessions = [await self.get_session(session_id, user_id) for session_id in found]
        return [session for session in sessions if session is not None]

    async def unread_replies(self, user_id: int, since: int) -> list[tuple[str, str]]:
        rows = await self._database.fetch("unread_replies", user_id=user_id, since=since)
        return [(row["session_id"], row["id"]) for row in rows]

    async def rename_session(self, session_id: str, user_id: int, title: str) -> None:
        require_storable("the title", title)
        if not await self._database.execute(
            "rename_session", session_id=session_id, user_id=user_id, title=title, now=self._clock.now()
        ):
            raise SessionNotFound(f"There is no session {session_id!r}")

    async def remove_session(self, session_id: str, user_id: int) -> bool:
        return bool(await self._database.execute("delete_session", session_id=session_id, user_id=user_id))

    async def add_turn(
        self,
        session_id: str,
        question: str,
        answer: str,
        tier: Tier,
        citations: Sequence[Citation],
        details: Mapping[str, JsonValue],
    ) -> tuple[ChatMessage, ChatMessage]:
        require_storable("the conversation", question, answer)
        asked, answered = new_turn(
            session_id, question, answer, tier, citations, details, self._new_id, self._clock.now()
        )
        return await in_transaction(
            self._database, lambda transaction: write_turn(transaction, asked, answered)
        )

    async def begin(
        self,
        user_id: int,
        face: str,
        scope: Mapping[str, JsonValue],
        question: str,
        answer: str,
        tier: Tier,
        citations: Sequence[Citation],
        details: Mapping[str, JsonValue],
    ) -> tuple[ChatMessage, ChatMessage]:
        require_storable("the conversation", question, answer, face)
        now, session_id = self._clock.now(), self._new_id()
        turn = new_turn(session_id, question, answer, tier, citations, details, self._new_id, now)
        session = {
            "session_id": session_id,
            "title": title_of(question),
            "user_id": user_id,
            "face": face,
            "scope": metadata_text(dict(scope), "the session"),
            "now": now,
        }

        async def work(transaction: Executor) -> tuple[ChatMessage, ChatMessage]:
            await transaction.execute("insert_session", **session)
            return await _insert_turn(transaction, *turn)

        return await in_transaction(self._database, work)

    async def recall(self, session_id: str, user_id: int, last: int) -> Conversation | None:
        rows = await self._database.fetch(
            "recalled_session", session_id=session_id, user_id=user_id, limit=last
        )
        if not rows:
            return None
        said = [row for row in rows if row["id"] is not None]
        session = _session_from(
            {**rows[0], "id": session_id, "created_at": rows[0]["begun_at"], "message_count": len(said)}
        )
        return Conversation(session, tuple(map(message_from, said)))

    async def messages(self, session_id: str, user_id: int, last: int | None = None) -> list[ChatMessage]:
        if await self.get_session(session_id, user_id) is None:
            raise SessionNotFound(f"There is no session {session_id!r}")
        if last is None:
            rows = await self._database.fetch("session_messages", session_id=session_id)
        else:
            rows = await self._database.fetch("last_session_messages", session_id=session_id, limit=last)
            rows.reverse()
        found = [message_from(row) for row in rows]
        told = [c for message in found for c in (*message.citations, *told_places(message.details))]
        states = iter(await self.source_states(told))
        return [
            replace(
                message,
                citations=tuple(replace(c, state=next(states)) for c in message.citations),
                details=with_states(message.details, states),
            )
            for message in found
        ]

    async def source_states(self, citations: Sequence[Citation]) -> list[SourceState]:
        known = await self._documents(set(map(_place, citations)))
        # Texts may be whole books, so only those are read that a state depends on.
        changed = {
            _place(c)
            for c in citations
            if (row := known.get(_place(c))) is not None
            and (c.file_hash is None or row["file_hash"] != c.file_hash)
        }
        texts = await self._texts(changed)
        return [
            SourceState.CURRENT
            if c.collection_id == MANUAL_COLLECTION
            else state_of(c.quote, c.file_hash, known.get(_place(c)), texts.get(_place(c)))
            for c in citations
        ]

    async def _documents(self, places: Set[tuple[str, str]]) -> dict[tuple[str, str], Row]:
        """These documents without their texts, by their collections and ids."""
        found: dict[tuple[str, str], Row] = {}
        for collection_id, ids in _by_collection(places).items():
            rows = await self._database.fetch(
                "cited_documents", collection_id=collection_id, document_ids=ids
            )
            found |= {(collection_id, row["id"]): row for row in rows}
        return found

    async def _texts(self, places: Set[tuple[str, str]]) -> dict[tuple[str, str], Row]:
        """The texts of these documents, by their collections and ids."""
        found: dict[tuple[str, str], Row] = {}
        for collection_id, ids in _by_collection(places).items():
            rows = await self._database.fetch("cited_texts", collection_id=collection_id, document_ids=ids)
            found |= {(collection_id, row["id"]): row for row in rows}
        return found


def _by_collection(places: Set[tuple[str, str]]) -> dict[str, list[str]]:
    """The ids of documents, by their collections."""
    found: dict[str, list[str]] = {}
    for collection_id, document_id in sorted(places):
        found.setdefault(collection_id, []).append(document_id)
    return found


def _place(citation: Citation) -> tuple[str, str]:
    return citation.collection_id, citation.document_id


def new_turn(
    session_id: str,
    question: str,
    answer: str,
    tier: Tier,
    citations: Sequence[Citation],
    details: Mapping[str, JsonValue],
    new_id: Callable[[], str],
    now: int,
) -> tuple[ChatMessage, ChatMessage]:
    """A question and its answer, as the first two messages of a conversation."""
    asked = ChatMessage(new_id(), session_id, 0, Role.USER, question, created_at=now)
    answered = ChatMessage(
        new_id(), session_id, 1, Role.ASSISTANT, answer, tuple(citations), tier, dict(details), now
    )
    return asked, answered


async def write_turn(
    transaction: Executor, asked: ChatMessage, answered: ChatMessage
) -> tuple[ChatMessage, ChatMessage]:
    """Store a turn at the end of its conversation, in a transaction that may store more."""
    if not await _take_session(transaction, asked.session_id, asked.content, answered.created_at):
        raise SessionNotFound(f"There is no session {asked.session_id!r}")
    return await _insert_turn(transaction, asked, answered)


async def position_in(transaction: Executor, session_id: str, question: str, now: int) -> int | None:
    """Lock a conversation and return the position of its next message; None if there is no such conversation."""
    if not await _take_session(transaction, session_id, question, now):
        return None
    row = await transaction.fetch_one("next_position", session_id=session_id)
    return 0 if row is None else int(row["position"])


def title_of(question: str) -> str:
    """What a conversation is called after its first question."""
    return " ".join(question.split())[:_LONGEST_TITLE]


async def _take_session(transaction: Executor, session_id: str, question: str, now: int) -> bool:
    """Lock a conversation until the end of the transaction, and note the time. False if there is none."""
    return bool(
        await transaction.execute("touch_session", session_id=session_id, title=title_of(question), now=now)
    )


async def _insert_turn(
    transaction: Executor, asked: ChatMessage, answered: ChatMessage
) -> tuple[ChatMessage, ChatMessage]:
    """Store a turn at the end of a conversation that this transaction has locked."""
    rows = await transaction.fetch(
        "insert_turn",
        question_id=asked.id,
        answer_id=answered.id,
        session_id=asked.session_id,
        question=asked.content,
        answer=answered.content,
        citations=citations_text(answered.citations),
        tier=answered.tier.value if answered.tier else None,
        details=metadata_text(dict(answered.details), "the message"),
        now=answered.created_at,
    )
    position = min(int(row["position"]) for row in rows)
    return replace(asked, position=position), replace(answered, position=position + 1)


def _session_from(row: Row) -> ChatSession:
    return ChatSession(
        id=row["id"],
        title=row["title"],
        user_id=row["user_id"],
        face=row["face"],
        scope=json.loads(row["scope"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        message_count=row["message_count"],
    )


def message_from(row: Row) -> ChatMessage:
    return ChatMessage(
        id=row["id"],
        session_id=row["session_id"],
        position=row["position"],
        role=Role(row["role"]),
        content=row["content"],
        citations=tuple(citations_from(row["citations"])),
        tier=Tier(row["tier"]) if row["tier"] else None,
        details=json.loads(row["details"]),
        created_at=row["created_at"],
    )
