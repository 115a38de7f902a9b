"""API keys: making them, and telling whom one acts for."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.accounts import AccountRole, Identity, NewApiKey
from sourcebook.people.accounts import hash_of, normal_login
from sourcebook.ports.accounts import ApiKeys
from sourcebook.ports.arguments import checks_arguments
from sourcebook.ports.forward import forward

if TYPE_CHECKING:
    from sourcebook.model.accounts import ApiKey

KEY_START = "sb_"
"""How every API key begins."""
_SHOWN = len(KEY_START) + 8
_DAY = 24 * 3600
_LONGEST_NAME = 100


@checks_arguments
class KeyService:
    """Keys for programs. A key is shown once, when it is made, and stored as a hash."""

    def __init__(self, keys: ApiKeys) -> None:
        self._keys = keys

    async def create(
        self,
        name: str,
        *,
        role: AccountRole = AccountRole.READER,
        collections: Sequence[str] | None = None,
        account: str | None = None,
        days: int | None = None,
    ) -> NewApiKey:
        """Make a key that acts for this account; without one, for a new user, so that its conversations are its own.

        It never allows more than its account may. Without collections it may see all that the account sees; `days` is
        how long it is valid.
        """
        if not name.strip() or len(name) > _LONGEST_NAME:
            raise UsageError(f"The name of a key has 1 to {_LONGEST_NAME} characters.")
        if days is not None and not 1 <= days <= 36_500:
            raise UsageError("A key is valid for 1 to 36500 days.")
        secret = KEY_START + secrets.token_urlsafe(32)
        key = await self._keys.create_key(
            name.strip(),
            secret[:_SHOWN],
            hash_of(secret),
            role,
            collections,
            login=None if account is None else normal_login(account),
            seconds=None if days is None else days * _DAY,
        )
        return NewApiKey(key, secret)

    async def all(self) -> list[ApiKey]:
        """All keys, revoked ones too, oldest first."""
        return await self._keys.list_keys()

    async def revoke(self, key: int) -> ApiKey:
        """Make a key useless from now on. Its number is in the list."""
        return await self._keys.revoke_key(key)

    async def identify(self, secret: str) -> Identity | None:
        """Whom a key acts for; None if it is unknown, revoked, expired, or its user is blocked."""
        if not secret.startswith(KEY_START):
            return None
        return await self._keys.identify(hash_of(secret))

    any_key = forward("_keys", ApiKeys.any_key)
