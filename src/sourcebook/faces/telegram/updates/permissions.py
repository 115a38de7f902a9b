"""The sender, the chat and their permissions, read again for every message and every press."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.model.people import UserRole

if TYPE_CHECKING:
    from sourcebook.locale import Texts
    from sourcebook.model.people import User


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """A chat, and a thread in it."""

    chat_id: int
    thread_id: int | None = None
    is_private: bool = True

    @property
    def channel_key(self) -> str:
        return f"telegram:{self.chat_id}:{self.thread_id or 0}"


@dataclass(frozen=True, slots=True)
class Guest:
    """A person at a place. `key` is the update's own: what is done under it is done once."""

    user: User
    place: ChatPlace
    texts: Texts
    key: str
    is_admin: bool = False
    """May do everything: credit, refund, add files."""
    is_staff: bool = False
    """May review and answer."""


def place_from(channel_key: str | None) -> ChatPlace | None:
    """The chat that a channel key of this face names, or None if it is another's."""
    parts = (channel_key or "").split(":")
    if len(parts) != _PARTS or parts[0] != "telegram":
        return None
    try:
        chat_id, thread_id = int(parts[1]), int(parts[2])
    except ValueError:
        return None
    return ChatPlace(chat_id, thread_id or None, chat_id > 0)


_PARTS = 3


def is_admin(user: User) -> bool:
    """Whether the base makes this person an admin. Nothing that a message says does."""
    return not user.is_blocked and user.role is UserRole.ADMIN


def is_staff(user: User) -> bool:
    return not user.is_blocked and user.role is not UserRole.USER


def admin_ids(setting: str) -> frozenset[int]:
    return frozenset(int(part) for part in setting.split(",") if part.strip())
