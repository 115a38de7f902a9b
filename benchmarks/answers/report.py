"""The figures as JSON and tables, and every answer on a line of its own, for a person to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from benchmarks.answers.judge import CONCISE, Verdict
from benchmarks.speed.report import table

if TYPE_CHECKING:
    from benchmarks.answers.run import Outcome


class Row(TypedDict):
    """Counts. `concise` are those of the right answers that are.

    `right_beside_wrong` and `quoted_by_decline`: wrong answers and declines with the right one beside them.
    """

    answerable: int
    right: int
    concise: int
    wrong: int
    right_beside_wrong: int
    wrongly_declined: int
    quoted_by_decline: int
    unanswerable: int
    wrongly_answered: int


class Report(TypedDict):
    date: str
    commit: str
    machine: dict[str, Any]
    set: str
    folders_left_out: Sequence[str]
    all: Row
    across: Row
    by_language: dict[str, Row]
    by_folder: dict[str, Row]
    by_kind: dict[str, Row]


def row(outcomes: Sequence[Outcome]) -> Row:
    def count(verdict: Verdict) -> int:
        return sum(outcome.verdict is verdict for outcome in outcomes)

    def beside(verdict: Verdict) -> int:
        return sum(outcome.verdict is verdict and outcome.is_beside for outcome in outcomes)

    return {
        "answerable": sum(outcome.question.is_answerable for outcome in outcomes),
        "right": count(Verdict.RIGHT),
        "concise": sum(outcome.is_concise for outcome in outcomes),
        "wrong": count(Verdict.WRONG),
        "right_beside_wrong": beside(Verdict.WRONG),
        "wrongly_declined": count(Verdict.WRONGLY_DECLINED),
        "quoted_by_decline": beside(Verdict.WRONGLY_DECLINED),
        "unanswerable": sum(not outcome.question.is_answerable for outcome in outcomes),
        "wrongly_answered": count(Verdict.WRONGLY_ANSWERED),
    }


def rows_by(outcomes: Sequence[Outcome], of: Callable[[Outcome], str]) -> dict[str, Row]:
    """One row for each value, in the order of the alphabet."""
    return {
        name: row([outcome for outcome in outcomes if of(outcome) == name])
        for name in sorted({of(outcome) for outcome in outcomes})
    }


def store(report: Report, folder: Path) -> Path:
    """Write both files, dated, and return the path of the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"answers-{report['set']}-{report['date']}.md"
    path.with_suffix(".json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    path.write_text(as_markdown(report), "utf-8")
    return path


def store_answers(outcomes: Sequence[Outcome], path: Path) -> None:
    """One answer a line. They quote the documents, so they stay out of the repository."""
    lines = [json.dumps(_line(outcome), ensure_ascii=False) for outcome in outcomes]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _line(outcome: Outcome) -> dict[str, Any]:
    question = outcome.question
    return {
        "id": question.id,
        "verdict": outcome.verdict.value,
        "concise": outcome.is_concise,
        "length": outcome.length,
        "folder": question.folder,
        "language": question.language,
        "kind": question.kind,
        "question": question.text,
        "accept": question.accept,
        "spans": [{"document": span.document, "span": span.span} for span in question.answers],
        "why": question.why,
        "tier": outcome.tier.value,
        "answer": outcome.answer,
        "beside": list(outcome.beside),
        "citations": [{"document": c.document_path, "quote": c.quote} for c in outcome.citations],
    }


def as_markdown(report: Report) -> str:
    machine, left_out = report["machine"], report["folders_left_out"]
    parts = [
        f"# Answers to the {report['set']} questions, {report['date']}",
        f"Commit {report['commit']}; {machine['cpu']}, {machine['cores']} cores, Python {machine['python']}."
        " No chat model.",
        "Right: the answer contains the words that answer. Concise: right, and at most"
        f" {CONCISE} characters. Wrongly answered: of the questions that the folder does not answer, those that were"
        " not declined. Right one beside: a wrong answer names the right one as another that may be right. Answer"
        " quoted: a wrong decline quotes it as closest. Both in per cent of the answerable ones.",
        *([f"Without the questions about {', '.join(left_out)}, which were not there."] if left_out else []),
        "## By language",
        tables("language", {**report["by_language"], "all": report["all"]}),
        "Of these, asked in another language than the documents':",
        tables("", {"across languages": report["across"]}),
        "## By folder",
        tables("folder", report["by_folder"]),
        "## By kind",
        tables("kind", report["by_kind"]),
    ]
    return "\n\n".join(parts) + "\n"


def tables(what: str, rows: Mapping[str, Row]) -> str:
    heads = (
        what,
        "answerable",
        "right",
        "right and concise",
        "wrong",
        "right one beside",
        "wrongly declined",
    )
    heads += ("answer quoted",)
    heads += ("unanswerable", "wrongly answered")
    return table(heads, [_cells(name, values) for name, values in rows.items()])


def _cells(name: str, values: Row) -> Sequence[str]:
    answerable, unanswerable = values["answerable"], values["unanswerable"]
    return (
        name,
        str(answerable),
        _share(values["right"], answerable),
        _share(values["concise"], answerable),
        _share(values["wrong"], answerable),
        _share(values["right_beside_wrong"], answerable),
        _share(values["wrongly_declined"], answerable),
        _share(values["quoted_by_decline"], answerable),
        str(unanswerable),
        _share(values["wrongly_answered"], unanswerable),
    )


def _share(count: int, of: int) -> str:
    return f"{count} ({count / of:.0%})" if of else "–"
