"""Passwords as Argon2id hashes."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread
from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from sourcebook.errors import UsageError

SHORTEST = 10
LONGEST = 256
# One hash takes 64 MB: more of them at once would let strangers fill the memory.
_AT_ONCE = 2

_T = TypeVar("_T")


class Passwords:
    """Hashes passwords and checks them. A check is the same work whether or not there is a hash to compare with."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._limiter: anyio.CapacityLimiter | None = None
        self._nobodys: str | None = None

    async def hash(self, password: str) -> str:
        return await self._in_thread(self._hasher.hash, password)

    async def fits(self, password: str, stored: str | None) -> bool:
        """Whether this is the password of the stored hash. Without one it never is."""
        if self._nobodys is None:
            self._nobodys = await self.hash(secrets.token_hex(16))
        fits = await self._in_thread(self._verified, stored or self._nobodys, password)
        return fits and stored is not None

    def is_outdated(self, stored: str) -> bool:
        """Whether the hash was made with less work than is usual now."""
        return self._hasher.check_needs_rehash(stored)

    def _verified(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (Argon2Error, InvalidHashError):
            return False

    async def _in_thread(self, call: Callable[..., _T], *arguments: str) -> _T:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_AT_ONCE)
        return await anyio.to_thread.run_sync(call, *arguments, limiter=self._limiter)


def require_good_password(password: str, login: str) -> None:
    """Refuse a password that is guessed easily, or that no hash should be made of."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(
            f"A password has {SHORTEST} to {LONGEST} characters.",
            hint="Several words in a row are easy to remember.",
        )
    if password.casefold() == login.casefold() or len(set(password)) < 4:
        raise UsageError(
            "This password is too easy to guess.", hint="Several words in a row are easy to remember."
        )
    if "\0" in password or not password.isprintable():
        raise UsageError("A password contains only characters that can be typed.")
