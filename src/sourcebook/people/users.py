"""Users: their roles, consultations, messages and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.people import UserRole
from sourcebook.model.token_ledger import OperationType
from sourcebook.people.token_charges import IN_THE_LEDGER
from sourcebook.ports.arguments import checks_arguments
from sourcebook.ports.forward import forward
from sourcebook.ports.people import Ledger, Messages, Topics, Users

if TYPE_CHECKING:
    from sourcebook.model.consultations import Topic
    from sourcebook.model.people import User
    from sourcebook.model.token_ledger import Reservation, TokenTransaction
    from sourcebook.model.token_prices import Prices


@checks_arguments
class People:
    """Users, their consultations, messages and tokens. What needs no rule of its own is the stores'."""

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
        self._prices = prices
        self._seconds = reservation_seconds
        self._face = face

    @property
    def prices(self) -> Prices:
        """What things cost here, and how many tokens a new person is given."""
        return self._prices

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

    get_user = forward("_users", Users.get_user)
    list_users = forward("_users", Users.list_users)
    count_all_users = forward("_users", Users.count_all_users)
    set_role = forward("_users", Users.set_role)
    set_language = forward("_users", Users.set_language)
    forget_user = forward("_users", Users.forget_user)

    async def block_user(self, user_id: int) -> User:
        """Refuse this person's questions from now on."""
        return await self._users.set_blocked(user_id, is_blocked=True)

    async def unblock_user(self, user_id: int) -> User:
        """Take this person's questions again."""
        return await self._users.set_blocked(user_id, is_blocked=False)

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

    get_open_topic = forward("_topics", Topics.get_open_topic)
    get_topic = forward("_topics", Topics.get_topic)
    list_topics = forward("_topics", Topics.list_topics)
    close_topic = forward("_topics", Topics.close_topic)
    update_topic_culture = forward("_topics", Topics.update_topic_culture)
    remove_topic = forward("_topics", Topics.remove_topic)

    log_message = forward("_messages", Messages.log_message)
    get_topic_messages = forward("_messages", Messages.get_topic_messages)
    last_message = forward("_messages", Messages.last_message)
    find_message = forward("_messages", Messages.find_message)
    update_message_meta = forward("_messages", Messages.update_message_meta)

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

    get_token_balance = forward("_ledger", Ledger.get_token_balance)
    token_history = forward("_ledger", Ledger.token_history)
    settle = forward("_ledger", Ledger.settle)
    refund = forward("_ledger", Ledger.refund)

    async def has_sufficient_tokens(self, user_id: int, amount: int) -> bool:
        """Whether the balance is large enough now. To take tokens, reserve them: that fails if there are too few."""
        return await self._ledger.get_token_balance(user_id) >= amount

    async def reserve(
        self,
        user_id: int,
        amount: int,
        operation_type: OperationType,
        idempotency_key: str,
        *,
        topic_id: int | None = None,
    ) -> Reservation:
        """Hold tokens. If nobody settles the reservation in time, a sweep returns them."""
        _require_in_the_ledger(operation_type)
        return await self._ledger.reserve(
            user_id, amount, operation_type, idempotency_key, topic_id=topic_id, seconds=self._seconds
        )

    async def sweep_reservations(self) -> int:
        """Return what dead processes held. Says how many reservations that was."""
        return await self._ledger.sweep_reservations(self._seconds)


def _require_in_the_ledger(operation_type: OperationType) -> None:
    if operation_type not in IN_THE_LEDGER:
        raise UsageError(f"{operation_type} is not a ledger operation")
