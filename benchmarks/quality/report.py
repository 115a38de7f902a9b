"""The figures as tables, for people, and as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.quality.anchors import ANCHORS, TUNED_ON
from benchmarks.quality.bars import DEFAULT, MINILM
from benchmarks.speed.report import table

if TYPE_CHECKING:
    from benchmarks.quality.facts import ModelFacts, Report, SetFacts

_SETTINGS = ("keyword", "semantic", "hybrid", "hybrid+rerank")


def store(report: Report, folder: Path) -> Path:
    """Write both files, dated, and return the path of the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"quality-{report['date']}.md"
    path.with_suffix(".json").write_text(json.dumps(report, ensure_ascii=False, indent=2) + "\n", "utf-8")
    path.write_text(as_markdown(report), "utf-8")
    return path


def as_markdown(report: Report) -> str:
    sets = report["sets"]
    machine = report["machine"]
    parts = [
        f"# How well it finds, {report['date']}",
        f"Commit {report['commit']}; {machine['cpu']}, {machine['cores']} cores, Python {machine['python']}.",
        "Every text is a document, cut, embedded and stored as the product does by default, in a fresh base. A document"
        " stands where its best passage stands among the first 50. BM25 is the anchor: Lucene's formula over whole"
        f" documents. Weights were chosen on {', '.join(TUNED_ON)} alone.",
        "## nDCG@10",
        table(("set", "language", "documents", "questions", "BM25", *_SETTINGS), _main_rows(sets, DEFAULT)),
        *_minilm(sets),
        "## Recall@10, MRR@10 and the passage itself",
        "Does the first passage, or one of the first three, hold the answer word for word? Only for sets that tell it.",
        table(
            ("set", "search", "recall@10", "MRR@10", "answer@1", "answer@3", "p50 ms", "p95 ms"),
            _details(sets),
        ),
        "Times are of one search for 50 passages. The hybrid search is asked first and embeds each question anew; up to"
        " a thousand are remembered for the searches after it.",
        "## Bars",
        table(
            ("set", "what", "measured", "wanted", "held"),
            [
                (
                    bar["set"],
                    bar["what"],
                    _number(bar["value"]),
                    _number(bar["wanted"]),
                    "yes" if bar["held"] else "**no**",
                )
                for bar in report["bars"]
            ],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _minilm(sets: Mapping[str, SetFacts]) -> list[str]:
    rows = _main_rows({name: facts for name, facts in sets.items() if MINILM in facts["models"]}, MINILM)
    if not rows:
        return []
    heading = ("set", "language", "documents", "questions", "BM25", *_SETTINGS)
    return ["## nDCG@10 with MiniLM, English sets", table(heading, rows)]


def _main_rows(sets: Mapping[str, SetFacts], model: str) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for name, facts in sets.items():
        anchor = ANCHORS.get(name)
        rows.append(
            (
                name,
                anchor.language if anchor else "",
                str(facts["documents"]),
                str(facts["questions"]),
                _number(anchor.bm25) if anchor else "",
                *_marked(facts["models"][model]),
            )
        )
    if len(rows) > 1:
        means = [
            fmean(float(facts["models"][model]["settings"][setting]["ndcg"] or 0) for facts in sets.values())
            for setting in _SETTINGS
        ]
        known = [ANCHORS[name].bm25 for name in sets if name in ANCHORS]
        rows.append(("mean", "", "", "", _number(fmean(known)) if known else "", *map(_number, means)))
    return rows


def _marked(facts: ModelFacts) -> Iterator[str]:
    """nDCG of each setting; a star where its distance from the hybrid search is hardly luck."""
    for setting in _SETTINGS:
        star = "*" if facts["chances"].get(setting, 1.0) < 0.05 else ""
        yield _number(facts["settings"][setting]["ndcg"]) + star


def _details(sets: Mapping[str, SetFacts]) -> list[Sequence[str]]:
    return [
        (
            name,
            setting,
            *(_number(cell[key]) for key in ("recall", "mrr", "answer_at_1", "answer_at_3")),
            *(f"{cell[key] or 0:.1f}" for key in ("p50_ms", "p95_ms")),
        )
        for name, facts in sets.items()
        for setting in _SETTINGS
        for cell in [facts["models"][DEFAULT]["settings"][setting]]
    ]


def _number(value: float | int | None) -> str:
    return "" if value is None else f"{value:.4f}"
