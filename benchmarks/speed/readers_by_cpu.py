"""`python -m benchmarks.speed.readers_by_cpu`: searches beside a writer, on a machine that does nothing else.

The clock of the event loop is the processor time of its thread, and is set forward while everybody pauses. So other
programs hardly change what is measured, and that searches wait for each other is measured all the same. Documents of 20
passages are committed 27 times a second on average. A commit costs the searches what they do because of it, and
nothing else: as if the writer had a processor and caches of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import selectors
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.speed.engines.ours import SourcebookHybrid
from benchmarks.speed.machine import commit, machine
from benchmarks.speed.passages import hybrid_questions
from benchmarks.speed.readers import DIMENSIONS, PAUSE, READERS, families

if TYPE_CHECKING:
    from benchmarks.speed.engine import DocumentBlock, Question

COMMITS_A_SECOND = 27
_REAL_WAIT = 0.001


class _Selector(selectors.DefaultSelector):
    """Waits for threads as usual, and for nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped = 0.0
        self.threads = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and (timeout <= 0 or not self.threads):
            self.skipped += max(timeout, 0)
            return super().select(0)
        before = time.perf_counter()
        found = super().select(_REAL_WAIT)
        self.skipped += time.perf_counter() - before
        return found


class CpuLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock is the processor time of its thread."""

    def __init__(self) -> None:
        self._waiting = _Selector()
        super().__init__(self._waiting)

    def time(self) -> float:
        return time.thread_time() + self._waiting.skipped

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        self._waiting.threads += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._returned)
        return future

    def _returned(self, _: object) -> None:
        self._waiting.threads -= 1


class _Writer:
    """Adds documents in a thread of its own, each while the loop stands still."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._blocks: Queue[DocumentBlock | None] = Queue()
        self._done = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._work()))
        self._thread.start()

    def add(self, block: DocumentBlock | None) -> None:
        self._done.clear()
        self._blocks.put(block)
        self._done.wait()

    async def _work(self) -> None:
        engine = SourcebookHybrid(DIMENSIONS)
        await engine.open(self._folder)
        while (block := self._blocks.get()) is not None:
            await engine.add(block)
            self._done.set()
        await engine.close()
        self._done.set()


@asynccontextmanager
async def _commits(writer: _Writer, blocks: Iterable[DocumentBlock]) -> AsyncGenerator[None]:
    chance, remaining = random.Random(1), iter(blocks)  # noqa: S311 - the same each time

    async def again_and_again() -> None:
        while True:
            await asyncio.sleep(chance.expovariate(COMMITS_A_SECOND))
            writer.add(next(remaining))

    task = asyncio.create_task(again_and_again())
    yield
    task.cancel()


async def ask(engine: SourcebookHybrid, questions: Sequence[Question], seconds: float) -> list[float]:
    """The seconds that each search took."""
    clock, chance, taken = asyncio.get_running_loop().time, random.Random(2), list[float]()  # noqa: S311
    until = clock() + seconds

    async def person(number: int) -> None:
        await asyncio.sleep(chance.uniform(0, PAUSE))
        for question in cycle(questions[number::READERS]):
            start = clock()
            if start > until:
                return
            await engine.search(question, 10)
            taken.append(clock() - start)
            await asyncio.sleep(PAUSE)

    await asyncio.gather(*map(person, range(READERS)))
    return taken


async def measure(folder: Path, passages: int, seconds: float) -> dict[str, Any]:
    source = families(passages)
    engine = SourcebookHybrid(DIMENSIONS)
    await engine.build(folder, source)
    await engine.open(folder)
    questions, _ = hybrid_questions(source, 160)
    more = families(passages + int(40 * COMMITS_A_SECOND * seconds))
    blocks = [block for number in range(source.groups, more.groups) for block in more.group(number)]
    writer = _Writer(folder)
    await ask(engine, questions, 1.0)
    idle = await ask(engine, questions, seconds)
    async with _commits(writer, blocks):
        busy = await ask(engine, questions, seconds)
    idle += await ask(engine, questions, seconds)
    writer.add(None)
    await engine.close()
    return {
        "idle ms": _percentiles(idle),
        "while writing ms": _percentiles(busy),
        "ratio of p50": round(float(np.percentile(busy, 50) / np.percentile(idle, 50)), 2),
        "ratio of p95": round(float(np.percentile(busy, 95) / np.percentile(idle, 95)), 2),
    }


def _percentiles(taken: Sequence[float]) -> dict[str, float]:
    return {f"p{share}": round(float(np.percentile(taken, share)) * 1000, 2) for share in (50, 75, 90, 95)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.readers_by_cpu", description=__doc__)
    parser.add_argument("--passages", type=int, default=5_000)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each kind, by the clock of the loop")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=CpuLoop) as runner:
        facts = runner.run(measure(Path(folder), given.passages, given.seconds))
    print(json.dumps({"commit": commit(), "machine": machine(), **facts}, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
