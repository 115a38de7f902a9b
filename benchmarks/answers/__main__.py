"""`python -m benchmarks.answers`: are answers right and short, and is what is not there declined?

Writes a dated result and says where. The `test` half is for the last measure: nothing may be chosen by its figures, and
its questions and answers are not looked at while building.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from benchmarks.answers.questions import FOLDER, SETS, folder_of, read_questions
from benchmarks.answers.report import row, rows_by, store, store_answers, tables
from benchmarks.answers.run import Bench
from benchmarks.data import DOCUMENTS, PLACE, how_to_give
from benchmarks.speed.machine import ROOT, commit, machine

if TYPE_CHECKING:
    from benchmarks.answers.report import Report
    from benchmarks.answers.run import Outcome

RESULTS = ROOT / "benchmarks" / "results"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=__doc__)
    made.add_argument(
        "--documents",
        type=Path,
        default=DOCUMENTS,
        metavar="FOLDER",
        help=f"the folder of document folders (documents in {PLACE})",
    )
    made.add_argument("--set", choices=SETS, default="dev", help="which questions")
    made.add_argument(
        "--conversation",
        action="store_true",
        help="ask the questions of a folder one after the other, in a conversation",
    )
    made.add_argument(
        "--together",
        action="store_true",
        help="ask one base of all folders that the questions are about, as if somebody had added them all",
    )
    made.add_argument("--folders", nargs="+", metavar="NAME", help="only the questions about these")
    made.add_argument(
        "--limit", type=int, help="only so many questions of each folder; the result is not kept"
    )
    made.add_argument(
        "--work",
        type=Path,
        default=Path(tempfile.gettempdir()) / "sourcebook-answers",
        metavar="FOLDER",
        help="where bases are kept between runs, and where the answers go",
    )
    made.add_argument(
        "--fresh",
        action="store_true",
        help="make the bases anew: after a change of how texts are read or cut",
    )
    made.add_argument(
        "--out", type=Path, help="where the result goes (benchmarks/results; limited: the work)"
    )
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    questions = read_questions(FOLDER / f"{given.set}.jsonl")
    if given.folders:
        questions = [question for question in questions if question.folder in given.folders]
    missing = sorted(
        {
            question.folder
            for question in questions
            if not folder_of(question.folder, given.documents).is_dir()
        }
    )
    if missing:
        tell(
            f"There is no folder {', '.join(missing)} in {given.documents}: their questions are left out."
            f" {how_to_give('--documents')}"
        )
    questions = [question for question in questions if question.folder not in missing]
    if not questions:
        tell("There is nothing to ask.")
        return 2
    if given.limit is not None:
        questions = [
            question
            for folder in dict.fromkeys(question.folder for question in questions)
            for question in [other for other in questions if other.folder == folder][: given.limit]
        ]
    if given.fresh:
        shutil.rmtree(given.work / "bases", ignore_errors=True)
    given.work.mkdir(parents=True, exist_ok=True)
    bench = Bench(given.documents.resolve(), given.work.resolve(), tell, given.conversation, given.together)
    outcomes = anyio.run(bench.outcomes, questions)
    how = [name for name in ("conversation", "together") if getattr(given, name)]
    name = "-".join([given.set, *how])
    answers = given.work / f"answers-{name}.jsonl"
    store_answers(outcomes, answers)
    report = _report(name, outcomes, missing)
    print(tables("language", {**report["by_language"], "all": report["all"]}))
    print(tables("folder", report["by_folder"]))
    print(store(report, given.out or (given.work if given.limit is not None else RESULTS)))
    print(answers)
    return 0


def _report(name: str, outcomes: Sequence[Outcome], left_out: Sequence[str]) -> Report:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": dict(machine()),
        "set": name,
        "folders_left_out": list(left_out),
        "all": row(outcomes),
        "across": row([outcome for outcome in outcomes if outcome.question.is_across]),
        "by_language": rows_by(outcomes, lambda outcome: outcome.question.language),
        "by_folder": rows_by(outcomes, lambda outcome: outcome.question.folder),
        "by_kind": rows_by(outcomes, lambda outcome: outcome.question.kind),
    }


if __name__ == "__main__":
    raise SystemExit(main())
