"""`python -m benchmarks.speed.readers`: how long searches take while another process writes.

Eight people ask, each with a pause between questions. First nobody writes; then another process adds documents, one
after the other. Rounds of the two alternate, so that a busy machine disturbs both alike. The bar: the p95 of the second
is at most one and a half times that of the first.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import numpy as np

from benchmarks.speed.data import Mixture
from benchmarks.speed.engines.ours import SourcebookHybrid
from benchmarks.speed.machine import ROOT, machine
from benchmarks.speed.passages import Families, Prose, hybrid_questions

if TYPE_CHECKING:
    from benchmarks.speed.engine import Question

DIMENSIONS = 384
READERS = 8
PAUSE = 0.1


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
    await engine.close()


async def ask(engine: SourcebookHybrid, questions: Sequence[Question], until: float) -> list[float]:
    """The seconds that each search took."""
    taken: list[float] = []

    async def person(number: int) -> None:
        for question in cycle(questions[number::READERS]):
            if time.monotonic() > until:
                return
            start = time.perf_counter()
            await engine.search(question, 10)
            taken.append(time.perf_counter() - start)
            await anyio.sleep(PAUSE)

    async with anyio.create_task_group() as people:
        for number in range(READERS):
            people.start_soon(person, number)
    return taken


async def measure(folder: Path, passages: int, rounds: int, seconds: float) -> dict[str, object]:
    source = families(passages)
    engine = SourcebookHybrid(DIMENSIONS)
    await engine.build(folder, source)
    await engine.open(folder)
    questions, _ = hybrid_questions(source, 160)
    await ask(engine, questions, time.monotonic() + 2)
    idle: list[float] = []
    busy: list[float] = []
    first = passages
    for _ in range(rounds):
        idle += await ask(engine, questions, time.monotonic() + seconds)
        command = [sys.executable, "-m", "benchmarks.speed.readers", "--write", str(folder), str(first)]
        with subprocess.Popen(command, cwd=ROOT) as writer:  # noqa: S603, ASYNC220 - ourselves, and it starts at once
            # Time for the other process to start.
            await anyio.sleep(1.5)
            busy += await ask(engine, questions, time.monotonic() + seconds)
            writer.terminate()
        first += 25 * 20 * 10
    await engine.close()
    return {"idle": summary(idle), "while writing": summary(busy), "ratio of p95": ratio(busy, idle)}


def summary(taken: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.percentile(taken, [50, 95]) * 1000
    return {"searches": len(taken), "p50 ms": round(p50, 2), "p95 ms": round(p95, 2)}


def ratio(busy: Sequence[float], idle: Sequence[float]) -> float:
    return round(float(np.percentile(busy, 95) / np.percentile(idle, 95)), 2)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.readers", description=__doc__)
    parser.add_argument("--passages", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--write", nargs=2, metavar=("FOLDER", "FIRST"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        anyio.run(write, Path(given.write[0]), int(given.write[1]), 2_000)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        facts = anyio.run(measure, Path(folder), given.passages, given.rounds, given.seconds)
    date = datetime.now(UTC).date().isoformat()
    result = {"date": date, "machine": machine(), "passages": given.passages, **facts}
    text = json.dumps(result, indent=2)
    (ROOT / "benchmarks" / "results" / f"readers-{date}.json").write_text(text + "\n")
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
