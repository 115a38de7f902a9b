"""Disks that fail on command: SQLite file systems that pass everything on until they are told otherwise."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Protocol

import apsw


class Operation(StrEnum):
    WRITE = "xWrite"
    SYNC = "xSync"
    TRUNCATE = "xTruncate"


@dataclass(frozen=True, slots=True)
class Touch:
    """Something that is about to happen to a file: `data` is written at `offset`, or the file ends there."""

    operation: Operation
    file: str
    offset: int = 0
    data: bytes = b""


class Disk(Protocol):
    def touched(self, touch: Touch) -> Exception | None:
        """The error that the operation ends with, or None to let it pass."""
        ...


class ReadOnly:
    """A disk that can only be read."""

    def touched(self, touch: Touch) -> Exception | None:
        return apsw.ReadOnlyError("attempt to write a readonly database")


class Volume:
    """A disk of a size: what does not fit is refused. `free` makes room."""

    def __init__(self, size: int) -> None:
        self.left = size

    def free(self, size: int) -> None:
        self.left = size

    def touched(self, touch: Touch) -> Exception | None:
        if len(touch.data) > self.left:
            return apsw.FullError("database or disk is full")
        self.left -= len(touch.data)
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

    def touched(self, touch: Touch) -> Exception | None:
        self.done[touch.operation] += 1
        if touch.operation is not self._operation:
            return None
        times = self.done[touch.operation]
        failed = times >= self._nth if self._for_good else times == self._nth
        return apsw.IOError("disk I/O error") if failed else None


@dataclass
class Unsynced:
    """A file on a disk with a cache: what a power cut surely leaves of it, and what it may leave."""

    durable: bytearray = field(default_factory=bytearray)
    cached: list[Touch] = field(default_factory=list[Touch])

    def sync(self) -> None:
        self.durable = self.after(self.cached)
        self.cached = []

    def after(self, touches: list[Touch]) -> bytearray:
        content = bytearray(self.durable)
        for touch in touches:
            if touch.operation is Operation.TRUNCATE:
                del content[touch.offset :]
            else:
                content.extend(bytes(max(0, touch.offset - len(content))))
                content[touch.offset : touch.offset + len(touch.data)] = touch.data
        return content


class Cached:
    """A disk that keeps in its cache what was not synced. Shows, for any moment, what a power cut would leave.

    One that is not honest says that it has synced and has not.
    """

    def __init__(self, base: Path, chance: random.Random, *, honest: bool) -> None:
        self._files = {str(base): Unsynced(bytearray(base.read_bytes()))}
        self._chance = chance
        self._honest = honest
        self.moments: list[tuple[int, dict[str, bytes]]] = []
        self.acknowledged = 0

    def touched(self, touch: Touch) -> Exception | None:
        self.moments.append((self.acknowledged, self._left_by_a_cut()))
        file = self._files.setdefault(touch.file, Unsynced())
        if touch.operation is not Operation.SYNC:
            file.cached.append(touch)
        elif self._honest:
            file.sync()
        return None

    def _left_by_a_cut(self) -> dict[str, bytes]:
        """Of what was in the cache, any part may have reached the disk, in any order, the last write torn."""
        left: dict[str, bytes] = {}
        for name, file in self._files.items():
            lucky = [touch for touch in file.cached if self._chance.random() < 0.5]
            if lucky and lucky[-1].data:
                torn = self._chance.randrange(len(lucky[-1].data) + 1)
                lucky[-1] = Touch(Operation.WRITE, name, lucky[-1].offset, lucky[-1].data[:torn])
            left[name] = bytes(file.after(lucky))
        return left


@contextmanager
def mounted(disk: Disk) -> Generator[str]:
    """The name under which SQLite finds the disk."""
    name = f"disk-{random.randbytes(8).hex()}"
    vfs = _FileSystem(name, disk)
    try:
        yield name
    finally:
        vfs.unregister()


_WRITING = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


_SYSTEM = apsw.vfs_names()[0]
"""By name, as such a disk may become the usual one itself."""


class _FileSystem(apsw.VFS):
    def __init__(self, name: str, disk: Disk) -> None:
        super().__init__(name, _SYSTEM)
        self._disk = disk

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if isinstance(self._disk, ReadOnly):
            flags[0] = flags[0] & ~_WRITING | apsw.SQLITE_OPEN_READONLY
        return _File(name, flags, self._disk)

    def excepthook(
        self,
        etype: type[BaseException] | None,
        evalue: BaseException | None,
        etraceback: TracebackType | None,
    ) -> bool:
        """Errors where SQLite does not listen, as in a checkpoint after a commit, are meant to go nowhere."""
        return True


class _File(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], disk: Disk) -> None:
        super().__init__(_SYSTEM, name, flags)
        self._name = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._touch(Touch(Operation.WRITE, self._name, offset, bytes(data)))
        super().xWrite(data, offset)  # pyright: ignore[reportUnknownMemberType] - Buffer is of Python 3.12

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._touch(Touch(Operation.SYNC, self._name))
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._touch(Touch(Operation.TRUNCATE, self._name, newsize))
        super().xTruncate(newsize)

    def excepthook(
        self,
        etype: type[BaseException] | None,
        evalue: BaseException | None,
        etraceback: TracebackType | None,
    ) -> bool:
        return True

    def _touch(self, touch: Touch) -> None:
        error = self._disk.touched(touch)
        if error is not None:
            raise error
