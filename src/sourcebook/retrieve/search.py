"""Search: a question becomes ranked passages.

Each collection is searched by words and by vectors at the same time, both inside the filter, and the two rankings are
fused; those of several collections are fused by rank. Then the texts are read, repetitions are moved down, and the
results are reranked if that is wanted. Entries of a chosen subcategory come before the general ones.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import anyio

from sourcebook.model.search import (
    OnMissingEmbedder,
    OnRerankFailure,
    RetrievalConfig,
    RetrievalMode,
    ReturnLevel,
    SearchReport,
    WarningCode,
)
from sourcebook.retrieve.candidate_counts import candidates_of_an_arm, passages_to_read
from sourcebook.retrieve.concurrency import together
from sourcebook.retrieve.diversity import by_novelty
from sourcebook.retrieve.explain.explanation import Explainer
from sourcebook.retrieve.explain.trace import Trace
from sourcebook.retrieve.filters.filter_meaning import check
from sourcebook.retrieve.fusion import fuse_collections, put_behind
from sourcebook.retrieve.passages.child_chunks import ChildView, with_parent_context, without_parent_context
from sourcebook.retrieve.passages.result_texts import ChunkReader
from sourcebook.retrieve.question_context import QuestionContext
from sourcebook.retrieve.rerank.rerank_stage import RerankStage
from sourcebook.retrieve.search_checks import checked_config, named_collections, require_question
from sourcebook.retrieve.searchable_question import Question
from sourcebook.retrieve.subcategories import general_entries, own_entries
from sourcebook.retrieve.word_and_vector_arms import ArmQuery, Arms, only

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult
    from sourcebook.ports.providers import Embedder, Reranker
    from sourcebook.ports.storage import FtsStore, VectorStore
    from sourcebook.retrieve.explain.trace import Searched
    from sourcebook.retrieve.passages.result_texts import ReadPassages
    from sourcebook.retrieve.question_context import EmbedderChoice
    from sourcebook.retrieve.rerank.rerank_stage import RerankerChoice

_log = logging.getLogger("sourcebook")
# Warnings that only the question causes are not logged as warnings.
_LEVELS = {WarningCode.NOTHING_TO_SEARCH_FOR: logging.INFO, WarningCode.NO_WORDS: logging.INFO}
# A document that is replaced between searching and reading would be found in neither form. So the search is repeated,
# after so many seconds each time. After that, what is missing is taken to be gone.
_PAUSES = (0.0, 0.05)


@dataclass(frozen=True, slots=True)
class _Search:
    """One search: where it looks and for what, what is known already, and what it notes about itself."""

    collections: Sequence[str]
    question: Question
    context: QuestionContext
    trace: Trace


class Retrieval(Protocol):
    """What finds passages."""

    async def report(
        self,
        collections: str | Sequence[str],
        query: str,
        config: RetrievalConfig | None = None,
        context: QuestionContext | None = None,
    ) -> SearchReport: ...


class DefaultRetriever:
    """Finds passages by meaning, by words or by both, in stores of any kind.

    `embedder` serves the collections of its own model; `embedders` chooses one for each collection's model. `reranker`
    serves every search that wants one; `rerankers` chooses one for each provider. `on_missing_embedder` and
    `on_rerank_failure` decide what happens when one is missing or fails.
    """

    def __init__(
        self,
        *,
        vector_store: VectorStore,
        fts_store: FtsStore,
        embedder: Embedder | None = None,
        embedders: EmbedderChoice | None = None,
        reranker: Reranker | None = None,
        rerankers: RerankerChoice | None = None,
        on_missing_embedder: OnMissingEmbedder = OnMissingEmbedder.ERROR,
        on_rerank_failure: OnRerankFailure = OnRerankFailure.ERROR,
    ) -> None:
        self._reader = ChunkReader(vector_store)
        self._embedder_for = embedders or only(embedder)
        self._arms = Arms(vector_store, fts_store, self._reader, on_missing_embedder)
        self._children = ChildView(vector_store, self._reader)
        self._reranking = RerankStage(rerankers or _always(reranker), on_rerank_failure)
        self._explainer = Explainer(vector_store, fts_store)

    async def retrieve(
        self, collection_id: str | Sequence[str], query: str, config: RetrievalConfig | None = None
    ) -> list[SearchResult]:
        """The best `top_k` results, best first, ties by chunk id. A blank question finds nothing."""
        report = await self.report(collection_id, query, config)
        for warning in report.warnings:
            _log.log(_LEVELS.get(warning.code, logging.WARNING), warning.message)
        return list(report.results)

    async def report(
        self,
        collections: str | Sequence[str],
        query: str,
        config: RetrievalConfig | None = None,
        context: QuestionContext | None = None,
    ) -> SearchReport:
        """The results of one or several collections, with warnings.

        With `config.explain` the report also explains the rank of each result. `context` is what is already known of
        the collections.
        """
        config = checked_config(RetrievalConfig() if config is None else config)
        names = named_collections(collections)
        require_question(query)
        self._reranking.require(config)
        trace = Trace()
        context = context or QuestionContext(self._embedder_for)
        search = _Search(names, Question.of(query), context, trace)
        found = await self._found(search, config)
        results = await self._at_level(found, search, config)
        explanation = None
        if config.explain:
            explanation = await self._explainer.explained(search.question, config, found, trace)
        counts = {one.collection_id: one.counts for one in trace.searched if one.counts is not None}
        return SearchReport(results, tuple(trace.warnings), explanation, counts)

    async def rankings(
        self, collection_id: str, query: str, config: RetrievalConfig, count: int | None = None
    ) -> Searched:
        """What the arms find in one collection, fused, before any text is read.

        The arms are asked for `count` candidates, or for as many as a search would ask for.
        """
        asked = _arm_query(Question.of(query), checked_config(config))
        if count is not None:
            asked = replace(asked, count=count)
        return await self._arms.search(collection_id, asked, QuestionContext(self._embedder_for), Trace())

    async def _found(self, search: _Search, config: RetrievalConfig) -> list[SearchResult]:
        """The passages of the chosen subcategory, then the general ones as far as there is room."""
        question = search.question
        if not question.has_meaning or (config.mode is RetrievalMode.KEYWORD and not question.has_words):
            search.trace.warn(
                WarningCode.NOTHING_TO_SEARCH_FOR, "The question contains no words to search for."
            )
            return []
        if config.subcategory is None:
            return await self._ranked(search, config)
        own = check(own_entries(config.subcategory, config.filter))
        found = await self._ranked(search, replace(config, filter=own))
        if len(found) < config.top_k:
            general = check(general_entries(config.subcategory, config.filter))
            rest = replace(config, filter=general, top_k=config.top_k - len(found))
            found = put_behind(found, await self._ranked(search, rest, is_general=True))
        return found

    async def _ranked(
        self, search: _Search, config: RetrievalConfig, *, is_general: bool = False
    ) -> list[SearchResult]:
        query = _arm_query(search.question, config, is_general=is_general)
        searched, read = await self._read(search, query, config)
        for pause in _PAUSES:
            if read.is_whole:
                break
            await anyio.sleep(pause)
            searched, read = await self._read(search, query, config)
        search.trace.searched.extend(searched)
        search.trace.demotions.extend(read.demotions)
        passages = read.passages
        reranker = self._reranking.require(config)
        if reranker is not None and config.rerank_config is not None:
            passages = await self._reranking.apply(
                reranker, search.question.text, passages, config.rerank_config, search.trace
            )
        if config.diversity.novelty > 0:
            passages = by_novelty(passages, config.diversity.novelty, config.top_k)
        return passages[: config.top_k]

    async def _read(
        self, search: _Search, query: ArmQuery, config: RetrievalConfig
    ) -> tuple[list[Searched], ReadPassages]:
        searched = await together(
            [
                partial(self._arms.search, name, query, search.context, search.trace)
                for name in search.collections
            ]
        )
        merged = fuse_collections([one.fused for one in searched])
        with search.trace.stage("read"):
            return searched, await self._reader.best(merged, passages_to_read(config), config.diversity)

    async def _at_level(
        self, found: list[SearchResult], search: _Search, config: RetrievalConfig
    ) -> list[SearchResult]:
        if config.return_level is ReturnLevel.PASSAGE or not found:
            return found
        with search.trace.stage("children"):
            children = await self._children.of(found, search.question.text)
        shown = with_parent_context if config.include_parent_context else without_parent_context
        return [shown(child) for child in children]


def _arm_query(question: Question, config: RetrievalConfig, *, is_general: bool = False) -> ArmQuery:
    return ArmQuery(
        question, config.mode, config.hybrid_config, config.filter, candidates_of_an_arm(config), is_general
    )


def _always(reranker: Reranker | None) -> RerankerChoice | None:
    return None if reranker is None else lambda _: reranker
