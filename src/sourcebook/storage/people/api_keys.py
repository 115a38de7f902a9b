"""Keys for programs: the contract of `ports.accounts.ApiKeys`."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import AccountNotFound, KeyNotFound, StorageError
from sourcebook.model.accounts import AccountRole, ApiKey, Identity
from sourcebook.model.people import UserRole
from sourcebook.storage.argument_checks import require_storable
from sourcebook.storage.database import in_transaction
from sourcebook.storage.people.accounts import person_for, require_collections
from sourcebook.storage.rows import of_intact_rows

if TYPE_CHECKING:
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row

_USE_IS_NOTED_EVERY = 60
_log = logging.getLogger(__name__)


class SqlApiKeys:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def create_key(
        self,
        name: str,
        prefix: str,
        key_hash: str,
        role: AccountRole,
        collections: Sequence[str] | None = None,
        *,
        login: str | None = None,
        seconds: int | None = None,
    ) -> ApiKey:
        require_storable("the key", name, login, *(collections or ()))
        now = self._clock.now()

        async def work(transaction: Executor) -> ApiKey:
            owner = await _owner(transaction, name, role, login, now)
            made = await transaction.fetch_one(
                "insert_key",
                user_id=owner,
                name=name,
                prefix=prefix,
                key_hash=key_hash,
                scopes=json.dumps([role.value]),
                is_bound=int(collections is not None),
                expires_at=None if seconds is None else now + seconds,
                now=now,
            )
            assert made is not None, "a random key is new"  # noqa: S101
            if collections is not None:
                await require_collections(transaction, collections)
                rows = [{"api_key_id": made["id"], "collection_id": each} for each in set(collections)]
                await transaction.execute_many("bind_key", rows)
            return await _key(transaction, made["id"])

        return await in_transaction(self._database, work)

    async def list_keys(self) -> list[ApiKey]:
        seen: dict[int, list[str]] = {}
        for row in await self._database.fetch("collections_of_keys"):
            seen.setdefault(row["api_key_id"], []).append(row["collection_id"])
        return [key_from(row, seen.get(row["id"], [])) for row in await self._database.fetch("all_keys")]

    async def get_key(self, key_id: int) -> ApiKey:
        return await _key(self._database, key_id)

    async def revoke_key(self, key_id: int) -> ApiKey:
        await self._database.execute("revoke_key", key_id=key_id, now=self._clock.now())
        return await self.get_key(key_id)

    async def identify(self, key_hash: str) -> Identity | None:
        now = self._clock.now()
        row = await self._database.fetch_one("key_by_hash", key_hash=key_hash, now=now)
        if row is None or row["is_blocked"] or row["forgotten_at"] is not None:
            return None
        await self._note_use(row, now)
        return Identity(
            user_id=row["user_id"],
            role=role_in(row["scopes"]).at_most(AccountRole.of(UserRole(row["role"]))),
            name=row["name"],
            source=f"key:{row['id']}",
            collections=await self._seen_with(row),
        )

    async def any_key(self) -> bool:
        return await self._database.fetch_one("any_key", now=self._clock.now()) is not None

    async def _seen_with(self, row: Row) -> frozenset[str] | None:
        """The collections of the key that its person may see, too."""
        seen: frozenset[str] | None = None
        if row["is_bound"]:
            of_key = await self._database.fetch("collections_of_key", api_key_id=row["id"])
            seen = frozenset(str(each["collection_id"]) for each in of_key)
        if row["is_person_bound"]:
            of_user = await self._database.fetch("collections_of_user", user_id=row["user_id"])
            allowed = frozenset(str(each["collection_id"]) for each in of_user)
            seen = allowed if seen is None else seen & allowed
        return seen

    async def _note_use(self, row: Row, now: int) -> None:
        before = now - _USE_IS_NOTED_EVERY
        if row["last_used_at"] is not None and row["last_used_at"] > before:
            return
        try:
            await self._database.execute("note_key_use", key_id=row["id"], now=now, before=before)
        except StorageError as error:
            # A base that can only be read just now still answers.
            _log.warning("the last use of key %s was not noted: %s", row["id"], error.code)


async def _owner(transaction: Executor, name: str, role: AccountRole, login: str | None, now: int) -> int:
    if login is None:
        return await person_for(transaction, name, role, None, now)
    row = await transaction.fetch_one("account_by_login", login=login)
    if row is None:
        raise AccountNotFound(f"There is no account {login!r}")
    return int(row["user_id"])


async def _key(executor: Executor, key_id: int) -> ApiKey:
    row = await executor.fetch_one("key_by_id", key_id=key_id)
    if row is None:
        raise KeyNotFound(f"There is no API key {key_id}")
    bound = await executor.fetch("collections_of_key", api_key_id=key_id) if row["is_bound"] else []
    return key_from(row, [each["collection_id"] for each in bound])


@of_intact_rows
def key_from(row: Row, collections: Sequence[str]) -> ApiKey:
    return ApiKey(
        id=row["id"],
        user_id=row["user_id"],
        name=row["name"],
        prefix=row["prefix"],
        role=role_in(row["scopes"]),
        collections=tuple(collections) if row["is_bound"] else None,
        login=row["login"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
        last_used_at=row["last_used_at"],
        created_at=row["created_at"],
    )


def role_in(scopes: str) -> AccountRole:
    """The role that a key's scopes name. A key whose scopes say nothing may only read."""
    named = json.loads(scopes)
    return next((role for role in reversed(AccountRole) if role.value in named), AccountRole.READER)
