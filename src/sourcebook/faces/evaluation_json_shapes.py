"""The JSON shape of an evaluation. Programs depend on these keys: add to them, never rename."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sourcebook.retrieve.evaluation.evaluate import differences

if TYPE_CHECKING:
    from pathlib import Path

    from sourcebook.retrieve.evaluation.evaluate import Evaluation, MetricDifference


@dataclass(frozen=True, slots=True)
class AskedSet:
    """The questions, the documents and the results, under one or more settings."""

    name: str
    documents: int
    evaluations: Sequence[Evaluation]

    @property
    def differences(self) -> list[MetricDifference]:
        return differences(self.evaluations)

    @property
    def k(self) -> int:
        return self.evaluations[0].k

    @property
    def unanswerable(self) -> int:
        return sum(not outcome.question.has_answer for outcome in self.evaluations[0].outcomes)


def as_json(asked: AskedSet, plot: Path | None) -> dict[str, Any]:
    first = asked.evaluations[0]
    return {
        "name": asked.name,
        "documents": asked.documents,
        "questions": first.figures.questions,
        "k": asked.k,
        "results": [{"search": one.setting, **one.figures.as_dict()} for one in asked.evaluations],
        "differences": [
            {"search": d.setting, "against": d.against, "ndcg": d.ndcg, "chance": d.chance}
            for d in asked.differences
        ],
        "unanswerable": {"questions": asked.unanswerable, "told_apart": first.told_apart},
        "missed": [
            {"id": o.question.id, "question": o.question.text, "found": list(o.documents[: asked.k])}
            for o in first.missed
        ],
        "plot": None if plot is None else str(plot),
    }
