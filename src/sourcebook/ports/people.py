"""Stores for users, consultations, messages and payments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from sourcebook.model.people import UserRole

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer
    from sourcebook.model.consultations import Direction, LoggedMessage, Reply, Topic, Visit
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.people import ForgetReport, User
    from sourcebook.model.token_ledger import OperationType, Reservation, TokenTransaction
    from sourcebook.model.token_prices import Charge, Prices


class Users(Protocol):
    async def get_or_create_user(
        self,
        telegram_user_id: int,
        username: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        language: str | None = None,
        *,
        welcome_tokens: int = 0,
    ) -> User:
        """The person, made if new. Names that are given take the place of those that were known."""
        ...

    async def create_user(
        self,
        *,
        username: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        language: str | None = None,
        role: UserRole = UserRole.USER,
        welcome_tokens: int = 0,
    ) -> User: ...

    async def get_user(self, user_id: int) -> User:
        """The person of this number, or the error that there is none."""
        ...

    async def list_users(self, role: UserRole | None = None) -> list[User]:
        """Everybody, or those of one role, by number, without those who were forgotten."""
        ...

    async def count_all_users(self) -> int:
        """How many people there are, without `local` and those who were forgotten."""
        ...

    async def set_role(self, user_id: int, role: UserRole) -> User:
        """Say what a person may do."""
        ...

    async def set_language(self, user_id: int, language: str | None) -> User:
        """Choose the language in which a person is answered; None, and each question decides."""
        ...

    async def set_blocked(self, user_id: int, *, is_blocked: bool) -> User: ...

    async def forget_user(self, user_id: int) -> ForgetReport:
        """Remove a person's names, messages, drafts and conversations. The ledger stays, without a name."""
        ...


class Topics(Protocol):
    """Consultations. One is open for a person at a place, however many ask for it at once."""

    async def get_open_topic(self, user_id: int, channel_key: str) -> Topic | None:
        """The consultation that is open at this place, if one is."""
        ...

    async def get_or_create_open_topic(
        self,
        user_id: int,
        channel_key: str,
        *,
        face: str = "python",
        culture: str | None = None,
        category: str | None = None,
    ) -> Topic: ...

    async def replace_open_topic(
        self,
        user_id: int,
        channel_key: str,
        *,
        face: str = "python",
        culture: str | None = None,
        category: str | None = None,
    ) -> Topic:
        """Close the open one, if there is one, and open another."""
        ...

    async def get_topic(self, topic_id: int) -> Topic:
        """The consultation of this number, or the error that there is none."""
        ...

    async def list_topics(self, user_id: int, limit: int = 20) -> list[Topic]:
        """A person's consultations, the newest first."""
        ...

    async def close_topic(self, topic_id: int) -> Topic:
        """End a consultation."""
        ...

    async def update_topic_culture(
        self, topic_id: int, culture: str | None, category: str | None = None
    ) -> Topic:
        """What the consultation is about: its culture, which is the subcategory that is searched, and category."""
        ...

    async def remove_topic(self, topic_id: int) -> bool:
        """Remove a consultation with its conversation and messages. True if there was one."""
        ...


class Messages(Protocol):
    async def log_message(
        self,
        user_id: int,
        direction: Direction,
        *,
        text: str | None = None,
        chat_message_id: str | None = None,
        topic_id: int | None = None,
        session_id: str | None = None,
        external_id: str | None = None,
        meta: Mapping[str, JsonValue] | None = None,
    ) -> LoggedMessage | None:
        """Log a text, or a message of a conversation. None: this `external_id` was logged before."""
        ...

    async def get_topic_messages(self, topic_id: int, limit: int | None = None) -> list[LoggedMessage]:
        """The messages of a consultation in their order; with a limit, the last ones."""
        ...

    async def last_message(self, user_id: int, direction: Direction) -> LoggedMessage | None:
        """The last message that a person sent, or was sent."""
        ...

    async def find_message(self, external_id: str) -> LoggedMessage | None:
        """The message that was logged under this `external_id`."""
        ...

    async def update_message_meta(self, message_id: int, meta: Mapping[str, JsonValue]) -> None:
        """What is given takes the place of what is called the same; the rest stays."""
        ...

    async def note_delivery(self, external_id: str) -> None:
        """Note that a message reached the person: its `meta` says `delivered`. One that is gone is left alone."""
        ...


class Ledger(Protocol):
    """Tokens. What has an idempotency key happens once; given the key again, the same row comes back."""

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
    ) -> TokenTransaction: ...

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
    ) -> TokenTransaction: ...

    async def get_token_balance(self, user_id: int) -> int:
        """How many tokens a person has."""
        ...

    async def token_history(self, user_id: int, limit: int = 50) -> list[TokenTransaction]:
        """A person's ledger, the newest row first."""
        ...

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
        """Hold tokens. If nobody settles the reservation in time, a sweep returns them."""
        ...

    async def settle(self, reservation_id: int) -> Reservation:
        """Keep what was taken. What was given back before stays so, and the status says it."""
        ...

    async def refund(self, reservation_id: int) -> Reservation:
        """Give back what was taken, once. What was settled before stays so, and the status says it."""
        ...

    async def sweep_reservations(self, seconds: int = 60) -> int:
        """Return what dead processes held. Says how many reservations that was."""
        ...

    async def buy_questions(
        self, user_id: int, channel_key: str, idempotency_key: str, price: int, questions: int
    ) -> Topic:
        """Pay for more questions in the open topic of this place."""
        ...


@dataclass(frozen=True, slots=True)
class Entered:
    """Permission to answer a question now. Only its holder may."""

    visit: Visit
    topic: Topic
    reservation: Reservation
    charge: Charge
    attempt: int
    balance: int
    is_new_conversation: bool = False
    """Whether the conversation began with this question, so that nothing was said in it before."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody answers this question just now, or another one of the same topic."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The question was answered before, so."""

    reply: Reply


Entry: TypeAlias = Entered | Waiting | Answered


class Leaving(StrEnum):
    """What becomes of what is held when a question is given up."""

    SETTLE = "settle"
    REFUND = "refund"


@dataclass(frozen=True, slots=True)
class OwedDraft:
    """An answer without its draft, because its process stopped before making one."""

    visit: Visit
    reply: Reply


class Visits(Protocol):
    """Questions from people: each is entered, answered and charged once."""

    async def enter(self, visit: Visit, prices: Prices, *, face: str, seconds: int) -> Entry:
        """Log the question and hold what it costs, in one transaction; or say why not."""
        ...

    async def extend(self, entered: Entered, seconds: int) -> bool:
        """Go on holding. False: it was given to somebody else, or given back."""
        ...

    async def finish(self, entered: Entered, answer: Answer, prices: Prices, seconds: int) -> Reply | None:
        """Store the answer with what it cost, in one transaction. None: somebody else answers by now."""
        ...

    async def leave(self, entered: Entered, how: Leaving, prices: Prices) -> None:
        """Give up a question. What was settled or given back before stays so."""
        ...

    async def note_draft(self, visit: Visit, draft_id: int | None) -> None:
        """The draft that the answer owed is made, or none is wanted."""
        ...

    async def owed_drafts(self) -> Sequence[OwedDraft]:
        """What `note_draft` was never said of, although there was time."""
        ...
