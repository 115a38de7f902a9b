"""Sourcebook in LlamaIndex: a vector store with embeddings of one's own, and a retriever over a whole base."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.utils import (
    metadata_dict_to_node,  # pyright: ignore[reportUnknownVariableType]
    node_to_metadata_dict,
)

from sourcebook.errors import CollectionNotFound, UsageError
from sourcebook.integrations.open_book import opened_book
from sourcebook.model import search
from sourcebook.model.documents import Chunk, Collection, EmbeddedChunk
from sourcebook.sync import Sourcebook

_WITHOUT_SOURCE = "without a source"


class SourcebookVectorStore(BasePydanticVectorStore):
    """Nodes with the vectors that LlamaIndex made for them, in a Sourcebook base.

    `path` names a base in a file, `url` one on PostgreSQL; `book` is a client that is open already, and stays yours to
    close. Nodes that come from one document are removed together by its id.
    """

    stores_text: bool = True
    collection: str = "llama_index"
    _book: Sourcebook = PrivateAttr()
    _is_own: bool = PrivateAttr(default=True)

    def __init__(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        url: str | None = None,
        book: Sourcebook | None = None,
        collection: str = "llama_index",
    ) -> None:
        super().__init__(stores_text=True, collection=collection)  # pyright: ignore[reportCallIssue]
        self._book = opened_book(book, path, url)
        self._is_own = book is None

    @classmethod
    def class_name(cls) -> str:
        return "SourcebookVectorStore"

    @property
    def client(self) -> Sourcebook:
        """The open base."""
        return self._book

    def close(self) -> None:
        """Close the base, unless it was given open."""
        if self._is_own:
            self._book.close()

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Store nodes with their vectors. A node whose id is known takes the place of the earlier one."""
        if not nodes:
            return []
        self._vectors.create_collection(Collection(self.collection, len(nodes[0].get_embedding())))
        chunks = [_chunk(node) for node in nodes]
        self._vectors.add(self.collection, list({each.chunk.id: each for each in chunks}.values()))
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Remove all nodes that come from this document."""
        if self._exists():
            self._vectors.delete_by_document(self.collection, ref_doc_id)

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Remove the nodes with these ids. Filters are not supported here."""
        if filters is not None:
            raise UsageError("Nodes can be removed by their ids, not by filters.")
        if self._exists():
            self._vectors.delete(self.collection, node_ids or [])

    def get_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """The nodes with these ids, in their order. Filters are not supported here."""
        if filters is not None:
            raise UsageError("Nodes can be read by their ids, not by filters.")
        try:
            found = [self._vectors.get(self.collection, name) for name in node_ids or []]
        except CollectionNotFound:
            return []
        return [_node(each.chunk) for each in found if each is not None]

    def clear(self) -> None:
        """Remove all nodes."""
        self._vectors.delete_collection(self.collection)

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The nearest nodes with their cosine: higher is nearer."""
        if query.query_embedding is None:
            raise UsageError("This store searches by vectors: the query needs an embedding.")
        if not self._exists():
            return VectorStoreQueryResult(nodes=[], similarities=[], ids=[])
        wanted = np.asarray(query.query_embedding, np.float32)
        limits = [as_filter(query.filters), _among("ref_doc_id", query.doc_ids)]
        found = self._vectors.search_semantic(self.collection, wanted, query.similarity_top_k, _all(limits))
        return VectorStoreQueryResult(
            nodes=[_node(result.chunk) for result in found],
            similarities=[result.score for result in found],
            ids=[result.chunk.id for result in found],
        )

    @property
    def _vectors(self) -> Any:
        return self._book.stores.vectors

    def _exists(self) -> bool:
        return self._vectors.get_collection(self.collection) is not None


class SourcebookRetriever(BaseRetriever):
    """Passages of a base that was filled with `sourcebook add`, found by words and meaning.

    Each node's metadata says where the passage stands: `file_path`, `title`, `page`, `section`, `start`, `end`.
    """

    def __init__(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        url: str | None = None,
        book: Sourcebook | None = None,
        top_k: int = 4,
        mode: search.RetrievalMode = search.RetrievalMode.HYBRID,
        filter: search.MetadataFilter | None = None,
        collection: str | Sequence[str] | None = None,
    ) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._book = opened_book(book, path, url)
        self._is_own = book is None
        self._config = search.RetrievalConfig(top_k=top_k, mode=mode, filter=filter)
        self._collection = collection

    def close(self) -> None:
        """Close the base, unless it was given open."""
        if self._is_own:
            self._book.close()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._book.search(query_bundle.query_str, self._config, collection=self._collection)
        return [NodeWithScore(node=_passage(result), score=result.score) for result in found]


def as_filter(filters: MetadataFilters | None) -> search.MetadataFilter | None:
    """LlamaIndex's filters as ours. An operator that has no counterpart is an error."""
    if filters is None or not filters.filters:
        return None
    parts = [
        _condition(each) if isinstance(each, MetadataFilter) else as_filter(each) for each in filters.filters
    ]
    given = tuple(part for part in parts if part is not None)
    if filters.condition == FilterCondition.OR:
        return search.Or(given)
    return search.Not(search.And(given)) if filters.condition == FilterCondition.NOT else search.And(given)


def _condition(each: MetadataFilter) -> search.MetadataFilter:
    key, value = each.key, each.value
    if isinstance(value, list):
        several: dict[FilterOperator, search.MetadataFilter] = {
            FilterOperator.IN: search.In(key, tuple(value)),
            FilterOperator.NIN: search.Not(search.In(key, tuple(value))),
            FilterOperator.ANY: search.In(key, tuple(value)),
            FilterOperator.ALL: search.And(tuple(search.Equals(key, item) for item in value)),
        }
        if each.operator in several:
            return several[each.operator]
    elif value is not None:
        equal = search.Equals(key, value)
        single: dict[FilterOperator, search.MetadataFilter] = {
            FilterOperator.EQ: equal,
            FilterOperator.NE: search.Not(equal),
            FilterOperator.GT: search.GreaterThan(key, value),
            FilterOperator.LT: search.LessThan(key, value),
            FilterOperator.GTE: search.Or((search.GreaterThan(key, value), equal)),
            FilterOperator.LTE: search.Or((search.LessThan(key, value), equal)),
            FilterOperator.CONTAINS: equal,
        }
        if each.operator in single:
            return single[each.operator]
    raise UsageError(f"The filter {key} {each.operator.value} {value!r} is not supported.")


def _among(name: str, values: list[str] | None) -> search.MetadataFilter | None:
    return search.In(name, tuple(values)) if values else None


def _all(limits: Sequence[search.MetadataFilter | None]) -> search.MetadataFilter | None:
    given = tuple(limit for limit in limits if limit is not None)
    return search.And(given) if given else None


def _chunk(node: BaseNode) -> EmbeddedChunk:
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    metadata = node_to_metadata_dict(node, remove_text=True, flat_metadata=False)
    chunk = Chunk(
        node.node_id,
        node.ref_doc_id or _WITHOUT_SOURCE,
        text,
        end_index=len(text),
        metadata={name: value for name, value in metadata.items() if value is not None},
    )
    return EmbeddedChunk(chunk, np.asarray(node.get_embedding(), np.float32))


def _node(chunk: Chunk) -> BaseNode:
    node = metadata_dict_to_node(dict(chunk.metadata))
    node.set_content(chunk.content)
    return node


def _passage(result: search.SearchResult) -> TextNode:
    chunk = result.chunk
    return TextNode(
        id_=chunk.id,
        text=chunk.content,
        metadata=dict(chunk.metadata)
        | {
            "file_path": result.document_path,
            "title": result.document_title,
            "page": chunk.page,
            "section": chunk.section,
            "start": chunk.start_index,
            "end": chunk.end_index,
        },
    )
