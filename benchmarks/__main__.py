"""`python -m benchmarks`: everything that is measured, one after the other; then tables and plots of what was found.

Each part writes a dated result of its own, as it does alone. A part whose data or libraries are not there is left out
and named, and one that fails does not stop the others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from benchmarks.plots import draw
from benchmarks.speed.machine import ROOT, commit, machine
from benchmarks.speed.report import table

RESULTS = ROOT / "benchmarks" / "results"
DATA = ROOT.parent / "shared" / "data"
_ENGINES = (
    "chromadb",
    "lancedb",
    "milvus_lite",
    "qdrant_client",
    "qdrant_edge",
    "sqlite_vec",
    "tantivy",
    "txtai",
)
_BY_HAND = "txtai"


@dataclass(frozen=True, slots=True)
class Part:
    """A benchmark: what it measures, its words, those of a smoke test, and which folder of the data it needs."""

    name: str
    what: str
    module: str
    words: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    needs: str | None = None
    option: str = "--data"

    def command(self, data: Path, out: Path, is_quick: bool) -> list[str]:
        given = [self.option, str(data / self.needs)] if self.needs else []
        return [
            sys.executable, "-m", self.module, *given, *(self.quick if is_quick else self.words), "--out", str(out),
        ]  # fmt: skip


PARTS = (
    Part("ingest", "adding folders of documents, beside the embedder alone", "benchmarks.ingest",
         ("--files", "12000"), ("--files", "200", "--folders", "docx-ru"), "documents", "--documents"),
    Part("speed", "search, filters, words, hybrid: time, recall, memory, disk, beside other engines",
         "benchmarks.speed", (), ("--quick", "--model-vectors", "0")),
    Part("stacks", "indexing and asking end to end, beside whole stacks", "benchmarks.stacks", (), ("--quick",),
         "retrieval"),
    Part("quality", "how well public sets are found", "benchmarks.quality", (), ("--quick",), "retrieval"),
    Part("answers", "whether answers are right, and declined where there is none", "benchmarks.answers", (),
         ("--limit", "1"), "documents", "--documents"),
)  # fmt: skip


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [part.name for part in PARTS]
    made.add_argument("--only", action="append", choices=names, help="this part (may be repeated)")
    made.add_argument("--data", type=Path, default=DATA, help="the folder with documents/ and retrieval/")
    made.add_argument(
        "--quick", action="store_true", help="a smoke test of every part; its results are not kept"
    )
    made.add_argument("--plots", action="store_true", help="only draw what the newest results hold")
    made.add_argument("--out", type=Path, help="where the results go (benchmarks/results)")
    return made


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    quick_folder = Path(tempfile.gettempdir()) / "sourcebook-benchmarks"
    out: Path = (given.out or (quick_folder if given.quick else RESULTS)).resolve()
    out.mkdir(parents=True, exist_ok=True)
    wanted = [] if given.plots else [part for part in PARTS if given.only is None or part.name in given.only]
    if wanted:
        _tell_what_is_missing()
    ran = list(_run_all(wanted, given.data.resolve(), out, given.quick))
    drawn = draw(out, out / "plots")
    page = out / f"benchmarks-{datetime.now(UTC).date().isoformat()}.md"
    page.write_text(_overview(ran, drawn, out), "utf-8")
    print(page)
    return 0 if all(outcome != "failed" for _, outcome, _ in ran) else 1


def _tell_what_is_missing() -> None:
    missing = [name for name in _ENGINES if find_spec(name) is None]
    if missing:
        _tell(f"Not installed, so their rows will say so: {', '.join(missing)}.")
    if set(missing) - {_BY_HAND}:
        _tell("`make bench` installs the rest.")
    if _BY_HAND in missing:
        _tell(
            f"{_BY_HAND} brings six gigabytes along, so you install it: `.venv/bin/pip install {_BY_HAND}`."
        )


def _run_all(
    parts: Sequence[Part], data: Path, out: Path, is_quick: bool
) -> Iterator[tuple[Part, str, float]]:
    for part in parts:
        if part.needs and not (data / part.needs).is_dir():
            _tell(f"{part.name}: left out, there is no folder {data / part.needs}")
            yield part, "left out: no data", 0.0
            continue
        _tell(f"{part.name}: {part.what}")
        began = time.monotonic()
        done = subprocess.run(part.command(data, out, is_quick), cwd=ROOT, check=False)  # noqa: S603 - own words
        yield part, "failed" if done.returncode else "measured", time.monotonic() - began


def _overview(ran: Sequence[tuple[Part, str, float]], drawn: Sequence[tuple[Path, str]], out: Path) -> str:
    facts = machine()
    parts = [
        f"# All benchmarks, {datetime.now(UTC).date().isoformat()}",
        f"Commit {commit()}; {facts['cpu']}, {facts['cores']} cores, {facts['ram_gb']} GB.",
    ]
    if ran:
        rows = [(part.name, part.what, outcome, f"{seconds:.0f}") for part, outcome, seconds in ran]
        parts.append(table(("part", "what it measures", "", "seconds"), rows))
    for path, title in drawn:
        parts += [f"## {title}", f"![{title}]({path.relative_to(out).as_posix()})"]
    return "\n\n".join(parts) + "\n"


def _tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
