"""Logistic regression over a handful of numbers, and the figures that tell how well it separates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

_STRENGTH = 60.0
"""How much a large weight costs: each set counts as a hundred questions with an answer and a hundred without."""
_OF_A_SIDE = 100.0
_STEPS = 50


@dataclass(frozen=True, slots=True)
class Sample:
    """The questions of one set: a row of numbers each, and whether the base answers it."""

    numbers: Numbers
    answerable: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Weights:
    """A learnt sum: what each number is worth, and the intercept."""

    weights: Numbers
    intercept: float

    def score(self, numbers: Numbers) -> Numbers:
        return numbers @ self.weights + self.intercept


def learnt(samples: Sequence[Sample]) -> Weights:
    """Newton's method on standardised numbers; every set counts the same, and in it both sides."""
    numbers = np.concatenate([sample.numbers for sample in samples])
    target = np.concatenate([sample.answerable for sample in samples]).astype(np.float64)
    worth = np.concatenate([_worth(sample) for sample in samples])
    mean, spread = numbers.mean(axis=0), numbers.std(axis=0) + 1e-9
    design = np.column_stack([(numbers - mean) / spread, np.ones(len(numbers))])
    cost = np.diag([_STRENGTH] * numbers.shape[1] + [0.0])
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-design @ found))
        slope = design.T @ (worth * (chance - target)) + cost @ found
        bend = (design * (worth * chance * (1.0 - chance))[:, None]).T @ design + cost
        found -= np.linalg.solve(bend, slope)
    weights = found[:-1] / spread
    return Weights(weights, float(found[-1] - weights @ mean))


def _worth(sample: Sample) -> Numbers:
    sides = sample.answerable.sum(), (~sample.answerable).sum()
    return np.where(sample.answerable, _OF_A_SIDE / max(1, sides[0]), _OF_A_SIDE / max(1, sides[1]))


def separation(scores: Numbers, answerable: NDArray[np.bool_]) -> float:
    """The area under the curve: how often a question with an answer scores above one without."""
    yes, no = scores[answerable], scores[~answerable]
    above = (yes[:, None] > no[None, :]).mean() + (yes[:, None] == no[None, :]).mean() / 2
    return float(above)


def declining(scores: Numbers, answerable: NDArray[np.bool_], share: float) -> float:
    """The threshold that declines this share of the questions without an answer."""
    return float(np.quantile(scores[~answerable], share))


def answered(scores: Numbers, answerable: NDArray[np.bool_], threshold: float) -> tuple[float, float]:
    """The share of the answerable that reach the threshold, and of the others that do not."""
    reached = scores >= threshold
    return float(reached[answerable].mean()), float((~reached[~answerable]).mean())


def common_threshold(
    scored: Mapping[str, tuple[Numbers, NDArray[np.bool_]]], share: float
) -> tuple[float, float]:
    """The threshold that declines this share on the mean of the sets, and how far the sets lie apart there."""
    candidates = np.unique(np.concatenate([scores for scores, _ in scored.values()]))

    def shares(threshold: float) -> list[float]:
        return [answered(scores, yes, threshold)[1] for scores, yes in scored.values()]

    chosen = next((float(c) for c in candidates if fmean(shares(float(c))) >= share), float(candidates[-1]))
    return chosen, pstdev(shares(chosen))
