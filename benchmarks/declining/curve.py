"""Answered of answerable against declined of unanswerable, for every threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.declining.run import Outcome

STEPS = tuple(round(-2.5 + 0.1 * step, 1) for step in range(61))


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold on the closeness of a passage does; 0 is what the product uses."""

    threshold: float
    answered: float
    declined: float

    @property
    def balance(self) -> float:
        return (self.answered + self.declined) / 2


def point(outcomes: Sequence[Outcome], threshold: float, sure_similarity: float) -> Point:
    def is_answered(outcome: Outcome) -> bool:
        return outcome.closeness >= threshold or outcome.similarity >= sure_similarity

    sides = {side: [o for o in outcomes if o.is_answerable is side] for side in (True, False)}
    answered = fmean(is_answered(o) for o in sides[True]) if sides[True] else 0.0
    declined = fmean(not is_answered(o) for o in sides[False]) if sides[False] else 0.0
    return Point(threshold, answered, declined)


def curve(outcomes: Sequence[Outcome], sure_similarity: float) -> list[Point]:
    return [point(outcomes, step, sure_similarity) for step in STEPS]


def best_threshold(sets: Mapping[str, Sequence[Outcome]], sure_similarity: float) -> float:
    """Where answered and declined are best balanced, each set counting the same; the middle of a plateau."""
    worth = {
        step: round(fmean(point(outcomes, step, sure_similarity).balance for outcomes in sets.values()), 4)
        for step in STEPS
    }
    top = [step for step, value in worth.items() if value == max(worth.values())]
    return top[len(top) // 2]


def told_apart(outcomes: Sequence[Outcome]) -> float:
    """Of all pairs of a question with an answer and one without, in how many the one with it finds something closer."""
    with_answer = [o.closeness for o in outcomes if o.is_answerable]
    without = [o.closeness for o in outcomes if not o.is_answerable]
    if not with_answer or not without:
        return 0.0
    return fmean((one > other) + (one == other) / 2 for one in with_answer for other in without)
