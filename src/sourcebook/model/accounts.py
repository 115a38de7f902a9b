"""Accounts, API keys, and what they allow."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from sourcebook.model.people import UserRole


class AccountRole(StrEnum):
    """What an account or a key may do: ask (reader), also answer and review (expert), or everything (admin)."""

    READER = "reader"
    EXPERT = "expert"
    ADMIN = "admin"

    @property
    def user_role(self) -> UserRole:
        """The same role as people have it."""
        return UserRole.USER if self is AccountRole.READER else UserRole(self.value)

    @classmethod
    def of(cls, role: UserRole) -> AccountRole:
        return cls.READER if role is UserRole.USER else cls(role.value)

    def at_most(self, other: AccountRole) -> AccountRole:
        """The lower one of the two."""
        order = list(AccountRole)
        return min(self, other, key=order.index)


@dataclass(frozen=True, slots=True)
class Account:
    """A name to sign in with. It belongs to a user, whose conversations and tokens it uses.

    `collections` are those it may see; None means all of them.
    """

    id: int
    user_id: int
    login: str
    role: AccountRole = AccountRole.READER
    collections: tuple[str, ...] | None = None
    is_blocked: bool = False
    last_login_at: int | None = None
    created_at: int = 0


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key for a program. It acts for a user, and can do no more than that user.

    `login` is the account that it acts for; a key without one has a user of its own.
    """

    id: int
    user_id: int
    name: str
    prefix: str
    role: AccountRole = AccountRole.READER
    collections: tuple[str, ...] | None = None
    login: str | None = None
    expires_at: int | None = None
    revoked_at: int | None = None
    last_used_at: int | None = None
    created_at: int = 0


@dataclass(frozen=True, slots=True)
class NewApiKey:
    """A key that was just made. `secret` is the key itself, which cannot be shown again."""

    key: ApiKey
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom a valid key or session belongs to, and what it allows.

    `source` names the account or key, such as `key:3`; `collections` are those it may see, None means all of them.
    """

    user_id: int
    role: AccountRole
    name: str
    source: str
    collections: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class SignIn:
    """A successful sign-in. `token` belongs in a cookie; it is stored only as a hash."""

    account: Account
    token: str = field(repr=False)
    expires_at: int = 0


@dataclass(frozen=True, slots=True)
class LockRule:
    """How many attempts are free, and how long the next ones wait: the pause doubles with each, up to a limit."""

    free: int
    first_pause: int = 30
    longest_pause: int = 900

    def pause(self, attempts: int) -> int:
        """Seconds to wait after so many attempts without success."""
        if attempts < self.free:
            return 0
        return min(self.longest_pause, self.first_pause * 2 ** min(attempts - self.free, 20))
