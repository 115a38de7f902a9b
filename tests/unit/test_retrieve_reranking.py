"""Rerankers of anybody's own: what they see, and what is believed of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import pytest
from tests.unit.toy_stores import ToyVectors, ToyWords, embedded, ids, passage, report, retriever

from sourcebook.errors import BadProviderAnswer, ProviderMissing, ProviderTimeout, UsageError
from sourcebook.model.search import (
    OnRerankFailure,
    RerankConfig,
    RerankProvider,
    RetrievalConfig,
    RetrievalMode,
    SearchReport,
    SearchResult,
    WarningCode,
)

NAMES = [f"p{number:02}" for number in range(40)]
Judging: TypeAlias = Callable[[Sequence[SearchResult]], list[SearchResult]]


class Judge:
    """Orders as it is told. `seen` holds what it was shown."""

    def __init__(self, judging: Judging) -> None:
        self.judging = judging
        self.seen: list[list[str]] = []

    async def rerank(self, query: str, results: Sequence[SearchResult], top_k: int) -> list[SearchResult]:
        self.seen.append(ids(results))
        assert all(result.chunk.content for result in results)
        return self.judging(results)


def scored(result: SearchResult, score: float) -> SearchResult:
    return result.with_score(score, replace(result.score_breakdown, rerank_score=score))


def backwards(results: Sequence[SearchResult]) -> list[SearchResult]:
    return [scored(result, float(place)) for place, result in enumerate(results)][::-1]


def searched(
    judging: Judging, config: RerankConfig, top_k: int = 3, **policy: OnRerankFailure
) -> SearchReport:
    vectors = ToyVectors([embedded(passage(name), None) for name in NAMES])
    words = ToyWords({name: 100.0 - place for place, name in enumerate(NAMES)})
    service = retriever(vectors, words, reranker=Judge(judging), **policy)
    return report(
        service, RetrievalConfig(top_k=top_k, mode=RetrievalMode.KEYWORD, rerank_config=config, explain=True)
    )


@pytest.mark.parametrize(
    ("top_k", "candidates", "shown"), [(3, 20, 20), (3, 1, 3), (30, 20, 30), (3, 100, 40)]
)
def test_a_reranker_sees_the_candidates_and_never_fewer_than_are_returned(
    top_k: int, candidates: int, shown: int
) -> None:
    judge = Judge(backwards)
    vectors = ToyVectors([embedded(passage(name), None) for name in NAMES])
    words = ToyWords({name: 100.0 - place for place, name in enumerate(NAMES)})
    config = RetrievalConfig(
        top_k=top_k, mode=RetrievalMode.KEYWORD, rerank_config=RerankConfig(top_k=candidates)
    )
    results = report(retriever(vectors, words, reranker=judge), config).results
    assert judge.seen == [NAMES[:shown]]
    assert ids(results) == NAMES[:shown][::-1][:top_k]


def test_the_new_scores_and_the_old_ones_are_both_kept() -> None:
    found = searched(backwards, RerankConfig(top_k=3))
    assert [r.score for r in found.results] == [2.0, 1.0, 0.0]
    assert [r.score_breakdown.rerank_score for r in found.results] == [2.0, 1.0, 0.0]
    assert [r.score_breakdown.keyword_score for r in found.results] == [98.0, 99.0, 100.0]
    assert found.explanation is not None
    moves = [(e.rank_before_rerank, e.rank, e.fused_rank) for e in found.explanation.results]
    assert moves == [(3, 1, 3), (2, 2, 2), (1, 3, 1)]


def test_what_is_left_out_stays_behind_in_its_old_order() -> None:
    found = searched(lambda results: [scored(results[5], -7.0)], RerankConfig(), top_k=4)
    assert ids(found.results) == ["p05", "p00", "p01", "p02"]
    scores = [result.score for result in found.results]
    assert scores == sorted(scores, reverse=True)
    assert [r.score_breakdown.rerank_score for r in found.results] == [-7.0, None, None, None]


def test_a_reranker_that_is_not_enabled_is_not_asked() -> None:
    found = searched(backwards, RerankConfig(enabled=False))
    assert ids(found.results) == NAMES[:3]
    assert found.explanation is not None
    assert {entry.rank_before_rerank for entry in found.explanation.results} == {None}


NONSENSE: dict[str, Judging] = {
    "one twice": lambda results: [*results, results[0]],
    "made up": lambda results: [replace(results[0], chunk=passage("made up"))],
    "not a number": lambda results: [scored(results[0], float("nan"))],
    "infinite": lambda results: [scored(results[0], float("inf"))],
}


@pytest.mark.parametrize("kind", NONSENSE)
def test_what_makes_no_sense_is_not_believed(kind: str) -> None:
    judging = NONSENSE[kind]
    with pytest.raises(BadProviderAnswer):
        searched(judging, RerankConfig())
    found = searched(judging, RerankConfig(on_failure=OnRerankFailure.FUSED))
    assert ids(found.results) == NAMES[:3]
    assert [warning.code for warning in found.warnings] == [WarningCode.RERANKER_FAILED]


def late(results: Sequence[SearchResult]) -> list[SearchResult]:
    raise ProviderTimeout("It took too long.")


def test_the_search_decides_before_the_retriever_what_a_failure_means() -> None:
    fused = OnRerankFailure.FUSED
    assert searched(late, RerankConfig(), on_rerank_failure=fused).warnings
    with pytest.raises(ProviderTimeout):
        searched(late, RerankConfig(on_failure=OnRerankFailure.ERROR), on_rerank_failure=fused)


def test_an_error_of_its_own_is_not_hidden() -> None:
    def broken(results: Sequence[SearchResult]) -> list[SearchResult]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        searched(broken, RerankConfig(on_failure=OnRerankFailure.FUSED))


def test_reranking_without_a_reranker_is_refused_before_anything_is_searched() -> None:
    words = ToyWords({})
    config = RetrievalConfig(mode=RetrievalMode.KEYWORD, rerank_config=RerankConfig())
    with pytest.raises(UsageError, match="reranker"):
        report(retriever(ToyVectors([]), words), config)
    assert words.asked == []


def test_a_kind_of_reranker_that_is_not_there_is_named() -> None:
    def choose(provider: RerankProvider) -> Judge | None:
        return Judge(backwards) if provider is RerankProvider.LOCAL else None

    service = retriever(ToyVectors([embedded(passage("a"), None)]), ToyWords({"a": 1.0}), rerankers=choose)
    local = RerankConfig(provider=RerankProvider.LOCAL)
    assert report(service, RetrievalConfig(mode=RetrievalMode.KEYWORD, rerank_config=local)).results
    api = RerankConfig(provider=RerankProvider.API)
    with pytest.raises(ProviderMissing, match="api"):
        report(service, RetrievalConfig(mode=RetrievalMode.KEYWORD, rerank_config=api))
