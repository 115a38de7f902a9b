"""`python -m benchmarks.ingest`: what `add` costs beside its embedder, and what a second `add` costs.

For every folder: how much longer `add` takes than the embedder alone on the same texts, and what happens when nothing
changed, when all times changed, when one file was renamed and when one was edited. Then the memory that very many
small files need.
"""

from __future__ import annotations

import argparse
import compileall
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import anyio

from benchmarks.data import DOCUMENTS, PLACE, how_to_give
from benchmarks.ingest import folders, large, many
from benchmarks.speed.machine import ROOT, commit, machine
from benchmarks.speed.report import table
from sourcebook import Settings
from sourcebook.assembly import make_embedder
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    from benchmarks.ingest.folders import FolderFacts

RESULTS = ROOT / "benchmarks" / "results"
SAMPLE = ROOT / "sample"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.ingest", description=__doc__)
    made.add_argument(
        "--documents",
        type=Path,
        default=DOCUMENTS,
        help=f"a folder of folders of documents (documents in {PLACE})",
    )
    made.add_argument("--folders", nargs="+", metavar="NAME", help="only these of them")
    made.add_argument("--rounds", type=int, default=1, help="how often each folder is added to a new base")
    made.add_argument("--files", type=int, default=50_000, help="how many small files; 0 for none")
    made.add_argument("--out", type=Path, default=RESULTS)
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    chosen = [
        folder
        for folder in _folders(given.documents)
        if given.folders is None or folder.name in given.folders
    ]
    # As an installed package is: else each process that reads files would compile what it imports.
    compileall.compile_dir(ROOT / "src", quiet=1)
    report: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": dict(machine()),
        "folders": anyio.run(_measure, chosen, given.rounds),
        "many": _many(given.files) if given.files else None,
        "large": {kind: _large(kind) for kind in ("pdf", "xlsx")},
    }
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / f"ingest-{report['date']}.md"
    path.with_suffix(".json").write_text(json.dumps(report, ensure_ascii=False, indent=2) + "\n", "utf-8")
    path.write_text(as_markdown(report), "utf-8")
    print(path)
    return 0


def _folders(documents: Path) -> list[Path]:
    """Those that were given; the sample if there are none."""
    if documents.is_dir():
        return [folder for folder in sorted(documents.glob("*")) if folder.is_dir()]
    tell(f"There is no folder {documents}, so the sample is added. {how_to_give('--documents')}")
    return [SAMPLE]


async def _measure(chosen: Sequence[Path], rounds: int) -> dict[str, FolderFacts]:
    embedder = make_embedder(Settings())
    if embedder is None:
        raise ValueError("there is no embedder")
    await embedder.embed(["."], TextRole.PASSAGE)
    facts: dict[str, FolderFacts] = {}
    for folder in chosen:
        with tempfile.TemporaryDirectory(prefix="sourcebook-ingest-") as place:
            facts[folder.name] = await folders.measure(folder, Path(place), embedder, rounds)
        tell(f"{folder.name}: {facts[folder.name]['ratio_wall']:.2f} × the embedder alone")
    return facts


def _many(count: int) -> many.ManyFacts:
    with (
        tempfile.TemporaryDirectory(prefix="sourcebook-ingest-") as place,
        ProcessPoolExecutor(1, get_context("spawn")) as child,
    ):
        facts = child.submit(many.measure, place, count).result()
    tell(f"{count} files: {facts['mb_at_most']} MB at most")
    return facts


def _large(kind: str) -> large.LargeFacts:
    with ProcessPoolExecutor(1, get_context("spawn")) as child:
        facts = child.submit(large.measure, kind).result()
    tell(f"large {kind}: {facts['items_per_cpu_second']:.0f} a second")
    return facts


def as_markdown(report: dict[str, Any]) -> str:
    found: dict[str, FolderFacts] = report["folders"]
    parts = [
        f"# Keeping a base equal to a folder, {report['date']}",
        f"Commit {report['commit']}; {report['machine']['cpu']}, {report['machine']['cores']} cores.",
        *_beside_the_embedder(found),
        *_added_again(found),
        *_large_files(report.get("large", {})),
        *(_many_files(report["many"]) if report["many"] else ()),
    ]
    return "\n\n".join(parts) + "\n"


def _beside_the_embedder(found: dict[str, FolderFacts]) -> list[str]:
    return [
        "## Beside the embedder alone",
        "The same texts, in the same order, embedded without parsing, cutting and writing. CPU time is that of all"
        " threads and of the children that read the files. Of a folder that was added several times, each time right"
        " before the embedder alone, the ratio is the median, with the least and the greatest in brackets, and the"
        " seconds are the mean.",
        table(
            ("folder", "files", "texts", "embedder s", "add s", "ratio", "ratio of CPU time", "not read"),
            [
                (
                    name,
                    str(one["files"]),
                    str(one["texts"]),
                    str(one["alone"]["wall_s"]),
                    str(one["add"]["wall_s"]),
                    _with_spread(one["ratios_wall"]),
                    _with_spread(one["ratios_cpu"]),
                    ", ".join(f"{f['path']}: {f['code']}" for f in one["failed"]) or "–",
                )
                for name, one in [*found.items(), *_sum(found)]
            ],
        ),
    ]


def _added_again(found: dict[str, FolderFacts]) -> list[str]:
    return [
        "## Added again",
        "Seconds, and in brackets how many texts were embedded, and what `add` reported.",
        table(
            ("folder", "first", "unchanged", "× faster", "all touched", "one renamed", "one edited"),
            [
                (
                    name,
                    str(one["add"]["wall_s"]),
                    _again(one["unchanged"]),
                    f"{one['add']['wall_s'] / max(one['unchanged']['wall_s'], 0.001):.0f}",
                    *(_again(one[kind]) for kind in ("touched", "renamed", "edited")),
                )
                for name, one in found.items()
            ],
        ),
    ]


def _large_files(large: dict[str, Any]) -> list[str]:
    return [
        "## One large file",
        "CPU time and memory are those of the process that reads it.",
        table(
            ("file", "pages or rows", "CPU s", "a CPU second", "MB at most"),
            [
                (
                    kind,
                    f"{one['items']:,}",
                    f"{one['cpu']:.1f}",
                    f"{one['items_per_cpu_second']:,.0f}",
                    f"{one['memory'] / 1_000_000:.0f}",
                )
                for kind, one in large.items()
            ],
        ),
    ]


def _many_files(facts: many.ManyFacts) -> list[str]:
    marks = ", ".join(f"{count}: {size:.0f}" for count, size in facts["mb_after"].items())
    return [
        f"## {facts['files']} small files",
        f"First {facts['first_s']} s, again {facts['again_s']} s, with an embedder that costs next to nothing."
        f" Memory in MB: {facts['mb_before']:.0f} before, {facts['mb_at_most']:.0f} at most"
        f" ({facts['mb_at_most_again']:.0f} the second time); after so many files: {marks}.",
    ]


def _sum(found: dict[str, FolderFacts]) -> list[tuple[str, Any]]:
    """All folders as one, if there are several."""
    if len(found) < 2:
        return []
    spent = {
        side: {unit: round(sum(one[side][unit] for one in found.values()), 1) for unit in ("wall_s", "cpu_s")}
        for side in ("alone", "add")
    }
    return [
        (
            "all",
            {
                "files": sum(one["files"] for one in found.values()),
                "texts": sum(one["texts"] for one in found.values()),
                **spent,
                "ratios_wall": [spent["add"]["wall_s"] / spent["alone"]["wall_s"]],
                "ratios_cpu": [spent["add"]["cpu_s"] / spent["alone"]["cpu_s"]],
                "failed": [],
            },
        )
    ]


def _with_spread(ratios: Sequence[float]) -> str:
    if len(ratios) == 1:
        return f"{ratios[0]:.2f}"
    return f"{median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def _again(one: folders.Again | None) -> str:
    if one is None:
        return "–"
    told = ", ".join(f"{count} {name}" for name, count in one["report"].items() if count)
    return f"{one['wall_s']} ({one['embedded']}; {told})"


if __name__ == "__main__":
    raise SystemExit(main())
