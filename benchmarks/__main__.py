"""`python -m benchmarks`: everything that is measured, one after the other; then tables and plots of what was found.

Each part writes a dated result of its own, as it does alone. A part whose data is not there is left out and named, and
one that fails does not stop the others: it is named at the end, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from benchmarks.charts import draw
from benchmarks.data import DATA, PLACE, how_to_give
from benchmarks.parts import PARTS, Part
from benchmarks.speed.machine import ROOT, commit, machine
from benchmarks.speed.report import table

RESULTS = ROOT / "benchmarks" / "results"
QUICK = "A quick run: every part on small sizes, to see that it runs. Its figures are not for publishing."
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
class Outcome:
    """What became of a part. `lacking` names the folders without which it was left out."""

    part: Part
    seconds: float = 0.0
    is_failed: bool = False
    lacking: Sequence[str] = ()

    @property
    def told(self) -> str:
        if self.lacking:
            return f"left out: no {', '.join(self.lacking)}"
        return "**failed**" if self.is_failed else "measured"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [part.name for part in PARTS]
    made.add_argument("--only", action="append", choices=names, help="this part (may be repeated)")
    made.add_argument(
        "--data", type=Path, default=DATA, help=f"the folder with documents/ and retrieval/ ({PLACE})"
    )
    made.add_argument(
        "--quick",
        action="store_true",
        help="every part on small sizes, to see that it runs; never among the published results",
    )
    made.add_argument("--plots", action="store_true", help="only draw what the newest results hold")
    made.add_argument("--out", type=Path, help="where the results go (benchmarks/results)")
    return made


def main(words: Sequence[str] | None = None) -> int:
    asked = parser()
    given = asked.parse_args(words)
    if given.quick and given.out and given.out.resolve() == RESULTS:
        asked.error("a quick run does not go into the published results; name another folder with --out")
    out = _place(given)
    wanted = [] if given.plots else [part for part in PARTS if given.only is None or part.name in given.only]
    if wanted:
        _tell_before(given.quick)
    ran = list(_run_all(wanted, given.data.resolve(), out, given.quick))
    page = out / f"benchmarks-{datetime.now(UTC).date().isoformat()}.md"
    page.write_text(_overview(ran, draw(out, out / "plots"), out, given.quick), "utf-8")
    _tell_after(ran, given.data, given.quick)
    print(page)
    return 1 if any(outcome.is_failed for outcome in ran) else 0


def _place(given: argparse.Namespace) -> Path:
    """The folder for the results. That of quick runs is emptied, so that none is drawn from an earlier one."""
    usual = Path(tempfile.gettempdir()) / "sourcebook-benchmarks" if given.quick else RESULTS
    if given.quick and not given.out:
        shutil.rmtree(usual, ignore_errors=True)
    out: Path = (given.out or usual).resolve()
    out.mkdir(parents=True, exist_ok=True)
    return out


def _tell_before(is_quick: bool) -> None:
    if is_quick:
        _tell(QUICK)
    missing = [name for name in _ENGINES if find_spec(name) is None]
    if missing:
        _tell(f"Not installed, so their rows will say so: {', '.join(missing)}.")
    if set(missing) - {_BY_HAND}:
        _tell("`make bench` installs the rest.")
    if _BY_HAND in missing:
        _tell(
            f"{_BY_HAND} brings six gigabytes along, so you install it: `.venv/bin/pip install {_BY_HAND}`."
        )


def _tell_after(ran: Sequence[Outcome], data: Path, is_quick: bool) -> None:
    kinds = (
        ("Measured", [one.part.name for one in ran if not one.is_failed and not one.lacking]),
        ("Left out, each for what is named above", [one.part.name for one in ran if one.lacking]),
        ("Failed", [one.part.name for one in ran if one.is_failed]),
    )
    for kind, names in kinds:
        if names:
            _tell(f"{kind}: {', '.join(names)}.")
    if any(one.lacking for one in ran):
        _tell(f"What is in brackets is not in {data}. {how_to_give('--data')}")
    if is_quick and ran:
        _tell(QUICK)


def _run_all(parts: Sequence[Part], data: Path, out: Path, is_quick: bool) -> Iterator[Outcome]:
    for part in parts:
        lacking = part.lacking(data)
        if lacking:
            _tell(f"{part.name}: left out, it needs {', '.join(lacking)} in {data}")
            yield Outcome(part, lacking=lacking)
            continue
        _tell(f"{part.name}: {part.what}")
        missed = part.missed(data)
        if missed:
            _tell(f"{part.name}: without {', '.join(missed)} in {data} it {part.otherwise}")
        began = time.monotonic()
        done = subprocess.run(part.command(data, out, is_quick), cwd=ROOT, check=False)  # noqa: S603 - own words
        yield Outcome(part, time.monotonic() - began, is_failed=done.returncode != 0)


def _overview(
    ran: Sequence[Outcome], drawn: Sequence[tuple[Path, str]], out: Path, is_quick: bool = False
) -> str:
    facts = machine()
    parts = [
        f"# All benchmarks, {datetime.now(UTC).date().isoformat()}",
        *([f"**{QUICK}**"] if is_quick else []),
        f"Commit {commit()}; {facts['cpu']}, {facts['cores']} cores, {facts['ram_gb']} GB.",
    ]
    if ran:
        rows = [(one.part.name, one.part.what, one.told, f"{one.seconds:.0f}") for one in ran]
        parts.append(table(("part", "what it measures", "", "seconds"), rows))
    for path, title in drawn:
        parts += [f"## {title}", f"![{title}]({path.relative_to(out).as_posix()})"]
    return "\n\n".join(parts) + "\n"


def _tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
