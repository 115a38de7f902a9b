"""The stage of a search at which a reranker reorders the best candidates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.errors import BadProviderAnswer, ProviderError, ProviderMissing, UsageError
from sourcebook.model.search import OnRerankFailure, WarningCode
from sourcebook.retrieve.explain.trace import key_of
from sourcebook.retrieve.fusion import put_behind

if TYPE_CHECKING:
    from sourcebook.model.search import RerankConfig, RerankProvider, RetrievalConfig, SearchResult
    from sourcebook.ports.providers import Reranker
    from sourcebook.retrieve.explain.trace import Trace


RerankerChoice: TypeAlias = "Callable[[RerankProvider], Reranker | None]"
"""The reranker of a kind, or None if there is none here."""


class RerankStage:
    """Knows the rerankers, and what to do when one fails."""

    def __init__(self, choose: RerankerChoice | None, on_failure: OnRerankFailure) -> None:
        self._choose = choose
        self._on_failure = on_failure

    def require(self, config: RetrievalConfig) -> Reranker | None:
        """The reranker that the search wants; None if it wants none, an error if it is not available."""
        wanted = config.rerank_config
        if wanted is None or not wanted.enabled:
            return None
        if self._choose is None:
            raise UsageError("This retriever has no reranker.", hint="Search without `rerank_config`.")
        reranker = self._choose(wanted.provider)
        if reranker is None:
            raise ProviderMissing(
                f"The reranker {wanted.provider.value!r} is not available.",
                hint="Set `rerank_model`, for a server also `rerank_base_url`, or use the local reranker.",
            )
        return reranker

    async def apply(
        self,
        reranker: Reranker,
        query: str,
        results: Sequence[SearchResult],
        config: RerankConfig,
        trace: Trace,
    ) -> list[SearchResult]:
        """All results, reordered. Those that the reranker leaves out follow in their old order."""
        trace.before_rerank.update({key_of(r): rank for rank, r in enumerate(results, start=1)})
        if not results:
            return []
        try:
            with trace.stage("rerank"):
                judged = _checked(await reranker.rerank(query, results, len(results)), results)
        except ProviderError as error:
            if (config.on_failure or self._on_failure) is OnRerankFailure.ERROR:
                raise
            trace.warn(
                WarningCode.RERANKER_FAILED,
                f"The results were not reranked. {error.message}",
            )
            return list(results)
        known = {key_of(result) for result in judged}
        return put_behind(judged, [result for result in results if key_of(result) not in known])


def candidates_wanted(config: RetrievalConfig) -> int:
    """How many results the reranker gets: as many as configured, but no fewer than are returned."""
    rerank = config.rerank_config
    return max(config.top_k, rerank.top_k) if rerank is not None and rerank.enabled else config.top_k


def _checked(judged: Sequence[SearchResult], results: Sequence[SearchResult]) -> list[SearchResult]:
    """What any reranker returned, or BadProviderAnswer if it is not an order of what it was given."""
    known = {key_of(result) for result in results}
    returned = [key_of(result) for result in judged]
    if len(set(returned)) != len(returned) or not known.issuperset(returned):
        raise BadProviderAnswer("The reranker returned unknown or repeated results.")
    if not all(math.isfinite(result.score) for result in judged):
        raise BadProviderAnswer("The reranker returned a score that is not a number.")
    return sorted(judged, key=lambda result: -result.score)
