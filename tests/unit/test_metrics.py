"""Figures of quality: against a library that others use, and by hand where it has none."""

from __future__ import annotations

import random
from typing import Any, cast

import ir_measures
import pytest

from sourcebook.retrieve.evaluation.metrics import (
    chance_of_difference,
    ndcg,
    percentile,
    recall,
    reciprocal_rank,
)

_OURS = {"nDCG": ndcg, "R": recall, "RR": reciprocal_rank}


def random_case(dice: random.Random) -> tuple[dict[str, float], dict[str, int]]:
    """Scores with ties for some documents of a hundred, and grades for some, found or not."""
    names = [f"d{number:02}" for number in range(100)]
    scores = {
        name: dice.choice((0.1, 0.2, dice.random())) for name in dice.sample(names, dice.randint(0, 40))
    }
    judged = {name: dice.choice((-1, 0, 1, 2, 4)) for name in dice.sample(names, dice.randint(1, 30))}
    # Without anything relevant there is nothing to measure.
    return scores, judged | {dice.choice(names): dice.randint(1, 4)}


def best_first(scores: dict[str, float], measure: str) -> list[str]:
    """Of equal scores the library takes the later name first, but the earlier one for the reciprocal rank."""
    by_name = sorted(scores, reverse=measure != "RR")
    return sorted(by_name, key=lambda name: -scores[name])


@pytest.mark.parametrize("k", [1, 5, 10, 50])
@pytest.mark.parametrize("seed", range(40))
def test_figures_agree_with_the_library(seed: int, k: int) -> None:
    scores, judged = random_case(random.Random(seed))
    library = cast("Any", ir_measures)
    theirs: dict[Any, float] = library.calc_aggregate(
        [measure @ k for measure in (library.nDCG, library.R, library.RR)], {"q": judged}, {"q": scores}
    )
    for measure, value in theirs.items():
        ranking = best_first(scores, measure.NAME)
        assert _OURS[measure.NAME](ranking, judged, k) == pytest.approx(value, abs=1e-9), measure


def test_the_best_possible_order_scores_one() -> None:
    judged = {"a": 1, "b": 3, "c": 2, "d": 0}
    assert ndcg(["b", "c", "a", "d"], judged) == 1.0
    assert ndcg(["a", "c", "b"], judged) < ndcg(["c", "b", "a"], judged) < 1.0


def test_of_nothing_relevant_every_figure_is_zero() -> None:
    for figure in _OURS.values():
        assert figure(["a", "b"], {"a": 0}) == 0.0
        assert figure([], {"a": 1}) == 0.0


def test_only_the_first_k_count() -> None:
    ranking = ["x", "y", "a"]
    for figure in _OURS.values():
        assert figure(ranking, {"a": 1}, 2) == 0.0
        assert figure(ranking, {"a": 1}, 3) > 0.0


def test_a_percentile_is_one_of_the_values() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert percentile(values, 0.5) == 3.0
    assert percentile(values, 0.95) == 5.0
    assert percentile(values, 0.0) == 1.0
    assert percentile([], 0.5) == 0.0


def test_equal_ways_differ_by_chance_for_certain() -> None:
    assert chance_of_difference([0.1, 0.5, 1.0], [0.1, 0.5, 1.0]) == 1.0
    assert chance_of_difference([], []) == 1.0


def test_a_way_that_is_always_better_is_hardly_so_by_chance() -> None:
    dice = random.Random(1)
    worse = [dice.random() * 0.5 for _ in range(60)]
    better = [value + 0.1 for value in worse]
    assert chance_of_difference(better, worse) < 0.001
    assert chance_of_difference(better, worse) == chance_of_difference(worse, better)


def test_one_better_question_among_few_says_little() -> None:
    assert chance_of_difference([1.0, 0.5, 0.5], [0.0, 0.5, 0.5]) == 1.0
    # Of five equal differences all five point the same way in two of thirty-two tosses.
    assert chance_of_difference([1.0] * 5, [0.0] * 5) == pytest.approx(2 / 32, abs=0.01)


def test_noise_is_taken_for_a_difference_about_as_often_as_promised() -> None:
    dice = random.Random(7)
    found = 0
    for seed in range(200):
        one, other = ([dice.gauss(0.5, 0.2) for _ in range(40)] for _ in range(2))
        found += chance_of_difference(one, other, seed) < 0.05
    assert 2 <= found <= 20
