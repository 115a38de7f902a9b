"""Consultations: the contract of `ports.people.Topics`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from sourcebook.errors import SessionNotFound, TopicNotFound, UsageError, UserNotFound
from sourcebook.model.consultations import Topic, TopicStatus
from sourcebook.storage.argument_checks import require_storable
from sourcebook.storage.database import in_transaction
from sourcebook.storage.rows import of_intact_rows

if TYPE_CHECKING:
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row


class SqlTopics:
    def __init__(self, database: Database, clock: Clock, new_id: Callable[[], str] | None = None) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id or (lambda: uuid4().hex)

    async def get_open_topic(self, user_id: int, channel_key: str) -> Topic | None:
        row = await self._database.fetch_one("open_topic", user_id=user_id, channel_key=channel_key)
        return None if row is None else topic_from(row)

    async def get_or_create_open_topic(
        self,
        user_id: int,
        channel_key: str,
        *,
        face: str = "python",
        culture: str | None = None,
        category: str | None = None,
    ) -> Topic:
        require_topic(channel_key, face, culture, category)
        session_id, now = self._new_id(), self._clock.now()

        async def work(transaction: Executor) -> Topic:
            await _require_user(transaction, user_id)
            row = await transaction.fetch_one("open_topic", user_id=user_id, channel_key=channel_key)
            if row is not None:
                return topic_from(row)
            return await new_topic(
                transaction, user_id, session_id, face, channel_key, culture, category, now
            )

        return await in_transaction(self._database, work)

    async def replace_open_topic(
        self,
        user_id: int,
        channel_key: str,
        *,
        face: str = "python",
        culture: str | None = None,
        category: str | None = None,
    ) -> Topic:
        require_topic(channel_key, face, culture, category)
        session_id, now = self._new_id(), self._clock.now()

        async def work(transaction: Executor) -> Topic:
            await _require_user(transaction, user_id)
            row = await transaction.fetch_one("open_topic", user_id=user_id, channel_key=channel_key)
            if row is not None:
                await transaction.execute("close_topic", topic_id=row["id"], now=now)
            return await new_topic(
                transaction, user_id, session_id, face, channel_key, culture, category, now
            )

        return await in_transaction(self._database, work)

    async def get_topic(self, topic_id: int) -> Topic:
        row = await self._database.fetch_one("topic_by_id", topic_id=topic_id)
        if row is None:
            raise TopicNotFound(f"There is no topic {topic_id}")
        return topic_from(row)

    async def list_topics(self, user_id: int, limit: int = 20) -> list[Topic]:
        rows = await self._database.fetch("topics_of_user", user_id=user_id, limit=limit)
        return [topic_from(row) for row in rows]

    async def close_topic(self, topic_id: int) -> Topic:
        await self._database.execute("close_topic", topic_id=topic_id, now=self._clock.now())
        return await self.get_topic(topic_id)

    async def update_topic_culture(
        self, topic_id: int, culture: str | None, category: str | None = None
    ) -> Topic:
        require_storable("the topic", culture, category)
        now = self._clock.now()
        if not await self._database.execute(
            "set_topic_culture", topic_id=topic_id, culture=culture, category=category, now=now
        ):
            raise TopicNotFound(f"There is no topic {topic_id}")
        return await self.get_topic(topic_id)

    async def remove_topic(self, topic_id: int) -> bool:
        return bool(await self._database.execute("delete_topic_session", topic_id=topic_id))


async def new_topic(
    transaction: Executor,
    user_id: int,
    session_id: str,
    face: str,
    channel_key: str,
    culture: str | None,
    category: str | None,
    now: int,
    collections: Sequence[str] = (),
) -> Topic:
    """A topic and the conversation that it is around. The person must be locked, and have none open there.

    The conversation remembers the collections that it began in.
    """
    await transaction.execute(
        "insert_topic_session",
        session_id=session_id,
        user_id=user_id,
        face=face,
        channel_key=channel_key,
        scope=json.dumps({"collections": list(collections)} if collections else {}, ensure_ascii=False),
        now=now,
    )
    return await _inserted(transaction, user_id, session_id, channel_key, culture, category, now)


async def topic_around(
    transaction: Executor,
    user_id: int,
    session_id: str,
    channel_key: str,
    culture: str | None,
    category: str | None,
    now: int,
) -> Topic:
    """A topic around a conversation that the person has. The person must be locked, and have none open there."""
    if await transaction.fetch_one("session_by_id", session_id=session_id, user_id=user_id) is None:
        raise SessionNotFound(f"There is no session {session_id!r}")
    return await _inserted(transaction, user_id, session_id, channel_key, culture, category, now)


async def _inserted(
    transaction: Executor,
    user_id: int,
    session_id: str,
    channel_key: str,
    culture: str | None,
    category: str | None,
    now: int,
) -> Topic:
    row = await transaction.fetch_one(
        "insert_topic",
        user_id=user_id,
        session_id=session_id,
        channel_key=channel_key,
        culture=culture,
        category=category,
        now=now,
    )
    assert row is not None, "an insert returns its row"  # noqa: S101
    return topic_from(row)


def require_topic(channel_key: str, face: str, culture: str | None, category: str | None) -> None:
    require_storable("the topic", channel_key, face, culture, category)
    if not channel_key:
        raise UsageError("A topic needs the place where it is held")


async def _require_user(transaction: Executor, user_id: int) -> None:
    row = await transaction.fetch_one("lock_user", user_id=user_id)
    if row is None or row["forgotten_at"] is not None:
        raise UserNotFound(f"There is no person {user_id}")


@of_intact_rows
def topic_from(row: Row) -> Topic:
    return Topic(
        id=row["id"],
        user_id=row["user_id"],
        session_id=row["session_id"],
        channel_key=row["channel_key"],
        status=TopicStatus(row["status"]),
        culture=row["culture"],
        category=row["category"],
        follow_ups_left=row["follow_ups_left"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        closed_at=row["closed_at"],
    )
