"""`python -m benchmarks.speed.readers`: how long searches take while another process writes.

Eight people ask, each with a pause between questions. First nobody writes; then another process only computes; then
one adds documents, one after the other. Rounds of the three alternate, so that a busy machine disturbs all alike, and
the last is one without a writer: the base has grown by then. The bar: the p95 beside a writer is at most one and a half
times that of nobody writing. Beside a process that computes it tells what sharing the machine costs, and the rest is
the price of following. The processor time of a search tells that price whatever else the machine does.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import anyio
import numpy as np
from anyio.streams.buffered import BufferedByteReceiveStream

from benchmarks.speed.data import Mixture
from benchmarks.speed.engines.ours import SourcebookHybrid
from benchmarks.speed.machine import ROOT, commit, machine
from benchmarks.speed.passages import Families, Prose, hybrid_questions

if TYPE_CHECKING:
    from anyio.abc import ByteReceiveStream, Process

    from benchmarks.speed.engine import Question

DIMENSIONS = 384
READERS = 8
PAUSE = 0.1
MOST_TIMES_IDLE = 1.5


def families(passages: int) -> Families:
    return Families(Prose(passages), Mixture(DIMENSIONS))


async def write(folder: Path, first: int, documents: int) -> None:
    """Add documents that the base does not have."""
    engine = SourcebookHybrid(DIMENSIONS)
    await engine.open(folder)
    per_group = 25
    source = families(first + documents * 20)
    for number in range(first // 20 // per_group, source.groups):
        for block in source.group(number):
            await engine.add(block)
            # Whoever measures begins with the first of them, and counts the others.
            print(block.number, flush=True)
    await engine.close()


def compute() -> NoReturn:
    """What a writer does to its neighbours without writing: keep a processor busy, and its caches."""
    print("computing", flush=True)
    numbers = np.random.default_rng(1).random(500_000)
    while True:
        sorted(numbers.tolist())


@dataclass(slots=True)
class Asked:
    """What searches took: seconds of each, and of the processor for all."""

    taken: list[float] = field(default_factory=list[float])
    cpu: float = 0.0
    written: int = 0

    def facts(self) -> dict[str, float]:
        p50, p95 = np.percentile(self.taken, [50, 95]) * 1000
        return {
            "searches": len(self.taken),
            "p50 ms": round(p50, 2),
            "p95 ms": round(p95, 2),
            "cpu ms a search": round(self.cpu * 1000 / len(self.taken), 2),
            "documents written": self.written,
        }


async def ask(engine: SourcebookHybrid, questions: Sequence[Question], seconds: float, into: Asked) -> None:
    until, before = time.monotonic() + seconds, time.process_time()

    async def person(number: int) -> None:
        for question in cycle(questions[number::READERS]):
            if time.monotonic() > until:
                return
            start = time.perf_counter()
            await engine.search(question, 10)
            into.taken.append(time.perf_counter() - start)
            await anyio.sleep(PAUSE)

    async with anyio.create_task_group() as people:
        for number in range(READERS):
            people.start_soon(person, number)
    into.cpu += time.process_time() - before


async def measure(folder: Path, passages: int, rounds: int, seconds: float) -> dict[str, Any]:
    source = families(passages)
    engine = SourcebookHybrid(DIMENSIONS)
    await engine.build(folder, source)
    await engine.open(folder)
    questions, _ = hybrid_questions(source, 160)
    await ask(engine, questions, 2.0, Asked())
    idle, shared, busy = Asked(), Asked(), Asked()
    first = passages
    for _ in range(rounds):
        await ask(engine, questions, seconds, idle)
        async with _other_process("--compute") as (other, _):
            await ask(engine, questions, seconds, shared)
            other.terminate()
        async with _other_process("--write", str(folder), str(first)) as (writer, said):
            await ask(engine, questions, seconds, busy)
            writer.terminate()
            busy.written += await _lines(said)
        first += 25 * 20 * 10
    await ask(engine, questions, seconds, idle)
    await engine.close()
    return {
        "idle": idle.facts(),
        "beside a process that only computes": shared.facts(),
        "while writing": busy.facts(),
        "ratio of p95": ratio(busy, idle),
        "ratio of p95 to the process that only computes": ratio(busy, shared),
        "ratio of cpu": round(busy.cpu / len(busy.taken) / (idle.cpu / len(idle.taken)), 2),
    }


@asynccontextmanager
async def _other_process(*words: str) -> AsyncGenerator[tuple[Process, BufferedByteReceiveStream]]:
    """This program in another process that has said its first line. Whoever has seen enough ends it."""
    command = [sys.executable, "-m", "benchmarks.speed.readers", *words]
    async with await anyio.open_process(command, cwd=ROOT, stderr=None) as process:
        said = BufferedByteReceiveStream(cast("ByteReceiveStream", process.stdout))
        await said.receive_until(b"\n", 100)
        yield process, said


async def _lines(said: BufferedByteReceiveStream) -> int:
    """How many lines are left to be read."""
    found = 0
    with suppress(anyio.EndOfStream, anyio.IncompleteRead):
        while True:
            await said.receive_until(b"\n", 100)
            found += 1
    return found


def ratio(busy: Asked, idle: Asked) -> float:
    return round(float(np.percentile(busy.taken, 95) / np.percentile(idle.taken, 95)), 2)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.readers", description=__doc__)
    parser.add_argument("--passages", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--write", nargs=2, metavar=("FOLDER", "FIRST"), help=argparse.SUPPRESS)
    parser.add_argument("--compute", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.compute:
        compute()
    if given.write:
        anyio.run(write, Path(given.write[0]), int(given.write[1]), 2_000)
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        facts = anyio.run(measure, Path(folder), given.passages, given.rounds, given.seconds)
    date = datetime.now(UTC).date().isoformat()
    result = {
        "date": date,
        "commit": commit(),
        "machine": machine(),
        "passages": given.passages,
        **facts,
        "bar": f"p95 beside a writer at most {MOST_TIMES_IDLE:g} times that without one",
        "reached": facts["ratio of p95"] <= MOST_TIMES_IDLE,
    }
    text = json.dumps(result, indent=2)
    (given.out / f"readers-{date}.json").write_text(text + "\n", "utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
