"""Chunks of documents that may be known or not, and how search results show them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.model.search import SearchResult
from sourcebook.storage.index.bm25 import WordCount
from sourcebook.storage.index.index_change import IndexChange, ReadyChunk
from sourcebook.storage.rows import chunk_from

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.index.collections import StoredCollection


async def places(executor: Executor, collection_id: str, chunk_ids: Sequence[str]) -> list[Row]:
    """Where chunks of these ids are: chunk_id, document_id, content, has_words, has_vector."""
    return await executor.fetch("place_of_chunks", collection_id=collection_id, chunk_ids=list(chunk_ids))


async def by_ids(executor: Executor, stored: StoredCollection, chunk_ids: Sequence[str]) -> list[Row]:
    return await executor.fetch(
        "chunks_by_ids",
        collection_id=stored.collection.id,
        chunk_ids=list(chunk_ids),
        model_id=stored.model_id,
    )


async def put(
    transaction: Executor, stored: StoredCollection, ready: Sequence[ReadyChunk], old: Sequence[Row], now: int
) -> None:
    """Put chunks in the place of `old` ones. What was found by words stays so; unknown documents get a bare row."""
    if not ready:
        return
    collection_id = stored.collection.id
    document_ids = {c.chunk.document_id for c in ready}
    change = IndexChange(transaction, collection_id, stored.model_id, now)
    await change.begin(document_ids | {r["document_id"] for r in old})
    await change.drop_chunks({r["chunk_id"]: r["document_id"] for r in old})
    await add_bare_documents(transaction, collection_id, dict.fromkeys(document_ids), now)
    indexed = {r["chunk_id"] for r in old if r["has_words"]}
    known = await headings(transaction, collection_id, document_ids)
    await change.put_chunks(
        [_with_words(c, known) if c.chunk.id in indexed and c.words is None else c for c in ready]
    )
    await change.settle()


async def drop(transaction: Executor, stored: StoredCollection, placed: dict[str, str], now: int) -> None:
    """Remove chunks (id → document) with all that belongs to them."""
    if not placed:
        return
    change = IndexChange(transaction, stored.collection.id, stored.model_id, now)
    await change.begin(placed.values())
    await change.drop_chunks(placed)
    await change.settle()


async def add_bare_documents(
    transaction: Executor, collection_id: str, spoken: dict[str, str | None], now: int
) -> None:
    """Rows for documents (id → language) of which nothing but chunks is known; known documents stay as they are."""
    await transaction.execute_many(
        "insert_bare_document",
        (
            {"collection_id": collection_id, "document_id": d, "language": language, "now": now}
            for d, language in sorted(spoken.items())
        ),
    )


@dataclass(frozen=True, slots=True)
class DocumentHeading:
    """What a document says about the words of its chunks: the language that they are in, and what stands above."""

    language: str | None = None
    title: str | None = None


async def headings(
    executor: Executor, collection_id: str, document_ids: Set[str]
) -> dict[str, DocumentHeading]:
    """The headings of those of the documents that are known."""
    rows = await executor.fetch(
        "document_headings", collection_id=collection_id, document_ids=sorted(document_ids)
    )
    return {row["id"]: DocumentHeading(row["language"], row["title"]) for row in rows}


def _with_words(ready: ReadyChunk, known: dict[str, DocumentHeading]) -> ReadyChunk:
    heading = known[ready.chunk.document_id]
    words = WordCount.of_passage(ready.chunk.content, heading.title, heading.language)
    return ReadyChunk(ready.chunk, ready.vector, words)


def result_from(row: Row) -> SearchResult:
    """A chunk with where it comes from, and no score yet."""
    return SearchResult(chunk_from(row), 0.0, document_path=row["file_path"], document_title=row["title"])
