"""Several rankings become one. Plain functions over results; nothing is searched here.

The fusions of the two arms sort by the fused score, break ties by chunk id, and keep what each arm said in the
breakdown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.errors import UsageError
from sourcebook.model.search import FusionMethod, ScoreBreakdown

if TYPE_CHECKING:
    from sourcebook.model.facts import ModelFacts
    from sourcebook.model.search import HybridConfig, SearchResult

RRF_K = 60
SCORES_MEASURED = 200
"""How many of an arm's best scores say where its scores lie."""

Contribution: TypeAlias = Callable[[str], float]
"""What an arm adds to a chunk's score, found by it or not."""


@dataclass(frozen=True, slots=True)
class FusionRule:
    """How the arms of one collection are fused: what was asked for and, where that is silent, what its model needs."""

    method: FusionMethod
    semantic_weight: float
    keyword_weight: float

    @classmethod
    def of(cls, config: HybridConfig, facts: ModelFacts) -> FusionRule:
        semantic = facts.semantic_weight if config.semantic_weight is None else config.semantic_weight
        keyword = facts.keyword_weight if config.keyword_weight is None else config.keyword_weight
        if semantic == 0 and keyword == 0:
            raise UsageError("semantic_weight and keyword_weight cannot both be 0.")
        return cls(config.fusion_method or FusionMethod.WEIGHTED, semantic, keyword)

    def contributions(
        self, semantic: Sequence[SearchResult], keyword: Sequence[SearchResult]
    ) -> tuple[Contribution, Contribution]:
        """What each arm adds to the score of a chunk."""
        share = _by_rank if self.method is FusionMethod.RRF else _by_score
        return share(semantic, self.semantic_weight), share(keyword, self.keyword_weight)

    def fuse(
        self, semantic: Sequence[SearchResult], keyword: Sequence[SearchResult], collection_id: str = ""
    ) -> list[SearchResult]:
        return _fused(semantic, keyword, *self.contributions(semantic, keyword), collection_id)


def fuse_rrf(
    semantic: Sequence[SearchResult],
    keyword: Sequence[SearchResult],
    *,
    semantic_weight: float = 1.0,
    keyword_weight: float = 1.0,
) -> list[SearchResult]:
    """Reciprocal rank fusion: each arm adds weight / (60 + rank), the rank counted from 1."""
    return FusionRule(FusionMethod.RRF, semantic_weight, keyword_weight).fuse(semantic, keyword)


def fuse_weighted(
    semantic: Sequence[SearchResult],
    keyword: Sequence[SearchResult],
    *,
    semantic_weight: float,
    keyword_weight: float,
) -> list[SearchResult]:
    """The weighted sum of standard scores, measured over the top 200 of each arm.

    A chunk that an arm did not find takes the lowest score of that arm. An arm without results takes no part.
    """
    return FusionRule(FusionMethod.WEIGHTED, semantic_weight, keyword_weight).fuse(semantic, keyword)


def fuse_collections(rankings: Sequence[Sequence[SearchResult]]) -> list[SearchResult]:
    """The rankings of several collections as one, by rank alone: scores of different models do not compare.

    Equal ranks follow the order in which the collections were named. One ranking stays as it is.
    """
    if len(rankings) == 1:
        return list(rankings[0])
    ranked = [
        (rank, number, result)
        for number, ranking in enumerate(rankings)
        for rank, result in enumerate(ranking, start=1)
    ]
    ranked.sort(key=lambda entry: entry[:2])
    return [result.with_score(1 / (RRF_K + rank), result.score_breakdown) for rank, _, result in ranked]


def put_behind(first: Sequence[SearchResult], rest: Sequence[SearchResult]) -> list[SearchResult]:
    """Both lists as one that is still sorted by score: where the rest scores too high, all of it is lowered alike."""
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
    semantic: Sequence[SearchResult],
    keyword: Sequence[SearchResult],
    from_semantic: Contribution,
    from_keyword: Contribution,
    collection_id: str,
) -> list[SearchResult]:
    by_vectors = {result.chunk.id: result.score for result in semantic}
    by_words = {result.chunk.id: result.score for result in keyword}
    # The vector arm knows which children matched, so where both found a chunk its result is the fuller one.
    found = {result.chunk.id: result for result in (*keyword, *semantic)}
    fused = [
        result.with_score(
            from_semantic(key) + from_keyword(key),
            ScoreBreakdown(semantic_score=by_vectors.get(key), keyword_score=by_words.get(key)),
            collection_id,
        )
        for key, result in found.items()
    ]
    return sorted(fused, key=lambda result: (-result.score, result.chunk.id))


def _by_rank(results: Sequence[SearchResult], weight: float) -> Contribution:
    shares = {result.chunk.id: weight / (RRF_K + rank) for rank, result in enumerate(results, start=1)}
    return lambda key: shares.get(key, 0.0)


def _by_score(results: Sequence[SearchResult], weight: float) -> Contribution:
    if not results:
        return lambda key: 0.0
    measured = [result.score for result in results[:SCORES_MEASURED]]
    mean = fmean(measured)
    spread = math.sqrt(fmean((score - mean) ** 2 for score in measured))
    if min(measured) == max(measured) or spread == 0:
        # No spread to measure, yet such an arm still says that it found these and not the others.
        standard, missing = {result.chunk.id: 1.0 for result in results}, -1.0
    else:
        standard = {result.chunk.id: (result.score - mean) / spread for result in results}
        missing = min(standard.values())
    return lambda key: weight * standard.get(key, missing)
