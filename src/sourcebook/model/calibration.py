"""How thresholds perform on questions with known outcomes, and better ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QuestionPair:
    """Two questions, and whether they ask the same."""

    question: str
    other: str
    is_same: bool


@dataclass(frozen=True, slots=True)
class PassageFigures:
    """What a threshold on passages does.

    `answered` is the share of the questions with an answer that get one, `declined` the share of those without that
    get none. `right` is the share of what was answered that was answered from an expected document; None if nothing
    was.
    """

    answered: float
    declined: float
    right: float | None

    @property
    def balance(self) -> float:
        return (self.answered + self.declined) / 2


@dataclass(frozen=True, slots=True)
class ThresholdPoint:
    """What one threshold does: the share answered of questions with an answer, and declined of those without."""

    needed: float
    answered: float
    declined: float


@dataclass(frozen=True, slots=True)
class PassageCalibration:
    """The threshold for passages, now and suggested, measured on questions not used to choose it.

    `curve` is what other thresholds do, from the lowest to the highest.
    """

    answerable: int
    unanswerable: int
    needed: float
    suggested: float | None
    before: PassageFigures
    after: PassageFigures
    curve: Sequence[ThresholdPoint] = ()


@dataclass(frozen=True, slots=True)
class CuratedFigures:
    """What a distance between questions does: the share of hits that are right, and of same questions that are found.

    `precision` is None if there is no hit.
    """

    precision: float | None
    coverage: float
    hits: int


@dataclass(frozen=True, slots=True)
class CuratedCalibration:
    """The distance for curated answers, now and suggested, measured on pairs not used to choose it."""

    same: int
    different: int
    distance: float
    suggested: float | None
    before: CuratedFigures
    after: CuratedFigures


@dataclass(frozen=True, slots=True)
class Calibration:
    """Both thresholds of a collection, where there was enough data. Without a suggestion, keep the current one."""

    collection_id: str
    model: str
    passages: PassageCalibration | None = None
    curated: CuratedCalibration | None = None

    @property
    def has_suggestion(self) -> bool:
        """Whether other thresholds would do better than those in use."""
        parts = (self.passages, self.curated)
        return any(part is not None and part.suggested is not None for part in parts)
