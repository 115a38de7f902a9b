"""`python -m benchmarks.speed`: measure, write a dated result, and print where it is."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed import sections
from benchmarks.speed.catalogue import BRIEF_FAMILIES, LEFT_OUT_OF_BRIEF, OURS, families
from benchmarks.speed.machine import ROOT, machine, versions
from benchmarks.speed.passages import Prose
from benchmarks.speed.report import store
from benchmarks.speed.run import Plan
from benchmarks.speed.sections import Bench
from benchmarks.speed.texts import RealPassages, library

if TYPE_CHECKING:
    from benchmarks.speed.facts import SectionFacts

RESULTS = ROOT / "benchmarks" / "results"


@dataclass(frozen=True, slots=True)
class Sizes:
    vectors: int
    model: int
    words: int
    hybrid: int
    million: int


FULL = Sizes(vectors=100_000, model=100_000, words=100_000, hybrid=20_000, million=1_000_000)
BRIEF = replace(FULL, words=50_000)
QUICK = Sizes(vectors=4_000, model=2_000, words=5_000, hybrid=1_000, million=20_000)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    made.add_argument(
        "--quick", action="store_true", help="a smoke test of a few minutes; its result is not kept"
    )
    made.add_argument(
        "--brief",
        action="store_true",
        help="without the slowest engines, 2 seconds for each cell; its result is kept",
    )
    made.add_argument(
        "--only",
        action="append",
        choices=("vectors", "model", "words", "hybrid", "million"),
        help="this benchmark and no other (may be repeated); `vectors` brings `model`, `million` never runs unasked",
    )
    made.add_argument("--size", type=int, help="how many vectors or passages, instead of the usual number")
    made.add_argument("--model-vectors", type=int, help="how many real texts to embed; 0 for none")
    made.add_argument(
        "--texts", type=Path, help="a folder with */corpus.jsonl.gz (retrieval in the folder of data)"
    )
    made.add_argument("--words-from", choices=("synthetic", "real"), default="synthetic")
    made.add_argument("--engines", action="append", choices=families(), help="only these (may be repeated)")
    made.add_argument("--queries", type=int, help="questions for each cell (200; quick 20)")
    made.add_argument(
        "--seconds", type=float, help="after so many, a slow cell is asked no further (6; brief 2)"
    )
    made.add_argument(
        "--longest-build", type=float, default=900.0, help="seconds after which a build has failed"
    )
    made.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "sourcebook-bench")
    made.add_argument(
        "--out", type=Path, help="where the results go (benchmarks/results; quick: in the cache)"
    )
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    given.cache.mkdir(parents=True, exist_ok=True)
    queries = given.queries or (20 if given.quick else 200)
    seconds = given.seconds or (2.0 if given.brief else 6.0)
    plan = Plan(
        queries=queries,
        untimed=0 if given.quick else 800,
        seconds=seconds,
        longest_build=given.longest_build,
    )
    few, left_out = (BRIEF_FAMILIES, LEFT_OUT_OF_BRIEF) if given.brief else ((), ())
    bench = Bench(plan, given.cache.resolve(), tell, given.engines or few, left_out)
    path = None
    for name, section in _asked_for(bench, given):
        tell(f"— {name}")
        path = store(
            {
                "date": datetime.now(UTC).date().isoformat(),
                "machine": machine(),
                "versions": versions(),
                "sections": {name: section()},
            },
            given.out or (given.cache / "results" if given.quick else RESULTS),
        )
        print(path.with_suffix(".md"), flush=True)
    return 0 if path else 2


def _asked_for(bench: Bench, given: argparse.Namespace) -> list[tuple[str, Callable[[], SectionFacts]]]:
    """The sections of this run, each under the name by which a later one replaces it."""
    usual = QUICK if given.quick else BRIEF if given.brief else FULL
    wanted = given.only or ["vectors", "words", "hybrid"]
    found: list[tuple[str, Callable[[], SectionFacts]]] = []
    if "vectors" in wanted:
        size = given.size or usual.vectors
        found.append((f"vectors {size}", lambda: sections.clustered(bench, size)))
    if "vectors" in wanted or "model" in wanted:
        of_model = usual.model if given.model_vectors is None else given.model_vectors
        if of_model:
            source = library(given.texts)
            # A smoke test has met the others already.
            alone = replace(bench, families=[OURS]) if given.quick else bench
            found.append((f"model {of_model}", lambda: sections.of_model(alone, of_model, source)))
    if "words" in wanted:
        count = given.size or usual.words
        real = given.words_from == "real"
        documents = RealPassages(library(given.texts), count) if real else Prose(count)
        found.append((f"words {given.words_from} {count}", lambda: sections.words(bench, documents)))
    if "hybrid" in wanted:
        passages = given.size or usual.hybrid
        found.append((f"hybrid {passages}", lambda: sections.hybrid(bench, passages)))
    if "million" in wanted:
        many = given.size or usual.million
        found.append((f"million {many}", lambda: sections.million(bench, many)))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
