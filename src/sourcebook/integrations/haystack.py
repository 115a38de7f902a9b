"""Sourcebook in Haystack: a document store, a retriever over its vectors, and one over a whole base."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.utils.filters import document_matches_filter

from sourcebook.errors import CollectionNotFound
from sourcebook.integrations.open_book import opened_book
from sourcebook.model import search
from sourcebook.model.documents import Chunk, Collection, EmbeddedChunk
from sourcebook.sync import Sourcebook

_REST = "_haystack"


class SourcebookDocumentStore:
    """Haystack's documents in a Sourcebook base, with or without vectors.

    `path` names a base in a file, `url` one on PostgreSQL. Vectors are kept as directions: their length is lost.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        url: str | None = None,
        *,
        collection: str = "haystack",
        embedding_dimension: int = 768,
        book: Sourcebook | None = None,
    ) -> None:
        self._path = None if path is None else os.fspath(path)
        self._url = url
        self._collection = collection
        self._dimension = embedding_dimension
        self._given = book
        self._opened: Sourcebook | None = None

    @property
    def book(self) -> Sourcebook:
        """The base, opened at the first use."""
        if self._opened is None:
            self._opened = opened_book(self._given, self._path, self._url)
        return self._opened

    def close(self) -> None:
        """Close the base, unless it was given open."""
        if self._opened is not None and self._given is None:
            self._opened.close()
        self._opened = None

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(
            self,
            path=self._path,
            url=self._url,
            collection=self._collection,
            embedding_dimension=self._dimension,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SourcebookDocumentStore:
        return default_from_dict(cls, data)

    def count_documents(self) -> int:
        collection = self._vectors.get_collection(self._collection)
        return 0 if collection is None else collection.chunk_count

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """The documents that a filter of Haystack keeps. All of them are read for it."""
        _require_form(filters)
        return [each for each in self._all() if not filters or document_matches_filter(filters, each)]

    def write_documents(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Store documents and return how many were written. Without a policy, a known id is an error."""
        if not isinstance(documents, list) or not all(isinstance(each, Document) for each in documents):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError("write_documents takes a list of documents")
        self._vectors.create_collection(Collection(self._collection, self._dimension))
        wanted: dict[str, Document] = {}
        for document in documents:
            is_known = document.id in wanted or self._vectors.get(self._collection, document.id) is not None
            if is_known and policy in (DuplicatePolicy.NONE, DuplicatePolicy.FAIL):
                raise DuplicateDocumentError(f"the document {document.id!r} exists")
            if not (is_known and policy is DuplicatePolicy.SKIP):
                wanted[document.id] = document
        self._write(list(wanted.values()))
        return len(wanted)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Remove the documents with these ids. Unknown ids are fine."""
        if self._exists():
            self._vectors.delete(self._collection, document_ids)

    def delete_all_documents(self) -> None:
        self._vectors.delete_collection(self._collection)

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Remove the documents that the filter keeps, and return how many they were."""
        found = self.filter_documents(filters)
        self.delete_documents([each.id for each in found])
        return len(found)

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Add to the metadata of the documents that the filter keeps, and return how many they were."""
        found = self.filter_documents(filters)
        for document in found:
            document.meta.update(meta)
        self._write(found)
        return len(found)

    def count_documents_by_filter(self, filters: dict[str, Any]) -> int:
        return len(self.filter_documents(filters))

    def nearest(
        self, query_embedding: Sequence[float], top_k: int = 10, filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """The documents whose vectors are nearest, with their cosine as the score. The filter costs no results."""
        if not self._exists():
            return []
        wanted = np.asarray(query_embedding, np.float32)
        found = self._vectors.search_semantic(self._collection, wanted, top_k, as_filter(filters))
        return [_document(EmbeddedChunk(result.chunk), result.score) for result in found]

    @property
    def _vectors(self) -> Any:
        return self.book.stores.vectors

    def _write(self, documents: Sequence[Document]) -> None:
        """What has no vector is stored for its words alone."""
        chunks = [_chunk(each) for each in documents]
        embedded = [each for each in chunks if each.embedding is not None]
        plain = [each.chunk for each in chunks if each.embedding is None]
        if embedded:
            self._vectors.add(self._collection, embedded)
        if plain:
            self._vectors.delete(self._collection, [chunk.id for chunk in plain])
            self.book.stores.fts.index(self._collection, plain)

    def _exists(self) -> bool:
        return self._vectors.get_collection(self._collection) is not None

    def _all(self) -> list[Document]:
        try:
            held = self.book.library.documents(self._collection)
        except CollectionNotFound:
            return []
        chunks = [
            chunk for each in held for chunk in self._vectors.get_by_document(self._collection, each.id)
        ]
        return [_document(chunk) for chunk in chunks]


@component
class SourcebookEmbeddingRetriever:
    """Finds the documents of a SourcebookDocumentStore that are nearest to a vector."""

    def __init__(
        self, document_store: SourcebookDocumentStore, filters: dict[str, Any] | None = None, top_k: int = 10
    ) -> None:
        self.document_store = document_store
        self.filters = filters
        self.top_k = top_k

    @component.output_types(documents=list[Document])
    def run(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        found = self.document_store.nearest(query_embedding, top_k or self.top_k, filters or self.filters)
        return {"documents": found}

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(
            self, document_store=self.document_store.to_dict(), filters=self.filters, top_k=self.top_k
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SourcebookEmbeddingRetriever:
        store = SourcebookDocumentStore.from_dict(data["init_parameters"]["document_store"])
        data["init_parameters"]["document_store"] = store
        return default_from_dict(cls, data)


@component
class SourcebookRetriever:
    """Finds passages of a base that was filled with `sourcebook add`, by words and meaning.

    The metadata of each says where the passage stands: `file_path`, `title`, `page`, `section`.
    """

    def __init__(
        self,
        path: str | None = None,
        url: str | None = None,
        top_k: int = 10,
        collection: str | None = None,
        book: Sourcebook | None = None,
    ) -> None:
        self.path, self.url, self.top_k, self.collection = path, url, top_k, collection
        self._given = book
        self._opened: Sourcebook | None = None

    def close(self) -> None:
        """Close the base, unless it was given open."""
        if self._opened is not None and self._given is None:
            self._opened.close()
        self._opened = None

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        if self._opened is None:
            self._opened = opened_book(self._given, self.path, self.url)
        config = search.RetrievalConfig(top_k=top_k or self.top_k)
        found = self._opened.search(query, config, collection=self.collection)
        return {"documents": [_passage(result) for result in found]}


def as_filter(filters: dict[str, Any] | None) -> search.MetadataFilter | None:
    """Haystack's filter as ours. A comparison with None has no counterpart and is an error."""
    if not filters:
        return None
    _require_form(filters)
    operator = filters["operator"]
    if "conditions" in filters:
        parts = tuple(part for each in filters["conditions"] if (part := as_filter(each)) is not None)
        joined: dict[str, search.MetadataFilter] = {
            "AND": search.And(parts),
            "OR": search.Or(parts),
            "NOT": search.Not(search.And(parts)),
        }
        if operator in joined:
            return joined[operator]
        raise FilterError(f"the operator {operator!r} is not known")
    return _condition(str(filters["field"]).removeprefix("meta."), operator, filters["value"])


def _condition(name: str, operator: str, value: Any) -> search.MetadataFilter:
    if operator in ("in", "not in"):
        among = search.In(name, tuple(value))
        return among if operator == "in" else search.Not(among)
    if value is None:
        raise FilterError(f"{name} {operator} None cannot be searched with; use filter_documents")
    equal = search.Equals(name, value)
    more, less = search.GreaterThan(name, value), search.LessThan(name, value)
    known: dict[str, search.MetadataFilter] = {
        "==": equal,
        "!=": search.Not(equal),
        ">": more,
        "<": less,
        ">=": search.Or((more, equal)),
        "<=": search.Or((less, equal)),
    }
    if operator not in known:
        raise FilterError(f"the operator {operator!r} is not known")
    return known[operator]


def _require_form(filters: Mapping[str, Any] | None) -> None:
    if filters and "operator" not in filters:
        raise FilterError("'operator' is missing in the filter")
    if filters and "field" not in filters and "conditions" not in filters:
        raise FilterError("'conditions' or 'field' is missing in the filter")
    if filters and "field" in filters and "value" not in filters:
        raise FilterError("'value' is missing in the filter")


def _chunk(document: Document) -> EmbeddedChunk:
    text = document.content or ""
    rest = document.to_dict(flatten=False)
    rest = {
        name: value
        for name, value in rest.items()
        if name not in ("id", "content", "meta", "embedding", "score")
    }
    kept = {name: value for name, value in rest.items() if value is not None}
    if document.content is None:
        kept["has_no_content"] = True
    metadata = dict(document.meta) | ({_REST: kept} if kept else {})
    chunk = Chunk(document.id, document.id, text, end_index=len(text), metadata=metadata)
    vector = None if document.embedding is None else np.asarray(document.embedding, np.float32)
    return EmbeddedChunk(chunk, vector)


def _document(held: EmbeddedChunk, score: float | None = None) -> Document:
    metadata = dict(held.chunk.metadata)
    rest = dict(cast("dict[str, Any]", metadata.pop(_REST, {})))
    is_empty = rest.pop("has_no_content", False)
    vector = None if held.embedding is None else [float(value) for value in held.embedding]
    return Document.from_dict(
        rest
        | {
            "id": held.chunk.id,
            "content": None if is_empty else held.chunk.content,
            "meta": metadata,
            "embedding": vector,
            "score": score,
        }
    )


def _passage(result: search.SearchResult) -> Document:
    chunk = result.chunk
    return Document(
        id=chunk.id,
        content=chunk.content,
        score=result.score,
        meta=dict(chunk.metadata)
        | {
            "file_path": result.document_path,
            "title": result.document_title,
            "page": chunk.page,
            "section": chunk.section,
        },
    )
