"""Users: who they are, and what they may do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class UserRole(StrEnum):
    """What a person may do: ask (user), also answer and review (expert), or everything (admin)."""

    USER = "user"
    EXPERT = "expert"
    ADMIN = "admin"


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
