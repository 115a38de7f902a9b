"""`python -m benchmarks.judge.collect`: asks every set once and keeps what was found, for learning and measuring."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio

from benchmarks.judge.cases import (
    ACROSS,
    LEARNT_FROM,
    READING,
    SMALL_FROM,
    JudgeCases,
    of_reading,
    of_set,
    small,
)
from benchmarks.judge.rows import searched, store
from benchmarks.quality.run import Bench

_SMALL = {"small-2": (2, 12, 6), "small-20": (20, 2, 30)}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.judge.collect", description=__doc__)
    made.add_argument("--data", type=Path, required=True, help="the folder with retrieval/ and reading/")
    made.add_argument("--work", type=Path, required=True, help="where vectors and rows are kept between runs")
    made.add_argument("--questions", type=int, default=300, help="a set, half of them without an answer")
    made.add_argument("--documents", type=int, default=800, help="a set at most; those that answer always")
    made.add_argument("--only", nargs="*", help="these sets alone")
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def _bases(name: str, given: argparse.Namespace) -> Iterator[JudgeCases]:
    if name in _SMALL:
        documents, bases, each = _SMALL[name]
        for folder in SMALL_FROM:
            yield from small(given.data / "retrieval" / folder, documents, bases, each)
    elif name == READING:
        yield of_reading(given.data / "reading" / f"{name}.jsonl.gz", given.questions, given.documents)
    else:
        yield of_set(given.data / "retrieval" / name, given.questions, given.documents)


async def _collected(given: argparse.Namespace) -> None:
    embedder = Bench(given.work.resolve(), None, tell).embedder("default")
    for name in given.only or (*LEARNT_FROM, READING, ACROSS, *_SMALL):
        kept = given.work / f"{name}.jsonl"
        if kept.exists():
            continue
        rows: list[dict[str, Any]] = []
        for cases in _bases(name, given):
            rows += await searched(cases, embedder)
        store(rows, kept)
        tell(f"{name}: {len(rows)} questions")


def main() -> int:
    given = parser().parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    anyio.run(_collected, given)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
