"""`python -m benchmarks.speed.load`: how many questions a second one base answers, and what bounds it.

One process with one asker and with eight, then four processes with two askers each, on one base of passages with words
and vectors. How many cores were busy tells what bounds the number: about one with eight askers in one process means
that Python itself does. Writes `benchmarks/results/load-YYYY-MM-DD.json`.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np

from benchmarks.speed.data import DIMENSIONS, Mixture
from benchmarks.speed.engines.ours import SourcebookHybrid
from benchmarks.speed.machine import ROOT, commit, machine
from benchmarks.speed.passages import Families, Prose, hybrid_questions

if TYPE_CHECKING:
    from benchmarks.speed.engine import Question

PATIENCE = 900.0
"""Seconds after which a process that still has not begun, or not ended, is given up."""
WAYS = {"1 process, 1 asker": (1, 1), "1 process, 8 askers": (1, 8), "4 processes, 2 askers each": (4, 2)}


async def asked(folder: Path, passages: int, askers: int, begin: float, seconds: float) -> dict[str, object]:
    """What this process did: the milliseconds of every question, and the seconds of its processor."""
    engine = SourcebookHybrid(DIMENSIONS)
    await engine.open(folder)
    questions, _ = hybrid_questions(Families(Prose(passages), Mixture(DIMENSIONS)), 80)
    for question in questions[:10]:
        await engine.search(question, 10)
    await anyio.sleep(max(0.0, begin - time.time()))
    walls: list[float] = []
    before, end = time.process_time(), time.monotonic() + seconds

    async def person(own: Sequence[Question]) -> None:
        for question in cycle(own):
            start = time.perf_counter()
            await engine.search(question, 10)
            walls.append((time.perf_counter() - start) * 1000)
            if time.monotonic() > end:
                return

    async with anyio.create_task_group() as people:
        for number in range(askers):
            people.start_soon(person, questions[number::askers])
    cpu = time.process_time() - before
    await engine.close()
    return {"walls": walls, "cpu": cpu}


def measured(folder: Path, passages: int, processes: int, askers: int, seconds: float) -> dict[str, float]:
    print(f"asking with {processes} x {askers} askers", file=sys.stderr, flush=True)
    # Time for all of them to start.
    begin = time.time() + 6.0 + 2.0 * processes
    command = [
        sys.executable,
        "-m",
        "benchmarks.speed.load",
        "--ask",
        str(folder),
        str(passages),
        str(askers),
    ]
    command += [str(begin), str(seconds)]
    running = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ourselves
        for _ in range(processes)
    ]
    found = answers(running)
    walls = np.concatenate([one["walls"] for one in found])
    p50, p95 = np.percentile(walls, [50, 95])
    return {
        "questions_a_second": round(len(walls) / seconds, 1),
        "p50_ms": round(float(p50), 2),
        "p95_ms": round(float(p95), 2),
        "cores_busy": round(sum(one["cpu"] for one in found) / seconds, 2),
        "cpu_ms_a_question": round(sum(one["cpu"] for one in found) * 1000 / len(walls), 2),
    }


def answers(running: Sequence[subprocess.Popen[str]]) -> list[dict[str, Any]]:
    """What each process measured. If one fails, so does this, and the others are ended."""
    try:
        said = [process.communicate()[0] for process in running]
        if failed := [process.returncode for process in running if process.returncode]:
            raise SystemExit(f"{len(failed)} of {len(running)} processes failed: what they said is above.")
        return [json.loads(text) for text in said]
    finally:
        for process in running:
            process.kill()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.load", description=__doc__)
    parser.add_argument("--passages", type=int, default=5_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--ask", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        folder, passages, askers, begin, seconds = given.ask
        # A process that hangs says where, and ends.
        faulthandler.dump_traceback_later(float(seconds) + PATIENCE, exit=True)
        answer = anyio.run(asked, Path(folder), int(passages), int(askers), float(begin), float(seconds))
        print(json.dumps(answer))
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Families(Prose(given.passages), Mixture(DIMENSIONS))
        print(f"building a base of {given.passages:,} passages", file=sys.stderr, flush=True)
        anyio.run(SourcebookHybrid(DIMENSIONS).build, Path(folder), source)
        ways = {
            name: measured(Path(folder), given.passages, processes, askers, given.seconds)
            for name, (processes, askers) in WAYS.items()
        }
    date = datetime.now(UTC).date().isoformat()
    result = {
        "date": date,
        "commit": commit(),
        "machine": machine(),
        "cores": os.cpu_count(),
        "passages": given.passages,
        "task": "hybrid search for ten passages, without embedding the question",
        "ways": ways,
    }
    text = json.dumps(result, indent=2)
    (given.out / f"load-{date}.json").write_text(text + "\n", "utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
