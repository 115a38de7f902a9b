"""Accounts and who is signed in: the contract of `ports.accounts.Accounts`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import AccountExists, AccountNotFound, CollectionNotFound, UserNotFound
from sourcebook.model.accounts import Account, AccountRole, LockRule
from sourcebook.model.people import UserRole
from sourcebook.storage.argument_checks import require_storable
from sourcebook.storage.database import in_transaction
from sourcebook.storage.people.users import user_from
from sourcebook.storage.rows import of_intact_rows

if TYPE_CHECKING:
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row

_ATTEMPTS_ARE_KEPT = 24 * 3600
_KNOWN_FOR_SECONDS = 1.0


class SqlAccounts:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._changes = 0
        self._any_account: tuple[int, float, bool] | None = None

    async def create_account(
        self,
        login: str,
        password_hash: str,
        role: AccountRole,
        collections: Sequence[str] | None = None,
        *,
        user_id: int | None = None,
    ) -> Account:
        require_storable("the account", login, *(collections or ()))
        now = self._clock.now()

        async def work(transaction: Executor) -> Account:
            owner = await person_for(transaction, login, role, user_id, now)
            made = await transaction.fetch_one(
                "insert_account",
                user_id=owner,
                login=login,
                password_hash=password_hash,
                is_bound=int(collections is not None),
                now=now,
            )
            if made is None:
                raise AccountExists(f"There is an account {login!r}, or user {owner} has one")
            await _bind(transaction, owner, collections)
            return await _found(transaction, login)

        try:
            return await in_transaction(self._database, work)
        finally:
            self._changes += 1

    async def get_account(self, login: str) -> Account:
        return await _found(self._database, login)

    async def list_accounts(self) -> list[Account]:
        seen: dict[int, list[str]] = {}
        for row in await self._database.fetch("collections_of_users"):
            seen.setdefault(row["user_id"], []).append(row["collection_id"])
        rows = await self._database.fetch("all_accounts")
        return [account_from(row, seen.get(row["user_id"], [])) for row in rows]

    async def password_hash(self, login: str) -> str | None:
        row = await self._database.fetch_one("account_by_login", login=login)
        return None if row is None else str(row["password_hash"])

    async def set_password(self, login: str, password_hash: str, *, signs_out: bool = True) -> Account:
        now = self._clock.now()

        async def work(transaction: Executor) -> Account:
            account = await _found(transaction, login)
            await transaction.execute(
                "set_account_password", account_id=account.id, password_hash=password_hash, now=now
            )
            if signs_out:
                await transaction.execute("delete_sessions_of_account", account_id=account.id)
            return account

        return await in_transaction(self._database, work)

    async def set_collections(self, login: str, collections: Sequence[str] | None) -> Account:
        now = self._clock.now()

        async def work(transaction: Executor) -> Account:
            account = await _found(transaction, login)
            await transaction.execute(
                "set_account_bound", account_id=account.id, is_bound=int(collections is not None), now=now
            )
            await transaction.execute("delete_bounds_of_user", user_id=account.user_id)
            await _bind(transaction, account.user_id, collections)
            return await _found(transaction, login)

        return await in_transaction(self._database, work)

    async def remove_account(self, login: str) -> None:
        now = self._clock.now()

        async def work(transaction: Executor) -> None:
            account = await _found(transaction, login)
            await transaction.execute("revoke_keys_of_user", user_id=account.user_id, now=now)
            await transaction.execute("delete_bounds_of_user", user_id=account.user_id)
            await transaction.execute("delete_account", account_id=account.id)

        try:
            await in_transaction(self._database, work)
        finally:
            self._changes += 1

    async def begin_attempt(self, subjects: Mapping[str, LockRule]) -> int:
        now = self._clock.now()
        hashed = {_hash(subject): rule for subject, rule in subjects.items()}

        async def work(transaction: Executor) -> int:
            locks = [
                await transaction.fetch_one("claim_attempts", subject_hash=name, now=now)
                for name in sorted(hashed)
            ]
            wait = max((row["locked_until"] - now for row in locks if row is not None), default=0)
            if wait > 0:
                return int(wait)
            for name, rule in hashed.items():
                await _count(transaction, name, rule, now)
            return 0

        return await in_transaction(self._database, work)

    async def attempt_succeeded(self, cleared: Sequence[str], undone: Mapping[str, LockRule]) -> None:
        now = self._clock.now()

        async def work(transaction: Executor) -> None:
            # Rows are always locked in the same order.
            for name in sorted(_hash(subject) for subject in [*cleared, *undone]):
                await transaction.fetch_one("claim_attempts", subject_hash=name, now=now)
            for subject in cleared:
                await transaction.execute("delete_attempts", subject_hash=_hash(subject))
            for subject, rule in undone.items():
                await transaction.execute("undo_attempt", subject_hash=_hash(subject), free=rule.free)
            await transaction.execute("delete_old_attempts", forgotten_before=now - _ATTEMPTS_ARE_KEPT)

        await in_transaction(self._database, work)

    async def sign_in(self, login: str, token_hash: str, seconds: int) -> tuple[Account, int]:
        now = self._clock.now()

        async def work(transaction: Executor) -> tuple[Account, int]:
            account = await _found(transaction, login)
            await transaction.execute("delete_expired_account_sessions", now=now)
            await transaction.execute(
                "insert_account_session",
                token_hash=token_hash,
                account_id=account.id,
                expires_at=now + seconds,
                now=now,
            )
            await transaction.execute("note_sign_in", account_id=account.id, now=now)
            return account, now + seconds

        return await in_transaction(self._database, work)

    async def signed_in(self, token_hash: str) -> Account | None:
        row = await self._database.fetch_one(
            "account_of_session", token_hash=token_hash, now=self._clock.now()
        )
        return None if row is None else await _with_collections(self._database, row)

    async def sign_out(self, token_hash: str) -> bool:
        return await self._database.execute("delete_account_session", token_hash=token_hash) > 0

    async def sign_out_everywhere(self, login: str) -> int:
        account = await self.get_account(login)
        return await self._database.execute("delete_sessions_of_account", account_id=account.id)

    async def any_account(self) -> bool:
        known, changes = self._any_account, self._changes
        if known is not None and known[0] == changes and time.monotonic() < known[1]:
            return known[2]
        found = await self._database.fetch_one("any_account") is not None
        self._any_account = changes, time.monotonic() + _KNOWN_FOR_SECONDS, found
        return found


async def person_for(
    transaction: Executor, name: str, role: AccountRole, user_id: int | None, now: int
) -> int:
    """The user that an account or key acts for: this one with the role, or a new one of this name."""
    if user_id is not None:
        changed = await transaction.execute(
            "set_user_role", user_id=user_id, role=role.user_role.value, now=now
        )
        if not changed:
            raise UserNotFound(f"There is no person {user_id}")
        return user_id
    row = await transaction.fetch_one(
        "insert_user",
        telegram_user_id=None,
        username=name,
        first_name=None,
        last_name=None,
        language=None,
        role=role.user_role.value,
        now=now,
    )
    assert row is not None, "nobody else can have the same number"  # noqa: S101
    return user_from(row).id


async def require_collections(executor: Executor, collections: Sequence[str]) -> None:
    """A binding to a misspelt collection would hide everything without saying why."""
    known = {row["id"] for row in await executor.fetch("existing_collections")}
    for collection in collections:
        if collection not in known:
            raise CollectionNotFound.named(collection)


@of_intact_rows
def account_from(row: Row, collections: Sequence[str]) -> Account:
    return Account(
        id=row["id"],
        user_id=row["user_id"],
        login=row["login"],
        role=AccountRole.of(UserRole(row["role"])),
        collections=tuple(collections) if row["is_bound"] else None,
        is_blocked=bool(row["is_blocked"]) or row["forgotten_at"] is not None,
        last_login_at=row["last_login_at"],
        created_at=row["created_at"],
    )


async def _found(executor: Executor, login: str) -> Account:
    row = await executor.fetch_one("account_by_login", login=login)
    if row is None:
        raise AccountNotFound(f"There is no account {login!r}")
    return await _with_collections(executor, row)


async def _with_collections(executor: Executor, row: Row) -> Account:
    bound = await executor.fetch("collections_of_user", user_id=row["user_id"]) if row["is_bound"] else []
    return account_from(row, [each["collection_id"] for each in bound])


async def _bind(transaction: Executor, user_id: int, collections: Sequence[str] | None) -> None:
    if collections is not None:
        await require_collections(transaction, collections)
        rows = [{"user_id": user_id, "collection_id": each} for each in sorted(set(collections))]
        await transaction.execute_many("bind_user", rows)


async def _count(transaction: Executor, subject_hash: str, rule: LockRule, now: int) -> None:
    row = await transaction.fetch_one(
        "count_attempt", subject_hash=subject_hash, forgotten_before=now - _ATTEMPTS_ARE_KEPT, now=now
    )
    pause = rule.pause(row["attempts"]) if row is not None else 0
    if pause:
        await transaction.execute("lock_attempts", subject_hash=subject_hash, locked_until=now + pause)


def _hash(subject: str) -> str:
    # People type a password where the name belongs; nothing of that is kept.
    return hashlib.sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()
