"""`python -m benchmarks.declining`: what is answered and what is declined; writes a dated result and says where."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import anyio
import numpy as np

from benchmarks.data import DATA, PLACE, how_to_give
from benchmarks.declining.cases import (
    CHOSEN_ON,
    MEASURED_ON,
    REGISTER,
    of_register,
    of_retrieval_set,
)
from benchmarks.declining.curated import (
    OWN_PAIRS,
    measured,
    neighbours,
    read_pairs,
    taken_among,
    with_look_alikes,
)
from benchmarks.declining.curve import best_threshold, curve, point, told_apart
from benchmarks.declining.first_event import event_times
from benchmarks.declining.report import Report, SetRow, store
from benchmarks.declining.run import asked
from benchmarks.quality.run import Bench
from benchmarks.speed.machine import ROOT, commit, machine
from sourcebook.model.answer_thresholds import facts_of
from sourcebook.ports.providers import TextRole
from sourcebook.retrieve.evaluation.question_sets import read_queries

if TYPE_CHECKING:
    from benchmarks.declining.curated import CuratedRow
    from benchmarks.declining.first_event import EventTimes
    from benchmarks.declining.run import Outcome
    from sourcebook.ports.providers import Embedder

RESULTS = ROOT / "benchmarks" / "results"
_QUESTIONS = 400
_DOCUMENTS = 3_000
_EVENT_SET = "rurag-para-dev"
_EVENT_DOCUMENTS = 10_000
_EVENT_QUESTIONS = 160
_NEAREST = 5


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.declining", description=__doc__)
    made.add_argument(
        "--data", type=Path, default=DATA, help=f"the folder with retrieval/ and documents/ ({PLACE})"
    )
    made.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "sourcebook-quality")
    made.add_argument(
        "--quick", action="store_true", help="60 questions and 150 texts a set, no times; not kept"
    )
    made.add_argument("--no-events", action="store_true", help="without the time until the first word")
    made.add_argument("--out", type=Path, help="where the result goes (benchmarks/results; quick: the cache)")
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    if not (given.data / "retrieval").is_dir():
        tell(f"There is no folder retrieval in {given.data}. {how_to_give('--data')}")
        return 2
    given.cache.mkdir(parents=True, exist_ok=True)
    report = anyio.run(_measured, given)
    print(store(report, given.out or (given.cache / "results" if given.quick else RESULTS)))
    return 0


async def _measured(given: argparse.Namespace) -> Report:
    embedder = Bench(given.cache.resolve(), None, tell).embedder("default")
    questions, documents = (60, 150) if given.quick else (_QUESTIONS, _DOCUMENTS)
    sure = facts_of(embedder.model.name).acceptance.sure_similarity
    outcomes: dict[str, Sequence[Outcome]] = {}
    rows: dict[str, SetRow] = {}
    for name in (*CHOSEN_ON, *MEASURED_ON, REGISTER):
        folder = given.data / ("documents" if name == REGISTER else "retrieval") / name
        cases = of_register(folder) if name == REGISTER else of_retrieval_set(folder, questions, documents)
        chunks, outcomes[name] = await asked(cases, embedder, tell)
        rows[name] = _row(chunks, outcomes[name], sure)
        tell(f"{name}: answered {rows[name]['answered']:.1%}, declined {rows[name]['declined']:.1%}")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": dict(machine()),
        "chosen_on": {name: rows[name] for name in CHOSEN_ON},
        "measured_on": {name: rows[name] for name in (*MEASURED_ON, REGISTER)},
        "best_on_chosen": best_threshold({name: outcomes[name] for name in CHOSEN_ON}, sure),
        "curated": await _curated(given.data / "retrieval", embedder),
        "events": None
        if given.quick or given.no_events
        else await _events(given.data / "retrieval", embedder),
    }


def _row(chunks: int, outcomes: Sequence[Outcome], sure: float) -> SetRow:
    now = point(outcomes, 0.0, sure)
    known = [outcome.holds_answer for outcome in outcomes if outcome.holds_answer is not None]
    return {
        "chunks": chunks,
        "answerable": sum(outcome.is_answerable for outcome in outcomes),
        "unanswerable": sum(not outcome.is_answerable for outcome in outcomes),
        "answered": round(now.answered, 4),
        "declined": round(now.declined, 4),
        "told_apart": round(told_apart(outcomes), 4),
        "holds_answer": round(fmean(known), 4) if known else None,
        "curve": [(p.threshold, round(p.answered, 4), round(p.declined, 4)) for p in curve(outcomes, sure)],
    }


async def _curated(data: Path, embedder: Embedder) -> dict[str, CuratedRow]:
    sample = read_pairs(ROOT / "sample" / "question_pairs.csv")
    found = {
        "sample": await measured(sample, embedder),
        "sample, and other crops by script": await measured(with_look_alikes(sample), embedder),
        "other subjects": await measured(read_pairs(OWN_PAIRS), embedder),
    }
    for name in ("xquad-en", "xquad-ru", "faquad-pt", "rurag-para-dev"):
        questions = sorted({question.text for question in read_queries(data / name)})
        vectors = await embedder.embed(questions, TextRole.QUESTION)
        near = neighbours(questions, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), _NEAREST)
        found[f"{name}, nearest other questions"] = await taken_among(near, embedder)
    return found


async def _events(data: Path, embedder: Embedder) -> EventTimes:
    cases = of_retrieval_set(data / _EVENT_SET, _EVENT_QUESTIONS, _EVENT_DOCUMENTS)
    tell(f"{len(cases.records)} documents for the first word")
    return await event_times(cases, embedder)


if __name__ == "__main__":
    raise SystemExit(main())
