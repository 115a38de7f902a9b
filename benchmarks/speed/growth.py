"""`python -m benchmarks.speed.growth`: what a question costs as a collection grows from 10,000 to 1,000,000 vectors.

Bases of each size are made, and asked without a filter and with filters that let 10 and 1 % through, with the recall of
each. Writes `benchmarks/results/growth-YYYY-MM-DD.json` and a plot beside it. Sizes that were measured earlier on the
same day stay, with the commit that they were measured on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.speed.data import FILTERS, ExactNeighbours, Mixture, StoredVectors, asked, questions_near
from benchmarks.speed.engines.ours import SourcebookVectors
from benchmarks.speed.machine import ROOT, commit, machine
from benchmarks.speed.plot import drawn

if TYPE_CHECKING:
    from benchmarks.speed.engine import Question

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
CELLS = ("no filter", "10 %", "1 %")
MOST_MS_OF_A_MILLION = 8.0
K, WARM_UP = 10, 10


async def measured(folder: Path, size: int, queries: int) -> dict[str, dict[str, float]]:
    mixture = Mixture()
    stored = StoredVectors.write_mixture(folder, mixture, size)
    points = questions_near(stored, mixture, WARM_UP + queries)
    filters = {name: FILTERS[name] for name in CELLS}
    exact = ExactNeighbours(stored, points, filters, K)
    engine = SourcebookVectors()
    (folder / "base").mkdir()
    await engine.build(folder / "base", stored)
    await engine.open(folder / "base")
    found: dict[str, dict[str, float]] = {}
    for name, where in filters.items():
        walls, cpu, answers = await _asked(engine, asked(points, where))
        recall = np.mean([exact.judge(name, WARM_UP + i, a).recall for i, a in enumerate(answers)])
        p50, p95 = np.percentile(walls, [50, 95])
        found[name] = {
            "p50_ms": round(float(p50), 3),
            "p95_ms": round(float(p95), 3),
            "cpu_ms": round(cpu, 3),
            "recall": round(float(recall), 4),
        }
    await engine.close()
    return found


async def _asked(
    engine: SourcebookVectors, questions: Sequence[Question]
) -> tuple[list[float], float, list[list[int]]]:
    """The milliseconds of each question, the processor's on average, and the answers."""
    for question in questions[:WARM_UP]:
        await engine.search(question, K)
    walls: list[float] = []
    answers: list[list[int]] = []
    before = time.process_time()
    for question in questions[WARM_UP:]:
        start = time.perf_counter()
        answers.append(await engine.search(question, K))
        walls.append((time.perf_counter() - start) * 1000)
    return walls, (time.process_time() - before) * 1000 / len(walls), answers


def _known(path: Path) -> dict[int, dict[str, Any]]:
    """What an earlier run of the day measured, by size."""
    if not path.exists():
        return {}
    return {int(size): facts for size, facts in json.loads(path.read_text("utf-8"))["sizes"].items()}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.speed.growth", description=__doc__)
    made.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    made.add_argument("--queries", type=int, default=200)
    made.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    return made


def main() -> int:
    given = parser().parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    date = datetime.now(UTC).date().isoformat()
    path = given.out / f"growth-{date}.json"
    by_size: dict[int, dict[str, Any]] = _known(path)
    for size in given.sizes:
        with tempfile.TemporaryDirectory() as folder:
            cells = asyncio.run(measured(Path(folder), size, given.queries))
        by_size[size] = {"commit": commit(), **cells}
        print(f"{size:,}: {cells}", flush=True)
    by_size = dict(sorted(by_size.items()))
    last = by_size[max(by_size)]["no filter"]["p50_ms"]
    result = {
        "date": date,
        "machine": machine(),
        "k": K,
        "sizes": {str(size): facts for size, facts in by_size.items()},
        "bar": f"1,000,000 vectors, no filter: p50 at most {MOST_MS_OF_A_MILLION:g} ms",
        "reached": last <= MOST_MS_OF_A_MILLION if max(by_size) == SIZES[-1] else None,
    }
    path.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    lines = {cell: [(size, facts[cell]["p50_ms"]) for size, facts in by_size.items()] for cell in CELLS}
    title = "One question, ten results, on two cores"
    path.with_suffix(".svg").write_text(drawn(title, "vectors of 384 numbers", "p50 ms", lines), "utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
