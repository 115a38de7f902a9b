"""Who people are: the contract of `ports.people.Users`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError, UserNotFound
from sourcebook.model.people import ForgetReport, User, UserRole
from sourcebook.model.token_ledger import OperationType, ReservationStatus
from sourcebook.storage.argument_checks import require_storable
from sourcebook.storage.database import in_transaction
from sourcebook.storage.people.token_ledger import Change, change_balance, end, locked_user, reservation_from
from sourcebook.storage.rows import of_intact_rows

if TYPE_CHECKING:
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row

_LOCAL = 1


@dataclass(frozen=True, slots=True)
class _Names:
    username: str | None
    first_name: str | None
    last_name: str | None
    language: str | None

    @property
    def are_given(self) -> bool:
        return any((self.username, self.first_name, self.last_name))

    def fit(self, user: User) -> bool:
        """Whether the base knows all that these tell."""
        known = (user.username, user.first_name, user.last_name)
        names = not self.are_given or known == (self.username, self.first_name, self.last_name)
        return names and (self.language is None or user.language is not None)


class SqlUsers:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

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
        require_storable("the person", username, first_name, last_name, language)
        names = _Names(username, first_name, last_name, language)
        row = await self._database.fetch_one("user_by_telegram", telegram_user_id=telegram_user_id)
        if row is not None and names.fit(known := user_from(row)):
            return known
        now = self._clock.now()

        async def work(transaction: Executor) -> User:
            made = await _inserted(transaction, telegram_user_id, names, UserRole.USER, now)
            if made is not None:
                return await _welcomed(transaction, made, welcome_tokens, now)
            row = await transaction.fetch_one("user_by_telegram", telegram_user_id=telegram_user_id)
            if row is None:
                raise UserNotFound(f"The person with the Telegram id {telegram_user_id} no longer exists")
            return await _refreshed(transaction, user_from(row), names, now)

        return await in_transaction(self._database, work)

    async def create_user(
        self,
        *,
        username: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        language: str | None = None,
        role: UserRole = UserRole.USER,
        welcome_tokens: int = 0,
    ) -> User:
        require_storable("the person", username, first_name, last_name, language)
        names = _Names(username, first_name, last_name, language)
        now = self._clock.now()

        async def work(transaction: Executor) -> User:
            made = await _inserted(transaction, None, names, role, now)
            assert made is not None, "nobody else can have the same number"  # noqa: S101
            return await _welcomed(transaction, made, welcome_tokens, now)

        return await in_transaction(self._database, work)

    async def get_user(self, user_id: int) -> User:
        row = await self._database.fetch_one("user_by_id", user_id=user_id)
        if row is None:
            raise UserNotFound(f"There is no person {user_id}")
        return user_from(row)

    async def list_users(self, role: UserRole | None = None) -> list[User]:
        rows = await self._database.fetch("users_of_role", role=role.value if role else None)
        return [user_from(row) for row in rows]

    async def count_all_users(self) -> int:
        row = await self._database.fetch_one("count_users")
        return 0 if row is None else int(row["count"])

    async def set_role(self, user_id: int, role: UserRole) -> User:
        if user_id == _LOCAL and role is not UserRole.ADMIN:
            raise UsageError("The person at the keyboard is always an admin")
        now = self._clock.now()
        changed = await self._database.execute("set_user_role", user_id=user_id, role=role.value, now=now)
        return await self._changed(user_id, changed)

    async def set_language(self, user_id: int, language: str | None) -> User:
        require_storable("the language", language)
        now = self._clock.now()
        changed = await self._database.execute(
            "set_user_language", user_id=user_id, language=language, now=now
        )
        return await self._changed(user_id, changed)

    async def set_blocked(self, user_id: int, *, is_blocked: bool) -> User:
        if user_id == _LOCAL and is_blocked:
            raise UsageError("The person at the keyboard cannot be blocked")
        now = self._clock.now()
        changed = await self._database.execute(
            "set_user_blocked", user_id=user_id, is_blocked=int(is_blocked), now=now
        )
        return await self._changed(user_id, changed)

    async def _changed(self, user_id: int, changed: int) -> User:
        if not changed:
            raise UserNotFound(f"There is no person {user_id}")
        return await self.get_user(user_id)

    async def forget_user(self, user_id: int) -> ForgetReport:
        if user_id == _LOCAL:
            raise UsageError(
                "The person at the keyboard cannot be forgotten",
                hint="`sourcebook sessions remove ID` removes a conversation.",
            )
        now = self._clock.now()
        return await in_transaction(self._database, lambda transaction: _forgotten(transaction, user_id, now))


async def _inserted(
    transaction: Executor, telegram_user_id: int | None, names: _Names, role: UserRole, now: int
) -> User | None:
    row = await transaction.fetch_one(
        "insert_user",
        telegram_user_id=telegram_user_id,
        username=names.username,
        first_name=names.first_name,
        last_name=names.last_name,
        language=names.language,
        role=role.value,
        now=now,
    )
    return None if row is None else user_from(row)


async def _welcomed(transaction: Executor, user: User, tokens: int, now: int) -> User:
    if tokens:
        operation = OperationType.WELCOME.value
        await change_balance(transaction, Change(user.id, tokens, operation, f"welcome:{user.id}"), now)
    return user_from(await locked_user(transaction, user.id))


async def _refreshed(transaction: Executor, user: User, names: _Names, now: int) -> User:
    kept = (
        names if names.are_given else _Names(user.username, user.first_name, user.last_name, names.language)
    )
    await transaction.execute(
        "refresh_user",
        user_id=user.id,
        username=kept.username,
        first_name=kept.first_name,
        last_name=kept.last_name,
        language=kept.language,
        now=now,
    )
    return user_from(await locked_user(transaction, user.id))


async def _forgotten(transaction: Executor, user_id: int, now: int) -> ForgetReport:
    await locked_user(transaction, user_id)
    for row in await transaction.fetch("held_by_user", user_id=user_id):
        await end(transaction, reservation_from(row), ReservationStatus.REFUNDED, now)
    curated = [row["id"] for row in await transaction.fetch("curated_of_user", user_id=user_id)]
    await transaction.execute("detach_curated_of_user", user_id=user_id)
    drafts = await transaction.execute("delete_drafts_of_user", user_id=user_id)
    await transaction.execute("delete_confirmations_of_user", user_id=user_id)
    await transaction.execute("delete_lone_wordings")
    messages = await transaction.execute("delete_messages_of_user", user_id=user_id)
    sessions = await transaction.execute("delete_sessions_of_user", user_id=user_id)
    jobs = await transaction.execute("delete_jobs_of_user", user_id=user_id)
    for name in ("delete_accounts_of_user", "delete_keys_of_user", "delete_bounds_of_user"):
        await transaction.execute(name, user_id=user_id)
    for name in ("nameless_transactions", "nameless_reservations"):
        await transaction.execute(name, user_id=user_id)
    await transaction.execute("nameless_user", user_id=user_id, now=now)
    kept = await transaction.fetch_one("count_transactions_of_user", user_id=user_id)
    return ForgetReport(
        user_id=user_id,
        sessions=sessions,
        messages=messages,
        drafts=drafts,
        jobs=jobs,
        transactions_kept=int(kept["count"]) if kept else 0,
        curated_kept=tuple(curated),
    )


@of_intact_rows
def user_from(row: Row) -> User:
    return User(
        id=row["id"],
        telegram_user_id=row["telegram_user_id"],
        username=row["username"],
        first_name=row["first_name"],
        last_name=row["last_name"],
        language=row["language"],
        role=UserRole(row["role"]),
        token_balance=row["token_balance"],
        is_blocked=bool(row["is_blocked"]),
        forgotten_at=row["forgotten_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
