"""The way of a question through the base: the contract of `ports.people.Visits`.

A question from outside is a logged message with a key, and whoever may answer it holds a reservation. All that happens
to it is done in transactions that begin by locking the person, so it is entered, answered and paid once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from sourcebook.errors import UsageError, UserBlocked, UserNotFound
from sourcebook.model.chat import Answer, Tier
from sourcebook.model.people import (
    Charge,
    Direction,
    LoggedMessage,
    OperationType,
    Prices,
    Reply,
    ReservationStatus,
    Topic,
    User,
    Visit,
)
from sourcebook.people.ledger import FREE, charge_for, costs_something, has_lapsed
from sourcebook.ports.people import Answered, Entered, Entry, Leaving, OwedDraft, Waiting
from sourcebook.storage.chat.sessions import new_turn, write_turn
from sourcebook.storage.checks import metadata_text, require_storable
from sourcebook.storage.database import in_transaction
from sourcebook.storage.people.ledger import end, hold, locked_user, reservation_from, topic_now
from sourcebook.storage.people.messages import message_from, meta_text
from sourcebook.storage.people.replies import number_in, reply_of, told_of, visit_of
from sourcebook.storage.people.topics import new_topic, require_topic, topic_from
from sourcebook.storage.people.users import user_from

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.work import Clock
    from sourcebook.storage.database import Database, Executor

_JOB = "draft"


@dataclass(frozen=True, slots=True)
class _Terms:
    """What holds for the questions of one face."""

    prices: Prices
    face: str
    seconds: int
    now: int


class SqlVisits:
    def __init__(self, database: Database, clock: Clock, new_id: Callable[[], str] | None = None) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id or (lambda: uuid4().hex)

    async def enter(self, visit: Visit, prices: Prices, *, face: str, seconds: int) -> Entry:
        require_topic(visit.channel_key, face, visit.subcategory, visit.category)
        require_storable("the question", visit.question, visit.key, visit.language)
        meta_text(told_of(visit))
        terms = _Terms(prices, face, seconds, self._clock.now())
        return await in_transaction(
            self._database, lambda transaction: self._entered(transaction, visit, terms)
        )

    async def _entered(self, transaction: Executor, visit: Visit, terms: _Terms) -> Entry:
        await _admitted(transaction, visit.user_id)
        asked = await _logged(transaction, visit.key)
        if asked is not None:
            if asked.user_id != visit.user_id:
                raise UsageError(f"the key {visit.key!r} belongs to another question")
            answered = await _logged(transaction, answer_key(visit.key))
            if answered is not None:
                return Answered(await reply_of(transaction, asked, answered))
        topic = await self._topic(transaction, visit, asked, terms)
        if await _is_taken(transaction, topic, terms):
            return Waiting()
        return await self._begun(transaction, visit, asked, topic.id, terms)

    async def _topic(
        self, transaction: Executor, visit: Visit, asked: LoggedMessage | None, terms: _Terms
    ) -> Topic:
        if asked is not None and asked.topic_id is not None:
            return await topic_now(transaction, asked.topic_id)
        row = await transaction.fetch_one("open_topic", user_id=visit.user_id, channel_key=visit.channel_key)
        if row is None:
            return await new_topic(
                transaction,
                visit.user_id,
                self._new_id(),
                visit.channel_key,
                terms.face,
                visit.subcategory,
                visit.category,
                terms.now,
            )
        topic = topic_from(row)
        chosen = (visit.subcategory or topic.culture, visit.category or topic.category)
        if chosen != (topic.culture, topic.category):
            culture, category = chosen
            await transaction.execute(
                "set_topic_culture", topic_id=topic.id, culture=culture, category=category, now=terms.now
            )
        return topic

    async def _begun(
        self,
        transaction: Executor,
        visit: Visit,
        asked: LoggedMessage | None,
        topic_id: int,
        terms: _Terms,
    ) -> Entered:
        topic = await topic_now(transaction, topic_id)
        user = user_from(await locked_user(transaction, visit.user_id))
        attempt = 1 if asked is None else number_in(asked.meta, "attempt") + 1
        is_paid = asked is not None and await _was_paid(transaction, asked)
        charge = FREE if is_paid else await _charge(transaction, user, topic, terms.prices)
        held = await hold(
            transaction,
            user.id,
            charge.amount,
            charge.operation,
            f"visit:{visit.key}:{attempt}",
            topic.id,
            terms.now + terms.seconds,
            terms.now,
        )
        meta = {**told_of(visit), "attempt": attempt, "reservation": held.id, "is_paid": is_paid}
        if asked is None:
            await _log(transaction, visit, Direction.INCOMING, topic, meta, terms.now, text=visit.question)
        else:
            await transaction.execute("set_message_meta", message_id=asked.id, meta=meta_text(meta))
        left = await topic_now(transaction, topic.id)
        return Entered(visit, left, held, charge, attempt, user.token_balance)

    async def extend(self, entered: Entered, seconds: int) -> bool:
        now = self._clock.now()
        changed = await self._database.execute(
            "extend_reservation", reservation_id=entered.reservation.id, expires_at=now + seconds, now=now
        )
        return changed == 1

    async def finish(self, entered: Entered, answer: Answer, prices: Prices, seconds: int) -> Reply | None:
        require_storable("the conversation", answer.question, answer.answer)
        now = self._clock.now()
        turn = new_turn(
            entered.topic.session_id,
            answer.question,
            answer.answer,
            answer.tier,
            answer.citations,
            answer.details,
            self._new_id,
            now,
        )

        async def work(transaction: Executor) -> Reply | None:
            await locked_user(transaction, entered.visit.user_id)
            asked = await _logged(transaction, entered.visit.key)
            if asked is None or not _is_ours(asked, entered):
                return None
            charged = await _settled(transaction, entered, answer.tier, prices, now)
            question, reply = await write_turn(transaction, *turn)
            kept = replace(answer, session_id=reply.session_id, message_id=reply.id)
            await transaction.execute(
                "bind_message", message_id=asked.id, chat_message_id=question.id, meta=meta_text(asked.meta)
            )
            told = await _logged_answer(transaction, entered, kept, charged, now)
            if kept.tier is not Tier.CURATED:
                await _owe_draft(transaction, entered.visit, now, now + seconds)
            return told

        return await in_transaction(self._database, work)

    async def leave(self, entered: Entered, how: Leaving, prices: Prices) -> None:
        now = self._clock.now()
        status = ReservationStatus.SETTLED if how is Leaving.SETTLE else ReservationStatus.REFUNDED

        async def work(transaction: Executor) -> None:
            await locked_user(transaction, entered.visit.user_id)
            if await end(transaction, entered.reservation, status, now) and how is Leaving.SETTLE:
                await _include_follow_ups(transaction, entered, prices, now)

        await in_transaction(self._database, work)

    async def note_draft(self, visit: Visit, draft_id: int | None) -> None:
        async def work(transaction: Executor) -> None:
            await locked_user(transaction, visit.user_id)
            answered = await _logged(transaction, answer_key(visit.key))
            if answered is not None and draft_id is not None:
                meta = meta_text({**answered.meta, "draft_id": draft_id})
                await transaction.execute("set_message_meta", message_id=answered.id, meta=meta)
            await transaction.execute("delete_draft_job", unique_key=visit.key)

        await in_transaction(self._database, work)

    async def owed_drafts(self) -> list[OwedDraft]:
        owed: list[OwedDraft] = []
        for row in await self._database.fetch("due_drafts", now=self._clock.now()):
            key = json.loads(row["payload"])["key"]
            async with self._database.snapshot() as state:
                asked, answered = await _logged(state, key), await _logged(state, answer_key(key))
                if asked is not None and answered is not None:
                    reply = await reply_of(state, asked, answered)
                    owed.append(OwedDraft(visit_of(asked, reply.topic), reply))
        return owed


def answer_key(key: str) -> str:
    """What the answer to the question of this key is logged as."""
    return f"{key}:answer"


async def _admitted(transaction: Executor, user_id: int) -> None:
    user = user_from(await locked_user(transaction, user_id))
    if user.forgotten_at is not None:
        raise UserNotFound(f"there is no person {user_id}")
    if user.is_blocked:
        raise UserBlocked(f"{user.shown_name} is blocked")


async def _logged(transaction: Executor, external_id: str) -> LoggedMessage | None:
    row = await transaction.fetch_one("message_by_external", external_id=external_id)
    return None if row is None else message_from(row)


async def _is_taken(transaction: Executor, topic: Topic, terms: _Terms) -> bool:
    """Whether somebody is answering in this topic. What the dead still hold is given back."""
    for row in await transaction.fetch("held_in_topic", topic_id=topic.id):
        held = reservation_from(row)
        if not has_lapsed(held.expires_at, terms.now, terms.seconds):
            return True
        await end(transaction, held, ReservationStatus.REFUNDED, terms.now)
    return False


async def _was_paid(transaction: Executor, asked: LoggedMessage) -> bool:
    """Whether an earlier attempt was stopped when part of its answer had been shown, and paid for."""
    if asked.meta.get("is_paid") is True:
        return True
    number = number_in(asked.meta, "reservation")
    row = await transaction.fetch_one("reservation_by_id", reservation_id=number)
    return row is not None and reservation_from(row).status is ReservationStatus.SETTLED


async def _charge(transaction: Executor, user: User, topic: Topic, prices: Prices) -> Charge:
    paid = await transaction.fetch_one("topic_was_paid", user_id=user.id, topic_id=topic.id)
    return charge_for(
        is_paid=paid is not None,
        follow_ups_left=topic.follow_ups_left,
        balance=user.token_balance,
        prices=prices,
    )


def _is_ours(asked: LoggedMessage, entered: Entered) -> bool:
    """Whether nobody began to answer, or has answered, since we did."""
    return asked.chat_message_id is None and asked.meta.get("attempt") == entered.attempt


async def _settled(transaction: Executor, entered: Entered, tier: Tier, prices: Prices, now: int) -> int:
    """End the reservation as the answer deserves, and say how many tokens it cost.

    One that was given back meanwhile, because it seemed that nobody was behind it, stays so: the answer is free.
    """
    costs = costs_something(tier)
    status = ReservationStatus.SETTLED if costs else ReservationStatus.REFUNDED
    if not await end(transaction, entered.reservation, status, now) or not costs:
        return 0
    await _include_follow_ups(transaction, entered, prices, now)
    return entered.charge.tokens


async def _include_follow_ups(transaction: Executor, entered: Entered, prices: Prices, now: int) -> None:
    if entered.charge.operation is OperationType.NEW_TOPIC and prices.follow_ups_included:
        await transaction.execute(
            "give_follow_ups", topic_id=entered.topic.id, count=prices.follow_ups_included, now=now
        )


async def _logged_answer(
    transaction: Executor, entered: Entered, answer: Answer, charged: int, now: int
) -> Reply:
    topic = await topic_now(transaction, entered.topic.id)
    balance = user_from(await locked_user(transaction, topic.user_id)).token_balance
    meta: dict[str, JsonValue] = {
        "charged": charged,
        "balance": balance,
        "follow_ups_left": topic.follow_ups_left,
        "curated_id": answer.curated_id,
        "sentences": [
            [s.start, s.end, list(s.numbers), s.verified, list(s.doubts)] for s in answer.sentences
        ],
    }
    await _log(
        transaction, entered.visit, Direction.OUTGOING, topic, meta, now, chat_message_id=answer.message_id
    )
    return Reply(answer, topic, charged, balance, topic.follow_ups_left)


async def _log(
    transaction: Executor,
    visit: Visit,
    direction: Direction,
    topic: Topic,
    meta: Mapping[str, JsonValue],
    now: int,
    *,
    text: str | None = None,
    chat_message_id: str | None = None,
) -> None:
    is_incoming = direction is Direction.INCOMING
    made = await transaction.fetch_one(
        "insert_message",
        user_id=visit.user_id,
        direction=direction.value,
        text=text,
        session_id=topic.session_id,
        topic_id=topic.id,
        chat_message_id=chat_message_id,
        external_id=visit.key if is_incoming else answer_key(visit.key),
        meta=meta_text(meta),
        now=now,
    )
    if made is None:
        raise UsageError(f"the key {visit.key!r} belongs to another message")


async def _owe_draft(transaction: Executor, visit: Visit, now: int, due: int) -> None:
    """Whoever answered makes the draft at once. If they die first, it is made by who finds this."""
    await transaction.fetch_one(
        "insert_job",
        kind=_JOB,
        payload=metadata_text({"key": visit.key, "user_id": visit.user_id}, "the job"),
        unique_key=visit.key,
        run_at=due,
        max_attempts=5,
        now=now,
    )
