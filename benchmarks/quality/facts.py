"""The shape of a result, as it is written."""

from __future__ import annotations

from typing import TypedDict

Cell = dict[str, float | int | None]
"""The figures of one setting: ndcg, recall, mrr, p50_ms, p95_ms, answer_at_1, answer_at_3, questions."""


class ModelFacts(TypedDict):
    model: str
    build_s: float
    passages: int
    settings: dict[str, Cell]
    chances: dict[str, float]
    """How often luck alone would set a setting so far from the hybrid search."""


class SetFacts(TypedDict):
    documents: int
    questions: int
    models: dict[str, ModelFacts]


class Bar(TypedDict):
    set: str
    what: str
    value: float
    wanted: float
    held: bool


class Report(TypedDict):
    date: str
    commit: str
    machine: dict[str, object]
    versions: dict[str, str]
    sets: dict[str, SetFacts]
    bars: list[Bar]
