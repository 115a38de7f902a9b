"""The figures as JSON, for programs, and as tables, for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from benchmarks.speed.report import table

if TYPE_CHECKING:
    from benchmarks.declining.curated import CuratedRow
    from benchmarks.declining.first_event import EventTimes


class SetRow(TypedDict):
    """One set at the threshold of the product, and the whole curve: threshold, answered, declined."""

    chunks: int
    answerable: int
    unanswerable: int
    answered: float
    declined: float
    told_apart: float
    holds_answer: float | None
    curve: list[tuple[float, float, float]]


class Report(TypedDict):
    date: str
    commit: str
    machine: dict[str, Any]
    chosen_on: dict[str, SetRow]
    measured_on: dict[str, SetRow]
    best_on_chosen: float
    curated: dict[str, CuratedRow]
    events: EventTimes | None


def store(report: Report, folder: Path) -> Path:
    """Write both files, dated, and return the path of the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"declining-{report['date']}.md"
    path.with_suffix(".json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    path.write_text(as_markdown(report), "utf-8")
    return path


def as_markdown(report: Report) -> str:
    machine = report["machine"]
    asked = sum(row["answerable"] + row["unanswerable"] for row in report["measured_on"].values())
    parts = [
        f"# What is declined, {report['date']}",
        f"Commit {report['commit']}; {machine['cpu']}, {machine['cores']} cores, Python {machine['python']}.",
        "Half of the documents that answer a question are taken out of each set; questions that lost all of theirs have"
        " no answer in the base. Their neighbours stay: other parts of the same article, the same people and places."
        " `docx-ru` has ten questions that its document answers and ten that it does not. No chat model.",
        f"## Measured on {asked} questions",
        _sets(report["measured_on"]),
        "`told apart`: of two questions, one with an answer and one without, how often the one with an answer finds"
        " something closer. `answer in quote`: of the answered, the share whose cited quote holds the words of the"
        " answer.",
        "## The sets on which the threshold was chosen",
        f"Best balanced there: {report['best_on_chosen']:+.1f} from the threshold of the product.",
        _sets(report["chosen_on"]),
        "## The curve",
        "Answered of the answerable / declined of the unanswerable, by how far the threshold is moved.",
        _curves(report["measured_on"]),
        "## Curated answers",
        _curated(report["curated"]),
        "Where nobody said which pairs ask the same, those that were taken are listed in the JSON file, to be read.",
        *_events(report["events"]),
    ]
    return "\n\n".join(parts) + "\n"


def _sets(rows: Mapping[str, SetRow]) -> str:
    heading = (
        "set",
        "chunks",
        "answerable",
        "unanswerable",
        "answered",
        "declined",
        "told apart",
        "answer in quote",
    )
    lines = [
        (
            name,
            str(row["chunks"]),
            str(row["answerable"]),
            str(row["unanswerable"]),
            f"{row['answered']:.1%}",
            f"{row['declined']:.1%}",
            f"{row['told_apart']:.3f}",
            "" if row["holds_answer"] is None else f"{row['holds_answer']:.1%}",
        )
        for name, row in rows.items()
    ]
    return table(heading, lines)


def _curves(rows: Mapping[str, SetRow]) -> str:
    moved = (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5)
    lines: list[Sequence[str]] = []
    for name, row in rows.items():
        at = {threshold: f"{answered:.0%} / {declined:.0%}" for threshold, answered, declined in row["curve"]}
        lines.append((name, *(at[step] for step in moved)))
    return table(("set", *(f"{step:+.1f}" for step in moved)), lines)


def _curated(rows: Mapping[str, CuratedRow]) -> str:
    lines = [
        (
            name,
            str(row["pairs"]),
            str(row["same"]),
            str(row["hits"]),
            "" if row["wrong"] is None else str(row["wrong"]),
            "" if row["precision"] is None else f"{row['precision']:.3f}",
            f"{row['coverage']:.1%}" if row["same"] else "",
        )
        for name, row in rows.items()
    ]
    return table(("pairs of", "pairs", "ask the same", "hits", "wrong", "precision", "coverage"), lines)


def _events(times: EventTimes | None) -> list[str]:
    if times is None:
        return []
    rows = [
        ("until passages are found", f"{times['found_p50']}", f"{times['found_p95']}"),
        ("from there to the first word, quoted", f"{times['quoted_p50']}", f"{times['quoted_p95']}"),
        (
            "from there to the first word of an instant model",
            f"{times['written_p50']}",
            f"{times['written_p95']}",
        ),
    ]
    return [
        "## The first word",
        f"{times['documents']} documents, {times['passages']} passages and children, {times['questions']} questions,"
        f" {times['answered']} answered; milliseconds.",
        table(("", "p50", "p95"), rows),
    ]
