"""Makes an explanation of what a search noted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.model.explanation import (
    ArmExplanation,
    ArmName,
    ArmPlace,
    CollectionExplanation,
    Explanation,
    ResultExplanation,
)
from sourcebook.model.search import RetrievalMode
from sourcebook.ports.storage import PassagePlanning, WordPlanning
from sourcebook.retrieve.concurrency import together
from sourcebook.retrieve.explain.trace import key_of
from sourcebook.retrieve.filters.filter_text import as_where

if TYPE_CHECKING:
    from sourcebook.model.explanation import SearchPlan
    from sourcebook.model.search import RetrievalConfig, SearchResult
    from sourcebook.ports.storage import FtsStore, VectorStore
    from sourcebook.retrieve.explain.trace import Searched, Trace
    from sourcebook.retrieve.fusion import Contribution
    from sourcebook.retrieve.searchable_question import Question


class Explainer:
    """Explains a search from its notes and the plans of the stores."""

    def __init__(self, vectors: VectorStore, words: FtsStore) -> None:
        self._vectors = vectors
        self._words = words

    async def explained(
        self, question: Question, config: RetrievalConfig, found: Sequence[SearchResult], trace: Trace
    ) -> Explanation:
        took = trace.milliseconds()
        collections = [await self._collection(one, question, config) for one in trace.searched]
        return Explanation(
            question.text,
            collections,
            explained_results(found, trace),
            tuple(trace.demotions),
            tuple(trace.stages),
            took,
        )

    async def _collection(
        self, searched: Searched, question: Question, config: RetrievalConfig
    ) -> CollectionExplanation:
        semantic, keyword = await together(
            [lambda: self._passage_plan(searched), lambda: self._word_plan(searched, question)]
        )
        rule = searched.rule
        semantic_weight, keyword_weight = (rule.semantic_weight, rule.keyword_weight) if rule else (1.0, 1.0)
        arms = [
            ArmExplanation(name, weight, searched.count, None if found is None else len(found), plan)
            for name, weight, found, plan in (
                (ArmName.SEMANTIC, semantic_weight, searched.semantic, semantic),
                (ArmName.KEYWORD, keyword_weight, searched.keyword, keyword),
            )
        ]
        return CollectionExplanation(
            searched.collection_id,
            None if searched.filter is None else as_where(searched.filter),
            searched.model,
            rule.method.value if rule else None,
            [arm for arm in arms if _is_asked(arm.arm, config.mode)],
        )

    async def _passage_plan(self, searched: Searched) -> SearchPlan | None:
        if searched.semantic is None or not isinstance(self._vectors, PassagePlanning):
            return None
        return await self._vectors.plan_passages(searched.collection_id, searched.count, searched.filter)

    async def _word_plan(self, searched: Searched, question: Question) -> SearchPlan | None:
        if searched.keyword is None or not isinstance(self._words, WordPlanning):
            return None
        return await self._words.plan_words(searched.collection_id, question.text, searched.filter)


def _is_asked(arm: ArmName, mode: RetrievalMode) -> bool:
    return mode is RetrievalMode.HYBRID or mode.value == arm.value


def explained_results(found: Sequence[SearchResult], trace: Trace) -> list[ResultExplanation]:
    """Each of the results with its ranks and terms, from the rankings of every stage."""
    rankings = [_Ranking(searched) for searched in trace.searched]
    explained: list[ResultExplanation] = []
    for rank, result in enumerate(found, start=1):
        ranking = next((r for r in rankings if r.holds(result)), None)
        explained.append(
            ResultExplanation(
                result.chunk.id,
                result.collection_id,
                rank,
                ranking.rank(result) if ranking else None,
                ranking.score(result) if ranking else None,
                ranking.place(result, ArmName.SEMANTIC) if ranking else None,
                ranking.place(result, ArmName.KEYWORD) if ranking else None,
                trace.before_rerank.get(key_of(result)),
                result.score_breakdown.rerank_score,
                ranking.searched.is_general if ranking else False,
            )
        )
    return explained


class _Ranking:
    """The rankings of one collection by result."""

    def __init__(self, searched: Searched) -> None:
        self.searched = searched
        self._fused = _ranks(searched.fused)
        semantic, keyword = searched.semantic, searched.keyword
        self._ranks = {ArmName.SEMANTIC: _ranks(semantic or ()), ArmName.KEYWORD: _ranks(keyword or ())}
        self._took_part = {ArmName.SEMANTIC: semantic is not None, ArmName.KEYWORD: keyword is not None}
        self._terms: dict[ArmName, Contribution] = {}
        if searched.rule is not None:
            terms = searched.rule.contributions(semantic or (), keyword or ())
            self._terms = dict(zip((ArmName.SEMANTIC, ArmName.KEYWORD), terms, strict=True))

    def holds(self, result: SearchResult) -> bool:
        return result.collection_id == self.searched.collection_id and result.chunk.id in self._fused

    def rank(self, result: SearchResult) -> int:
        return self._fused[result.chunk.id][0]

    def score(self, result: SearchResult) -> float:
        return self._fused[result.chunk.id][1]

    def place(self, result: SearchResult, arm: ArmName) -> ArmPlace | None:
        if not self._took_part[arm]:
            return None
        rank, score = self._ranks[arm].get(result.chunk.id, (None, None))
        term = self._terms[arm](result.chunk.id) if arm in self._terms else score or 0.0
        return ArmPlace(rank, score, term)


def _ranks(results: Sequence[SearchResult]) -> dict[str, tuple[int, float]]:
    return {result.chunk.id: (rank, result.score) for rank, result in enumerate(results, start=1)}
