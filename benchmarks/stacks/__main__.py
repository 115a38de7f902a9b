"""`python -m benchmarks.stacks`: index texts and ask them, end to end, with whole stacks beside each other.

One retrieval set and one embedder for all; what differs is how a stack cuts, keeps and finds. Each runs in a process of
its own. Writes a dated result and prints where it is.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.data import PLACE, RETRIEVAL, how_to_give
from benchmarks.speed.catalogue import PACKAGES
from benchmarks.speed.machine import ROOT, commit, machine, versions
from benchmarks.speed.report import table
from benchmarks.stacks.measure import StackFacts, measure
from benchmarks.stacks.stacks import NAMES

RESULTS = ROOT / "benchmarks" / "results"
SETS = ("xquad-en", "xquad-ru", "faquad-pt", "scifact-train")
_QUICK_QUESTIONS = 20


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.stacks", description=__doc__)
    made.add_argument(
        "--data",
        type=Path,
        default=RETRIEVAL,
        help=f"the folder with a folder for each set (retrieval in {PLACE})",
    )
    made.add_argument("--sets", nargs="+", metavar="NAME", default=SETS)
    made.add_argument("--stacks", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    made.add_argument(
        "--quick", action="store_true", help="one set, 20 questions, 60 texts; the result is not kept"
    )
    made.add_argument("--out", type=Path, help="where the result goes (benchmarks/results)")
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    folders = [given.data / name for name in given.sets if (given.data / name).is_dir()]
    if not folders:
        tell(f"There is no retrieval set in {given.data}. {how_to_give('--data')}")
        return 2
    limit = _QUICK_QUESTIONS if given.quick else None
    known = versions()
    report = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": dict(machine()),
        "versions": {name: known[name] for name in PACKAGES if name in known},
        "sets": {
            folder.name: {name: _alone(name, folder, limit) for name in given.stacks}
            for folder in (folders[:1] if given.quick else folders)
        },
    }
    out = given.out or (Path(tempfile.gettempdir()) / "sourcebook-stacks" if given.quick else RESULTS)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"stacks-{report['date']}.md"
    path.with_suffix(".json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    path.write_text(as_markdown(report), "utf-8")
    print(path)
    return 0


def _alone(name: str, folder: Path, limit: int | None) -> StackFacts | dict[str, str]:
    """What it measured in a fresh process, or why it could not."""
    try:
        with ProcessPoolExecutor(1, get_context("spawn")) as child:
            facts = child.submit(measure, name, folder, limit).result()
    except Exception as error:  # a failure of another library is a row, not the end
        tell(f"{folder.name}, {name}: failed, {type(error).__name__}")
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    tell(f"{folder.name}, {name}: nDCG@10 {facts['ndcg']:.3f}, indexed in {facts['build_s']:.1f} s")
    return facts


def as_markdown(report: dict[str, Any]) -> str:
    parts = [
        f"# Whole stacks, {report['date']}",
        f"Commit {report['commit']}; {report['machine']['cpu']}, {report['machine']['cores']} cores.",
        ", ".join(f"{name} {version}" for name, version in report["versions"].items()) + ".",
        "Every stack got the same texts and the same default embedder. Sourcebook also searches by words and cuts its"
        " texts; LangChain and LlamaIndex cut with their usual splitters; the"
        " others bring no splitter, so each text is one piece. Times include the embedding. Memory is that of the whole"
        " process, with the model.",
    ]
    heads = (
        "stack",
        "nDCG@10",
        "found@10",
        "index s",
        "CPU s",
        "ask p50 ms",
        "p95 ms",
        "RSS MB",
        "disk MB",
        "pieces",
    )
    for name, stacks in report["sets"].items():
        rows = [(stack, *_row(facts)) for stack, facts in stacks.items()]
        parts += [f"## {name}", table(heads, rows)]
    return "\n\n".join(parts) + "\n"


def _row(facts: dict[str, Any]) -> tuple[str, ...]:
    if "error" in facts:
        return (f"failed: {facts['error']}", *[""] * 8)
    keys = (("ndcg", 3), ("found", 3), ("build_s", 1), ("build_cpu_s", 1), ("p50_ms", 2), ("p95_ms", 2))
    sizes = (("rss_mb", 0), ("disk_mb", 1), ("pieces", 0))
    return tuple(f"{facts[key]:,.{digits}f}" for key, digits in (*keys, *sizes))


if __name__ == "__main__":
    raise SystemExit(main())
