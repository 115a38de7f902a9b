"""How two rankings become one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from sourcebook.errors import UsageError
from sourcebook.model.documents import Chunk
from sourcebook.model.search import (
    Equals,
    FusionMethod,
    HybridConfig,
    Match,
    RetrievalConfig,
    ScoreBreakdown,
    SearchResult,
)
from sourcebook.retrieve.fusion import SCORES_MEASURED, FusionRule
from sourcebook.retrieve.search_checks import MAX_TOP_K, checked_config, require_top_k


def ranked(**scores: float) -> list[SearchResult]:
    return [SearchResult(Chunk(name, "d", name), score) for name, score in scores.items()]


def fuse_rrf(
    semantic: Sequence[SearchResult],
    keyword: Sequence[SearchResult],
    *,
    semantic_weight: float = 1.0,
    keyword_weight: float = 1.0,
) -> list[SearchResult]:
    return list(FusionRule(FusionMethod.RRF, semantic_weight, keyword_weight).fuse(semantic, keyword))


def fuse_weighted(
    semantic: Sequence[SearchResult],
    keyword: Sequence[SearchResult],
    *,
    semantic_weight: float,
    keyword_weight: float,
) -> list[SearchResult]:
    return list(FusionRule(FusionMethod.WEIGHTED, semantic_weight, keyword_weight).fuse(semantic, keyword))


def order(results: Sequence[SearchResult]) -> list[str]:
    return [result.chunk.id for result in results]


def test_rrf_adds_reciprocal_ranks_from_one() -> None:
    fused = fuse_rrf(ranked(a=0.9, b=0.5), ranked(b=7.0, c=3.0))
    assert order(fused) == ["b", "a", "c"]
    assert [result.score for result in fused] == [1 / 62 + 1 / 61, 1 / 61, 1 / 62]


def test_rrf_breaks_ties_by_chunk_id() -> None:
    assert order(fuse_rrf(ranked(z=1.0), ranked(a=1.0))) == ["a", "z"]
    assert order(fuse_rrf(ranked(a=1.0, b=0.5), ranked(b=1.0, a=0.5))) == ["a", "b"]


def test_weights_apply_to_rrf() -> None:
    assert order(fuse_rrf(ranked(a=1.0), ranked(b=1.0), semantic_weight=0.3, keyword_weight=0.7)) == [
        "b",
        "a",
    ]


def test_weighted_scores_do_not_depend_on_the_scale_of_an_arm() -> None:
    words = ranked(c=9.0, a=4.0, b=1.0)
    small = fuse_weighted(ranked(a=0.3, b=0.2, c=0.1), words, semantic_weight=0.5, keyword_weight=0.5)
    large = fuse_weighted(ranked(a=300, b=200, c=100), words, semantic_weight=0.5, keyword_weight=0.5)
    assert order(small) == order(large)
    assert [result.score for result in small] == pytest.approx([result.score for result in large])


def test_a_chunk_that_an_arm_did_not_find_takes_the_lowest_score_of_that_arm() -> None:
    fused = fuse_weighted(ranked(a=3.0, b=1.0), ranked(c=3.0, a=1.0), semantic_weight=1.0, keyword_weight=1.0)
    assert {result.chunk.id: result.score for result in fused} == {"a": 0.0, "c": 0.0, "b": -2.0}
    assert order(fused) == ["a", "c", "b"]


def test_an_arm_without_results_takes_no_part() -> None:
    fused = fuse_weighted([], ranked(a=3.0, b=1.0), semantic_weight=0.9, keyword_weight=0.5)
    assert [(result.chunk.id, result.score) for result in fused] == [("a", 0.5), ("b", -0.5)]
    assert fuse_weighted([], [], semantic_weight=1.0, keyword_weight=1.0) == []


def test_the_only_hit_of_an_arm_counts_for_something() -> None:
    fused = fuse_weighted(
        ranked(a=0.50, b=0.49, c=0.48), ranked(c=4.0), semantic_weight=0.3, keyword_weight=0.7
    )
    assert order(fused) == ["c", "a", "b"]


def test_only_the_best_scores_measure_an_arm() -> None:
    best = {f"{i:03}": float(400 - i) for i in range(SCORES_MEASURED)}
    tail = {f"{i:03}": -1e9 for i in range(SCORES_MEASURED, SCORES_MEASURED + 20)}
    short = fuse_weighted(ranked(**best), [], semantic_weight=1.0, keyword_weight=1.0)
    long = fuse_weighted(ranked(**best, **tail), [], semantic_weight=1.0, keyword_weight=1.0)
    assert [result.score for result in long[:SCORES_MEASURED]] == [result.score for result in short]


def test_the_breakdown_and_the_matched_children_are_kept() -> None:
    match = Match("child", 0, 1, 0.8)
    by_vectors = [SearchResult(Chunk("a", "d", "text"), 0.8, ScoreBreakdown(0.8), "a.md", "A", [match])]
    by_words = [SearchResult(Chunk("a", "", ""), 5.0, ScoreBreakdown(keyword_score=5.0))]
    (result,) = fuse_rrf(by_vectors, by_words)
    assert result.score_breakdown == ScoreBreakdown(semantic_score=0.8, keyword_score=5.0)
    assert (result.chunk.content, result.document_path, result.matched) == ("text", "a.md", [match])


def test_results_are_sorted_by_their_score() -> None:
    fused = fuse_weighted(
        ranked(a=5, b=4, c=3, d=1), ranked(d=9, b=8, e=1), semantic_weight=0.3, keyword_weight=0.7
    )
    assert [result.score for result in fused] == sorted((result.score for result in fused), reverse=True)


@pytest.mark.parametrize(
    "config",
    [
        RetrievalConfig(top_k=0),
        RetrievalConfig(top_k=-1),
        RetrievalConfig(top_k=10_001),
        RetrievalConfig(top_k=2.5),  # type: ignore[arg-type]
        RetrievalConfig(top_k=True),
        RetrievalConfig(hybrid_config=HybridConfig(semantic_weight=-0.1)),
        RetrievalConfig(hybrid_config=HybridConfig(keyword_weight=math.nan)),
        RetrievalConfig(hybrid_config=HybridConfig(keyword_weight=math.inf)),
        RetrievalConfig(hybrid_config=HybridConfig(semantic_weight=0, keyword_weight=0)),
        RetrievalConfig(filter=Equals("two words", 1)),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(config: RetrievalConfig) -> None:
    with pytest.raises(UsageError):
        checked_config(config)


@pytest.mark.parametrize(("semantic", "keyword"), [(0, 1), (1, 0)])
def test_one_weight_may_be_zero(semantic: float, keyword: float) -> None:
    config = RetrievalConfig(hybrid_config=HybridConfig(semantic_weight=semantic, keyword_weight=keyword))
    assert checked_config(config) == config
    fused = fuse_rrf(ranked(a=1.0), ranked(b=1.0), semantic_weight=semantic, keyword_weight=keyword)
    assert {result.chunk.id: result.score for result in fused} == {"a": semantic / 61, "b": keyword / 61}


@pytest.mark.parametrize("top_k", [True, False, 2.5, "3", None, math.nan, [3], 0, -1])
def test_a_store_takes_only_whole_numbers_from_one_up(top_k: Any) -> None:
    with pytest.raises(UsageError, match="top_k must"):
        require_top_k(top_k)


def test_a_store_may_be_asked_for_more_than_a_search() -> None:
    require_top_k(1)
    require_top_k(MAX_TOP_K * 100)
