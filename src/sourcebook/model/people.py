"""Users, their consultations, messages and tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from sourcebook.model.documents import JsonValue

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer


class UserRole(StrEnum):
    """What a person may do: ask (user), also answer and review (expert), or everything (admin)."""

    USER = "user"
    EXPERT = "expert"
    ADMIN = "admin"


class TopicStatus(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


class Direction(StrEnum):
    """The direction of a message. Incoming ones were written by a person."""

    INCOMING = "incoming"
    OUTGOING = "outgoing"


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
class User:
    """A person. After `forget`, the name and the Telegram id are gone."""

    id: int
    telegram_user_id: int | None = None
    username: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    language: str | None = None
    role: UserRole = UserRole.USER
    token_balance: int = 0
    is_blocked: bool = False
    forgotten_at: int | None = None
    created_at: int = 0
    updated_at: int = 0

    @property
    def shown_name(self) -> str:
        """The full name, or else the user name, or else the number."""
        full = " ".join(part for part in (self.first_name, self.last_name) if part)
        return full or self.username or f"user {self.id}"


@dataclass(frozen=True, slots=True)
class Topic:
    """A consultation around one conversation. `channel_key` names the place: a chat and its thread."""

    id: int
    user_id: int
    session_id: str
    channel_key: str
    status: TopicStatus = TopicStatus.OPEN
    culture: str | None = None
    category: str | None = None
    follow_ups_left: int = 0
    created_at: int = 0
    updated_at: int = 0
    closed_at: int | None = None


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message between a person and a face.

    The words of a conversation are kept there, once: `text` is read from it when `chat_message_id` is set.
    """

    id: int
    user_id: int
    direction: Direction
    text: str
    session_id: str | None = None
    topic_id: int | None = None
    chat_message_id: str | None = None
    external_id: str | None = None
    meta: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    created_at: int = 0


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


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in tokens. A free consultation has unlimited questions."""

    welcome_tokens: int = 1
    new_topic: int = 1
    follow_ups_included: int = 3
    more_questions: int = 1
    """The price of more questions."""
    questions_in_a_purchase: int = 3


class Lacking(StrEnum):
    """What a person lacks for an answer that is not free."""

    TOKENS = "tokens"
    QUESTIONS = "questions"


@dataclass(frozen=True, slots=True)
class Charge:
    """What is held while a question is answered. A person who lacks something still gets free answers."""

    operation: OperationType
    amount: int = 1
    lacking: Lacking | None = None

    @property
    def tokens(self) -> int:
        return self.amount if self.operation is OperationType.NEW_TOPIC else 0


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What `forget` removed, and what it kept."""

    user_id: int
    sessions: int
    messages: int
    drafts: int
    jobs: int
    transactions_kept: int
    curated_kept: Sequence[int] = ()
    """Curated answers from this person's questions, which stay. Check that they name nobody."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A person's question in one place, with its own key.

    `key` is this question's own, such as the number of an update: given again, it gets the same reply. `collections`
    are those to search; without any, the one of the settings. `similar` is the number of the approved answer that the
    person chose among those that were offered for this question. With `session_id` the question continues that
    conversation, wherever it was begun; it must be the person's own. `earlier` is what was said before in a new
    conversation that is kept elsewhere: who said it (`user` or `assistant`), and the words.
    """

    user_id: int
    channel_key: str
    question: str
    key: str
    category: str | None = None
    subcategory: str | None = None
    attachments: Sequence[Mapping[str, JsonValue]] = ()
    language: str | None = None
    collections: Sequence[str] | None = None
    similar: int | None = None
    session_id: str | None = None
    earlier: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a visit, what it cost, and what is left.

    One that `was_repeated` was given before; `collections` are those that were searched for it then, as in the visit.
    """

    answer: Answer
    topic: Topic
    charged: int
    balance: int
    follow_ups_left: int
    draft_id: int | None = None
    was_repeated: bool = False
    collections: Sequence[str] | None = None
