"""The figures as JSON, for programs, and as tables, for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from benchmarks.speed.report import table

if TYPE_CHECKING:
    from benchmarks.paraphrases.measure import Row, Without


class Report(TypedDict):
    date: str
    commit: str
    machine: dict[str, Any]
    command: str
    model: str
    pairs: list[Row]
    without: list[Without]


def store(report: Report, folder: Path) -> Path:
    """Write both files, dated, and return the path of the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"paraphrases-{report['date']}.md"
    path.with_suffix(".json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    path.write_text(as_markdown(report), "utf-8")
    return path


def as_markdown(report: Report) -> str:
    parts = [
        f"# The same question in other words, {report['date']}",
        f"Commit {report['commit']}; `{report['command']}`; model {report['model']}.",
        "Curated are all questions of the pairs of a language, and one question for each document of a public set. A"
        " paraphrase is `taken` if its approved answer is given, `found` if it is given or offered.",
        _pairs(report["pairs"]),
        "Rules and word lists were made with `build` and half of `qald`. `held-out` is not quite unseen: one author"
        " wrote pairs and lists, and the distance for offers was chosen with all pairs and the questions below.",
        "## Questions without an approved answer",
        "Other questions that the same documents answer. Some of them do ask what a curated one asks.",
        _without(report["without"]),
    ]
    return "\n\n".join(parts) + "\n"


def _pairs(rows: list[Row]) -> str:
    heads = (
        "language",
        "part",
        "paraphrases",
        "taken",
        "found",
        "wrong taken",
        "look-alikes",
        "offered",
        "contradictions",
        "offered",
    )
    lines = [
        (
            row["language"],
            row["part"],
            str(row["paraphrases"]),
            _share(row["taken"], row["paraphrases"]),
            _share(row["found"], row["paraphrases"]),
            str(row["wrong"]),
            str(row["look_alikes"]),
            _share(row["look_alikes_offered"], row["look_alikes"]),
            str(row["contradicting"]),
            str(row["contradicting_offered"]),
        )
        for row in rows
    ]
    return table(heads, lines)


def _without(rows: list[Without]) -> str:
    lines = [
        (
            row["language"],
            str(row["questions"]),
            _share(row["taken"], row["questions"]),
            _share(row["offered"], row["questions"]),
        )
        for row in rows
    ]
    return table(("language", "questions", "something taken", "something offered"), lines)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else ""
