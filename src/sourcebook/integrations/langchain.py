"""Sourcebook in LangChain: a vector store with embeddings of one's own, and a retriever over a whole base."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast
from uuid import uuid4

import numpy as np
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from langchain_core.vectorstores.utils import maximal_marginal_relevance
from pydantic import ConfigDict, Field, PrivateAttr

from sourcebook.errors import CollectionNotFound, UsageError
from sourcebook.integrations.open_book import as_filter, opened_book
from sourcebook.model.documents import Chunk, Collection, EmbeddedChunk
from sourcebook.model.search import MetadataFilter, RerankConfig, RetrievalConfig, RetrievalMode, SearchResult
from sourcebook.sync import Sourcebook


class SourcebookVectorStore(VectorStore):
    """Texts with the vectors of any LangChain embeddings, in a Sourcebook base.

    `path` names a base in a file, `url` one on PostgreSQL; `book` is a client that is open already, and stays yours to
    close. Filters are those of Sourcebook (`GreaterThan("year", 2020)`), or a mapping of fields to their values.
    """

    def __init__(
        self,
        embedding: Embeddings,
        *,
        path: str | os.PathLike[str] | None = None,
        url: str | None = None,
        book: Sourcebook | None = None,
        collection: str = "langchain",
    ) -> None:
        self._embedding = embedding
        self._book = opened_book(book, path, url)
        self._is_own = book is None
        self._collection = collection

    @property
    def embeddings(self) -> Embeddings:
        return self._embedding

    def close(self) -> None:
        """Close the base, unless it was given open."""
        if self._is_own:
            self._book.close()

    def __enter__(self) -> SourcebookVectorStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Store texts with their vectors. A text whose id is known takes the place of the earlier one."""
        given = list(texts)
        about: list[dict[str, Any]] = metadatas if metadatas is not None else [{} for _ in given]
        named = [name or str(uuid4()) for name in (ids if ids is not None else [None] * len(given))]
        if not len(given) == len(about) == len(named):
            raise UsageError("There must be as many metadatas and ids as texts.")
        if not given:
            return []
        vectors = self._embedding.embed_documents(given)
        self._book.stores.vectors.create_collection(Collection(self._collection, len(vectors[0])))
        chunks = {
            name: EmbeddedChunk(
                Chunk(name, name, text, end_index=len(text), metadata=metadata),
                np.asarray(vector, np.float32),
            )
            for name, text, metadata, vector in zip(named, given, about, vectors, strict=True)
        }
        self._book.stores.vectors.add(self._collection, list(chunks.values()))
        return named

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool | None:
        """Remove the texts with these ids; without any ids, all of them."""
        if ids is None:
            self._book.stores.vectors.delete_collection(self._collection)
        elif self._exists():
            self._book.stores.vectors.delete(self._collection, ids)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The texts with these ids, in their order. Those that do not exist are left out."""
        return [_document(found.chunk) for found in self._chunks(ids)]

    def similarity_search(
        self,
        query: str,
        k: int = 4,
        filter: MetadataFilter | Mapping[str, object] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        return [document for document, _ in self.similarity_search_with_score(query, k, filter)]

    def similarity_search_with_score(
        self,
        query: str,
        k: int = 4,
        filter: MetadataFilter | Mapping[str, object] | None = None,
        **kwargs: Any,
    ) -> list[tuple[Document, float]]:
        """The nearest texts with their cosine: higher is nearer."""
        found = self._search(self._embedding.embed_query(query), k, filter)
        return [(_document(result.chunk), result.score) for result in found]

    def similarity_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        filter: MetadataFilter | Mapping[str, object] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        return [_document(result.chunk) for result in self._search(embedding, k, filter)]

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: MetadataFilter | Mapping[str, object] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        vector = self._embedding.embed_query(query)
        return self.max_marginal_relevance_search_by_vector(vector, k, fetch_k, lambda_mult, filter)

    def max_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: MetadataFilter | Mapping[str, object] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Near texts that differ from each other: `k` chosen of the `fetch_k` nearest."""
        near = self._search(embedding, max(k, fetch_k), filter)
        held = self._chunks([result.chunk.id for result in near])
        vectors = [np.asarray(each.embedding, np.float32).tolist() for each in held]
        chosen = maximal_marginal_relevance(np.asarray(embedding, np.float32), vectors, lambda_mult, k)
        return [_document(held[place].chunk) for place in chosen]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> SourcebookVectorStore:
        """A store that holds these texts. It takes the arguments of the class too."""
        store = cls(embedding, **kwargs)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return _relevance

    def _exists(self) -> bool:
        return self._book.stores.vectors.get_collection(self._collection) is not None

    def _search(
        self, vector: Sequence[float], k: int, filter: MetadataFilter | Mapping[str, object] | None
    ) -> list[SearchResult]:
        if not self._exists():
            return []
        wanted = np.asarray(vector, np.float32)
        return self._book.stores.vectors.search_semantic(self._collection, wanted, k, as_filter(filter))

    def _chunks(self, ids: Sequence[str]) -> list[EmbeddedChunk]:
        try:
            found = [self._book.stores.vectors.get(self._collection, name) for name in ids]
        except CollectionNotFound:
            return []
        return [chunk for chunk in found if chunk is not None]


class SourcebookRetriever(BaseRetriever):
    """Passages of a base that was filled with `sourcebook add`, found by words and meaning.

    Each document's metadata says where the passage stands: `source`, `title`, `page`, `section`, `start`, `end`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    path: str | None = None
    url: str | None = None
    book: Any = Field(default=None, exclude=True)
    k: int = 4
    mode: RetrievalMode = RetrievalMode.HYBRID
    filter: Any = None
    collection: str | list[str] | None = None
    rerank: bool = False
    _opened: Any = PrivateAttr(default=None)

    def close(self) -> None:
        """Close the base, unless it was given open."""
        if self._opened is not None and self.book is None:
            self._opened.close()
            self._opened = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **kwargs: Any
    ) -> list[Document]:
        if self._opened is None:
            self._opened = opened_book(cast("Sourcebook | None", self.book), self.path, self.url)
        config = RetrievalConfig(
            mode=self.mode,
            top_k=self.k if k is None else k,
            filter=as_filter(self.filter),
            rerank_config=RerankConfig() if self.rerank else None,
        )
        book = cast("Sourcebook", self._opened)
        return [_passage(result) for result in book.search(query, config, collection=self.collection)]


def _relevance(cosine: float) -> float:
    return min(1.0, max(0.0, (cosine + 1.0) / 2.0))


def _document(chunk: Chunk) -> Document:
    return Document(id=chunk.id, page_content=chunk.content, metadata=dict(chunk.metadata))


def _passage(result: SearchResult) -> Document:
    chunk = result.chunk
    return Document(
        id=chunk.id,
        page_content=chunk.content,
        metadata=dict(chunk.metadata)
        | {
            "source": result.document_path,
            "title": result.document_title,
            "page": chunk.page,
            "section": chunk.section,
            "start": chunk.start_index,
            "end": chunk.end_index,
            "document_id": chunk.document_id,
            "score": result.score,
        },
    )
