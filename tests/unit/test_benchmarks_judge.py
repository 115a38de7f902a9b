"""The benchmark of the judge: what it learns, and that what is left out is left out."""

from __future__ import annotations

import numpy as np
from benchmarks.judge.__main__ import NAMES, SIZES, measured
from benchmarks.judge.cases import LEARNT_FROM
from benchmarks.judge.learning import Sample, answered, common_threshold, declining, learnt, separation


def sample(seed: int, *, turned: bool = False) -> Sample:
    """Questions whose first number tells, one way or the other, whether they have an answer."""
    chance = np.random.default_rng(seed)
    answerable = np.arange(80) % 2 == 0
    numbers = chance.normal(size=(80, len(NAMES)))
    numbers[:, 0] += np.where(answerable, 2.0, -2.0) * (-1 if turned else 1)
    return Sample(numbers, answerable)


def test_what_tells_gets_the_weight() -> None:
    found = learnt([sample(1), sample(2)])
    assert found.weights[0] > 2 * max(abs(found.weights[1:]))
    assert separation(found.score(sample(3).numbers), sample(3).answerable) > 0.95


def test_thresholds_decline_the_share_that_was_asked_for() -> None:
    scores, answerable = np.arange(100.0), np.arange(100) % 2 == 0
    assert 0.8 <= answered(scores, answerable, declining(scores, answerable, 0.85))[1] <= 0.9
    common, spread = common_threshold({"a": (scores, answerable), "b": (scores, answerable)}, 0.85)
    assert answered(scores, answerable, common)[1] >= 0.85
    assert spread == 0.0


def test_a_set_is_judged_by_the_others_alone() -> None:
    """One whose numbers tell the opposite is judged wrongly, as it must be if nothing of it was learnt."""
    odd = sample(9, turned=True)
    sets = {name: sample(place) for place, name in enumerate(LEARNT_FROM[1:])} | {LEARNT_FROM[0]: odd}
    assert LEARNT_FROM[0] in SIZES["size-2"]
    alone = measured(sets)
    assert alone["sets"][LEARNT_FROM[0]]["separation"] < 0.1
    beside = measured(sets | {"size-2": odd})
    assert (beside["sets"], beside["weights"]) == (alone["sets"], alone["weights"])
    assert beside["sizes"]["size-2"]["separation"] < 0.1
