"""The retriever over stores of somebody's own: all it needs is a handful of methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import anyio
import numpy as np
import pytest

from sourcebook.errors import CollectionNotFound, NoEmbedder, UsageError
from sourcebook.model.documents import Chunk, Collection, EmbeddedChunk, EmbeddingModel
from sourcebook.model.search import (
    Equals,
    FtsSearchResult,
    FusionMethod,
    HybridConfig,
    MetadataFilter,
    RerankConfig,
    RetrievalConfig,
    RetrievalMode,
    SearchResult,
)
from sourcebook.retrieve.service import DefaultRetriever

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.ports.providers import TextRole

MODEL = EmbeddingModel("toy", 2)


class ToyEmbedder:
    model = MODEL

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        return np.ones((len(texts), 2), dtype=np.float32)


class ToyVectors:
    """Chunks with fixed scores. `asked` holds what the arms were asked for."""

    def __init__(
        self, scores: Mapping[str, float], known: Sequence[str], model: EmbeddingModel = MODEL
    ) -> None:
        self.scores = scores
        self.known = known
        self.model = model
        self.asked: list[tuple[int, MetadataFilter | None]] = []

    async def get_collection(self, collection_id: str) -> Collection | None:
        return Collection(collection_id, 2, model=self.model) if collection_id == "c" else None

    async def get(self, collection_id: str, chunk_id: str) -> EmbeddedChunk | None:
        return EmbeddedChunk(Chunk(chunk_id, "d", f"text of {chunk_id}")) if chunk_id in self.known else None

    async def search_semantic(
        self, collection_id: str, query: Any, top_k: int, filter: MetadataFilter | None = None
    ) -> list[SearchResult]:
        self.asked.append((top_k, filter))
        found = [SearchResult(Chunk(name, "d", f"text of {name}"), s) for name, s in self.scores.items()]
        return found[:top_k]


class ToyPassages(ToyVectors):
    async def search_passages(
        self, collection_id: str, query: Any, top_k: int, filter: MetadataFilter | None = None
    ) -> list[SearchResult]:
        return [SearchResult(Chunk("passage", "d", "whole"), 1.0)]


class ToyLookup(ToyVectors):
    def __init__(self, scores: Mapping[str, float], known: Sequence[str]) -> None:
        super().__init__(scores, known)
        self.looked_up: list[Sequence[str]] = []

    async def look_up(self, collection_id: str, chunk_ids: Sequence[str]) -> list[SearchResult]:
        self.looked_up.append(chunk_ids)
        known = [name for name in chunk_ids if name in self.known]
        return [SearchResult(Chunk(name, "d", name), 0.0, document_path=f"{name}.md") for name in known]


class ToyWords:
    def __init__(self, scores: Mapping[str, float]) -> None:
        self.scores = scores
        self.asked: list[tuple[int, MetadataFilter | None]] = []

    async def search(
        self, collection_id: str, query: str, top_k: int, filter: MetadataFilter | None = None
    ) -> list[FtsSearchResult]:
        self.asked.append((top_k, filter))
        return [FtsSearchResult(name, score) for name, score in self.scores.items()][:top_k]


def retriever(vectors: ToyVectors, words: ToyWords, embedder: ToyEmbedder | None = None) -> DefaultRetriever:
    return DefaultRetriever(
        vector_store=cast("Any", vectors), fts_store=cast("Any", words), embedder=embedder
    )


def search(
    service: DefaultRetriever, config: RetrievalConfig, query: str = "question", collection: str = "c"
) -> list[SearchResult]:
    async def run() -> list[SearchResult]:
        return await service.retrieve(collection, query, config)

    return anyio.run(run)


def test_both_arms_are_asked_inside_the_filter_for_enough_candidates() -> None:
    vectors, words = ToyVectors({"a": 0.9, "b": 0.1}, "ab"), ToyWords({"b": 5.0, "a": 1.0})
    results = search(retriever(vectors, words, ToyEmbedder()), RetrievalConfig(filter=Equals("Type", "x")))
    assert vectors.asked == words.asked == [(100, Equals("Type", "x"))]
    assert [result.chunk.id for result in results] == ["b", "a"]


def test_what_only_the_words_found_is_completed_with_its_chunk() -> None:
    service = retriever(
        ToyVectors({"a": 0.9, "b": 0.1}, "abc"), ToyWords({"c": 5.0, "a": 1.0}), ToyEmbedder()
    )
    results = search(service, RetrievalConfig())
    assert {result.chunk.content for result in results} == {"text of a", "text of b", "text of c"}
    by_id = {result.chunk.id: result.score_breakdown for result in results}
    assert (by_id["c"].keyword_score, by_id["c"].semantic_score) == (5.0, None)


def test_a_chunk_removed_meanwhile_makes_room_for_the_next() -> None:
    service = retriever(ToyVectors({}, "b"), ToyWords({"gone": 5.0, "b": 1.0}), ToyEmbedder())
    results = search(service, RetrievalConfig(top_k=1))
    assert [result.chunk.id for result in results] == ["b"]


def test_a_store_that_knows_its_documents_is_asked_once_for_all() -> None:
    vectors = ToyLookup({}, "ab")
    service = retriever(vectors, ToyWords({"a": 5.0, "gone": 4.0, "b": 1.0}))
    results = search(service, RetrievalConfig(mode=RetrievalMode.KEYWORD))
    assert [(result.chunk.id, result.document_path, result.score) for result in results] == [
        ("a", "a.md", 5.0),
        ("b", "b.md", 1.0),
    ]
    assert vectors.looked_up == [["a", "gone", "b"]]


def test_words_alone_need_no_embedder() -> None:
    words = ToyWords({"a": 5.0, "b": 1.0})
    results = search(
        retriever(ToyVectors({}, "ab"), words), RetrievalConfig(top_k=1, mode=RetrievalMode.KEYWORD)
    )
    assert [(result.chunk.id, result.score) for result in results] == [("a", 5.0)]
    assert words.asked == [(1, None)]


@pytest.mark.parametrize("mode", [RetrievalMode.SEMANTIC, RetrievalMode.HYBRID])
def test_meaning_needs_an_embedder(mode: RetrievalMode) -> None:
    with pytest.raises(NoEmbedder):
        search(retriever(ToyVectors({}, ""), ToyWords({})), RetrievalConfig(mode=mode))


def test_vectors_of_another_model_are_never_compared() -> None:
    vectors = ToyVectors({"a": 1.0}, "a", EmbeddingModel("other", 2))
    with pytest.raises(NoEmbedder, match="other"):
        search(retriever(vectors, ToyWords({}), ToyEmbedder()), RetrievalConfig())
    brought = ToyVectors({"a": 1.0}, "a", EmbeddingModel.of_caller(2))
    assert search(retriever(brought, ToyWords({}), ToyEmbedder()), RetrievalConfig())


def test_an_unknown_collection_is_a_plain_error() -> None:
    with pytest.raises(CollectionNotFound):
        search(retriever(ToyVectors({}, ""), ToyWords({}), ToyEmbedder()), RetrievalConfig(), collection="x")


@pytest.mark.parametrize("mode", list(RetrievalMode))
def test_a_blank_question_finds_nothing(mode: RetrievalMode) -> None:
    service = retriever(ToyVectors({"a": 1.0}, "a"), ToyWords({"a": 1.0}), ToyEmbedder())
    assert search(service, RetrievalConfig(mode=mode), query=" \n") == []


def test_a_store_that_answers_in_passages_is_asked_for_them() -> None:
    service = retriever(ToyPassages({"a": 1.0}, "a"), ToyWords({}), ToyEmbedder())
    results = search(service, RetrievalConfig(mode=RetrievalMode.SEMANTIC))
    assert [result.chunk.id for result in results] == ["passage"]


def test_the_fusion_can_be_chosen() -> None:
    service = retriever(ToyVectors({"a": 0.9, "b": 0.1}, "ab"), ToyWords({"b": 5.0}), ToyEmbedder())
    equal = HybridConfig(1.0, 1.0, FusionMethod.RRF)
    results = search(service, RetrievalConfig(hybrid_config=equal))
    assert [result.score for result in results] == [1 / 62 + 1 / 61, 1 / 61]


def test_reranking_without_a_reranker_is_refused() -> None:
    with pytest.raises(UsageError, match="reranker"):
        search(
            retriever(ToyVectors({}, ""), ToyWords({}), ToyEmbedder()),
            RetrievalConfig(rerank_config=RerankConfig()),
        )
