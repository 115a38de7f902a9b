"""What holds for every fusion, whatever the arms found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sourcebook.model.documents import Chunk
from sourcebook.model.search import FusionMethod, HybridConfig, ScoreBreakdown, SearchResult
from sourcebook.retrieve.fusion import FusionRule, fuse_collections, put_behind
from sourcebook.retrieve.fusion_weights import FusionWeights

NAMES = st.sampled_from([f"{letter}{number}" for letter in "abcd" for number in range(8)])
SCORES = st.floats(-1000, 1000, allow_nan=False).map(lambda score: round(score, 3))
WEIGHTS = st.floats(0.01, 10)
RULES = st.builds(FusionRule, st.sampled_from(FusionMethod), WEIGHTS, WEIGHTS)


def ranking(scores: dict[str, float]) -> list[SearchResult]:
    found = [SearchResult(Chunk(name, "d", name), score) for name, score in scores.items()]
    return sorted(found, key=lambda result: (-result.score, result.chunk.id))


ARMS = st.dictionaries(NAMES, SCORES, max_size=20).map(ranking)


def order(results: Sequence[SearchResult]) -> list[str]:
    return [result.chunk.id for result in results]


def places(results: Sequence[SearchResult]) -> dict[str, int]:
    return {name: place for place, name in enumerate(order(results))}


def assert_sorted(results: Sequence[SearchResult]) -> None:
    assert all(one.score >= other.score for one, other in pairwise(results))


@given(RULES, ARMS, ARMS)
def test_everything_that_an_arm_found_is_there_once_best_first(
    rule: FusionRule, semantic: list[SearchResult], keyword: list[SearchResult]
) -> None:
    fused = rule.fuse(semantic, keyword)
    assert sorted(order(fused)) == sorted({*order(semantic), *order(keyword)})
    assert [(-r.score, r.chunk.id) for r in fused] == sorted((-r.score, r.chunk.id) for r in fused)


@given(RULES, ARMS, ARMS)
def test_the_breakdown_says_what_each_arm_said(
    rule: FusionRule, semantic: list[SearchResult], keyword: list[SearchResult]
) -> None:
    by_vectors = {result.chunk.id: result.score for result in semantic}
    by_words = {result.chunk.id: result.score for result in keyword}
    for result in rule.fuse(semantic, keyword):
        name = result.chunk.id
        assert result.score_breakdown == ScoreBreakdown(by_vectors.get(name), by_words.get(name))


@given(RULES, ARMS, ARMS)
def test_the_terms_of_the_arms_add_up_to_the_score(
    rule: FusionRule, semantic: list[SearchResult], keyword: list[SearchResult]
) -> None:
    from_semantic, from_keyword = rule.contributions(semantic, keyword)
    for result in rule.fuse(semantic, keyword):
        assert result.score == from_semantic(result.chunk.id) + from_keyword(result.chunk.id)


@given(RULES, ARMS, ARMS)
def test_who_is_ahead_in_both_arms_is_ahead(
    rule: FusionRule, semantic: list[SearchResult], keyword: list[SearchResult]
) -> None:
    by_vectors, by_words = places(semantic), places(keyword)
    both = [name for name in order(semantic) if name in by_words]
    found = places(rule.fuse(semantic, keyword))
    scores = {r.chunk.id: r.score for r in (*keyword,)}
    for one in both:
        for other in both:
            ahead = by_vectors[one] < by_vectors[other] and scores[one] > scores[other]
            assert not ahead or found[one] < found[other]


@given(
    ARMS,
    ARMS,
    WEIGHTS,
    WEIGHTS,
    st.sampled_from([0.001, 0.5, 3.0, 1000.0]),
    st.sampled_from([-50.0, 0.0, 7.0]),
)
def test_normalised_scores_do_not_depend_on_the_scale_of_an_arm(
    semantic: list[SearchResult],
    keyword: list[SearchResult],
    semantic_weight: float,
    keyword_weight: float,
    scale: float,
    shift: float,
) -> None:
    assume(len({result.score for result in semantic}) > 1)
    spread = max(r.score for r in semantic) - min(r.score for r in semantic)
    assume(spread > 0.01)  # below that, moving the numbers loses their last digits
    rule = FusionRule(FusionMethod.WEIGHTED, semantic_weight, keyword_weight)
    moved = [SearchResult(r.chunk, r.score * scale + shift) for r in semantic]
    before = {r.chunk.id: r.score for r in rule.fuse(semantic, keyword)}
    after = {r.chunk.id: r.score for r in rule.fuse(moved, keyword)}
    assert after == pytest.approx(before, rel=1e-6, abs=1e-5)


@given(RULES, ARMS)
def test_an_arm_that_found_nothing_takes_no_part(rule: FusionRule, only: list[SearchResult]) -> None:
    expected = [(-r.score, r.chunk.id) for r in only]
    for fused in (rule.fuse(only, []), rule.fuse([], only)):
        assert set(order(fused)) == set(order(only))
        if rule.method is FusionMethod.RRF or len(set(expected)) == len({score for score, _ in expected}):
            assert order(fused) == order(only)


@given(st.lists(ARMS, min_size=2, max_size=4))
def test_collections_take_turns_in_the_order_of_their_ranks(rankings: list[list[SearchResult]]) -> None:
    tagged = [
        [r.with_score(r.score, r.score_breakdown, f"c{number}") for r in ranking]
        for number, ranking in enumerate(rankings)
    ]
    merged = fuse_collections(tagged)
    assert_sorted(merged)
    for number, ranking in enumerate(tagged):
        assert [r.chunk.id for r in merged if r.collection_id == f"c{number}"] == order(ranking)
    longest = max(map(len, tagged))
    expected = [
        (r.collection_id, r.chunk.id)
        for rank in range(longest)
        for own in tagged
        for r in own[rank : rank + 1]
    ]
    assert [(r.collection_id, r.chunk.id) for r in merged] == expected


@given(ARMS)
def test_one_collection_keeps_its_scores(ranking: list[SearchResult]) -> None:
    assert fuse_collections([ranking]) == ranking


@given(ARMS, ARMS)
def test_what_is_put_behind_stays_in_order_and_below(
    first: list[SearchResult], rest: list[SearchResult]
) -> None:
    both = put_behind(first, rest)
    assert order(both) == [*order(first), *order(rest)]
    assert both[: len(first)] == first
    assert_sorted(both)
    assert [r.score_breakdown for r in both] == [r.score_breakdown for r in (*first, *rest)]
    if first and rest:
        assert both[len(first)].score < first[-1].score


@pytest.mark.parametrize("method", list(FusionMethod))
def test_what_was_asked_for_wins_over_what_the_model_needs(method: FusionMethod) -> None:
    weights = FusionWeights(semantic=0.3)
    assert FusionRule.of(HybridConfig(), weights) == FusionRule(FusionMethod.WEIGHTED, 0.3, 0.7)
    asked = HybridConfig(semantic_weight=0.9, fusion_method=method)
    assert FusionRule.of(asked, weights) == FusionRule(method, 0.9, 0.7)
