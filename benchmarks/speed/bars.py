"""The bars that a run can judge: what was promised, what was measured, and how far it is from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.speed.catalogue import OURS
from benchmarks.speed.facts import BarFacts, CellFacts, EngineFacts, answers, best_of_families

VECTORS = 100_000
FEW_PASSAGES, MANY_PASSAGES = 20_000, 100_000
RECALL = 0.99
MOST_SHORT = 0.05
"""The share of answers with fewer than k passages from which on an engine does not answer the question."""
WIDE_CELLS, NARROW_CELLS = ("no filter", "50 %"), ("10 %", "1 %", "0.1 %")
COMPILED_SCAN = "qdrant edge"
"""With a narrow filter it compares all rows in compiled code, which Python cannot beat."""
AIMS_MS = {"no filter": 1.3, "50 %": 1.2, "10 %": 0.8, "1 %": 0.5, "0.1 %": 0.35}
CODE_BYTES_PER_DIMENSION = 1 + 1 / 8
"""The codes that every process would hold if they were not shared: a byte and a bit."""


def at_size(what: str, size: int, meant: int) -> str:
    """The name of a bar, which says so when it was measured at another size than it means."""
    return f"{what} (the bar means {meant:,})" if size != meant else what


def within(bar: str, measured: float, limit: float, unit: str, note: str = "") -> BarFacts:
    """At most the limit."""
    return {
        "bar": bar,
        "measured": f"{measured:,.3g} {unit}".strip() + (f"; {note}" if note else ""),
        "reached": measured <= limit,
        "factor": round(measured / limit, 2) if limit else None,
    }


def missing(bar: str, why: str) -> BarFacts:
    return {"bar": bar, "measured": why, "reached": False, "factor": None}


def not_judged(bar: str, why: str) -> BarFacts:
    """A bar beside peers that nobody was measured for."""
    return {"bar": bar, "measured": why, "reached": None, "factor": None}


def vector_bars(
    engines: Mapping[str, EngineFacts], size: int, what: str, *, aims: bool = False
) -> list[BarFacts]:
    """Beside peers at equal recall: the fastest setting of each that reaches the recall, by the median."""
    ours = engines.get(OURS)
    what = at_size(what, size, VECTORS)
    if ours is None or ours["error"]:
        return [missing(what, f"sourcebook did not run: {ours['error'] if ours else 'not chosen'}")]
    others = {name: engine for name, engine in engines.items() if engine["family"] != COMPILED_SCAN}
    bars = [_faster(f"{what}, {cell}: faster than every peer", ours, engines, cell) for cell in WIDE_CELLS]
    for cell in NARROW_CELLS:
        bar = f"{what}, {cell}: faster than every peer but {COMPILED_SCAN}"
        bars.append(_faster(bar, ours, others, cell))
    if aims:
        cells = ours["cells"]
        bars += [
            within(f"{what}, {cell}: p50 at most {most} ms", cells[cell]["p50_ms"], most, "ms")
            for cell, most in AIMS_MS.items()
            if cell in cells
        ]
    return [*bars, *exactness_bars(ours["cells"], what)]


def exactness_bars(cells: Mapping[str, CellFacts], what: str) -> list[BarFacts]:
    worst = min(cells, key=lambda name: cells[name]["recall"] or 0.0)
    recall = cells[worst]["recall"] or 0.0
    short = sum(cell["short"] for cell in cells.values())
    asked = sum(cell["queries"] for cell in cells.values())
    return [
        {
            "bar": f"{what}: recall@10 at least {RECALL} with every filter",
            "measured": f"{recall:.4f} at worst ({worst})",
            "reached": recall >= RECALL,
            "factor": round(recall / RECALL, 3),
        },
        {
            "bar": f"{what}: never fewer than k",
            "measured": f"{short} of {asked} answers were short",
            "reached": short == 0,
            "factor": None,
        },
    ]


def _faster(bar: str, ours: EngineFacts, engines: Mapping[str, EngineFacts], cell: str) -> BarFacts:
    """By the median. A family that does not answer well enough is named, and not compared."""
    own = ours["cells"].get(cell)
    best = best_of_families(engines, cell)
    if own is None or not best:
        return not_judged(bar, "nobody to compare with")
    _, (name, fastest) = min(best.items(), key=lambda item: item[1][1]["p50_ms"])
    left_out = sorted({e["family"] for e in engines.values()} - set(best) - {OURS})
    note = f"sourcebook {own['p50_ms']:.2f} ms, {name} {fastest['p50_ms']:.2f} ms"
    if fastest["recall"] is not None:
        note += f" at recall {fastest['recall']:.3f}"
    if left_out:
        note += "; not compared: " + ", ".join(f"{f} ({_why(engines, f, cell)})" for f in left_out)
    ratio = own["p50_ms"] / fastest["p50_ms"]
    return within(bar, ratio, 1.0, "× the fastest peer", note)


def _why(engines: Mapping[str, EngineFacts], family: str, cell: str) -> str:
    own = [engine for engine in engines.values() if engine["family"] == family]
    cells = [engine["cells"][cell] for engine in own if cell in engine["cells"]]
    recalls = [facts["recall"] for facts in cells if facts["recall"] is not None and not answers(facts)]
    return f"recall {max(recalls):.2f}" if recalls else "failed"


def word_bars(engines: Mapping[str, EngineFacts], passages: int) -> list[BarFacts]:
    ours, lancedb = engines.get(OURS), engines.get("lancedb")
    if ours is None or ours["error"] or lancedb is None or lancedb["error"]:
        return []
    return [
        within(
            f"words, {passages:,} passages, {cell}: p50 at most LanceDB's",
            own["p50_ms"] / lancedb["cells"][cell]["p50_ms"],
            1.0,
            "× lancedb",
            f"sourcebook {own['p50_ms']:.2f} ms, lancedb {lancedb['cells'][cell]['p50_ms']:.2f} ms",
        )
        for cell, own in ours["cells"].items()
        if cell in lancedb["cells"]
    ]


def hybrid_bars(
    engines: Mapping[str, EngineFacts], cells: Sequence[str], passages: int, code_bytes: float
) -> list[BarFacts]:
    ours = engines.get(OURS)
    many = passages > (FEW_PASSAGES + MANY_PASSAGES) / 2
    what = at_size(f"hybrid, {passages:,} passages", passages, MANY_PASSAGES if many else FEW_PASSAGES)
    if ours is None or ours["error"]:
        return [missing(what, f"sourcebook did not run: {ours['error'] if ours else 'not chosen'}")]
    slowest = max(ours["cells"][cell]["p95_ms"] for cell in cells)
    if many:
        return [within(f"{what}: p95 at most 50 ms", slowest, 50, "ms"), *_at_rest(ours, what, code_bytes)]
    bars = [within(f"{what}: p95 at most 15 ms", slowest, 15, "ms")]
    for cell in cells:
        bar = f"{what}, {cell}: p95 at most LanceDB's"
        bars.append(_beside_lancedb(bar, ours["cells"][cell]["p95_ms"], engines, cell))
    return bars


def _beside_lancedb(bar: str, own: float, engines: Mapping[str, EngineFacts], cell: str) -> BarFacts:
    """Beside its fastest configuration that finds k passages; one that finds fewer is named, and not compared."""
    others = {
        name: engine["cells"][cell]
        for name, engine in engines.items()
        if engine["family"] == "lancedb" and cell in engine["cells"] and not engine["error"]
    }
    whole = {name: facts for name, facts in others.items() if facts["short"] <= MOST_SHORT * facts["queries"]}
    if not whole:
        return not_judged(bar, "lancedb did not run, or found too few passages")
    name, fastest = min(whole.items(), key=lambda item: item[1]["p95_ms"])
    note = f"sourcebook {own:.2f} ms, {name} {fastest['p95_ms']:.2f} ms"
    left_out = [f"{n} ({f['p95_ms']:.2f} ms)" for n, f in others.items() if n not in whole]
    if left_out:
        note += f"; with fewer than k passages: {', '.join(left_out)}"
    return within(bar, own / fastest["p95_ms"], 1.0, "× lancedb", note)


def _at_rest(ours: EngineFacts, what: str, code_bytes: float) -> list[BarFacts]:
    memory, second, opened = ours["memory"], ours["second"], ours["open_s"]
    bars: list[BarFacts] = []
    if opened is not None:
        bars.append(within(f"{what}: opened in less than 3 s", opened, 3, "s"))
    if memory is not None:
        bars.append(within(f"{what}: less than 1.2 GB resident", memory["rss_mb"], 1200, "MB"))
    if second is not None and second[1]["private_mb"] is not None and second[0]["private_mb"] is not None:
        grown = second[1]["private_mb"] - second[0]["private_mb"]
        allowed = code_bytes / 2e6
        bars.append(
            within(
                f"{what}: a second process shares the codes (of its own less than half of them)",
                grown,
                allowed,
                "MB",
            )
        )
    return bars
