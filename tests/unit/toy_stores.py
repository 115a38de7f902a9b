"""Stores of somebody's own: the least that a retriever needs, over a handful of chunks in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import anyio
import numpy as np

from sourcebook.model.documents import Chunk, ChunkLevel, Collection, EmbeddedChunk, EmbeddingModel
from sourcebook.model.search import FtsSearchResult, MetadataFilter, RetrievalConfig, SearchResult
from sourcebook.retrieve.filters.filter_meaning import FilterRecord, matches
from sourcebook.retrieve.passages.parent_passages import nearness_to
from sourcebook.retrieve.search import DefaultRetriever

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.search import SearchReport
    from sourcebook.ports.providers import TextRole

MODEL = EmbeddingModel("toy", 2)


def passage(name: str, document: str = "", start: int = 0, content: str = "", **fields: Any) -> Chunk:
    """A passage named after its text, of a document of its own unless one is given."""
    text = content or f"text of {name}"
    return Chunk(
        name, document or f"d-{name}", text, start_index=start, end_index=start + len(text), **fields
    )


def child(name: str, of: Chunk, start: int = 0, content: str = "", **fields: Any) -> Chunk:
    text = content or f"text of {name}"
    begin = of.start_index + start
    return Chunk(
        name,
        of.document_id,
        text,
        start_index=begin,
        end_index=begin + len(text),
        level=ChunkLevel.CHILD,
        parent_id=of.id,
        **fields,
    )


def embedded(chunk: Chunk, score: float | None) -> EmbeddedChunk:
    """The chunk with a vector whose cosine with the question is the score."""
    return EmbeddedChunk(chunk, None if score is None else vector(score))


def vector(score: float) -> list[float]:
    return [score, float(np.sqrt(max(0.0, 1 - score**2)))]


class ToyEmbedder:
    """Every question is the vector (1, 0). Counts what it embeds, and remembers it."""

    def __init__(self, model: EmbeddingModel = MODEL) -> None:
        self.model = model
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        self.asked.extend(texts)
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)


class ToyVectors:
    """The least of a `VectorStore`. `asked` holds how many chunks were asked for, and inside which filter."""

    def __init__(
        self, chunks: Iterable[EmbeddedChunk], model: EmbeddingModel = MODEL, collection: str = "c"
    ) -> None:
        self.chunks = {embedded.chunk.id: embedded for embedded in chunks}
        self.model = model
        self.collection = collection
        self.asked: list[tuple[int, MetadataFilter | None]] = []
        self.documents_read: list[str] = []

    async def get_collection(self, collection_id: str) -> Collection | None:
        return Collection(collection_id, 2, model=self.model) if collection_id == self.collection else None

    async def get(self, collection_id: str, chunk_id: str) -> EmbeddedChunk | None:
        return self.chunks.get(chunk_id)

    async def get_by_document(self, collection_id: str, document_id: str) -> list[EmbeddedChunk]:
        self.documents_read.append(document_id)
        return [e for e in self.chunks.values() if e.chunk.document_id == document_id]

    async def search_semantic(
        self, collection_id: str, query: Any, top_k: int, filter: MetadataFilter | None = None
    ) -> list[SearchResult]:
        self.asked.append((top_k, filter))
        near = nearness_to(query, Collection("c", 2).distance_metric)
        found = [
            SearchResult(e.chunk, near(e.embedding))
            for e in self.chunks.values()
            if e.embedding is not None and _allows(filter, e.chunk)
        ]
        return sorted(found, key=lambda result: (-result.score, result.chunk.id))[:top_k]


class ToyLookup(ToyVectors):
    """A store that reads many chunks at once, and knows their documents."""

    def __init__(self, chunks: Iterable[EmbeddedChunk]) -> None:
        super().__init__(chunks)
        self.looked_up: list[Sequence[str]] = []

    async def look_up(self, collection_id: str, chunk_ids: Sequence[str]) -> list[SearchResult]:
        self.looked_up.append(chunk_ids)
        known = [self.chunks[name].chunk for name in chunk_ids if name in self.chunks]
        return [SearchResult(chunk, 0.0, document_path=f"{chunk.document_id}.md") for chunk in known]


class ToyWords:
    """The least of an `FtsStore`: fixed scores. `asked` holds what it was asked for."""

    def __init__(self, scores: Mapping[str, float], chunks: Iterable[Chunk] = ()) -> None:
        self.scores = scores
        self.chunks = {chunk.id: chunk for chunk in chunks}
        self.asked: list[tuple[int, MetadataFilter | None]] = []

    async def search(
        self, collection_id: str, query: str, top_k: int, filter: MetadataFilter | None = None
    ) -> list[FtsSearchResult]:
        self.asked.append((top_k, filter))
        found = sorted(self.scores.items(), key=lambda pair: (-pair[1], pair[0]))
        allowed = [pair for pair in found if pair[0] not in self.chunks or self._allows(pair[0], filter)]
        return [FtsSearchResult(name, score) for name, score in allowed][:top_k]

    def _allows(self, name: str, filter: MetadataFilter | None) -> bool:
        return _allows(filter, self.chunks[name])


def _allows(filter: MetadataFilter | None, chunk: Chunk) -> bool:
    return filter is None or matches(filter, FilterRecord(chunk_metadata=chunk.metadata))


def retriever(vectors: ToyVectors, words: ToyWords, **others: Any) -> DefaultRetriever:
    return DefaultRetriever(vector_store=cast("Any", vectors), fts_store=cast("Any", words), **others)


def report(
    service: DefaultRetriever,
    config: RetrievalConfig | None = None,
    query: str = "question",
    collection: str | Sequence[str] = "c",
) -> SearchReport:
    async def run() -> SearchReport:
        return await service.report(collection, query, config)

    return anyio.run(run)


def search(
    service: DefaultRetriever,
    config: RetrievalConfig | None = None,
    query: str = "question",
    collection: str = "c",
) -> list[SearchResult]:
    async def run() -> list[SearchResult]:
        return await service.retrieve(collection, query, config)

    return anyio.run(run)


def ids(results: Iterable[SearchResult]) -> list[str]:
    return [result.chunk.id for result in results]
