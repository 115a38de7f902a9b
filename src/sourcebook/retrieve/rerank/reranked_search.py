"""A reranked search that keeps the scores of the search.

Whether a question is answered depends on scores, and its thresholds were measured with those of the search. So the
reranker only changes the order: its best result gets the best score of the search, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.errors import ProviderError
from sourcebook.model.search import RetrievalConfig, SearchReport, SearchResult, SearchWarning, WarningCode
from sourcebook.retrieve.explain.trace import key_of

if TYPE_CHECKING:
    from sourcebook.ports.providers import Reranker
    from sourcebook.retrieve.question_context import QuestionContext
    from sourcebook.retrieve.search import Retrieval

CANDIDATES = 20


class RerankedSearch:
    """A search whose results are reranked. If the reranker fails, they come as they are, with a warning."""

    def __init__(self, search: Retrieval, reranker: Reranker, candidates: int = CANDIDATES) -> None:
        self._search = search
        self._reranker = reranker
        self._candidates = candidates

    async def report(
        self,
        collections: str | Sequence[str],
        query: str,
        config: RetrievalConfig | None = None,
        context: QuestionContext | None = None,
    ) -> SearchReport:
        """The wanted number of results, chosen from more candidates."""
        wanted = config or RetrievalConfig()
        wider = replace(wanted, top_k=max(wanted.top_k, self._candidates))
        found = await self._search.report(collections, query, wider, context)
        try:
            judged = await self._reranker.rerank(query, found.results, len(found.results))
        except ProviderError as error:
            warning = SearchWarning(
                WarningCode.RERANKER_FAILED, f"The results were not reranked. {error.message}"
            )
            first = found.results[: wanted.top_k]
            return replace(found, results=first, warnings=[*found.warnings, warning])
        return replace(found, results=_reordered(found.results, judged)[: wanted.top_k])


def _reordered(found: Sequence[SearchResult], judged: Sequence[SearchResult]) -> list[SearchResult]:
    scores = sorted((result.score for result in found), reverse=True)
    known = {key_of(result) for result in judged}
    order = [*judged, *(result for result in found if key_of(result) not in known)]
    return [
        result.with_score(score, result.score_breakdown) for result, score in zip(order, scores, strict=True)
    ]
