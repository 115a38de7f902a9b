"""What is asked of the figures, and whether they do it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.quality.anchors import ACROSS_LANGUAGES, ANCHORS, MANY_QUESTIONS

if TYPE_CHECKING:
    from benchmarks.quality.facts import Bar, SetFacts

DEFAULT, MINILM = "default", "minilm"
_SMALL_SLACK = 0.01
_KEYWORD_SLACK = 0.005
_ENOUGH_SETS = 2


def bars(sets: Mapping[str, SetFacts]) -> list[Bar]:
    """Every bar that the measured sets can be held against."""
    return [bar for name, facts in sets.items() if name in ANCHORS for bar in _of_set(name, facts)] + list(
        _of_all(sets)
    )


def _of_set(name: str, facts: SetFacts) -> Iterator[Bar]:
    anchor = ANCHORS[name]
    found = {setting: _ndcg(facts, DEFAULT, setting) for setting in ("keyword", "semantic", "hybrid")}
    slack = _SMALL_SLACK if facts["questions"] < MANY_QUESTIONS or name == ACROSS_LANGUAGES else 0.0
    best_arm = max(found["keyword"], found["semantic"])
    yield _bar(name, "hybrid, both arms", found["hybrid"], best_arm - slack)
    yield _bar(name, "hybrid, BM25", found["hybrid"], anchor.bm25)
    if facts["questions"] >= MANY_QUESTIONS:
        yield _bar(name, "keyword, BM25", found["keyword"], anchor.bm25 - _KEYWORD_SLACK)
    if anchor.reached is not None:
        yield _bar(name, "hybrid, reached", found["hybrid"], anchor.reached)
    if anchor.reached_rerank is not None:
        yield _bar(name, "hybrid+rerank", _ndcg(facts, DEFAULT, "hybrid+rerank"), anchor.reached_rerank)
    if anchor.reached_minilm is not None and MINILM in facts["models"]:
        yield _bar(name, "MiniLM hybrid, reached", _ndcg(facts, MINILM, "hybrid"), anchor.reached_minilm)


def _of_all(sets: Mapping[str, SetFacts]) -> Iterator[Bar]:
    if len(sets) < _ENOUGH_SETS:
        return
    means = {
        setting: fmean(_ndcg(facts, DEFAULT, setting) for facts in sets.values())
        for setting in ("hybrid", "hybrid+rerank")
    }
    yield _bar("mean of all", "hybrid+rerank, hybrid", means["hybrid+rerank"], means["hybrid"])


def _ndcg(facts: SetFacts, model: str, setting: str) -> float:
    return float(facts["models"][model]["settings"][setting]["ndcg"] or 0.0)


def _bar(name: str, what: str, value: float, wanted: float) -> Bar:
    # Figures are written with four digits, and held with them.
    value, wanted = round(value, 4), round(wanted, 4)
    return {"set": name, "what": what, "value": value, "wanted": wanted, "held": value >= wanted}
