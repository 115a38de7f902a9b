"""People: who they are, their consultations, what they wrote, and their tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.people import OperationType, UserRole
from sourcebook.people.ledger import IN_THE_LEDGER
from sourcebook.ports.arguments import checks_arguments

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.people import (
        Direction,
        ForgetReport,
        LoggedMessage,
        Prices,
        Reservation,
        TokenTransaction,
        Topic,
        User,
    )
    from sourcebook.ports.people import Ledger, Messages, Topics, Users


@checks_arguments
class People:
    """The doors to all that is kept of people."""

    def __init__(
        self,
        *,
        users: Users,
        topics: Topics,
        messages: Messages,
        ledger: Ledger,
        prices: Prices,
        reservation_seconds: int = 60,
        face: str = "python",
    ) -> None:
        self._users = users
        self._topics = topics
        self._messages = messages
        self._ledger = ledger
        self._seconds = reservation_seconds
        self._face = face
        self.prices = prices

    async def get_or_create_user(
        self,
        telegram_user_id: int,
        username: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        language: str | None = None,
    ) -> User:
        """The person of this Telegram id, made and given the welcome tokens if new.

        Names that are given take the place of those that were known; the language only if none was.
        """
        return await self._users.get_or_create_user(
            telegram_user_id,
            username,
            first_name,
            last_name,
            language,
            welcome_tokens=self.prices.welcome_tokens,
        )

    async def create_user(
        self,
        *,
        username: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        language: str | None = None,
        role: UserRole = UserRole.USER,
    ) -> User:
        """A person without Telegram, with the welcome tokens."""
        return await self._users.create_user(
            username=username,
            first_name=first_name,
            last_name=last_name,
            language=language,
            role=role,
            welcome_tokens=self.prices.welcome_tokens,
        )

    async def get_user(self, user_id: int) -> User:
        return await self._users.get_user(user_id)

    async def list_users(self, role: UserRole | None = None) -> list[User]:
        """Everybody, or those of one role, by number, without those who were forgotten."""
        return await self._users.list_users(role)

    async def count_all_users(self) -> int:
        """How many people there are, without `local` and those who were forgotten."""
        return await self._users.count_all_users()

    async def set_role(self, user_id: int, role: UserRole) -> User:
        return await self._users.set_role(user_id, role)

    async def set_language(self, user_id: int, language: str | None) -> User:
        return await self._users.set_language(user_id, language)

    async def block_user(self, user_id: int) -> User:
        """Refuse this person's questions from now on."""
        return await self._users.set_blocked(user_id, is_blocked=True)

    async def unblock_user(self, user_id: int) -> User:
        return await self._users.set_blocked(user_id, is_blocked=False)

    async def forget_user(self, user_id: int) -> ForgetReport:
        """Remove a person's names, messages, drafts and conversations. The ledger stays, without a name."""
        return await self._users.forget_user(user_id)

    async def get_open_topic(self, user_id: int, channel_key: str) -> Topic | None:
        """The consultation that is open at this place, if one is."""
        return await self._topics.get_open_topic(user_id, channel_key)

    async def get_or_create_open_topic(
        self,
        user_id: int,
        channel_key: str,
        *,
        face: str | None = None,
        culture: str | None = None,
        category: str | None = None,
    ) -> Topic:
        """The consultation that is open at this place; one, however many ask for it at once."""
        return await self._topics.get_or_create_open_topic(
            user_id, channel_key, face=face or self._face, culture=culture, category=category
        )

    async def get_topic(self, topic_id: int) -> Topic:
        return await self._topics.get_topic(topic_id)

    async def list_topics(self, user_id: int, limit: int = 20) -> list[Topic]:
        """A person's consultations, the newest first."""
        return await self._topics.list_topics(user_id, limit)

    async def close_topic(self, topic_id: int) -> Topic:
        return await self._topics.close_topic(topic_id)

    async def update_topic_culture(
        self, topic_id: int, culture: str | None, category: str | None = None
    ) -> Topic:
        """What the consultation is about: its culture, which is the subcategory that is searched, and category."""
        return await self._topics.update_topic_culture(topic_id, culture, category)

    async def remove_topic(self, topic_id: int) -> bool:
        """Remove a consultation with its conversation and messages. True if there was one."""
        return await self._topics.remove_topic(topic_id)

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
        return await self._messages.log_message(
            user_id,
            direction,
            text=text,
            chat_message_id=chat_message_id,
            topic_id=topic_id,
            session_id=session_id,
            external_id=external_id,
            meta=meta,
        )

    async def get_topic_messages(self, topic_id: int, limit: int | None = None) -> list[LoggedMessage]:
        """The messages of a consultation in their order; with a limit, the last ones."""
        return await self._messages.get_topic_messages(topic_id, limit)

    async def last_message(self, user_id: int, direction: Direction) -> LoggedMessage | None:
        return await self._messages.last_message(user_id, direction)

    async def find_message(self, external_id: str) -> LoggedMessage | None:
        return await self._messages.find_message(external_id)

    async def update_message_meta(self, message_id: int, meta: Mapping[str, JsonValue]) -> None:
        """What is given takes the place of what is called the same; the rest stays."""
        await self._messages.update_message_meta(message_id, meta)

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
        """Take tokens, or raise NotEnoughTokens. The same key again takes nothing and gives the same row."""
        _require_in_the_ledger(operation_type)
        return await self._ledger.deduct_tokens(
            user_id,
            amount,
            operation_type,
            idempotency_key=idempotency_key,
            description=description,
            topic_id=topic_id,
            admin_id=admin_id,
        )

    async def add_tokens(
        self,
        user_id: int,
        amount: int,
        operation_type: OperationType = OperationType.ADMIN_CREDIT,
        *,
        idempotency_key: str | None = None,
        description: str | None = None,
        topic_id: int | None = None,
        admin_id: int | None = None,
    ) -> TokenTransaction:
        """Give tokens. The same key again gives nothing more, and the same row."""
        _require_in_the_ledger(operation_type)
        return await self._ledger.add_tokens(
            user_id,
            amount,
            operation_type,
            idempotency_key=idempotency_key,
            description=description,
            topic_id=topic_id,
            admin_id=admin_id,
        )

    async def get_token_balance(self, user_id: int) -> int:
        return await self._ledger.get_token_balance(user_id)

    async def has_sufficient_tokens(self, user_id: int, amount: int) -> bool:
        """Whether there are as many now. Who wants to take them takes them, and hears if there are not."""
        return await self._ledger.get_token_balance(user_id) >= amount

    async def token_history(self, user_id: int, limit: int = 50) -> list[TokenTransaction]:
        """A person's ledger, the newest row first."""
        return await self._ledger.token_history(user_id, limit)

    async def reserve(
        self,
        user_id: int,
        amount: int,
        operation_type: OperationType,
        idempotency_key: str,
        *,
        topic_id: int | None = None,
    ) -> Reservation:
        """Take tokens that may come back. If nobody settles it in time, a sweep gives them back."""
        _require_in_the_ledger(operation_type)
        return await self._ledger.reserve(
            user_id, amount, operation_type, idempotency_key, topic_id=topic_id, seconds=self._seconds
        )

    async def settle(self, reservation_id: int) -> Reservation:
        """Keep what was taken. What was given back before stays so, and the status says it."""
        return await self._ledger.settle(reservation_id)

    async def refund(self, reservation_id: int) -> Reservation:
        """Give back what was taken, once. What was settled before stays so, and the status says it."""
        return await self._ledger.refund(reservation_id)

    async def sweep_reservations(self) -> int:
        """Give back what is held by nobody any more. Returns how many there were."""
        return await self._ledger.sweep_reservations(self._seconds)


def _require_in_the_ledger(operation_type: OperationType) -> None:
    if operation_type not in IN_THE_LEDGER:
        raise UsageError(f"{operation_type} is no operation of the ledger")
