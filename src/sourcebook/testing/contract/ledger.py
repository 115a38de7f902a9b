"""What every ledger promises: nothing is taken that is not there, nothing happens twice, the rows add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sourcebook.errors import NotEnoughTokens, NotFound, TopicNotFound, UsageError, UserNotFound
from sourcebook.model.token_ledger import OperationType, ReservationStatus
from sourcebook.testing.contract.people import CHANNEL, a_person, at_once, together

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.token_ledger import Reservation, TokenTransaction
    from sourcebook.testing.fakes import FixedClock

CREDIT, SPENT = OperationType.ADMIN_CREDIT, OperationType.NEW_TOPIC


async def adds_up(base: OpenBase, user_id: int) -> int:
    """The balance, which is the sum of the rows."""
    balance = await base.stores.ledger.get_token_balance(user_id)
    assert balance == sum(row.amount for row in await base.stores.ledger.token_history(user_id, 10_000))
    assert [f for f in (await base.examine()).findings if f.code == "ledger"] == []
    return balance


@pytest.mark.anyio
class LedgerContract:
    """Also needs a fixture `clock`: the `FixedClock` that the base was opened with."""

    async def test_tokens_come_and_go_with_a_row_each(self, base: OpenBase) -> None:
        ledger, person = base.stores.ledger, await a_person(base)
        given = await ledger.add_tokens(person.id, 5, CREDIT, description="Спасибо", admin_id=1)
        taken = await ledger.deduct_tokens(person.id, 2, SPENT)
        assert (given.amount, given.description, given.admin_id, taken.amount) == (5, "Спасибо", 1, -2)
        assert await ledger.token_history(person.id) == [taken, given]
        assert await ledger.token_history(person.id, limit=1) == [taken]
        assert await adds_up(base, person.id) == 3

    async def test_what_is_not_there_is_not_taken(self, base: OpenBase) -> None:
        ledger, person = base.stores.ledger, await a_person(base, tokens=3)
        with pytest.raises(NotEnoughTokens) as refused:
            await ledger.deduct_tokens(person.id, 4, SPENT)
        assert (refused.value.balance, refused.value.price) == (3, 4)
        with pytest.raises(NotEnoughTokens):
            await ledger.reserve(person.id, 4, SPENT, "k")
        assert len(await ledger.token_history(person.id)) == 1
        assert await adds_up(base, person.id) == 3

    async def test_of_many_at_once_as_many_succeed_as_there_are_tokens(self, base: OpenBase) -> None:
        ledger, person = base.stores.ledger, await a_person(base, tokens=10)

        async def take(_: int) -> TokenTransaction:
            return await ledger.deduct_tokens(person.id, 1, SPENT)

        results = await at_once(64, take)
        assert sum(isinstance(result, NotEnoughTokens) for result in results) == 54
        assert sum(not isinstance(result, Exception) for result in results) == 10
        assert len(await ledger.token_history(person.id, 100)) == 11
        assert await adds_up(base, person.id) == 0

    async def test_the_same_key_has_one_effect_and_one_answer(self, base: OpenBase) -> None:
        ledger, person = base.stores.ledger, await a_person(base, tokens=10)

        async def take(_: int) -> TokenTransaction:
            return await ledger.deduct_tokens(person.id, 2, SPENT, idempotency_key="once")

        async def give(_: int) -> TokenTransaction:
            return await ledger.add_tokens(person.id, 1, CREDIT, idempotency_key="gift")

        async def hold(_: int) -> Reservation:
            return await ledger.reserve(person.id, 3, SPENT, "held")

        for call in (take, give, hold):
            results = await together(32, call)
            assert results == [results[0]] * 32
        assert await adds_up(base, person.id) == 10 - 2 + 1 - 3

    async def test_a_key_that_was_used_for_something_else_is_refused(self, base: OpenBase) -> None:
        ledger, person, other = base.stores.ledger, await a_person(base, 5), await a_person(base, 5)
        await ledger.deduct_tokens(person.id, 1, SPENT, idempotency_key="k")
        await ledger.reserve(person.id, 1, SPENT, "r")
        for reuse in (
            ledger.deduct_tokens(person.id, 2, SPENT, idempotency_key="k"),
            ledger.deduct_tokens(other.id, 1, SPENT, idempotency_key="k"),
            ledger.add_tokens(person.id, 1, CREDIT, idempotency_key="k"),
            ledger.reserve(person.id, 2, SPENT, "r"),
            ledger.reserve(other.id, 1, SPENT, "r"),
        ):
            with pytest.raises(UsageError):
                await reuse
        assert await adds_up(base, person.id) == 3
        assert await adds_up(base, other.id) == 5

    async def test_a_reservation_ends_once(self, base: OpenBase) -> None:
        ledger, person = base.stores.ledger, await a_person(base, tokens=9)
        kept = await ledger.reserve(person.id, 2, SPENT, "kept")
        back = await ledger.reserve(person.id, 3, SPENT, "back")
        assert await adds_up(base, person.id) == 4
        assert (await ledger.settle(kept.id)).status is ReservationStatus.SETTLED
        assert (await ledger.refund(kept.id)).status is ReservationStatus.SETTLED
        assert (await ledger.refund(back.id)).status is ReservationStatus.REFUNDED
        assert (await ledger.settle(back.id)).status is ReservationStatus.REFUNDED
        assert await adds_up(base, person.id) == 7
        fought = await ledger.reserve(person.id, 7, SPENT, "fought over")
        ends = await together(16, lambda place: (ledger.settle if place % 2 else ledger.refund)(fought.id))
        assert len({end.status for end in ends}) == 1
        assert await adds_up(base, person.id) in (0, 7)

    async def test_what_nobody_settles_in_time_comes_back_once(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        ledger, person = base.stores.ledger, await a_person(base, tokens=5)
        old = await ledger.reserve(person.id, 2, SPENT, "old", seconds=60)
        clock.wait(30)
        await ledger.reserve(person.id, 1, SPENT, "young", seconds=60)
        assert await ledger.sweep_reservations(60) == 0
        clock.wait(30)
        swept = await together(4, lambda _: ledger.sweep_reservations(60))
        assert sum(swept) == 1
        assert (await ledger.settle(old.id)).status is ReservationStatus.REFUNDED
        assert await adds_up(base, person.id) == 4
        assert await ledger.sweep_reservations(60) == 0

    async def test_a_clock_that_jumps_neither_doubles_nor_loses_a_token(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        """A day forward, a day back, an hour as in spring and autumn: what is held comes back, once."""
        ledger, person = base.stores.ledger, await a_person(base, tokens=5)
        for number, jump in enumerate((86_400, -86_400, 3_600, -3_600)):
            await ledger.reserve(person.id, 1, SPENT, f"held {number}", seconds=60)
            clock.wait(jump)
            assert await ledger.sweep_reservations(60) == 1
            assert await ledger.sweep_reservations(60) == 0
            assert await adds_up(base, person.id) == 5
        held = await ledger.reserve(person.id, 1, SPENT, "settled", seconds=60)
        clock.wait(-86_400)
        assert (await ledger.settle(held.id)).status is ReservationStatus.SETTLED
        await ledger.add_tokens(person.id, 7, CREDIT)
        rows = await ledger.token_history(person.id)
        assert [row.amount for row in rows[:3]] == [7, -1, 1]
        assert rows[0].created_at < rows[1].created_at
        assert await adds_up(base, person.id) == 11

    async def test_questions_are_bought_for_the_open_topic_once(self, base: OpenBase) -> None:
        ledger, person = base.stores.ledger, await a_person(base, tokens=2)
        with pytest.raises(TopicNotFound):
            await ledger.buy_questions(person.id, CHANNEL, "b", 1, 3)
        topic = await base.stores.topics.get_or_create_open_topic(person.id, CHANNEL)

        bought = await together(8, lambda _: ledger.buy_questions(person.id, CHANNEL, "b", 1, 3))
        assert {(t.id, t.follow_ups_left) for t in bought} == {(topic.id, 3)}
        assert await adds_up(base, person.id) == 1
        await ledger.buy_questions(person.id, CHANNEL, "c", 1, 3)
        with pytest.raises(NotEnoughTokens):
            await ledger.buy_questions(person.id, CHANNEL, "d", 1, 3)
        assert (await base.stores.topics.get_topic(topic.id)).follow_ups_left == 6
        assert await adds_up(base, person.id) == 0

    async def test_a_follow_up_question_is_held_like_tokens_and_is_in_no_row(self, base: OpenBase) -> None:
        stores, person = base.stores, await a_person(base, tokens=1)
        topic = await stores.topics.get_or_create_open_topic(person.id, CHANNEL)
        await stores.ledger.buy_questions(person.id, CHANNEL, "b", 1, 2)
        follow_up = OperationType.FOLLOW_UP
        one = await stores.ledger.reserve(person.id, 1, follow_up, "1", topic_id=topic.id)
        two = await stores.ledger.reserve(person.id, 1, follow_up, "2", topic_id=topic.id)
        with pytest.raises(UsageError):
            await stores.ledger.reserve(person.id, 1, follow_up, "3", topic_id=topic.id)
        await stores.ledger.settle(one.id)
        await stores.ledger.refund(two.id)
        assert (await stores.topics.get_topic(topic.id)).follow_ups_left == 1
        assert await adds_up(base, person.id) == 0

    async def test_nonsense_is_refused(self, base: OpenBase) -> None:
        ledger = base.stores.ledger
        for amount in (0, -1, 10**12, True):
            with pytest.raises(UsageError):
                await ledger.add_tokens(1, amount, CREDIT)
            with pytest.raises(UsageError):
                await ledger.deduct_tokens(1, amount, SPENT)
        with pytest.raises(UserNotFound):
            await ledger.add_tokens(999, 1, CREDIT)
        with pytest.raises(UserNotFound):
            await ledger.get_token_balance(999)
        with pytest.raises(NotFound):
            await ledger.settle(999)
