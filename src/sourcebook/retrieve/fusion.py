"""Two rankings become one. Plain functions over results; nothing is searched here.

Both fusions sort by the fused score, break ties by chunk id, and keep what each arm said in the breakdown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.model.search import ScoreBreakdown

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

RRF_K = 60
SCORES_MEASURED = 100
"""How many of an arm's best scores say where its scores lie."""

Contribution: TypeAlias = Callable[[str], float]
"""What an arm adds to a chunk's score, found by it or not."""


def fuse_rrf(
    semantic: Sequence[SearchResult],
    keyword: Sequence[SearchResult],
    *,
    semantic_weight: float = 1.0,
    keyword_weight: float = 1.0,
) -> list[SearchResult]:
    """Reciprocal rank fusion: each arm adds weight / (60 + rank), the rank counted from 1."""
    return _fused(semantic, keyword, _by_rank(semantic, semantic_weight), _by_rank(keyword, keyword_weight))


def fuse_weighted(
    semantic: Sequence[SearchResult],
    keyword: Sequence[SearchResult],
    *,
    semantic_weight: float,
    keyword_weight: float,
) -> list[SearchResult]:
    """The weighted sum of standard scores, measured over the top 100 of each arm.

    A chunk that an arm did not find takes the lowest score of that arm. An arm without results takes no part.
    """
    return _fused(semantic, keyword, _by_score(semantic, semantic_weight), _by_score(keyword, keyword_weight))


def _fused(
    semantic: Sequence[SearchResult],
    keyword: Sequence[SearchResult],
    from_semantic: Contribution,
    from_keyword: Contribution,
) -> list[SearchResult]:
    by_vectors = {result.chunk.id: result.score for result in semantic}
    by_words = {result.chunk.id: result.score for result in keyword}
    # The vector arm knows which children matched, so where both found a chunk its result is the fuller one.
    found = {result.chunk.id: result for result in (*keyword, *semantic)}
    fused = [
        result.with_score(
            from_semantic(key) + from_keyword(key),
            ScoreBreakdown(semantic_score=by_vectors.get(key), keyword_score=by_words.get(key)),
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
