"""Claims beside a file: locks of single bytes in a file of their own, which end with the process."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio

from sourcebook.storage.sqlite.base_files import derived_files_of

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS = "claims"
"""The name of that file among the derived ones."""

_PLACES = 2**40


class FileClaims:
    """`ports.work.Claims` among processes; two clients of one process do not see each other's.

    Where the file cannot be locked, everything is granted.
    """

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._taken: set[str] = set()
        self._turn = anyio.Lock()

    async def take(self, key: str) -> bool:
        if self._descriptor is None:
            return True
        async with self._turn:
            # A lock that this process has is granted to it again.
            if key in self._taken:
                return False
            # Neither waits for anybody, and a thread would cost many times as much.
            if not _lock(self._descriptor, _place(key)):
                return False
            self._taken.add(key)
            return True

    async def give_back(self, key: str) -> None:
        if self._descriptor is None or key not in self._taken:
            return
        async with self._turn:
            _unlock(self._descriptor, _place(key))
            self._taken.discard(key)


@asynccontextmanager
async def file_claims(base: Path) -> AsyncGenerator[FileClaims, None]:
    # Without a thread: who is cancelled by `asyncio.wait_for` while one opens the file would never close it.
    descriptor = _opened(base)
    try:
        yield FileClaims(descriptor)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _opened(base: Path) -> int | None:
    folder = derived_files_of(base)
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        return os.open(folder / CLAIMS, os.O_RDWR | os.O_CREAT, 0o600)
    return None


def _place(key: str) -> int:
    digest = hashlib.blake2b(key.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % _PLACES


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, place: int) -> bool:
        try:
            os.lseek(descriptor, place, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int, place: int) -> None:
        with suppress(OSError):
            os.lseek(descriptor, place, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import errno
    import fcntl

    def _lock(descriptor: int, place: int) -> bool:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError as error:
            # Held by another; anything else means that there are no such locks here.
            return error.errno not in (errno.EACCES, errno.EAGAIN)
        return True

    def _unlock(descriptor: int, place: int) -> None:
        with suppress(OSError):
            fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place)
