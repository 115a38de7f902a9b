"""The people of a bot, their consultations, what was said and what was paid: all of it in one transaction."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.storage.importing.documents import seconds
from sourcebook.storage.importing.known_values import ROLES
from sourcebook.storage.importing.layouts import BOT, NUMBER

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.importing.imported_ids import ImportedIds
    from sourcebook.storage.importing.layouts import OldBase, Values
    from sourcebook.storage.importing.progress import ImportProgress

FACE = "telegram"
_PAGE = 2_000
_LONGEST_TITLE = 80
# How bots name a place: the chat, and the thread in it if there is one, perhaps behind the name of the network.
_PLACE = re.compile(r"(?:[a-z]+[:_])?(?P<chat>-?\d+)(?:[:_](?P<thread>\d*|none|null))?", re.IGNORECASE)


@dataclass(slots=True)
class PeopleImport:
    """What a bot knows of people, as far as it was not imported before."""

    transaction: Executor
    old: OldBase
    origin: ImportedIds
    tally: ImportProgress
    _sessions: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    """Of each topic here: its session, and how many messages that has."""

    async def run(self) -> None:
        highest = await self.transaction.fetch_one("import_highest_numbers") or {}
        await self._users()
        await self._topics(highest)
        await self._messages(highest)
        await self._ledger(highest)

    async def _users(self) -> None:
        rows = await self.transaction.fetch("import_known_users")
        taken = {row["id"] for row in rows}
        known = {row["telegram_user_id"]: row["id"] for row in rows if row["telegram_user_id"] is not None}
        before = self.origin.through("users")
        async for page in self._new("users", before):
            # A user whose number is taken gets one above all numbers of both bases.
            highest = max(*taken, *(row["id"] for row in page), 1)
            fresh: list[dict[str, object]] = []
            for row in page:
                number = known.get(row["telegram_user_id"], row["id"])
                if row["telegram_user_id"] not in known:
                    if number in taken:
                        number = highest = highest + 1
                    taken.add(number)
                    fresh.append(_user(row, number))
                if number != row["id"]:
                    self.origin.users[row["id"]] = number
            await self.transaction.execute_many("import_user", fresh)
            self.tally.written["users"] += len(fresh)
            self.origin.extend("users", page[-1][NUMBER], 0)

    async def _topics(self, highest: Row) -> None:
        open_places = {
            (row["user_id"], row["channel_key"]) for row in await self.transaction.fetch("import_open_topics")
        }
        last_open = await self._last_open_topics()
        before = self.origin.through("topics")
        shift = await self._extended("topics", highest)
        async for page in self._new("topics", before):
            sessions: list[dict[str, object]] = []
            topics: list[dict[str, object]] = []
            for row in page:
                user_id = self.origin.user(row["user_id"])
                if user_id is None:
                    self.tally.left_out["topics of users that do not exist"] += 1
                    continue
                place = (user_id, place_key(row["session_id"]))
                status = row["status"] or "open"
                if status == "open" and (last_open.get(place) != row["id"] or place in open_places):
                    # One is open in a place here; it is the last one.
                    status = "closed"
                    self.tally.left_out["topics that were open beside a later one, now closed"] += 1
                session_id = self._session_id("topic", row["id"])
                sessions.append(_session(row, session_id, user_id))
                topics.append(_topic(row, row["id"] + shift, user_id, session_id, status))
                self._sessions[row["id"] + shift] = (session_id, 0)
            await self.transaction.execute_many("import_session", sessions)
            await self.transaction.execute_many("import_topic", topics)
            self.tally.written["topics"] += len(topics)

    async def _last_open_topics(self) -> dict[tuple[int, str], int]:
        """The last open topic of each user and place."""
        last: dict[tuple[int, str], int] = {}
        async for page in self._pages("topics", self.origin.through("topics")):
            for row in page:
                user_id = self.origin.user(row["user_id"])
                if user_id is not None and row["status"] in ("open", None):
                    last[user_id, place_key(row["session_id"])] = row["id"]
        return last

    async def _messages(self, highest: Row) -> None:
        titles: dict[str, str] = {}
        before = self.origin.through("messages")
        shift = await self._extended("messages", highest)
        async for page in self._new("messages", before):
            places: dict[str, dict[str, object]] = {}
            said: list[dict[str, object]] = []
            rows: list[dict[str, object]] = []
            for row in page:
                role = ROLES[row["direction"]]
                user_id = self.origin.user(row["user_id"])
                topic_id = self.origin.number("topics", row["topic_id"])
                session = await self._session_of(topic_id)
                if session is None or topic_id is None:
                    place = _session(row, self._session_id("place", user_id, row["session_id"]), user_id)
                    places[str(place["session_id"])] = place
                    rows.append(_message(row, row["id"] + shift, user_id, place["session_id"]))
                    continue
                session_id, position = session
                self._sessions[topic_id] = (session_id, position + 1)
                message_id = self._session_id("message", row["id"])
                said.append(_said(row, message_id, session_id, position, role))
                rows.append(_message(row, row["id"] + shift, user_id, session_id, topic_id, message_id))
                if role == "USER":
                    titles.setdefault(session_id, " ".join(row["text"].split())[:_LONGEST_TITLE])
            await self.transaction.execute_many("import_session", list(places.values()))
            await self.transaction.execute_many("import_chat_message", said)
            await self.transaction.execute_many("import_message", rows)
            self.tally.written["messages"] += len(rows)
        await self.transaction.execute_many(
            "import_title", ({"session_id": s, "title": t} for s, t in titles.items())
        )

    async def _session_of(self, topic_id: int | None) -> tuple[str, int] | None:
        """The session of a topic and how many messages it has; None of a topic that is not here."""
        if topic_id is not None and topic_id not in self._sessions:
            row = await self.transaction.fetch_one("import_session_of_topic", topic_id=topic_id)
            if row is None:
                return None
            self._sessions[topic_id] = (row["session_id"], row["messages"])
        return None if topic_id is None else self._sessions[topic_id]

    async def _ledger(self, highest: Row) -> None:
        """Every transaction, and one more for each user whose balance those do not explain."""
        prefix = f"import:{self.origin.name}:"
        rows = await self.transaction.fetch("import_ledger_sums", prefix=prefix)
        sums = Counter({row["user_id"]: int(row["amount"]) for row in rows})
        paid = Counter(sums)
        before = self.origin.through("token_transactions")
        shift = await self._extended("token_transactions", highest)
        async for page in self._new("token_transactions", before):
            kept = [row for row in page if row["amount"]]
            self.tally.left_out["transactions of no tokens"] += len(page) - len(kept)
            entries = [
                _transaction(row, row["id"] + shift, self.origin.user(row["user_id"]), f"{prefix}{row['id']}")
                for row in kept
            ]
            for row in kept:
                sums[self.origin.user(row["user_id"]) or 0] += row["amount"]
            await self.transaction.execute_many("import_transaction", entries)
            self.tally.written["token_transactions"] += len(entries)
        await self.transaction.execute("import_continue_numbers")
        # A key that no earlier import had: each of them added a transaction, or nothing that needs one.
        await self._explain(sums, f"{prefix}balance:{highest['token_transactions']}:")
        gained = [(user_id, amount - paid[user_id]) for user_id, amount in sums.items()]
        await self.transaction.execute_many(
            "import_balance", ({"user_id": u, "amount": amount} for u, amount in gained if amount)
        )

    async def _explain(self, sums: Counter[int], prefix: str) -> None:
        """Let the sum of what was imported be what the bot says of each user."""
        async for page in self._pages("users", 0):
            entries: list[dict[str, object]] = []
            for row in page:
                user_id = self.origin.user(row["id"])
                balance = row["token_balance"] or 0
                if balance < 0:
                    self.tally.left_out["balances below zero, now zero"] += 1
                missing = max(0, balance) - sums[user_id or 0]
                if user_id is not None and missing:
                    sums[user_id] += missing
                    entries.append(_correction(row, user_id, missing, f"{prefix}{row['id']}"))
            await self.transaction.execute_many("import_correction", entries)
            self.tally.written["token_transactions"] += len(entries)

    async def _extended(self, table: str, highest: Row) -> int:
        """What is added to the numbers of the new rows of a table."""
        return self.origin.extend(table, await self.old.last(table), highest[table])

    async def _new(self, table: str, after: int) -> AsyncGenerator[list[Values], None]:
        async for page in self._pages(table, after):
            yield page
            self.tally.read(table, len(page))

    async def _pages(self, table: str, after: int) -> AsyncGenerator[list[Values], None]:
        while rows := await self.old.page(table, BOT.tables[table], after, _PAGE):
            after = rows[-1][NUMBER]
            yield rows

    def _session_id(self, *parts: object) -> str:
        """The same each time the same base is imported."""
        return str(
            uuid.uuid5(uuid.NAMESPACE_URL, "/".join(map(str, ("sourcebook", self.origin.name, *parts))))
        )


def place_key(session_id: str) -> str:
    """The place of a consultation as our bot names it, so that one that is open goes on there.

    A name that does not say which chat it is stays as it is.
    """
    found = _PLACE.fullmatch(session_id.strip())
    if found is None:
        return session_id
    thread = found["thread"] or ""
    return f"{FACE}:{found['chat']}:{thread if thread.isdigit() else 0}"


def _user(row: Values, number: int) -> dict[str, object]:
    return {
        "user_id": number,
        "telegram_user_id": row["telegram_user_id"],
        "username": row["username"],
        "first_name": row["first_name"],
        "last_name": row["last_name"],
        "created_at": seconds(row["created_at"]),
        "updated_at": seconds(row["updated_at"]),
    }


def _session(row: Values, session_id: str, user_id: int | None) -> dict[str, object]:
    return {
        "session_id": session_id,
        "title": None,
        "user_id": user_id,
        "face": FACE,
        "channel_key": place_key(row["session_id"]),
        "created_at": seconds(row["created_at"]),
        "updated_at": seconds(row.get("updated_at") or row["created_at"]),
    }


def _topic(row: Values, number: int, user_id: int, session_id: str, status: str) -> dict[str, object]:
    updated_at = seconds(row["updated_at"])
    return {
        "topic_id": number,
        "user_id": user_id,
        "session_id": session_id,
        "channel_key": place_key(row["session_id"]),
        "status": status,
        "culture": row["culture"],
        "created_at": seconds(row["created_at"]),
        "updated_at": updated_at,
        "closed_at": updated_at if status == "closed" else None,
    }


def _said(row: Values, message_id: str, session_id: str, position: int, role: str) -> dict[str, object]:
    return {
        "message_id": message_id,
        "session_id": session_id,
        "position": position,
        "role": role,
        "content": row["text"],
        "citations": None,
        "created_at": seconds(row["created_at"]),
    }


def _message(
    row: Values,
    number: int,
    user_id: int | None,
    session_id: object,
    topic_id: int | None = None,
    chat_message_id: str | None = None,
) -> dict[str, object]:
    return {
        "message_id": number,
        "user_id": user_id,
        "direction": row["direction"],
        "text": row["text"] if chat_message_id is None else None,
        "session_id": session_id,
        "topic_id": topic_id,
        "chat_message_id": chat_message_id,
        "meta": row["meta"],
        "created_at": seconds(row["created_at"]),
    }


def _transaction(row: Values, number: int, user_id: int | None, key: str) -> dict[str, object]:
    return {
        "transaction_id": number,
        "user_id": user_id,
        "amount": row["amount"],
        "operation_type": row["operation_type"],
        "description": row["description"],
        "idempotency_key": key,
        "created_at": seconds(row["created_at"]),
    }


def _correction(row: Values, user_id: int, amount: int, key: str) -> dict[str, object]:
    return {
        "user_id": user_id,
        "amount": amount,
        "operation_type": "import",
        "description": "what the transactions of the imported base do not explain",
        "idempotency_key": key,
        "created_at": seconds(row["updated_at"]),
    }
