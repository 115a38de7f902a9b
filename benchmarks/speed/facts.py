"""What a run has found out, in the shape in which it is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypedDict

import numpy as np

from benchmarks.speed.catalogue import OURS
from benchmarks.speed.data import Judged

if TYPE_CHECKING:
    from benchmarks.speed.meters import Memory
    from benchmarks.speed.run import Measured, Timing

Judge: TypeAlias = Callable[[str, int, Sequence[int]], Judged]
"""How right an answer is: cell, number of the question (warm-up not counted), answer."""

GOOD_ENOUGH = 0.99
"""An engine with less recall does not answer the question, and its time says nothing."""


class CellFacts(TypedDict):
    """One engine under one filter. `short` counts answers with fewer than k, `outside` results against the filter."""

    p50_ms: float
    p95_ms: float
    cpu_ms: float
    queries: int
    recall: float | None
    short: int
    outside: int
    times_ours: float | None


class MemoryFacts(TypedDict):
    rss_mb: float
    pss_mb: float | None
    private_mb: float | None
    shared_mb: float | None


class EngineFacts(TypedDict):
    """`second` is another process on the same base: before it opened, and after it answered."""

    family: str
    error: str | None
    build_s: float | None
    build_cpu_s: float | None
    disk_mb: float | None
    import_s: float | None
    open_s: float | None
    memory: MemoryFacts | None
    second: tuple[MemoryFacts, MemoryFacts] | None
    cells: dict[str, CellFacts]


class BarFacts(TypedDict):
    """`factor` is what was measured over what is allowed. `reached` is None for a bar that this run cannot judge."""

    bar: str
    measured: str
    reached: bool | None
    factor: float | None


class SectionFacts(TypedDict):
    title: str
    size: int
    k: int
    taken_at: str
    commit: str
    seconds: float
    notes: list[str]
    measure: str
    engines: dict[str, EngineFacts]
    bars: list[BarFacts]


def engines_of(measured: Sequence[Measured], judge: Judge | None) -> dict[str, EngineFacts]:
    found = {one.spec.name: _engine(one, judge) for one in measured}
    ours = found.get(OURS)
    for engine in found.values():
        for name, cell in engine["cells"].items():
            if ours is not None and name in ours["cells"]:
                cell["times_ours"] = round(cell["p50_ms"] / ours["cells"][name]["p50_ms"], 2)
    return found


def _engine(one: Measured, judge: Judge | None) -> EngineFacts:
    return {
        "family": one.spec.family,
        "error": one.error,
        "build_s": round(one.built.spent.wall, 2) if one.built else None,
        "build_cpu_s": round(one.built.spent.cpu, 2) if one.built else None,
        "disk_mb": _mb(one.built.disk) if one.built else None,
        "import_s": round(one.opened.imported.wall, 2) if one.opened else None,
        "open_s": round(one.opened.spent.wall, 3) if one.opened else None,
        "memory": _memory(one.memory) if one.memory else None,
        "second": (_memory(one.second[0]), _memory(one.second[1])) if one.second else None,
        "cells": {name: _cell(name, timing, judge) for name, timing in one.cells.items() if timing.walls},
    }


def _cell(name: str, timing: Timing, judge: Judge | None) -> CellFacts:
    walls = np.array(timing.walls) * 1000
    judged = [judge(name, number, answer) for number, answer in enumerate(timing.answers)] if judge else []
    return {
        "p50_ms": round(float(np.percentile(walls, 50)), 3),
        "p95_ms": round(float(np.percentile(walls, 95)), 3),
        "cpu_ms": round(timing.cpu * 1000 / len(walls), 3),
        "queries": len(walls),
        "recall": round(float(np.mean([one.recall for one in judged])), 4) if judged else None,
        "short": sum(one.short for one in judged),
        "outside": sum(one.outside for one in judged),
        "times_ours": None,
    }


def best_of_families(engines: Mapping[str, EngineFacts], cell: str) -> dict[str, tuple[str, CellFacts]]:
    """For each family of others the fastest configuration that answers well enough, with its name."""
    best: dict[str, tuple[str, CellFacts]] = {}
    for name, engine in engines.items():
        facts = engine["cells"].get(cell)
        if engine["family"] == OURS or engine["error"] or facts is None or not answers(facts):
            continue
        known = best.get(engine["family"])
        if known is None or facts["p50_ms"] < known[1]["p50_ms"]:
            best[engine["family"]] = (name, facts)
    return best


def answers(facts: CellFacts) -> bool:
    return facts["recall"] is None or facts["recall"] >= GOOD_ENOUGH


def _memory(found: Memory) -> MemoryFacts:
    return {
        "rss_mb": _mb(found.rss),
        "pss_mb": _mb(found.pss) if found.pss is not None else None,
        "private_mb": _mb(found.private) if found.private is not None else None,
        "shared_mb": _mb(found.shared) if found.shared is not None else None,
    }


def _mb(size: int) -> float:
    return round(size / 1e6, 1)
