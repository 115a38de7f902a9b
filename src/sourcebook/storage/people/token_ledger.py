"""Tokens: the contract of `ports.people.Ledger`.

Every change is one conditional update of the balance and one row with a key of its own, in one transaction that begins
by locking the person. So the sum of the rows is the balance at every commit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from sourcebook.errors import NotEnoughTokens, NotFound, TopicNotFound, UsageError, UserNotFound
from sourcebook.model.token_ledger import OperationType, Reservation, ReservationStatus, TokenTransaction
from sourcebook.people.token_charges import has_lapsed, require_amount
from sourcebook.ports.arguments import checks_arguments
from sourcebook.storage.argument_checks import require_storable
from sourcebook.storage.database import in_transaction
from sourcebook.storage.people.topics import topic_from
from sourcebook.storage.rows import of_intact_rows

if TYPE_CHECKING:
    from sourcebook.model.consultations import Topic
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row


@dataclass(frozen=True, slots=True)
class Change:
    """Tokens that come, or go if the amount is negative."""

    user_id: int
    amount: int
    operation_type: str
    idempotency_key: str
    description: str | None = None
    reservation_id: int | None = None
    topic_id: int | None = None
    admin_id: int | None = None


async def locked_user(transaction: Executor, user_id: int) -> Row:
    """The row of the person, who from now on until the end of the transaction is ours."""
    row = await transaction.fetch_one("lock_user", user_id=user_id)
    if row is None:
        raise UserNotFound(f"There is no person {user_id}")
    return row


async def change_balance(transaction: Executor, change: Change, now: int) -> TokenTransaction:
    """Carry out a change that was not carried out before. The person must be locked."""
    if change.amount > 0:
        await transaction.execute("give_tokens", user_id=change.user_id, amount=change.amount, now=now)
    elif not await transaction.execute("take_tokens", user_id=change.user_id, amount=-change.amount, now=now):
        raise await _too_few(transaction, change)
    row = await transaction.fetch_one(
        "insert_transaction",
        user_id=change.user_id,
        amount=change.amount,
        operation_type=change.operation_type,
        description=change.description,
        idempotency_key=change.idempotency_key,
        reservation_id=change.reservation_id,
        topic_id=change.topic_id,
        admin_id=change.admin_id,
        now=now,
    )
    if row is None:
        raise _used_otherwise(change.idempotency_key)
    return transaction_from(row)


async def once(transaction: Executor, change: Change, now: int) -> TokenTransaction:
    """Carry out a change, or find it carried out."""
    await locked_user(transaction, change.user_id)
    row = await transaction.fetch_one("transaction_by_key", idempotency_key=change.idempotency_key)
    if row is None:
        return await change_balance(transaction, change, now)
    done = transaction_from(row)
    if (done.user_id, done.amount, done.operation_type) != (
        change.user_id,
        change.amount,
        change.operation_type,
    ):
        raise _used_otherwise(change.idempotency_key)
    return done


async def hold(
    transaction: Executor,
    user_id: int,
    amount: int,
    operation: OperationType,
    key: str,
    topic_id: int | None,
    expires_at: int,
    now: int,
) -> Reservation:
    """Take tokens, or a follow-up question, so that they can come back. The person must be locked."""
    row = await transaction.fetch_one(
        "insert_reservation",
        user_id=user_id,
        amount=amount,
        operation_type=operation.value,
        idempotency_key=key,
        topic_id=topic_id,
        expires_at=expires_at,
        now=now,
    )
    if row is None:
        raise _used_otherwise(key)
    held = reservation_from(row)
    if operation is OperationType.FOLLOW_UP:
        if not await transaction.execute("take_follow_up", topic_id=topic_id, now=now):
            raise UsageError(f"The topic {topic_id} has no follow-up question left")
    elif operation is not OperationType.NOTHING:
        change = Change(
            user_id, -amount, operation.value, f"reserve:{key}", reservation_id=held.id, topic_id=topic_id
        )
        await change_balance(transaction, change, now)
    return held


async def end(transaction: Executor, held: Reservation, status: ReservationStatus, now: int) -> bool:
    """Settle or refund. False: that was done before, one way or the other. The person must be locked."""
    if not await transaction.execute("end_reservation", reservation_id=held.id, status=status.value, now=now):
        return False
    if status is ReservationStatus.REFUNDED:
        await _give_back(transaction, held, now)
    return True


async def _give_back(transaction: Executor, held: Reservation, now: int) -> None:
    if held.operation_type == OperationType.FOLLOW_UP:
        await transaction.execute("give_follow_ups", topic_id=held.topic_id, count=1, now=now)
    elif held.operation_type != OperationType.NOTHING:
        change = Change(
            held.user_id,
            held.amount,
            OperationType.REFUND.value,
            f"refund:{held.idempotency_key}",
            reservation_id=held.id,
            topic_id=held.topic_id,
        )
        await change_balance(transaction, change, now)


async def _too_few(transaction: Executor, change: Change) -> NotEnoughTokens:
    row = await locked_user(transaction, change.user_id)
    balance, price = int(row["token_balance"]), -change.amount
    return NotEnoughTokens(
        f"This costs {price} tokens, and the balance is {balance}", balance=balance, price=price
    )


def _used_otherwise(key: str) -> UsageError:
    return UsageError(f"The key {key!r} was used for something else", hint="Use a new key for every change.")


@checks_arguments
class SqlLedger:
    def __init__(self, database: Database, clock: Clock, new_key: Callable[[], str] | None = None) -> None:
        self._database = database
        self._clock = clock
        self._new_key = new_key or (lambda: uuid4().hex)

    async def deduct_tokens(
        self,
        user_id: int,
        amount: int,
        operation_type: OperationType,
        *,
        idempotency_key: str | None = None,
        description: str | None = None,
        topic_id: int | None = None,
        admin_id: int | None = None,
    ) -> TokenTransaction:
        require_amount(amount)
        key = idempotency_key or self._new_key()
        change = Change(user_id, -amount, operation_type.value, key, description, None, topic_id, admin_id)
        return await self._changed(change)

    async def add_tokens(
        self,
        user_id: int,
        amount: int,
        operation_type: OperationType,
        *,
        idempotency_key: str | None = None,
        description: str | None = None,
        topic_id: int | None = None,
        admin_id: int | None = None,
    ) -> TokenTransaction:
        require_amount(amount)
        key = idempotency_key or self._new_key()
        change = Change(user_id, amount, operation_type.value, key, description, None, topic_id, admin_id)
        return await self._changed(change)

    async def _changed(self, change: Change) -> TokenTransaction:
        require_storable("the transaction", change.idempotency_key, change.description)
        now = self._clock.now()
        return await in_transaction(self._database, lambda transaction: once(transaction, change, now))

    async def get_token_balance(self, user_id: int) -> int:
        row = await self._database.fetch_one("user_by_id", user_id=user_id)
        if row is None:
            raise UserNotFound(f"There is no person {user_id}")
        return int(row["token_balance"])

    async def token_history(self, user_id: int, limit: int = 50) -> list[TokenTransaction]:
        rows = await self._database.fetch("transactions_of_user", user_id=user_id, limit=limit)
        return [transaction_from(row) for row in rows]

    async def reserve(
        self,
        user_id: int,
        amount: int,
        operation_type: OperationType,
        idempotency_key: str,
        *,
        topic_id: int | None = None,
        seconds: int = 60,
    ) -> Reservation:
        require_amount(amount)
        require_storable("the reservation", idempotency_key)
        now = self._clock.now()

        async def work(transaction: Executor) -> Reservation:
            await locked_user(transaction, user_id)
            row = await transaction.fetch_one("reservation_by_key", idempotency_key=idempotency_key)
            if row is None:
                return await hold(
                    transaction,
                    user_id,
                    amount,
                    operation_type,
                    idempotency_key,
                    topic_id,
                    now + seconds,
                    now,
                )
            held = reservation_from(row)
            if (held.user_id, held.amount, held.operation_type) != (user_id, amount, operation_type):
                raise _used_otherwise(idempotency_key)
            return held

        return await in_transaction(self._database, work)

    async def settle(self, reservation_id: int) -> Reservation:
        return await self._ended(reservation_id, ReservationStatus.SETTLED)

    async def refund(self, reservation_id: int) -> Reservation:
        return await self._ended(reservation_id, ReservationStatus.REFUNDED)

    async def _ended(self, reservation_id: int, status: ReservationStatus) -> Reservation:
        now = self._clock.now()

        async def work(transaction: Executor) -> Reservation:
            held = await _reservation(transaction, reservation_id)
            await locked_user(transaction, held.user_id)
            await end(transaction, held, status, now)
            return await _reservation(transaction, reservation_id)

        return await in_transaction(self._database, work)

    async def sweep_reservations(self, seconds: int = 60) -> int:
        now = self._clock.now()
        rows = await self._database.fetch("held_reservations")
        lapsed = [held for held in map(reservation_from, rows) if has_lapsed(held.expires_at, now, seconds)]
        return sum([await self._swept(held.id, seconds) for held in lapsed])

    async def _swept(self, reservation_id: int, seconds: int) -> bool:
        """Give back one reservation, unless it was extended or ended since it was looked at."""
        now = self._clock.now()

        async def work(transaction: Executor) -> bool:
            user_id = (await _reservation(transaction, reservation_id)).user_id
            await locked_user(transaction, user_id)
            held = await _reservation(transaction, reservation_id)
            if not has_lapsed(held.expires_at, now, seconds):
                return False
            return await end(transaction, held, ReservationStatus.REFUNDED, now)

        return await in_transaction(self._database, work)

    async def buy_questions(
        self, user_id: int, channel_key: str, idempotency_key: str, price: int, questions: int
    ) -> Topic:
        require_storable("the purchase", channel_key, idempotency_key)
        now = self._clock.now()

        async def work(transaction: Executor) -> Topic:
            await locked_user(transaction, user_id)
            row = await transaction.fetch_one("transaction_by_key", idempotency_key=idempotency_key)
            if row is not None:
                return await _bought_before(transaction, transaction_from(row), user_id)
            found = await transaction.fetch_one("open_topic", user_id=user_id, channel_key=channel_key)
            if found is None:
                raise TopicNotFound("There is no open consultation here")
            operation = OperationType.BUY_QUESTIONS.value
            change = Change(user_id, -price, operation, idempotency_key, topic_id=found["id"])
            await change_balance(transaction, change, now)
            await transaction.execute("give_follow_ups", topic_id=found["id"], count=questions, now=now)
            return await topic_now(transaction, found["id"])

        return await in_transaction(self._database, work)


async def _bought_before(transaction: Executor, done: TokenTransaction, user_id: int) -> Topic:
    if (done.user_id, done.operation_type) != (user_id, OperationType.BUY_QUESTIONS) or done.topic_id is None:
        raise _used_otherwise(done.idempotency_key)
    return await topic_now(transaction, done.topic_id)


async def topic_now(transaction: Executor, topic_id: int) -> Topic:
    row = await transaction.fetch_one("topic_by_id", topic_id=topic_id)
    if row is None:
        raise TopicNotFound(f"There is no topic {topic_id}")
    return topic_from(row)


async def _reservation(transaction: Executor, reservation_id: int) -> Reservation:
    row = await transaction.fetch_one("reservation_by_id", reservation_id=reservation_id)
    if row is None:
        raise NotFound(f"There is no reservation {reservation_id}")
    return reservation_from(row)


@of_intact_rows
def transaction_from(row: Row) -> TokenTransaction:
    return TokenTransaction(
        id=row["id"],
        user_id=row["user_id"],
        amount=row["amount"],
        operation_type=row["operation_type"],
        idempotency_key=row["idempotency_key"],
        description=row["description"],
        reservation_id=row["reservation_id"],
        topic_id=row["topic_id"],
        admin_id=row["admin_id"],
        created_at=row["created_at"],
    )


@of_intact_rows
def reservation_from(row: Row) -> Reservation:
    return Reservation(
        id=row["id"],
        user_id=row["user_id"],
        amount=row["amount"],
        operation_type=row["operation_type"],
        status=ReservationStatus(row["status"]),
        idempotency_key=row["idempotency_key"],
        expires_at=row["expires_at"],
        topic_id=row["topic_id"],
        created_at=row["created_at"],
    )
