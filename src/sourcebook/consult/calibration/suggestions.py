"""Chooses thresholds by what they do to questions whose right outcome is known. Pure functions.

A threshold looks better than it is on the questions it was chosen with. So a suggestion is measured by
cross-validation: for each fifth of the questions, it is chosen with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, TypeVar

from sourcebook.errors import TooLittleData
from sourcebook.model.calibration import (
    CuratedCalibration,
    CuratedFigures,
    PassageCalibration,
    PassageFigures,
    ThresholdPoint,
)

if TYPE_CHECKING:
    from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion

FEWEST = 10
"""At least this many examples of each kind are needed: of questions, with and without an answer; of pairs of
questions, those that ask the same and those that do not."""
PRECISION = 0.98
"""The share of curated answers that must be right. One for another question is worse than none."""
_FOLDS = 5
_WORTH_A_CHANGE = 0.01
_POINTS = 60

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TriedQuestion:
    """The outcome of a question: its score, and whether an expected document was found.

    `is_sure`: its vectors alone are enough. `score` is None if nothing was found.
    """

    is_answerable: bool
    score: float | None = None
    is_sure: bool = False
    is_expected: bool = False

    def is_answered(self, needed: float) -> bool:
        return self.score is not None and (self.is_sure or self.score >= needed)


@dataclass(frozen=True, slots=True)
class TriedPair:
    """Two questions: how far apart they are, whether their words agree, and whether they ask the same."""

    distance: float
    words_agree: bool
    is_same: bool

    def is_hit(self, distance: float) -> bool:
        return self.words_agree and self.distance < distance


def calibrate_passages(tried: Sequence[TriedQuestion], needed: float) -> PassageCalibration:
    """What the threshold does, and which one would balance answering and declining better."""
    sides = [[t for t in tried if t.is_answerable is side] for side in (True, False)]
    _require(sides, "questions with an answer", "questions without")
    before = passage_figures(tried, [needed] * len(tried))
    chosen = best_needed(tried, needed)
    after = passage_figures(tried, _cross_chosen(tried, lambda some: best_needed(some, needed)))
    is_better = after.balance >= before.balance + _WORTH_A_CHANGE
    return PassageCalibration(
        len(sides[0]),
        len(sides[1]),
        needed,
        chosen if is_better else None,
        before,
        after if is_better else before,
        threshold_curve(tried, needed),
    )


def threshold_curve(tried: Sequence[TriedQuestion], needed: float) -> list[ThresholdPoint]:
    """What the thresholds between the scores do, and the present one; at most as many points as a plot can show."""
    found = sorted({needed, *_between(sorted({t.score for t in tried if t.score is not None}))})
    step = max(1, len(found) // _POINTS)
    kept = sorted({*found[::step], *found[-1:], needed})
    points = [(n, passage_figures(tried, [n] * len(tried))) for n in kept]
    return [ThresholdPoint(n, figures.answered, figures.declined) for n, figures in points]


def passage_figures(tried: Sequence[TriedQuestion], needed: Sequence[float]) -> PassageFigures:
    """The figures with a threshold for each question."""
    outcomes = [(t, t.is_answered(n)) for t, n in zip(tried, needed, strict=True)]
    right = [t.is_answerable and t.is_expected for t, is_answered in outcomes if is_answered]
    return PassageFigures(
        _share(is_answered for t, is_answered in outcomes if t.is_answerable),
        _share(not is_answered for t, is_answered in outcomes if not t.is_answerable),
        fmean(right) if right else None,
    )


def best_needed(tried: Sequence[TriedQuestion], present: float) -> float:
    """The threshold with the best balance; of equals, the nearest to the present one."""
    candidates = [present, *_between(sorted({t.score for t in tried if t.score is not None}))]
    worth = {n: round(passage_figures(tried, [n] * len(tried)).balance, 6) for n in candidates}
    return min(candidates, key=lambda n: (-worth[n], abs(n - present)))


def calibrate_pairs(tried: Sequence[TriedPair], distance: float) -> CuratedCalibration:
    """What the distance does, and which one would find more without wrong answers."""
    sides = [[t for t in tried if t.is_same is side] for side in (True, False)]
    _require(sides, "pairs that ask the same", "pairs that only look similar")
    before = curated_figures(tried, [distance] * len(tried))
    chosen = best_distance(tried, distance)
    after = curated_figures(tried, _cross_chosen(tried, lambda some: best_distance(some, distance)))
    is_better = _curated_worth(after) > _curated_worth(before)
    return CuratedCalibration(
        len(sides[0]),
        len(sides[1]),
        distance,
        chosen if is_better else None,
        before,
        after if is_better else before,
    )


def curated_figures(tried: Sequence[TriedPair], distances: Sequence[float]) -> CuratedFigures:
    hits = [t.is_same for t, distance in zip(tried, distances, strict=True) if t.is_hit(distance)]
    same = sum(t.is_same for t in tried)
    return CuratedFigures(fmean(hits) if hits else None, sum(hits) / same if same else 0.0, len(hits))


def best_distance(tried: Sequence[TriedPair], present: float) -> float:
    """The distance that finds most while nearly every hit is right; of equals, the nearest to the present one."""
    candidates = [present, *_between(sorted({t.distance for t in tried if t.words_agree}))]
    worth = {d: _curated_worth(curated_figures(tried, [d] * len(tried))) for d in candidates}
    return min(candidates, key=lambda d: ((-worth[d][0], -worth[d][1]), abs(d - present)))


def _curated_worth(figures: CuratedFigures) -> tuple[float, float]:
    """Precision up to the wanted one, then coverage."""
    precision = 1.0 if figures.precision is None else figures.precision
    return min(precision, PRECISION), figures.coverage


def _cross_chosen(tried: Sequence[T], choose: Callable[[Sequence[T]], float]) -> list[float]:
    """For each item, the threshold chosen with the items of the other folds."""
    chosen = [
        choose([t for place, t in enumerate(tried) if place % _FOLDS != fold]) for fold in range(_FOLDS)
    ]
    return [chosen[place % _FOLDS] for place in range(len(tried))]


def _between(values: Sequence[float]) -> list[float]:
    """A threshold below all values, one between each two, and one above all."""
    if not values:
        return []
    middles = [(one + other) / 2 for one, other in pairwise(values)]
    return [round(value, 4) for value in (values[0] - 0.01, *middles, values[-1] + 0.01)]


def _share(values: Iterable[bool]) -> float:
    listed = list(values)
    return fmean(listed) if listed else 0.0


def has_enough(questions: Sequence[JudgedQuestion]) -> bool:
    """Whether a threshold can be measured on these: enough have an answer, and enough have none."""
    answerable = sum(question.has_answer for question in questions)
    return min(answerable, len(questions) - answerable) >= FEWEST


def _require(sides: Sequence[Sequence[object]], one: str, other: str) -> None:
    if min(map(len, sides)) < FEWEST:
        raise TooLittleData(
            f"There are {len(sides[0])} {one} and {len(sides[1])} {other}",
            hint=f"At least {FEWEST} of each are needed for a reliable threshold.",
        )
