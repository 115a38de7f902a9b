"""The results: a dated JSON file, and the same as tables beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from benchmarks.speed.catalogue import PACKAGES

if TYPE_CHECKING:
    from benchmarks.speed.facts import BarFacts, CellFacts, EngineFacts, SectionFacts
    from benchmarks.speed.machine import MachineFacts


class Report(TypedDict):
    date: str
    machine: MachineFacts
    versions: dict[str, str]
    sections: dict[str, SectionFacts]


def store(report: Report, folder: Path) -> Path:
    """Write both files. Sections of an earlier run on the same day stay unless this one measured them again."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"speed-{report['date']}.json"
    if path.exists():
        earlier = cast("Report", json.loads(path.read_text("utf-8")))
        report = {**report, "sections": {**earlier["sections"], **report["sections"]}}
    path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    path.with_suffix(".md").write_text(rendered(report), "utf-8")
    return path


def rendered(report: Report) -> str:
    machine = report["machine"]
    parts = [
        f"# Speed, {report['date']}",
        f"{machine['cpu']}, {machine['cores']} cores, {machine['ram_gb']} GB, {machine['system']}, "
        f"Python {machine['python']}.",
        ", ".join(f"{name} {report['versions'][name]}" for name in PACKAGES if name in report["versions"])
        + ".",
        "## Bars",
        _bars([bar for section in report["sections"].values() for bar in section["bars"]]),
        *(_section(section) for section in report["sections"].values()),
    ]
    return "\n\n".join(parts) + "\n"


_VERDICTS = {True: "reached", False: "**missed**", None: "not judged"}


def _bars(bars: Sequence[BarFacts]) -> str:
    rows = (
        (
            bar["bar"],
            bar["measured"],
            _VERDICTS[bar["reached"]],
            _number(bar["factor"], 2),
        )
        for bar in bars
    )
    return table(("bar", "measured", "", "× the bar"), rows) if bars else "This run judges none."


def _section(section: SectionFacts) -> str:
    engines = section["engines"]
    cells = list(dict.fromkeys(cell for engine in engines.values() for cell in engine["cells"]))
    parts = [
        f"## {section['title']}",
        f"Taken at {section['taken_at']} on commit {section['commit']}, in {section['seconds']:.0f} s. "
        f"k = {section['k']}.",
        *section["notes"],
    ]
    for cell in cells:
        parts += [f"### {cell}", _cell_table(engines, cell, section["measure"])]
    return "\n\n".join([*parts, "### Cost", _cost_table(engines)])


def _cell_table(engines: dict[str, EngineFacts], cell: str, measure: str) -> str:
    known = {name: engine["cells"][cell] for name, engine in engines.items() if cell in engine["cells"]}
    ranked = sorted(known.items(), key=lambda item: item[1]["p50_ms"])
    failed = [(name, f"failed: {e['error']}", *[""] * 6) for name, e in engines.items() if name not in known]
    heads = ("engine", "p50 ms", "p95 ms", "CPU ms", measure, "short", "questions", "× ours")
    return table(heads, [*((name, *_cell_row(facts)) for name, facts in ranked), *failed])


def _cell_row(facts: CellFacts) -> tuple[str, ...]:
    return (
        _number(facts["p50_ms"], 2),
        _number(facts["p95_ms"], 2),
        _number(facts["cpu_ms"], 2),
        _number(facts["recall"], 3),
        str(facts["short"]),
        str(facts["queries"]),
        _number(facts["times_ours"], 2),
    )


def _cost_table(engines: dict[str, EngineFacts]) -> str:
    costs = ("build s", "build CPU s", "disk MB", "import s", "open s", "RSS MB", "PSS MB")
    heads = ("engine", *costs, "second process", "error")
    return table(heads, [(name, *_cost_row(engine)) for name, engine in engines.items()])


def _cost_row(engine: EngineFacts) -> tuple[str, ...]:
    memory, second = engine["memory"], engine["second"]
    return (
        _number(engine["build_s"], 1),
        _number(engine["build_cpu_s"], 1),
        _number(engine["disk_mb"], 0),
        _number(engine["import_s"], 2),
        _number(engine["open_s"], 2),
        _number(memory["rss_mb"], 0) if memory else "–",
        _number(memory["pss_mb"], 0) if memory else "–",
        f"RSS {_number(second[1]['rss_mb'], 0)}, PSS {_number(second[1]['pss_mb'], 0)}, "
        f"own {_number(second[1]['private_mb'], 0)}"
        if second
        else "",
        engine["error"] or "",
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(_in_a_cell(value) for value in line) + " |" for line in lines)


def _in_a_cell(value: str) -> str:
    return value.replace("|", "\\|").replace("\n", " ")


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"
