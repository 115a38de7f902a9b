"""What is drawn of the newest results: `python -m benchmarks --plots`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from benchmarks.plots import Chart, svg

Report = Mapping[str, Any]


def draw(results: Path, folder: Path) -> list[tuple[Path, str]]:
    """A file for each chart that the results hold, with its title; what was measured again is drawn from the newest."""
    drawn: list[tuple[Path, str]] = []
    for name, charts in _SOURCES.items():
        dated = sorted(results.glob(f"{name}-????-??-??.json"), reverse=True)
        reports = [cast("Report", json.loads(path.read_text("utf-8"))) for path in dated]
        for chart in charts(reports) if reports else []:
            if chart.bars:
                folder.mkdir(parents=True, exist_ok=True)
                path = folder / f"{name}-{chart.name}.svg"
                path.write_text(svg(chart), "utf-8")
                drawn.append((path, chart.title))
    grown = sorted(results.glob("growth-????-??-??.svg"))
    return [*drawn, *((path, "What a question costs as a collection grows") for path in grown[-1:])]


def _newest(charts: Callable[[Report], list[Chart]]) -> Callable[[Sequence[Report]], list[Chart]]:
    """Charts of the newest result alone."""
    return lambda reports: charts(reports[0])


def _speed(reports: Sequence[Report]) -> list[Chart]:
    charts: list[Chart] = []
    for kind, cells in _CELLS.items():
        found = next(
            ((report["date"], section) for report in reports if (section := _largest(report, kind))), None
        )
        if found is not None:
            date, section = found
            charts += [_times(f"{kind}-{name}", section, cell, date) for name, cell in cells.items()]
            charts += [_cost(kind, section, date, *cost) for cost in _COSTS]
    return charts


_FILTERS = {"unfiltered": "no filter", "half": "50 %", "tenth": "10 %", "thousandth": "0.1 %"}
_CELLS = {
    "model": _FILTERS,
    "vectors": _FILTERS,
    "words": {"two": "2 words, any", "six": "6 words, any", "twelve": "12 words, any"},
    "hybrid": {"both": "6 words and a vector"},
}
"""What is drawn of each kind of section. The tables have the rest."""
_COSTS = (
    ("build_s", "time to build, s", None),
    ("disk_mb", "on disk, MB", None),
    ("memory", "memory after the questions, MB", "rss_mb"),
)


def _largest(report: Report, kind: str) -> Mapping[str, Any] | None:
    """Among those with others beside us."""
    found = [
        section
        for name, section in report["sections"].items()
        if name.startswith(kind) and len(section["engines"]) > 1
    ]
    return max(found, key=lambda section: section["size"], default=None)


def _times(name: str, section: Mapping[str, Any], cell: str, date: str) -> Chart:
    is_judged = section["measure"] != "overlap@10"
    bars = [
        (
            _with_recall(each, engine["cells"][cell]["recall"] if is_judged else None),
            float(engine["cells"][cell]["p50_ms"]),
        )
        for each, engine in section["engines"].items()
        if cell in engine["cells"]
    ]
    note = f"{date}; median in ms, logarithmic"
    if is_judged:
        note += f"; {section['measure']} in brackets where it is below 0.99"
    ranked = sorted(bars, key=lambda bar: bar[1])
    return Chart(name, f"{section['title']}: {cell}", note, ranked, 2, logarithmic=True)


def _cost(kind: str, section: Mapping[str, Any], date: str, key: str, what: str, part: str | None) -> Chart:
    values = [
        (name, engine[key][part] if part and engine[key] else engine[key])
        for name, engine in section["engines"].items()
    ]
    bars = sorted(
        ((name, float(value)) for name, value in values if value is not None), key=lambda bar: bar[1]
    )
    title = f"{section['title']}: {what}"
    return Chart(f"{kind}-{key.partition('_')[0]}", title, f"{date}; less is better", bars, 1)


def _with_recall(name: str, recall: float | None) -> str:
    return name if recall is None or recall >= 0.99 else f"{name} ({recall:.2f})"


def _stacks(report: Report) -> list[Chart]:
    charts: list[Chart] = []
    for name, stacks in report["sets"].items():
        known = {stack: facts for stack, facts in stacks.items() if "error" not in facts}
        for key, what, note, is_more_better in _OF_STACKS:
            bars = [(stack, float(facts[key])) for stack, facts in known.items()]
            bars.sort(key=lambda bar: -bar[1] if is_more_better else bar[1])
            place, digits = f"{name}-{key.partition('_')[0]}", 3 if is_more_better else 2
            charts.append(Chart(place, f"{name}: {what}", f"{report['date']}; {note}", bars, digits))
    return charts


_OF_STACKS = (
    ("ndcg", "nDCG@10", "same texts, same embedder; more is better", True),
    ("build_s", "time to index, s", "with the embedding; less is better", False),
    ("p50_ms", "median time to find, ms", "with the embedding of the question; less is better", False),
)


def _quality(report: Report) -> list[Chart]:
    bars = [
        (name, float(facts["models"]["default"]["settings"]["hybrid"]["ndcg"]))
        for name, facts in report["sets"].items()
        if "default" in facts["models"]
    ]
    title = "How well public sets are found: nDCG@10"
    return [Chart("ndcg", title, f"{report['date']}; by words and by meaning, the default", bars, 3)]


def _answers(report: Report) -> list[Chart]:
    facts = report["all"]
    right, concise = facts["right"], facts["concise"]
    bars = [
        ("right", float(right)),
        ("of these concise", float(concise)),
        ("wrong", float(facts["wrong"])),
        ("wrongly declined", float(facts["wrongly_declined"])),
        ("wrongly answered", float(facts["wrongly_answered"])),
    ]
    note = (
        f"{report['date']}; {facts['answerable']} questions with an answer, {facts['unanswerable']} without"
    )
    return [Chart("outcomes", "Answers without a chat model", note, bars, 0)]


def _ingest(report: Report) -> list[Chart]:
    bars = [(name, float(facts["ratio_cpu"])) for name, facts in report["folders"].items()]
    note = f"{report['date']}; CPU time, times that of the embedder"
    return [Chart("ratio", "Adding a folder, beside the embedder alone", note, bars)]


def _across(report: Report) -> list[Chart]:
    bars = [
        bar
        for name, facts in report["bases"].items()
        for bar in (
            (f"{name}: answered", 100 * float(facts["answered_from_the_right_document"])),
            (f"{name}: declined", 100 * float(facts["declined"])),
        )
    ]
    note = f"{report['date']}; % answered from the right document, and % declined where there is no answer"
    return [Chart("shares", "Questions in another language than the documents", note, bars, 0)]


def _paraphrases(report: Report) -> list[Chart]:
    bars = [
        (f"{row['language']}, {row['part']}", 100 * row["found"] / row["paraphrases"])
        for row in report["pairs"]
        if row["paraphrases"]
    ]
    title = "The same question in other words: its approved answer is given or offered"
    return [Chart("found", title, f"{report['date']}; % of the paraphrases", bars, 0)]


def _declining(report: Report) -> list[Chart]:
    bars = [
        bar
        for name, row in {**report["chosen_on"], **report["measured_on"]}.items()
        for bar in (
            (f"{name}: answered", 100 * row["answered"]),
            (f"{name}: declined", 100 * row["declined"]),
        )
    ]
    note = f"{report['date']}; % answered where there is an answer, and % declined where there is none"
    return [Chart("shares", "When to decline", note, bars, 0)]


def _support(report: Report) -> list[Chart]:
    bars = [
        (f"{language}: {said}", 100 * fmean(one.get("doubtful", 0.0) for one in kinds[part].values()))
        for language, kinds in report["languages"].items()
        for part, said in (("altered", "false sentences"), ("true", "true sentences"))
        if kinds.get(part)
    ]
    note = f"{report['date']}; % of the sentences that were made of others, mean of their kinds"
    return [Chart("doubtful", "What the check of support doubts", note, bars, 0)]


def _year(report: Report) -> list[Chart]:
    weeks = report["weeks"]
    chosen = [week for week in weeks if week["week"] == 1 or week["week"] % 13 == 0]
    bars = [(f"week {week['week']}", 100 * week["curated"]) for week in chosen]
    return [
        Chart(
            "curated",
            "A year of questions: answered with an approved answer",
            f"{report['date']}; %",
            bars,
            0,
        )
    ]


_SOURCES: Mapping[str, Callable[[Sequence[Report]], list[Chart]]] = {
    "ingest": _newest(_ingest),
    "speed": _speed,
    "stacks": _newest(_stacks),
    "quality": _newest(_quality),
    "answers-dev": _newest(_answers),
    "across": _newest(_across),
    "paraphrases": _newest(_paraphrases),
    "declining": _newest(_declining),
    "support": _newest(_support),
    "year": _newest(_year),
}
