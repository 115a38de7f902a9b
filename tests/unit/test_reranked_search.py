"""Answers from what a reranker puts first, with the scores that the search gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from sourcebook import Chunk, SearchResult
from sourcebook.errors import ProviderTimeout
from sourcebook.model.search import RetrievalConfig, ScoreBreakdown, SearchReport, WarningCode
from sourcebook.retrieve.rerank.reranked_search import RerankedSearch

if TYPE_CHECKING:
    from sourcebook.retrieve.question_context import QuestionContext


def result(name: str, score: float) -> SearchResult:
    chunk = Chunk(id=name, document_id=name, content=name, start_index=0, end_index=1)
    return SearchResult(chunk=chunk, score=score, score_breakdown=ScoreBreakdown(), collection_id="default")


class Search:
    def __init__(self) -> None:
        self.wanted: RetrievalConfig | None = None

    async def report(
        self,
        collections: str | Sequence[str],
        query: str,
        config: RetrievalConfig | None = None,
        context: QuestionContext | None = None,
    ) -> SearchReport:
        self.wanted = config
        return SearchReport([result(name, score) for name, score in (("a", 0.9), ("b", 0.5), ("c", 0.4))])


class LastFirst:
    async def rerank(self, query: str, results: Sequence[SearchResult], top_k: int) -> list[SearchResult]:
        return [one.with_score(7.0, one.score_breakdown) for one in reversed(results)][:2]


class Slow:
    async def rerank(self, query: str, results: Sequence[SearchResult], top_k: int) -> list[SearchResult]:
        raise ProviderTimeout("The reranker judged nothing within 1 s.")


@pytest.mark.anyio
async def test_the_order_is_the_rerankers_and_the_scores_are_those_of_the_search() -> None:
    search = Search()
    report = await RerankedSearch(search, LastFirst()).report("default", "?", RetrievalConfig(top_k=2))
    assert [(one.chunk.id, one.score) for one in report.results] == [("c", 0.9), ("b", 0.5)]
    assert search.wanted is not None
    assert search.wanted.top_k == 20
    whole = await RerankedSearch(search, LastFirst()).report("default", "?")
    assert [(one.chunk.id, one.score) for one in whole.results] == [("c", 0.9), ("b", 0.5), ("a", 0.4)]


@pytest.mark.anyio
async def test_a_reranker_that_fails_is_left_out_with_a_warning() -> None:
    report = await RerankedSearch(Search(), Slow()).report("default", "?", RetrievalConfig(top_k=2))
    assert [one.chunk.id for one in report.results] == ["a", "b"]
    assert [warning.code for warning in report.warnings] == [WarningCode.RERANKER_FAILED]
