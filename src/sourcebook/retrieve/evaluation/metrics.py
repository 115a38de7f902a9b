"""Quality of rankings by people's judgements, and whether one way of ranking is better than another.

A judgement is a whole number: a document is relevant if it is above 0, and more so the higher it is. A document without
one is not relevant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Judgements: TypeAlias = Mapping[str, int]

_ROUNDS = 10_000
_FLIPPED_AT_ONCE = 2_000_000
"""How many signs are drawn at a time: memory stays small for any number of questions."""


def ndcg(ranking: Sequence[str], judgements: Judgements, k: int = 10) -> float:
    """Normalised discounted cumulative gain: 1.0 for the best possible order. Gains are the grades."""
    gains = [max(judgements.get(document, 0), 0) for document in ranking[:k]]
    best = sorted((grade for grade in judgements.values() if grade > 0), reverse=True)[:k]
    return _discounted(gains) / _discounted(best) if best else 0.0


def recall(ranking: Sequence[str], judgements: Judgements, k: int = 10) -> float:
    """The share of all relevant documents among the first `k`."""
    relevant = {document for document, grade in judgements.items() if grade > 0}
    return len(relevant.intersection(ranking[:k])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], judgements: Judgements, k: int = 10) -> float:
    """1 / rank of the first relevant document; 0.0 if it is not among the first `k`."""
    for rank, document in enumerate(ranking[:k], start=1):
        if judgements.get(document, 0) > 0:
            return 1 / rank
    return 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed; 0.0 without values."""
    if not values:
        return 0.0
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def chance_of_difference(one: Sequence[float], other: Sequence[float], seed: int = 0) -> float:
    """How often chance alone would make the means of two rankings of the same questions differ at least this much.

    A randomisation test: for each question a coin decides which value belongs to which ranking. The same seed gives the
    same number. Below 0.05, the difference is hardly due to chance.
    """
    import numpy as np  # noqa: PLC0415 - nothing else here needs it, and every search imports this

    differences = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    observed = abs(differences.sum())
    dice = np.random.default_rng(seed)
    at_once = max(_FLIPPED_AT_ONCE // len(differences), 1)
    as_far = 0
    for start in range(0, _ROUNDS, at_once):
        rounds = min(at_once, _ROUNDS - start)
        signs = dice.integers(0, 2, size=(rounds, len(differences)), dtype=np.int8) * 2.0 - 1.0
        # A sum in another order may differ in its last digit, which must not count as a difference.
        as_far += int((np.abs(signs @ differences) >= observed * (1 - 1e-9)).sum())
    # What was observed is one of the possible outcomes.
    return (as_far + 1) / (_ROUNDS + 1)


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
