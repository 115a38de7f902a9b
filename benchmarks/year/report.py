"""The year as JSON, for programs, and as tables, for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from benchmarks.year.expert import MINUTES
from sourcebook.model.chat import Tier

if TYPE_CHECKING:
    from benchmarks.year.run import Asked, WeekRow

AFTER_WEEK = 12


class Span(TypedDict):
    """Figures over several weeks."""

    questions: int
    curated: float
    documents: float
    declined: float
    wrong: float
    repeats: int
    repeats_curated: float | None
    repeats_curatable: int
    """Repeats of which an approved answer was there."""
    curatable_curated: float | None
    precision: float | None


class Spans(TypedDict):
    weeks: list[WeekRow]
    first_weeks: Span
    after: Span
    by_manner: dict[str, Span]
    by_kind: dict[str, Span]


class Report(Spans):
    date: str
    commit: str
    machine: dict[str, Any]
    documents: int
    wishes: dict[str, int]
    seconds: float
    decisions: dict[str, int]


def span(asked: Sequence[Asked]) -> Span:
    count = len(asked)
    tiers = [one.tier for one in asked]
    repeats = [one for one in asked if one.is_repeat]
    ready = [one for one in repeats if one.is_curatable]
    curated = [one for one in asked if one.tier is Tier.CURATED]
    return {
        "questions": count,
        "curated": _share(tiers.count(Tier.CURATED), count) or 0.0,
        "documents": _share(tiers.count(Tier.DOCUMENTS), count) or 0.0,
        "declined": _share(tiers.count(Tier.NONE), count) or 0.0,
        "wrong": _share(sum(not one.is_right for one in asked), count) or 0.0,
        "repeats": len(repeats),
        "repeats_curated": _share(sum(one.tier is Tier.CURATED for one in repeats), len(repeats)),
        "repeats_curatable": len(ready),
        "curatable_curated": _share(sum(one.tier is Tier.CURATED for one in ready), len(ready)),
        "precision": _share(sum(one.is_right for one in curated), len(curated)),
    }


def spans(asked: Sequence[Asked], weeks: list[WeekRow]) -> Spans:
    late = [one for one in asked if one.week > AFTER_WEEK]
    manners = sorted({one.manner for one in late})
    kinds = sorted({one.wish.partition(":")[0] for one in late})
    return {
        "weeks": weeks,
        "first_weeks": span([one for one in asked if one.week <= AFTER_WEEK]),
        "after": span(late),
        "by_manner": {manner.value: span([one for one in late if one.manner is manner]) for manner in manners}
        | {
            "words never used before": span([one for one in late if one.is_new_wording]),
            "words used before": span([one for one in late if not one.is_new_wording]),
        },
        "by_kind": {kind: span([one for one in late if one.wish.startswith(f"{kind}:")]) for kind in kinds},
    }


def store(report: Report, folder: Path) -> Path:
    """Write both files, dated, and return the path of the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"year-{report['date']}.md"
    path.with_suffix(".json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    path.write_text(as_markdown(report), "utf-8")
    return path


def as_markdown(report: Report) -> str:
    after = report["after"]
    is_reached = (after["repeats_curated"] or 0) > 0.5 and (after["precision"] or 0) >= 0.97
    minutes = ", ".join(f"{kind} {count}" for kind, count in report["decisions"].items())
    parts = [
        f"# A year of questions, {report['date']}",
        f"Commit {report['commit']}; {report['machine']['cpu']}, Python {report['machine']['python']}. "
        f"{report['documents']} documents, {sum(report['wishes'].values())} things to know "
        f"({', '.join(f'{count} {kind}' for kind, count in report['wishes'].items())}), no chat model. "
        f"One expert decides five drafts a day; so many in all: {minutes}. "
        f"Minutes are assumed: {', '.join(f'{kind} {value:g}' for kind, value in MINUTES.items())}.",
        f"After week {AFTER_WEEK}, {_percent(after['repeats_curated'])} of the questions that were asked before get a "
        f"curated answer, of which {_percent(after['precision'])} are the right one. Aim: most of them, at a precision "
        f"of 97 % or more: {'reached' if is_reached else 'missed'}.",
        _table([("weeks 1–12", report["first_weeks"]), ("weeks 13–52", after)]),
        "## By week",
        _weeks(report["weeks"]),
        "## After week 12, by the way of asking",
        _table(list(report["by_manner"].items())),
        "Every way of asking that reaches the expert is approved by itself, so that most ways have been after some "
        "weeks. How far an approved answer reaches beyond its own words is seen in `words never used before`.",
        "## After week 12, by what is asked",
        "`text`: questions about the texts. `sample`: about the sample library, in words of people, with look-alikes. "
        "`outside`: questions that nothing in the base answers, every second of which the expert answers.",
        _table(list(report["by_kind"].items())),
        "`wrong` are curated answers that were approved for another question, and answers from documents that do not "
        "hold the words of the answer (for the sample: that cite no page about the crop). `ready` is the share of "
        "curated answers among repeats for which an approved answer was there.",
    ]
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[tuple[str, Span]]) -> str:
    head = (
        "",
        "questions",
        "curated",
        "documents",
        "declined",
        "wrong",
        "repeats",
        "of these curated",
        "ready",
        "precision",
    )
    body = [
        (
            name,
            str(row["questions"]),
            *(_percent(row[key]) for key in ("curated", "documents", "declined", "wrong")),
            str(row["repeats"]),
            *(_percent(row[key]) for key in ("repeats_curated", "curatable_curated", "precision")),
        )
        for name, row in rows
    ]
    return "\n".join(_lines(head, body))


def _weeks(rows: Sequence[WeekRow]) -> str:
    head = (
        "week",
        "questions",
        "curated",
        "documents",
        "declined",
        "wrong",
        "repeats curated",
        "minutes per 100",
        "waiting",
        "",
    )
    body = [
        (
            str(row["week"]),
            str(row["questions"]),
            *(_percent(row[key]) for key in ("curated", "documents", "declined", "wrong")),
            _percent(row["repeats_curated"]),
            f"{row['minutes_per_100']:.0f}",
            str(row["waiting"]),
            "█" * round(20 * row["curated"]),
        )
        for row in rows
    ]
    return "\n".join(_lines(head, body))


def _lines(head: Sequence[str], body: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in body:
        yield f"| {' | '.join(row)} |"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %" if share < 0.995 else f"{100 * share:.1f} %"


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
