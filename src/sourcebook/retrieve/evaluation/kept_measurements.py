"""Keeps measurements in the settings of their collection."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

from sourcebook.model.calibration import Calibration, PassageCalibration, PassageFigures, ThresholdPoint
from sourcebook.retrieve.evaluation.evaluate import MetricDifference, differences

if TYPE_CHECKING:
    from sourcebook.model.model_listing import ComparedModel
    from sourcebook.ports.storage import Library

_SEARCHES, _THRESHOLD, _MODELS = "measured", "calibrated", "compared"
"""Settings of the collection."""
_KEPT = 50
_UNLIKELY = 0.05
"""A difference counts if chance would cause it less often than this."""


@dataclass(frozen=True, slots=True)
class KeptCalibration:
    at: int
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class KeptModel:
    """One model of a comparison. `verdict` says how it did against the first: better, worse or the same."""

    model: str
    found: float
    first: float
    difference: float | None
    verdict: str
    milliseconds: float
    seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class KeptComparison:
    at: int
    questions: int
    documents: int
    models: Sequence[KeptModel]


class Measurements:
    """The measurements of one collection."""

    def __init__(self, library: Library, collection: str) -> None:
        self._library = library
        self._collection = collection

    async def searches(self) -> list[dict[str, Any]]:
        """The measurements of searches, the oldest first."""
        return _rows((await self._settings()).get(_SEARCHES))

    async def keep_search(self, figures: Mapping[str, Any]) -> None:
        kept = [*await self.searches(), {"at": int(time.time()), **figures}][-_KEPT:]
        await self._keep(_SEARCHES, kept)

    async def threshold(self) -> KeptCalibration | None:
        kept = (await self._settings()).get(_THRESHOLD)
        return _calibration_from(self._collection, cast("Any", kept)) if isinstance(kept, dict) else None

    async def keep_threshold(self, found: Calibration) -> None:
        if found.passages is not None:
            part = {
                **asdict(found.passages),
                "curve": [[p.needed, p.answered, p.declined] for p in found.passages.curve],
            }
            await self._keep(_THRESHOLD, {"at": int(time.time()), "model": found.model, **part})

    async def comparison(self) -> KeptComparison | None:
        kept = (await self._settings()).get(_MODELS)
        return _comparison_from(cast("Any", kept)) if isinstance(kept, dict) else None

    async def keep_comparison(self, compared: Sequence[ComparedModel]) -> None:
        against = [None, *differences([one.evaluation for one in compared])]
        first = compared[0]
        await self._keep(
            _MODELS,
            {
                "at": int(time.time()),
                "questions": first.evaluation.figures.questions,
                "documents": first.documents,
                "models": [_model_row(one, other) for one, other in zip(compared, against, strict=True)],
            },
        )

    async def _settings(self) -> Mapping[str, Any]:
        return await self._library.collection_settings(self._collection)

    async def _keep(self, name: str, value: Any) -> None:
        await self._library.change_collection_settings(self._collection, {name: value})


def _rows(kept: object) -> list[dict[str, Any]]:
    each = cast("list[Any]", kept) if isinstance(kept, list) else []
    return [cast("dict[str, Any]", row) for row in each if isinstance(row, dict)]


def _model_row(one: ComparedModel, other: MetricDifference | None) -> dict[str, Any]:
    figures = one.evaluation.figures
    return {
        "model": one.model,
        "found": round(figures.recall, 4),
        "first": round(figures.mrr, 4),
        "difference": None if other is None else round(other.ndcg, 4),
        "verdict": _verdict(other),
        "milliseconds": round(figures.p50_ms, 1),
        "seconds": round(one.seconds, 1),
        "megabytes": round(one.megabytes, 1),
    }


def _verdict(other: MetricDifference | None) -> str:
    if other is None:
        return "baseline"
    if other.chance >= _UNLIKELY or other.ndcg == 0:
        return "same"
    return "better" if other.ndcg > 0 else "worse"


def _comparison_from(kept: Mapping[str, Any]) -> KeptComparison:
    models = [KeptModel(**each) for each in _rows(kept["models"])]
    return KeptComparison(int(kept["at"]), int(kept["questions"]), int(kept["documents"]), models)


def _calibration_from(collection: str, kept: Mapping[str, Any]) -> KeptCalibration:
    part = PassageCalibration(
        kept["answerable"],
        kept["unanswerable"],
        kept["needed"],
        kept["suggested"],
        PassageFigures(**kept["before"]),
        PassageFigures(**kept["after"]),
        [ThresholdPoint(*point) for point in kept["curve"]],
    )
    return KeptCalibration(int(kept["at"]), Calibration(collection, str(kept["model"]), part))
