"""Fuses several rankings into one. Plain functions over results; nothing is searched here.

The two arms are fused by score, ties are broken by chunk id, and the breakdown keeps the score of each arm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.search import FusionMethod, Ranking, ScoreBreakdown

if TYPE_CHECKING:
    from sourcebook.model.search import HybridConfig, SearchResult
    from sourcebook.retrieve.fusion_weights import FusionWeights

RRF_K = 60
SCORES_MEASURED = 200
"""The mean and the spread of an arm's scores are measured on so many of its best."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What an arm adds to the score of a chunk, whether it found it or not."""

    found: Mapping[str, float] = field(default_factory=dict[str, float])
    missing: float = 0.0

    def __call__(self, chunk_id: str) -> float:
        return self.found.get(chunk_id, self.missing)


@dataclass(frozen=True, slots=True)
class FusionRule:
    """How the arms of a collection are fused: as configured, else with the weights of its model."""

    method: FusionMethod
    semantic_weight: float
    keyword_weight: float

    @classmethod
    def of(cls, config: HybridConfig, weights: FusionWeights) -> FusionRule:
        semantic = weights.semantic if config.semantic_weight is None else config.semantic_weight
        keyword = weights.keyword if config.keyword_weight is None else config.keyword_weight
        if semantic == 0 and keyword == 0:
            raise UsageError("semantic_weight and keyword_weight cannot both be 0.")
        return cls(config.fusion_method or FusionMethod.WEIGHTED, semantic, keyword)

    def contributions(
        self, semantic: Sequence[SearchResult], keyword: Sequence[SearchResult]
    ) -> tuple[Contribution, Contribution]:
        """What each arm adds to the score of a chunk."""
        share = _by_rank if self.method is FusionMethod.RRF else _by_score
        arms = Ranking.of(semantic), Ranking.of(keyword)
        return share(arms[0], self.semantic_weight), share(arms[1], self.keyword_weight)

    def fuse(
        self, semantic: Sequence[SearchResult], keyword: Sequence[SearchResult], collection_id: str = ""
    ) -> Ranking:
        arms = Ranking.of(semantic), Ranking.of(keyword)
        return _fused(*arms, *self.contributions(*arms), collection_id)


def fuse_collections(rankings: Sequence[Sequence[SearchResult]]) -> Sequence[SearchResult]:
    """The rankings of several collections as one, by rank alone: scores of different models do not compare.

    Equal ranks follow the order in which the collections were named. One ranking stays as it is.
    """
    if len(rankings) == 1:
        return rankings[0]
    ranked = [
        (rank, number, result)
        for number, ranking in enumerate(rankings)
        for rank, result in enumerate(ranking, start=1)
    ]
    ranked.sort(key=lambda entry: entry[:2])
    return [result.with_score(1 / (RRF_K + rank), result.score_breakdown) for rank, _, result in ranked]


def put_behind(first: Sequence[SearchResult], rest: Sequence[SearchResult]) -> list[SearchResult]:
    """Both lists as one, sorted by score: if `rest` scores too high, its scores are lowered by the same amount."""
    if not first or not rest or rest[0].score < first[-1].score:
        return [*first, *rest]
    last = first[-1].score
    excess = rest[0].score - last
    step = 1e-6 * max(1.0, abs(last))
    return [
        *first,
        *(result.with_score(result.score - excess - step, result.score_breakdown) for result in rest),
    ]


def _fused(
    semantic: Ranking,
    keyword: Ranking,
    from_semantic: Contribution,
    from_keyword: Contribution,
    collection_id: str,
) -> Ranking:
    by_vectors, by_words = _places(semantic), _places(keyword)
    near, worded = from_semantic.found, from_keyword.found
    far, unsaid = from_semantic.missing, from_keyword.missing
    scored = sorted(
        (-(near.get(chunk_id, far) + worded.get(chunk_id, unsaid)), chunk_id)
        for chunk_id in by_vectors | by_words
    )

    def fused(place: int) -> SearchResult:
        score, chunk_id = scored[place]
        near, worded = by_vectors.get(chunk_id), by_words.get(chunk_id)
        breakdown = ScoreBreakdown(
            semantic_score=None if near is None else semantic.scores[near],
            keyword_score=None if worded is None else keyword.scores[worded],
        )
        # If both arms found a chunk, the vector arm's result is taken: it knows which children matched.
        found = keyword[by_words[chunk_id]] if near is None else semantic[near]
        return found.with_score(-score, breakdown, collection_id)

    return Ranking([chunk_id for _, chunk_id in scored], [-score for score, _ in scored], fused)


def _places(ranking: Ranking) -> dict[str, int]:
    return {chunk_id: place for place, chunk_id in enumerate(ranking.ids)}


def _by_rank(ranking: Ranking, weight: float) -> Contribution:
    """Reciprocal rank fusion: weight / (60 + rank), the rank counted from 1."""
    return Contribution({chunk_id: weight / (RRF_K + rank) for rank, chunk_id in enumerate(ranking.ids, 1)})


def _by_score(ranking: Ranking, weight: float) -> Contribution:
    """The weighted standard score, measured over the top 200.

    A chunk that the arm did not find takes the arm's lowest score. An arm without results takes no part.
    """
    if not ranking.ids:
        return Contribution()
    measured = ranking.scores[:SCORES_MEASURED]
    mean = fmean(measured)
    spread = math.sqrt(fmean([(score - mean) ** 2 for score in measured]))
    if min(measured) == max(measured) or spread == 0:
        # Without a spread, the arm still tells what it found from what it did not.
        return Contribution(dict.fromkeys(ranking.ids, weight), -weight)
    scores = [(score - mean) / spread for score in ranking.scores]
    shares = [weight * score for score in scores]
    return Contribution(dict(zip(ranking.ids, shares, strict=True)), weight * min(scores))
