"""Stores for accounts, sign-ins and API keys. Secrets arrive here as hashes only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sourcebook.model.accounts import Account, AccountRole, ApiKey, Identity, LockRule


class Accounts(Protocol):
    """Accounts and who is signed in. `collections` that are None mean all of them, now and later."""

    async def create_account(
        self,
        login: str,
        password_hash: str,
        role: AccountRole,
        collections: Sequence[str] | None = None,
        *,
        user_id: int | None = None,
    ) -> Account:
        """An account of a new user, or of this one, who then gets the role. A name is given once."""
        ...

    async def get_account(self, login: str) -> Account:
        """The account of this name, or the error that there is none."""
        ...

    async def list_accounts(self) -> list[Account]:
        """All accounts, by name."""
        ...

    async def password_hash(self, login: str) -> str | None:
        """The stored hash of this account's password; None if there is no such account."""
        ...

    async def set_password(self, login: str, password_hash: str, *, signs_out: bool = True) -> Account:
        """Store another hash. Unless told otherwise, everybody who is signed in is signed out."""
        ...

    async def set_collections(self, login: str, collections: Sequence[str] | None) -> Account:
        """Say what an account may see from now on."""
        ...

    async def remove_account(self, login: str) -> None:
        """Remove an account, its sign-ins and its keys. The user and what belongs to the user stay."""
        ...

    async def begin_attempt(self, subjects: Mapping[str, LockRule]) -> int:
        """Count an attempt to sign in for each of these, before it is known how it ends.

        Returns how many seconds to wait; with 0 the attempt may go on.
        """
        ...

    async def attempt_succeeded(self, cleared: Sequence[str], undone: Mapping[str, LockRule]) -> None:
        """Forget all attempts of the first, and this one attempt of the others."""
        ...

    async def sign_in(self, login: str, token_hash: str, seconds: int) -> tuple[Account, int]:
        """Begin a sign-in, and say when it ends."""
        ...

    async def signed_in(self, token_hash: str) -> Account | None:
        """The account of a sign-in that has not ended."""
        ...

    async def sign_out(self, token_hash: str) -> bool:
        """End one sign-in. True if there was one."""
        ...

    async def sign_out_everywhere(self, login: str) -> int:
        """End all sign-ins of an account. Returns how many there were."""
        ...

    async def any_account(self) -> bool:
        """Whether there is an account. Changes made here are seen at once, those of other processes within a second."""
        ...


class ApiKeys(Protocol):
    """Keys for programs."""

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
        """A key that acts for this account; without one, for a new user of its own."""
        ...

    async def list_keys(self) -> list[ApiKey]:
        """All keys, revoked ones too, in the order in which they were made."""
        ...

    async def get_key(self, key_id: int) -> ApiKey:
        """The key of this number, or the error that there is none."""
        ...

    async def revoke_key(self, key_id: int) -> ApiKey:
        """Make a key useless from now on. Revoking it again changes nothing."""
        ...

    async def identify(self, key_hash: str) -> Identity | None:
        """Whom a valid key acts for and what it allows: never more than its user may.

        The use is noted, at most once a minute.
        """
        ...

    async def any_key(self) -> bool:
        """Whether there is a key that is valid now."""
        ...
