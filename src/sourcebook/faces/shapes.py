"""The JSON in which every face shows the nouns. Programs depend on these names: add to them, never rename."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.model.documents import Collection, Document
    from sourcebook.model.search import RetrievalMode, SearchResult


def found(query: str, mode: RetrievalMode, results: Sequence[SearchResult]) -> dict[str, Any]:
    return {"query": query, "mode": mode.value, "results": [search_result(result) for result in results]}


def search_result(result: SearchResult) -> dict[str, Any]:
    chunk, breakdown = result.chunk, result.score_breakdown
    return {
        "chunk_id": chunk.id,
        "document_id": chunk.document_id,
        "document_path": result.document_path,
        "title": result.document_title,
        "page": chunk.page,
        "section": chunk.section,
        "content": chunk.content,
        "start_index": chunk.start_index,
        "end_index": chunk.end_index,
        "score": result.score,
        "score_breakdown": {
            "semantic_score": breakdown.semantic_score,
            "keyword_score": breakdown.keyword_score,
            "rerank_score": breakdown.rerank_score,
        },
        "matched": [
            {
                "chunk_id": match.chunk_id,
                "start_index": match.start_index,
                "end_index": match.end_index,
                "score": match.score,
            }
            for match in result.matched
        ],
        "metadata": dict(chunk.metadata),
    }


def document(document: Document) -> dict[str, Any]:
    """A document without its text."""
    return {
        "id": document.id,
        "file_path": document.file_path,
        "title": document.title,
        "type": document.type,
        "category": document.category,
        "subcategory": document.subcategory,
        "language": document.language,
        "status": document.status.value,
        "processing_error": document.processing_error,
        "is_active": document.is_active,
        "file_hash": document.file_hash,
        "file_size_bytes": document.file_size_bytes,
        "mtime": document.mtime,
        "indexed_at": document.indexed_at,
        "chunk_count": document.chunk_count,
        "metadata": dict(document.metadata),
    }


def collection(collection: Collection) -> dict[str, Any]:
    return {
        "id": collection.id,
        "name": collection.name,
        "description": collection.description,
        "model": collection.model.name if collection.model else None,
        "embedding_dimensions": collection.embedding_dimensions,
        "distance_metric": collection.distance_metric.value,
        "document_count": collection.document_count,
        "chunk_count": collection.chunk_count,
        "created_at": collection.created_at,
        "updated_at": collection.updated_at,
    }
