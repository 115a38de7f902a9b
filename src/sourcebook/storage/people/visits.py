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
from sourcebook.model.consultations import Direction, LoggedMessage, Reply, Topic, Visit
from sourcebook.model.token_ledger import OperationType, ReservationStatus
from sourcebook.people.token_charges import FREE, charge_for, costs_something, has_lapsed
from sourcebook.ports.people import Answered, Entered, Entry, Leaving, OwedDraft, Waiting
from sourcebook.storage.argument_checks import metadata_text, require_storable
from sourcebook.storage.chat.sessions import new_turn, write_turn
from sourcebook.storage.database import in_transaction
from sourcebook.storage.people.messages import message_from, meta_text
from sourcebook.storage.people.replies import number_in, reply_of, told_of, visit_of
from sourcebook.storage.people.token_ledger import end, hold, locked_user, reservation_from, topic_now
from sourcebook.storage.people.topics import new_topic, require_topic, topic_around, topic_from
from sourcebook.storage.people.users import user_from

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.people import User
    from sourcebook.model.token_prices import Charge, Prices
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row

_JOB = "draft"


@dataclass(frozen=True, slots=True)
class _Terms:
    """What holds for the questions of one face."""

    prices: Prices
    face: str
    seconds: int
    now: int


@dataclass(frozen=True, slots=True)
class _OpenTopic:
    """A topic with what a question in it depends on."""

    topic: Topic
    is_paid: bool
    is_held: bool = True
    """Whether somebody may be answering in it."""
    is_new_conversation: bool = False


@dataclass(frozen=True, slots=True)
class _Visitor:
    """The topic and the balance of a person who is locked, and whether their question is still ours to answer."""

    topic: Topic
    balance: int
    message_id: int | None
    is_ours: bool

    def with_more(self, tokens: int = 0, follow_ups: int = 0) -> _Visitor:
        left = self.topic.follow_ups_left + follow_ups
        return replace(self, topic=replace(self.topic, follow_ups_left=left), balance=self.balance + tokens)


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
        user = await _admitted(transaction, visit.user_id)
        row = await _topic_row(transaction, visit)
        asked, answered = await _messages_of(transaction, visit.key) if row["is_logged"] else (None, None)
        if asked is not None:
            if asked.user_id != visit.user_id:
                raise UsageError(f"The key {visit.key!r} belongs to another question")
            if answered is not None:
                return Answered(await reply_of(transaction, asked, answered))
        topic = await self._topic(transaction, visit, asked, row, terms)
        if topic.is_held:
            if await _is_taken(transaction, topic.topic, terms):
                return Waiting()
            # What the dead had held came back: to the person, or to the topic.
            user = await _admitted(transaction, visit.user_id)
            topic = replace(topic, topic=await topic_now(transaction, topic.topic.id))
        return await self._begun(transaction, visit, asked, user, topic, terms)

    async def _topic(
        self, transaction: Executor, visit: Visit, asked: LoggedMessage | None, row: Row, terms: _Terms
    ) -> _OpenTopic:
        if asked is not None and asked.topic_id is not None:
            paid = await transaction.fetch_one(
                "topic_was_paid", user_id=visit.user_id, topic_id=asked.topic_id
            )
            return _OpenTopic(await topic_now(transaction, asked.topic_id), paid is not None)
        if row["id"] is None:
            opened = await self._new_topic(transaction, visit, terms)
            return _OpenTopic(
                opened, is_paid=False, is_held=False, is_new_conversation=visit.session_id is None
            )
        topic = topic_from(row)
        culture, category = visit.subcategory or topic.culture, visit.category or topic.category
        if (culture, category) != (topic.culture, topic.category):
            await transaction.execute(
                "set_topic_culture", topic_id=topic.id, culture=culture, category=category, now=terms.now
            )
            topic = replace(topic, culture=culture, category=category, updated_at=terms.now)
        return _OpenTopic(topic, bool(row["is_paid"]), bool(row["is_held"]))

    async def _new_topic(self, transaction: Executor, visit: Visit, terms: _Terms) -> Topic:
        """A topic around a new conversation, or around one that had none because nobody paid in it."""
        place = (visit.channel_key, visit.subcategory, visit.category, terms.now)
        if visit.session_id is not None:
            return await topic_around(transaction, visit.user_id, visit.session_id, *place)
        return await new_topic(
            transaction, visit.user_id, self._new_id(), terms.face, *place, visit.collections or ()
        )

    async def _begun(
        self,
        transaction: Executor,
        visit: Visit,
        asked: LoggedMessage | None,
        user: User,
        opened: _OpenTopic,
        terms: _Terms,
    ) -> Entered:
        topic = opened.topic
        attempt = 1 if asked is None else number_in(asked.meta, "attempt") + 1
        is_paid = asked is not None and await _was_paid(transaction, asked)
        charge = FREE if is_paid else _charge(user, opened, terms.prices)
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
        if charge.operation is OperationType.FOLLOW_UP:
            topic = replace(topic, follow_ups_left=topic.follow_ups_left - 1, updated_at=terms.now)
        return Entered(visit, topic, held, charge, attempt, user.token_balance, opened.is_new_conversation)

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
            visitor = await _locked_visitor(transaction, entered)
            if not visitor.is_ours:
                return None
            charged, visitor = await _settled(transaction, entered, visitor, answer.tier, prices, now)
            question, reply = await write_turn(transaction, *turn)
            kept = replace(answer, session_id=reply.session_id, message_id=reply.id)
            await transaction.execute(
                "bind_message", message_id=visitor.message_id, chat_message_id=question.id
            )
            told = await _logged_answer(transaction, entered, visitor, kept, charged, now)
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
        await in_transaction(
            self._database, lambda transaction: draft_is_made(transaction, visit.key, draft_id)
        )

    async def owed_drafts(self) -> list[OwedDraft]:
        owed: list[OwedDraft] = []
        for row in await self._database.fetch("due_drafts", now=self._clock.now()):
            key = json.loads(row["payload"])["key"]
            async with self._database.snapshot() as state:
                asked, answered = await _messages_of(state, key)
                if asked is not None and answered is not None:
                    reply = await reply_of(state, asked, answered)
                    owed.append(OwedDraft(visit_of(asked, reply.topic), reply))
        return owed


def answer_key(key: str) -> str:
    """What the answer to the question of this key is logged as."""
    return f"{key}:answer"


async def draft_is_made(transaction: Executor, key: str, draft_id: int | None) -> None:
    """Record what became of an answer that owed a draft: this one, or none because none was wanted."""
    if draft_id is not None:
        await transaction.execute("note_draft_of_answer", external_id=answer_key(key), draft_id=draft_id)
    await transaction.execute("delete_draft_job", unique_key=key)


async def _admitted(transaction: Executor, user_id: int) -> User:
    user = user_from(await locked_user(transaction, user_id))
    if user.forgotten_at is not None:
        raise UserNotFound(f"There is no person {user_id}")
    if user.is_blocked:
        raise UserBlocked(f"{user.shown_name} is blocked")
    return user


async def _locked_visitor(transaction: Executor, entered: Entered) -> _Visitor:
    user_id, topic_id = entered.visit.user_id, entered.topic.id
    row = await transaction.fetch_one(
        "lock_visitor", user_id=user_id, topic_id=topic_id, external_id=entered.visit.key
    )
    if row is None:
        raise UserNotFound(f"There is no person {user_id}, or they have no topic {topic_id}")
    # Whether nobody began to answer, or has answered, since we did.
    is_ours = (
        row["message_id"] is not None
        and row["chat_message_id"] is None
        and json.loads(row["message_meta"]).get("attempt") == entered.attempt
    )
    return _Visitor(topic_from(row), int(row["token_balance"]), row["message_id"], is_ours)


async def _topic_row(transaction: Executor, visit: Visit) -> Row:
    """The topic that a question is asked in, if there is one, and whether the question was asked before."""
    place = {"user_id": visit.user_id, "question_key": visit.key}
    if visit.session_id is None:
        row = await transaction.fetch_one("topic_to_enter", channel_key=visit.channel_key, **place)
    else:
        row = await transaction.fetch_one("topic_to_continue", session_id=visit.session_id, **place)
    assert row is not None, "there is always a row"  # noqa: S101
    return row


async def _messages_of(transaction: Executor, key: str) -> tuple[LoggedMessage | None, LoggedMessage | None]:
    """The question of this key and its answer, as far as they were logged."""
    rows = await transaction.fetch("messages_of_visit", question_key=key, answer_key=answer_key(key))
    found = {row["external_id"]: message_from(row) for row in rows}
    return found.get(key), found.get(answer_key(key))


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


def _charge(user: User, opened: _OpenTopic, prices: Prices) -> Charge:
    return charge_for(
        is_paid=opened.is_paid,
        follow_ups_left=opened.topic.follow_ups_left,
        balance=user.token_balance,
        prices=prices,
    )


async def _settled(
    transaction: Executor, entered: Entered, visitor: _Visitor, tier: Tier, prices: Prices, now: int
) -> tuple[int, _Visitor]:
    """End the reservation as the answer deserves; how many tokens it cost, and what the person has now.

    One that was given back meanwhile, because it seemed that nobody was behind it, stays so: the answer is free.
    """
    costs = costs_something(tier)
    status = ReservationStatus.SETTLED if costs else ReservationStatus.REFUNDED
    if not await end(transaction, entered.reservation, status, now):
        return 0, visitor
    if costs:
        more = await _include_follow_ups(transaction, entered, prices, now)
        return entered.charge.tokens, visitor.with_more(follow_ups=more)
    if entered.charge.operation is OperationType.FOLLOW_UP:
        return 0, visitor.with_more(follow_ups=1)
    return 0, visitor.with_more(tokens=entered.charge.tokens)


async def _include_follow_ups(transaction: Executor, entered: Entered, prices: Prices, now: int) -> int:
    """Give the follow-up questions that a new topic includes, and say how many these are."""
    if entered.charge.operation is not OperationType.NEW_TOPIC or not prices.follow_ups_included:
        return 0
    await transaction.execute(
        "give_follow_ups", topic_id=entered.topic.id, count=prices.follow_ups_included, now=now
    )
    return prices.follow_ups_included


async def _logged_answer(
    transaction: Executor, entered: Entered, visitor: _Visitor, answer: Answer, charged: int, now: int
) -> Reply:
    topic, balance = visitor.topic, visitor.balance
    meta: dict[str, JsonValue] = {
        "charged": charged,
        "balance": balance,
        "follow_ups_left": topic.follow_ups_left,
        "curated_id": answer.curated_id,
        "sentences": [
            [s.start, s.end, list(s.numbers), s.verified, list(s.doubts), s.support.value]
            for s in answer.sentences
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
        raise UsageError(f"The key {visit.key!r} belongs to another message")


async def _owe_draft(transaction: Executor, visit: Visit, now: int, due: int) -> None:
    """Queue a job for the draft. The process that answers makes it at once; if it dies first, another finds the job."""
    await transaction.fetch_one(
        "insert_job",
        kind=_JOB,
        payload=metadata_text({"key": visit.key, "user_id": visit.user_id}, "the job"),
        unique_key=visit.key,
        run_at=due,
        max_attempts=5,
        now=now,
    )
