"""Plots of the newest results, as plain SVG: `python -m benchmarks --plots`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, cast

OURS = "sourcebook"
_WIDTH, _LEFT, _BAR, _GAP, _TOP = 760, 215, 16, 6, 64
_ROOM = _WIDTH - _LEFT - 90
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2328}.t{font-weight:600;font-size:15px}.n{fill:#59636e}"
    ".b{fill:#9aa7b5}.o{fill:#2f6f4f}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.n{fill:#9aa4ae}.b{fill:#57616d}.o{fill:#58b788}}"
)


@dataclass(frozen=True, slots=True)
class Chart:
    """Horizontal bars, in the order given. On a logarithmic scale bars of very different lengths can be read."""

    name: str
    title: str
    note: str
    bars: Sequence[tuple[str, float]]
    digits: int = 2
    logarithmic: bool = False


def draw(results: Path, folder: Path) -> list[tuple[Path, str]]:
    """A file for each chart that the newest results hold, with its title."""
    drawn: list[tuple[Path, str]] = []
    for name, charts in _SOURCES.items():
        found = sorted(results.glob(f"{name}-????-??-??.json"))
        if not found:
            continue
        report = cast("dict[str, Any]", json.loads(found[-1].read_text("utf-8")))
        for chart in (chart for chart in charts(report) if chart.bars):
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{name}-{chart.name}.svg"
            path.write_text(svg(chart), "utf-8")
            drawn.append((path, chart.title))
    return drawn


def svg(chart: Chart) -> str:
    """The chart as a picture of its own, for light and dark pages."""
    height = _TOP + len(chart.bars) * (_BAR + _GAP) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>{escape(chart.title)}</title><style>{_STYLE}</style>",
        f'<text class="t" x="8" y="22">{escape(chart.title)}</text>',
        f'<text class="n" x="8" y="44">{escape(chart.note)}</text>',
    ]
    for number, (name, value) in enumerate(chart.bars):
        top = _TOP + number * (_BAR + _GAP)
        length = _length(chart, value)
        kind = "o" if name.startswith(OURS) else "b"
        lines += [
            f'<text x="{_LEFT - 8}" y="{top + 13}" text-anchor="end">{escape(name)}</text>',
            f'<rect class="{kind}" x="{_LEFT}" y="{top}" width="{length:.1f}" height="{_BAR}" rx="2"/>',
            f'<text x="{_LEFT + length + 6:.1f}" y="{top + 13}">{value:,.{chart.digits}f}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _length(chart: Chart, value: float) -> float:
    most = max(value for _, value in chart.bars)
    if most <= 0 or value <= 0:
        return 1.0
    if not chart.logarithmic:
        return max(1.0, _ROOM * value / most)
    least = min(value for _, value in chart.bars if value > 0) / 2
    return max(1.0, _ROOM * math.log(value / least) / math.log(most / least))


def _speed(report: Mapping[str, Any]) -> list[Chart]:
    charts: list[Chart] = []
    for kind, cells in _CELLS.items():
        section = _largest(report["sections"], kind)
        if section is None:
            continue
        engines: Mapping[str, Any] = section["engines"]
        charts += [_times(f"{kind}-{name}", section, cell) for name, cell in cells.items()]
        charts += [_cost(kind, section["title"], engines, *cost) for cost in _COSTS]
    return charts


_CELLS = {
    "vectors": {"unfiltered": "no filter", "half": "50 %", "tenth": "10 %", "thousandth": "0.1 %"},
    "hybrid": {"both": "6 words and a vector"},
}
"""What is drawn of each kind of section. The tables have the rest."""
_COSTS = (
    ("build_s", "time to build, s", None),
    ("disk_mb", "on disk, MB", None),
    ("memory", "resident after the questions, MB", "rss_mb"),
)


def _largest(sections: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    """Among those with others beside us."""
    found = [
        section for name, section in sections.items() if name.startswith(kind) and len(section["engines"]) > 1
    ]
    return max(found, key=lambda section: section["size"], default=None)


def _times(name: str, section: Mapping[str, Any], cell: str) -> Chart:
    bars = [
        (_with_recall(each, engine["cells"][cell]["recall"]), float(engine["cells"][cell]["p50_ms"]))
        for each, engine in section["engines"].items()
        if cell in engine["cells"]
    ]
    note = f"median in ms, logarithmic; {section['measure']} in brackets where it is below 0.99"
    ranked = sorted(bars, key=lambda bar: bar[1])
    return Chart(name, f"{section['title']}: {cell}", note, ranked, 2, logarithmic=True)


def _cost(kind: str, title: str, engines: Mapping[str, Any], key: str, what: str, part: str | None) -> Chart:
    values = [
        (name, engine[key][part] if part and engine[key] else engine[key]) for name, engine in engines.items()
    ]
    bars = sorted(
        ((name, float(value)) for name, value in values if value is not None), key=lambda bar: bar[1]
    )
    return Chart(f"{kind}-{key.partition('_')[0]}", f"{title}: {what}", "less is better", bars, 1)


def _with_recall(name: str, recall: float | None) -> str:
    return name if recall is None or recall >= 0.99 else f"{name} ({recall:.2f})"


def _stacks(report: Mapping[str, Any]) -> list[Chart]:
    charts: list[Chart] = []
    for name, stacks in report["sets"].items():
        known = {stack: facts for stack, facts in stacks.items() if "error" not in facts}
        for key, what, note, is_more_better in (
            ("ndcg", "nDCG@10", "same texts, same embedder; more is better", True),
            ("build_s", "time to index, s", "with the embedding; less is better", False),
            (
                "p50_ms",
                "median time to find, ms",
                "with the embedding of the question; less is better",
                False,
            ),
        ):
            bars = [(stack, float(facts[key])) for stack, facts in known.items()]
            bars.sort(key=lambda bar: -bar[1] if is_more_better else bar[1])
            charts.append(
                Chart(
                    f"{name}-{key.partition('_')[0]}",
                    f"{name}: {what}",
                    note,
                    bars,
                    3 if is_more_better else 2,
                )
            )
    return charts


def _quality(report: Mapping[str, Any]) -> list[Chart]:
    bars = [
        (name, float(facts["models"]["default"]["settings"]["hybrid"]["ndcg"]))
        for name, facts in report["sets"].items()
        if "default" in facts["models"]
    ]
    return [
        Chart(
            "ndcg", "How well public sets are found: nDCG@10", "by words and by meaning, the default", bars, 3
        )
    ]


def _answers(report: Mapping[str, Any]) -> list[Chart]:
    facts = report["all"]
    named = ("right", "wrong", "wrongly_declined", "wrongly_answered")
    bars = [(key.replace("_", " "), float(facts[key])) for key in named if key in facts]
    return [
        Chart(
            "outcomes",
            "Answers without a chat model",
            f"of {facts['answerable']} answerable questions",
            bars,
            0,
        )
    ]


def _ingest(report: Mapping[str, Any]) -> list[Chart]:
    bars = [(name, float(facts["ratio_cpu"])) for name, facts in report["folders"].items()]
    return [
        Chart(
            "ratio",
            "Adding a folder, beside the embedder alone",
            "CPU time, times that of the embedder",
            bars,
        )
    ]


_SOURCES: Mapping[str, Callable[[Mapping[str, Any]], list[Chart]]] = {
    "ingest": _ingest,
    "speed": _speed,
    "stacks": _stacks,
    "quality": _quality,
    "answers-dev": _answers,
}
