"""L02: whatever is done to tokens, in any order and at the same time, the ledger is what a simple model says."""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

import anyio
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from sourcebook.assembly import OpenBase, open_base
from sourcebook.errors import NotEnoughTokens
from sourcebook.model.chat import Tier
from sourcebook.model.token_ledger import OperationType, Reservation
from sourcebook.model.token_prices import Lacking, Prices
from sourcebook.people.token_charges import charge_for, costs_something, has_lapsed
from sourcebook.settings import Settings

if TYPE_CHECKING:
    from sourcebook.testing.fakes import FixedClock

CREDIT, SPENT = OperationType.ADMIN_CREDIT, OperationType.NEW_TOPIC
LEASE = 60
KEYS = st.sampled_from([f"key {number}" for number in range(6)])
AMOUNTS = st.integers(1, 5)


@dataclass
class Model:
    """A balance, and what is held of it: all that a ledger is about."""

    balance: int = 0
    done: dict[str, int] = field(default_factory=dict[str, int])
    held: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """Amount and expiry by key."""

    def take(self, amount: int) -> bool:
        if amount > self.balance:
            return False
        self.balance -= amount
        return True


class LedgerMachine(RuleBasedStateMachine):
    """Runs every rule on a real base and on the model."""

    def __init__(self, portal: BlockingPortal, base: OpenBase, clock: FixedClock) -> None:
        super().__init__()
        self.portal, self.base, self.clock = portal, base, clock
        self.model = Model()
        self.user = portal.call(base.stores.users.create_user).id
        self.reservations: dict[str, Reservation] = {}

    def key(self, name: str) -> str:
        return f"{self.user}: {name}"

    @rule(amount=AMOUNTS, key=KEYS)
    def credit(self, amount: int, key: str) -> None:
        name = self.key(f"credit {amount} {key}")
        self.portal.call(self._add, amount, name)
        if name not in self.model.done:
            self.model.done[name] = amount
            self.model.balance += amount

    async def _add(self, amount: int, name: str) -> None:
        await self.base.stores.ledger.add_tokens(self.user, amount, CREDIT, idempotency_key=name)

    @rule(amount=AMOUNTS, key=KEYS)
    def deduct(self, amount: int, key: str) -> None:
        name = self.key(f"deduct {amount} {key}")
        expected = name in self.model.done or self.model.take(amount)
        assert self.portal.call(self._deduct, amount, name) == expected
        if expected:
            self.model.done[name] = -amount

    async def _deduct(self, amount: int, name: str) -> bool:
        try:
            await self.base.stores.ledger.deduct_tokens(self.user, amount, SPENT, idempotency_key=name)
        except NotEnoughTokens:
            return False
        return True

    @rule(amount=AMOUNTS, key=KEYS)
    def reserve(self, amount: int, key: str) -> None:
        name = self.key(f"reserve {amount} {key}")
        if name not in self.reservations and self.model.take(amount):
            self.model.held[name] = (amount, self.clock.now() + LEASE)
            self.reservations[name] = self.portal.call(self._reserve, amount, name)
        elif name in self.reservations:
            assert self.portal.call(self._reserve, amount, name).id == self.reservations[name].id
        else:
            with pytest.raises(NotEnoughTokens):
                self.portal.call(self._reserve, amount, name)

    async def _reserve(self, amount: int, name: str) -> Reservation:
        return await self.base.stores.ledger.reserve(self.user, amount, SPENT, name, seconds=LEASE)

    @rule(choice=st.data(), settles=st.booleans())
    def end(self, choice: st.DataObject, settles: bool) -> None:
        if not self.reservations:
            return
        name = choice.draw(st.sampled_from(sorted(self.reservations)))
        ledger = self.base.stores.ledger
        self.portal.call(ledger.settle if settles else ledger.refund, self.reservations[name].id)
        amount, _ = self.model.held.pop(name, (0, 0))
        self.model.balance += 0 if settles else amount

    @rule(seconds=st.sampled_from([1, LEASE, 3_600, 86_400, -3_600, -86_400]))
    def sweep(self, seconds: int) -> None:
        self.clock.wait(seconds)
        lapsed = [n for n, (_, end) in self.model.held.items() if has_lapsed(end, self.clock.now(), LEASE)]
        assert self.portal.call(self.base.stores.ledger.sweep_reservations, LEASE) == len(lapsed)
        for name in lapsed:
            self.model.balance += self.model.held.pop(name)[0]

    @invariant()
    def adds_up(self) -> None:
        balance, rows = self.portal.call(self._state)
        assert balance == sum(rows) == self.model.balance >= 0

    async def _state(self) -> tuple[int, list[int]]:
        ledger = self.base.stores.ledger
        rows = await ledger.token_history(self.user, 10_000)
        return await ledger.get_token_balance(self.user), [row.amount for row in rows]

    def teardown(self) -> None:
        """Nothing may be held when the next one begins: a sweep sees everybody's."""
        for reservation in self.reservations.values():
            self.portal.call(self.base.stores.ledger.refund, reservation.id)


@contextmanager
def in_a_thread(db: str, clock: FixedClock) -> Generator[tuple[BlockingPortal, OpenBase]]:
    with start_blocking_portal() as portal:
        base = portal.call(open_base, Settings(db=db), clock)
        try:
            yield portal, base
        finally:
            portal.call(base.close)


@pytest.mark.parametrize("examples", [12, pytest.param(1_000, marks=pytest.mark.soak)])
def test_a_ledger_is_what_a_simple_model_says(db: str, clock: FixedClock, examples: int) -> None:
    with in_a_thread(db, clock) as (portal, base):
        run_state_machine_as_test(
            cast("type[RuleBasedStateMachine]", partial(LedgerMachine, portal, base, clock)),
            settings=settings(
                max_examples=examples,
                stateful_step_count=30,
                deadline=None,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
            ),
        )


@pytest.mark.anyio
@pytest.mark.parametrize("operations", [240, pytest.param(10_000, marks=pytest.mark.soak)])
async def test_eight_at_once_end_where_one_after_another_would(
    db: str, clock: FixedClock, operations: int
) -> None:
    base = await open_base(Settings(db=db), clock)
    ledger = base.stores.ledger
    user = await base.stores.users.create_user(welcome_tokens=20)
    moved: list[int] = [20]

    async def work(number: int) -> None:
        chance = random.Random(number)
        for step in range(operations // 8):
            amount = chance.randint(1, 6)
            try:
                moved.append(await one(chance, amount, f"{number} {step}"))
            except NotEnoughTokens:
                moved.append(0)
            assert await ledger.get_token_balance(user.id) >= 0

    async def one(chance: random.Random, amount: int, key: str) -> int:
        match chance.choice(["credit", "deduct", "deduct", "settle", "refund"]):
            case "credit":
                return (await ledger.add_tokens(user.id, amount, CREDIT)).amount
            case "deduct":
                return (await ledger.deduct_tokens(user.id, amount, SPENT)).amount
            case "settle":
                held = await ledger.reserve(user.id, amount, SPENT, key)
                await ledger.settle(held.id)
                return -amount
            case _:
                held = await ledger.reserve(user.id, amount, SPENT, key)
                await ledger.refund(held.id)
                return 0

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(work, number)
    rows = await ledger.token_history(user.id, 10**6)
    assert await ledger.get_token_balance(user.id) == sum(moved) == sum(row.amount for row in rows)
    assert any(amount == 0 for amount in moved)
    await base.close()


@pytest.mark.parametrize(
    ("is_paid", "follow_ups", "balance", "operation", "tokens", "lacking"),
    [
        (False, 0, 2, OperationType.NEW_TOPIC, 2, None),
        (False, 0, 1, OperationType.NOTHING, 0, Lacking.TOKENS),
        (False, 1, 0, OperationType.FOLLOW_UP, 0, None),
        (True, 1, 9, OperationType.FOLLOW_UP, 0, None),
        (True, 0, 9, OperationType.NOTHING, 0, Lacking.QUESTIONS),
    ],
)
def test_what_a_question_costs(
    is_paid: bool,
    follow_ups: int,
    balance: int,
    operation: OperationType,
    tokens: int,
    lacking: Lacking | None,
) -> None:
    prices = Prices(new_topic=2)
    charge = charge_for(is_paid=is_paid, follow_ups_left=follow_ups, balance=balance, prices=prices)
    assert (charge.operation, charge.tokens, charge.lacking) == (operation, tokens, lacking)
    free = charge_for(
        is_paid=is_paid, follow_ups_left=follow_ups, balance=balance, prices=Prices(new_topic=0)
    )
    assert (free.operation, free.tokens, free.lacking) == (OperationType.NOTHING, 0, None)


def test_only_answers_from_documents_and_models_cost_something() -> None:
    assert [tier for tier in Tier if costs_something(tier)] == [Tier.DOCUMENTS, Tier.MODEL]
