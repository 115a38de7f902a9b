"""What a question costs, and when something that is held comes back. Rules without a base.

A balance is never negative and always the sum of its rows. What is reserved is a negative row at once; what comes back
is a positive one. Answers that are curated, declined or failed cost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.chat import Tier
from sourcebook.model.token_ledger import MOST_TOKENS, OperationType
from sourcebook.model.token_prices import Charge, Lacking

if TYPE_CHECKING:
    from sourcebook.model.token_prices import Prices

IN_THE_LEDGER = frozenset(OperationType) - {OperationType.FOLLOW_UP, OperationType.NOTHING}


FREE = Charge(OperationType.NOTHING)


def charge_for(*, is_paid: bool, follow_ups_left: int, balance: int, prices: Prices) -> Charge:
    """What the next question of a topic costs.

    The first answer that costs something opens the consultation; follow-up questions are included in it, or bought.
    """
    if prices.new_topic == 0:
        return FREE
    if follow_ups_left > 0:
        return Charge(OperationType.FOLLOW_UP)
    if is_paid:
        return Charge(OperationType.NOTHING, lacking=Lacking.QUESTIONS)
    if balance < prices.new_topic:
        return Charge(OperationType.NOTHING, lacking=Lacking.TOKENS)
    return Charge(OperationType.NEW_TOPIC, prices.new_topic)


def costs_something(tier: Tier) -> bool:
    return tier in (Tier.DOCUMENTS, Tier.MODEL)


def has_lapsed(expires_at: int, now: int, seconds: int) -> bool:
    """Whether nobody is behind a reservation any more.

    One that would last longer than any does was made before the clock was set back, and is over too.
    """
    return expires_at <= now or expires_at > now + seconds


def require_amount(amount: int) -> None:
    if isinstance(amount, bool) or not 1 <= amount <= MOST_TOKENS:
        raise UsageError(
            f"{amount} is not a number of tokens", hint=f"Use a whole number from 1 to {MOST_TOKENS}."
        )
