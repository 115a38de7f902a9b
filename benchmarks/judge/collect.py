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
    ACROSS_SMALL,
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

_SMALL = {"size-2": (2, 12, 6), "size-20": (20, 2, 30)}
"""Documents, bases of each set, questions of each side."""
_OF_A_SIDE_ACROSS = 120
_LARGE = {"size-5000": ("rurag-para-dev", 5000)}


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
    elif name in ACROSS_SMALL:
        documents = ACROSS_SMALL[name]
        bases = max(2, min(24, 60 // documents))
        folder = given.data / "retrieval" / ACROSS
        yield from small(folder, documents, bases, _OF_A_SIDE_ACROSS // bases)
    elif name in _LARGE:
        folder, documents = _LARGE[name]
        yield of_set(given.data / "retrieval" / folder, given.questions, documents)
    elif name == READING:
        yield of_reading(given.data / "reading" / f"{name}.jsonl.gz", given.questions, given.documents)
    else:
        # The one set across languages has a threshold to itself, which a few questions more make firmer.
        asked = given.questions * (2 if name == ACROSS else 1)
        yield of_set(given.data / "retrieval" / name, asked, given.documents)


async def _collected(given: argparse.Namespace) -> None:
    embedder = Bench(given.work.resolve(), None, tell).embedder("default")
    for name in given.only or (*LEARNT_FROM, READING, ACROSS, *ACROSS_SMALL, *_SMALL, *_LARGE):
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
