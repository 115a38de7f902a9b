"""`python -m benchmarks.year`: a simulated year of questions; writes a dated result and says where."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import anyio

from benchmarks.data import DATA, PLACE, how_to_give
from benchmarks.speed.machine import ROOT, commit, machine
from benchmarks.year.cases import ANSWERED_BY, OUTSIDE, Wish, of_sample, of_texts, outside
from benchmarks.year.report import Report, spans, store
from benchmarks.year.run import Year
from sourcebook import AsyncSourcebook, Settings
from sourcebook.retrieve.evaluation.question_sets import read_records

RESULTS = ROOT / "benchmarks" / "results"
SAMPLE = ROOT / "sample"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.year", description=__doc__)
    made.add_argument("--data", type=Path, default=DATA, help=f"the folder with retrieval/ ({PLACE})")
    made.add_argument("--questions", type=int, default=3000, help="how many are asked in the year (3000)")
    made.add_argument("--texts", type=int, default=420, help="how many different ones about the texts (420)")
    made.add_argument("--outside", type=int, default=80, help="how many that nothing answers (80)")
    made.add_argument("--seed", type=int, default=8, help="for chance (8)")
    made.add_argument("--out", type=Path, default=RESULTS, help="where the result goes")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = parser().parse_args(arguments)
    for name in (ANSWERED_BY, OUTSIDE):
        if not (chosen.data / "retrieval" / name).is_dir():
            print(f"There is no retrieval/{name} in {chosen.data}. {how_to_give('--data')}", file=sys.stderr)
            return 2
    chance = random.Random(chosen.seed)  # noqa: S311 - a simulation, and the same every time
    wishes: list[Wish] = [
        *of_texts(chosen.data / "retrieval" / ANSWERED_BY, chosen.texts, chance),
        *outside(chosen.data / "retrieval" / OUTSIDE, chosen.outside, chance),
        *of_sample(SAMPLE / "question_pairs.csv"),
    ]
    chance.shuffle(wishes)
    with tempfile.TemporaryDirectory(prefix="sourcebook-year-") as place:
        report = anyio.run(_lived, Path(place), wishes, chance, chosen)
    print(store(report, chosen.out))
    return 0


async def _lived(
    place: Path, wishes: Sequence[Wish], chance: random.Random, chosen: argparse.Namespace
) -> Report:
    began = time.monotonic()
    async with AsyncSourcebook(settings=Settings(db=str(place / "base.db"))) as book:
        for record in read_records(chosen.data / "retrieval" / ANSWERED_BY):
            await book.add_text(record.text, id=record.id, title=record.title, metadata={"id": record.id})
        await book.add(SAMPLE / "documents")
        documents = len(await book.documents())
        year = Year(book, wishes, chance, chosen.questions)
        await year.run(_told)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": dict(machine()),
        "documents": documents,
        "wishes": dict(Counter(wish.name.partition(":")[0] for wish in wishes)),
        "seconds": round(time.monotonic() - began, 1),
        "decisions": year.decisions,
        **spans(year.asked, year.weeks),
    }


def _told(day: int, days: int) -> None:
    if not sys.stderr.isatty():
        return
    end = "\n" if day == days else ""
    print(f"\rday {day} of {days}", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
