"""The ledger of tokens: every change to a balance, and what is held for a question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MOST_TOKENS = 1_000_000_000
"""How many tokens one change may be about."""


class OperationType(StrEnum):
    """Why a balance changed."""

    WELCOME = "welcome"
    ADMIN_CREDIT = "admin_credit"
    NEW_TOPIC = "new_topic"
    BUY_QUESTIONS = "buy_questions"
    REFUND = "refund"
    STARS = "stars"
    STARS_REFUND = "stars_refund"
    FOLLOW_UP = "follow_up"
    """Never in the ledger: a reservation of this kind holds one follow-up question of a topic."""
    NOTHING = "nothing"
    """Never in the ledger: a reservation of this kind holds the question alone, which costs nothing."""


class ReservationStatus(StrEnum):
    HELD = "held"
    SETTLED = "settled"
    REFUNDED = "refunded"


@dataclass(frozen=True, slots=True)
class TokenTransaction:
    """A row of the ledger. A balance is always the sum of its rows."""

    id: int
    user_id: int
    amount: int
    operation_type: str
    idempotency_key: str
    description: str | None = None
    reservation_id: int | None = None
    topic_id: int | None = None
    admin_id: int | None = None
    created_at: int = 0


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens, or a follow-up question, held while an answer is written. They are settled or returned."""

    id: int
    user_id: int
    amount: int
    operation_type: str
    status: ReservationStatus
    idempotency_key: str
    expires_at: int
    topic_id: int | None = None
    created_at: int = 0
