"""What passed between people and faces: the contract of `ports.people.Messages`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError, UserNotFound
from sourcebook.model.consultations import Direction, LoggedMessage
from sourcebook.storage.argument_checks import metadata_text, require_storable
from sourcebook.storage.database import in_transaction, writes_at_once
from sourcebook.storage.rows import of_intact_rows

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row

_ALL = 2**31 - 1


class SqlMessages:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def log_message(
        self,
        user_id: int,
        direction: Direction,
        *,
        text: str | None = None,
        chat_message_id: str | None = None,
        topic_id: int | None = None,
        session_id: str | None = None,
        external_id: str | None = None,
        meta: Mapping[str, JsonValue] | None = None,
    ) -> LoggedMessage | None:
        if (text is None) == (chat_message_id is None):
            raise UsageError("A message needs either a text or a conversation, not both")
        require_storable("the message", text, chat_message_id, session_id, external_id)
        shown, now = meta_text(meta or {}), self._clock.now()

        async def work(transaction: Executor) -> LoggedMessage | None:
            if await transaction.fetch_one("user_by_id", user_id=user_id) is None:
                raise UserNotFound(f"There is no person {user_id}")
            made = await transaction.fetch_one(
                "insert_message",
                user_id=user_id,
                direction=direction.value,
                text=text,
                session_id=session_id,
                topic_id=topic_id,
                chat_message_id=chat_message_id,
                external_id=external_id,
                meta=shown,
                now=now,
            )
            if made is None:
                return None
            row = await transaction.fetch_one("message_by_id", message_id=made["id"])
            assert row is not None, "it was inserted a moment ago"  # noqa: S101
            return message_from(row)

        return await in_transaction(self._database, work)

    async def get_topic_messages(self, topic_id: int, limit: int | None = None) -> list[LoggedMessage]:
        most = _ALL if limit is None else limit
        rows = await self._database.fetch("messages_of_topic", topic_id=topic_id, limit=most)
        return [message_from(row) for row in reversed(rows)]

    async def last_message(self, user_id: int, direction: Direction) -> LoggedMessage | None:
        row = await self._database.fetch_one(
            "last_message_of_user", user_id=user_id, direction=direction.value
        )
        return None if row is None else message_from(row)

    async def find_message(self, external_id: str) -> LoggedMessage | None:
        row = await self._database.fetch_one("message_by_external", external_id=external_id)
        return None if row is None else message_from(row)

    async def update_message_meta(self, message_id: int, meta: Mapping[str, JsonValue]) -> None:
        async def work(transaction: Executor) -> None:
            row = await transaction.fetch_one("message_by_id", message_id=message_id)
            if row is not None:
                await transaction.fetch_one("lock_user", user_id=row["user_id"])
                row = await transaction.fetch_one("message_by_id", message_id=message_id)
            if row is None:
                raise UsageError(f"There is no message {message_id}")
            merged = {**message_from(row).meta, **meta}
            await transaction.execute("set_message_meta", message_id=message_id, meta=meta_text(merged))

        await in_transaction(self._database, work)

    async def note_delivery(self, external_id: str) -> None:
        async def work(transaction: Executor) -> None:
            await transaction.execute("note_delivery", external_id=external_id)

        if writes_at_once(self._database):
            await self._database.write(work)
        else:
            await work(self._database)


def meta_text(meta: Mapping[str, JsonValue]) -> str:
    return metadata_text(dict(meta), "the message")


@of_intact_rows
def message_from(row: Row) -> LoggedMessage:
    return LoggedMessage(
        id=row["id"],
        user_id=row["user_id"],
        direction=Direction(row["direction"]),
        text=row["text"],
        session_id=row["session_id"],
        topic_id=row["topic_id"],
        chat_message_id=row["chat_message_id"],
        external_id=row["external_id"],
        meta=json.loads(row["meta"] or "{}"),
        created_at=row["created_at"],
    )
