"""Disks that fail on command: SQLite file systems that pass everything on until they are told otherwise."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import StrEnum
from types import TracebackType

import apsw


class Operation(StrEnum):
    WRITE = "xWrite"
    SYNC = "xSync"
    TRUNCATE = "xTruncate"


Refusal = Callable[[Operation, int], Exception | None]
"""Given an operation and how many bytes it writes, the error that it ends with, or None to let it pass."""


class _File(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], refusal: Refusal) -> None:
        super().__init__("", name, flags)
        self._refusal = refusal

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._pass(Operation.WRITE, len(data))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._pass(Operation.SYNC)
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._pass(Operation.TRUNCATE)
        super().xTruncate(newsize)

    def excepthook(
        self,
        etype: type[BaseException] | None,
        evalue: BaseException | None,
        etraceback: TracebackType | None,
    ) -> bool:
        """Errors where SQLite does not listen, as in a checkpoint after a commit, are meant to go nowhere."""
        return True

    def _pass(self, operation: Operation, size: int = 0) -> None:
        error = self._refusal(operation, size)
        if error is not None:
            raise error


class _Disk(apsw.VFS):
    def __init__(self, name: str, refusal: Refusal) -> None:
        super().__init__(name, "")
        self._refusal = refusal

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File(name, flags, self._refusal)

    def excepthook(
        self,
        etype: type[BaseException] | None,
        evalue: BaseException | None,
        etraceback: TracebackType | None,
    ) -> bool:
        return True


class Volume:
    """A disk of a size: what does not fit is refused. `free` makes room."""

    def __init__(self, size: int) -> None:
        self.left = size

    def free(self, size: int) -> None:
        self.left = size

    def refusal(self, operation: Operation, size: int) -> Exception | None:
        if size > self.left:
            return apsw.FullError("database or disk is full")
        self.left -= size
        return None


class Wear:
    """A disk whose nth operation of a kind fails once, or for good from then on. Counts what it does."""

    def __init__(self, operation: Operation | None = None, nth: int = 0, *, for_good: bool = False) -> None:
        self._operation = operation
        self._nth = nth
        self._for_good = for_good
        self.done: Counter[Operation] = Counter()

    def mend(self) -> None:
        self._operation = None

    def refusal(self, operation: Operation, size: int) -> Exception | None:
        self.done[operation] += 1
        if operation is not self._operation:
            return None
        times = self.done[operation]
        failed = times >= self._nth if self._for_good else times == self._nth
        return apsw.IOError("disk I/O error") if failed else None


@contextmanager
def mounted(disk: Volume | Wear) -> Generator[str]:
    """The name under which SQLite finds the disk."""
    name = f"disk-{random.randbytes(8).hex()}"
    vfs = _Disk(name, disk.refusal)
    try:
        yield name
    finally:
        vfs.unregister()
