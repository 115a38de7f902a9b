"""The two arms of a search: one collection is searched by meaning, by words, or by both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sourcebook.errors import NoEmbedder, ProviderError
from sourcebook.model.documents import Chunk
from sourcebook.model.search import (
    OnMissingEmbedder,
    Ranking,
    RetrievalMode,
    ScoreBreakdown,
    SearchResult,
    WarningCode,
)
from sourcebook.ports.providers import known_model
from sourcebook.ports.storage import PassageRanking, PassageSearch, WordRanking
from sourcebook.retrieve.concurrency import together
from sourcebook.retrieve.explain.trace import Searched
from sourcebook.retrieve.fusion import FusionRule
from sourcebook.retrieve.fusion_weights import fusion_weights_of
from sourcebook.retrieve.passages.parent_passages import PlainPassages

if TYPE_CHECKING:
    from sourcebook.model.asked_collection import WordCounts
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.model.search import HybridConfig, MetadataFilter
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.storage import FtsStore, VectorStore
    from sourcebook.retrieve.explain.trace import Trace
    from sourcebook.retrieve.passages.result_texts import ChunkReader
    from sourcebook.retrieve.question_context import EmbedderChoice, QuestionContext
    from sourcebook.retrieve.searchable_question import Question


@dataclass(frozen=True, slots=True)
class ArmQuery:
    """What is searched for in a collection. `count`: how many candidates each arm brings."""

    question: Question
    mode: RetrievalMode
    hybrid: HybridConfig
    filter: MetadataFilter | None
    count: int
    is_general: bool = False


def only(embedder: Embedder | None) -> EmbedderChoice:
    """A choice for callers with one embedder, which serves its own model and vectors that the caller brought."""

    async def choose(model: EmbeddingModel) -> Embedder | None:
        if embedder is None:
            raise NoEmbedder("Searching by meaning needs an embedder, but there is none.")
        if model.is_callers:
            return embedder
        own = await known_model(embedder)
        if model != own:
            raise NoEmbedder(
                f"The vectors come from {model.name} {model.version},"
                f" but the embedder is {own.name} {own.version}."
            )
        return embedder

    return choose


@dataclass(frozen=True, slots=True)
class _Found:
    """What one arm found; `results` is None if it could not search. `model` made the vectors."""

    results: Sequence[SearchResult] | None = None
    model: str | None = None
    counts: WordCounts | None = None


class Arms:
    """Both arms over any stores."""

    def __init__(
        self,
        vectors: VectorStore,
        words: FtsStore,
        reader: ChunkReader,
        on_missing_embedder: OnMissingEmbedder,
    ) -> None:
        self._vectors = vectors
        self._words = words
        self._rank_words = words.rank_words if isinstance(words, WordRanking) else None
        self._reader = reader
        self._on_missing_embedder = on_missing_embedder
        # If the store can rank without reading, it does: most of a ranking is never looked at.
        if isinstance(vectors, PassageRanking):
            self._rank_passages = vectors.rank_passages
        else:
            plain = vectors if isinstance(vectors, PassageSearch) else PlainPassages(vectors)
            self._rank_passages = plain.search_passages

    async def search(
        self, collection_id: str, query: ArmQuery, context: QuestionContext, trace: Trace
    ) -> Searched:
        """Search one collection, with both arms at the same time if the mode is hybrid."""
        by_meaning = partial(self._by_meaning, collection_id, query, context, trace)
        by_words = partial(self._by_words, collection_id, query, context, trace)
        semantic = keyword = _Found()
        match query.mode:
            case RetrievalMode.SEMANTIC:
                semantic = await by_meaning()
            case RetrievalMode.KEYWORD:
                keyword = await by_words()
            case RetrievalMode.HYBRID if query.question.has_words:
                semantic, keyword = await together([by_meaning, by_words])
            case RetrievalMode.HYBRID:
                semantic = await by_meaning()
                if semantic.results is not None:
                    trace.warn(
                        WarningCode.NO_WORDS,
                        "The question contains no words, so it was searched by meaning alone.",
                    )
        return _searched(collection_id, query, semantic, keyword, trace)

    async def _by_meaning(
        self, collection_id: str, query: ArmQuery, context: QuestionContext, trace: Trace
    ) -> _Found:
        collection = await context.collection(collection_id, self._vectors)
        model = collection.model.name if collection.model else None
        try:
            with trace.stage("embed", collection_id):
                vector = await context.vector(collection, query.question.text)
        except ProviderError as error:
            if query.mode is RetrievalMode.SEMANTIC or self._on_missing_embedder is OnMissingEmbedder.ERROR:
                raise
            done = (
                "searched by words alone"
                if query.question.has_words
                else "not searched: no words to search for"
            )
            trace.warn(
                WarningCode.NO_EMBEDDER,
                f"The collection {collection_id!r} was {done}. {error.message}",
                collection_id,
            )
            return _Found(model=model)
        with trace.stage("vectors", collection_id):
            ranked = await self._rank_passages(collection_id, vector, query.count, query.filter)
        return _Found(ranked, model)

    async def _by_words(
        self, collection_id: str, query: ArmQuery, context: QuestionContext, trace: Trace
    ) -> _Found:
        text, count, tree = query.question.text, query.count, query.filter
        with trace.stage("words", collection_id):
            if self._rank_words is not None:
                spoken = context.languages(collection_id)
                found = await self._rank_words(collection_id, text, count, tree, languages=spoken)
                return _Found(_outlined(found.ids, found.scores, collection_id), counts=found.counts)
            # Words may be indexed for children too, which must become passages before fusion.
            plain = await self._words.search(collection_id, text, count, tree)
            ids, scores = [hit.chunk_id for hit in plain], [hit.score for hit in plain]
            return _Found(await self._reader.passages(_outlined(ids, scores, collection_id)))


def _outlined(ids: Sequence[str], scores: Sequence[float], collection_id: str) -> Ranking:
    def outline(place: int) -> SearchResult:
        breakdown = ScoreBreakdown(keyword_score=scores[place])
        return SearchResult(Chunk.outline(ids[place]), scores[place], breakdown, collection_id=collection_id)

    return Ranking(ids, scores, outline)


def _placed(found: Ranking, collection_id: str) -> Ranking:
    def placed(place: int) -> SearchResult:
        result = found[place]
        return result.with_score(result.score, result.score_breakdown, collection_id)

    return Ranking(found.ids, found.scores, placed)


def _searched(
    collection_id: str, query: ArmQuery, semantic: _Found, keyword: _Found, trace: Trace
) -> Searched:
    """The two rankings fused. In a mode with one arm, its scores are kept."""
    rule = None
    with trace.stage("fuse", collection_id):
        if query.mode is RetrievalMode.HYBRID:
            rule = FusionRule.of(query.hybrid, fusion_weights_of(semantic.model or ""))
            fused = rule.fuse(semantic.results or (), keyword.results or (), collection_id)
        else:
            found = semantic.results or keyword.results or ()
            fused = _placed(Ranking.of(found), collection_id)
    return Searched(
        collection_id,
        query.filter,
        query.count,
        semantic.results,
        keyword.results,
        fused,
        rule,
        semantic.model,
        query.is_general,
        keyword.counts,
    )
