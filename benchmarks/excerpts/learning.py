"""A softmax over the units of each question, learnt so that the units that answer get the greatest part of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

_STRENGTH = 0.01
"""How much a large weight costs."""
_OF_PROSE = 0.3
"""What a set of encyclopaedic prose counts beside a folder of documents."""
_STEPS = 400
_FIRST_STEP = 1.0
_SMALLEST_STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Case:
    """A question: the numbers of every unit that was found for it, and which of them answer."""

    group: str
    is_prose: bool
    numbers: Numbers
    answers: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Problem:
    """All units of all questions in one table."""

    numbers: Numbers
    answers: Numbers
    starts: NDArray[np.intp]
    question: NDArray[np.intp]
    worth: Numbers

    def loss(self, weights: Numbers) -> tuple[float, Numbers]:
        """The mean of the logarithms of what the answers get, with the cost of the weights, and its slope."""
        scores = self.numbers @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, self.starts)[self.question])
        whole = np.add.reduceat(raised, self.starts)
        right = np.add.reduceat(raised * self.answers, self.starts) + 1e-300
        told = raised * self.answers / right[self.question] - raised / whole[self.question]
        slope = _STRENGTH * weights - self.numbers.T @ (self.worth[self.question] * told)
        loss = _STRENGTH * float(weights @ weights) / 2 - float(self.worth @ np.log(right / whole))
        return loss, slope


def learnt(cases: Sequence[Case]) -> Numbers:
    """The weights. A group counts by the root of its questions, so that a large one does not drown the others."""
    spread = np.concatenate([case.numbers for case in cases]).std(axis=0) + 1e-9
    known = [case for case in cases if case.answers.any()]
    of_group = Counter(case.group for case in cases)
    worth = np.array([(_OF_PROSE if c.is_prose else 1.0) / of_group[c.group] ** 0.5 for c in known])
    sizes = np.array([len(case.numbers) for case in known])
    problem = _Problem(
        np.concatenate([case.numbers for case in known]) / spread,
        np.concatenate([case.answers for case in known]).astype(np.float64),
        np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp),
        np.repeat(np.arange(len(known)), sizes),
        worth / worth.sum(),
    )
    return _lowest(problem, np.zeros(len(spread))) / spread


def _lowest(problem: _Problem, weights: Numbers) -> Numbers:
    """Newton's way, with the bend learnt from the slopes (BFGS): the loss has one lowest point."""
    bend = np.eye(len(weights))
    loss, slope = problem.loss(weights)
    for _ in range(_STEPS):
        way, step = -bend @ slope, _FIRST_STEP
        while True:
            further, new_slope = problem.loss(weights + step * way)
            if further <= loss + 1e-4 * step * float(slope @ way) or step < _SMALLEST_STEP:
                break
            step /= 2
        moved, turned = step * way, new_slope - slope
        if (curve := float(moved @ turned)) > 1e-12:
            side = np.eye(len(weights)) - np.outer(moved, turned) / curve
            bend = side @ bend @ side.T + np.outer(moved, moved) / curve
        is_done = loss - further < 1e-9
        weights, loss, slope = weights + moved, further, new_slope
        if is_done:
            break
    return weights
