"""What a process costs: time on the clock and on the processor, memory, bytes on disk."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

Block = TypeVar("Block")

_ROLLUP = Path("/proc/self/smaps_rollup")


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds: on the clock, and on all processors together."""

    wall: float
    cpu: float

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.wall - other.wall, self.cpu - other.cpu)

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.wall + other.wall, self.cpu + other.cpu)


def now() -> Spent:
    """The processor time is that of every thread and of every child that has ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Spent(time.perf_counter(), sum(u.ru_utime + u.ru_stime for u in used))


class Untimed(Generic[Block]):
    """Passes blocks on, and knows how long it took to make them, so that it can be left out.

    The processor time is that of the asking thread alone: an engine may go on writing in others meanwhile.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._blocks = iter(blocks)
        self.spent = Spent(0.0, 0.0)

    def __iter__(self) -> Iterator[Block]:
        return self

    def __next__(self) -> Block:
        before = Spent(time.perf_counter(), time.thread_time())
        try:
            return next(self._blocks)
        finally:
            self.spent += Spent(time.perf_counter(), time.thread_time()) - before


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes. `pss` counts a shared page in parts, `private` holds what no other process shares."""

    rss: int
    pss: int | None = None
    private: int | None = None
    shared: int | None = None


def memory() -> Memory:
    """What this process holds now; where the system does not tell, the most that it ever held."""
    if not _ROLLUP.exists():
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return Memory(peak if sys.platform == "darwin" else peak * 1024)
    lines = (line.split() for line in _ROLLUP.read_text("ascii").splitlines()[1:])
    size = {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines}
    return Memory(
        rss=size["Rss"],
        pss=size["Pss"],
        private=size["Private_Clean"] + size["Private_Dirty"],
        shared=size["Shared_Clean"] + size["Shared_Dirty"],
    )


def bytes_on_disk(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
