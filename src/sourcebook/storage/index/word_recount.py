"""The words of a whole collection, counted anew from its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.model.documents import ChunkLevel
from sourcebook.storage.index import collections
from sourcebook.storage.index.bm25 import WordCount
from sourcebook.storage.index.index_change import IndexChange

if TYPE_CHECKING:
    from sourcebook.ports.reindexing import Place
    from sourcebook.storage.database import Executor, Row

_DOCUMENTS_AT_ONCE = 200


async def count_words_anew(
    transaction: Executor, collection_id: str, now: int, on_progress: Callable[[int, int], None] | None
) -> int:
    """Put the words of all texts in the place of whatever is there, and all that is counted of them. How many texts."""
    stored = await collections.require(transaction, collection_id)
    row = await transaction.fetch_one("bundle_document_count", collection_id=collection_id)
    total = row["documents"] if row else 0
    chosen = await _chosen(transaction, collection_id)
    for statement in ("delete_all_words", "delete_all_document_words", "delete_all_terms"):
        await transaction.execute(statement, collection_id=collection_id)
    await transaction.execute("reset_word_counters", collection_id=collection_id, now=now)
    done, after = 0, ""
    while rows := await transaction.fetch(
        "texts_after", collection_id=collection_id, document_id=after, limit=_DOCUMENTS_AT_ONCE
    ):
        change = IndexChange(transaction, collection_id, stored.model_id, now)
        await _count_words(change, rows, chosen)
        after, done = rows[-1]["id"], done + len(rows)
        if on_progress is not None:
            on_progress(done, total)
    return done


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What was found by words without having to be: chunks that callers chose, and documents by their title alone."""

    chunks: set[Place]
    documents: set[str]


async def _chosen(transaction: Executor, collection_id: str) -> _Chosen:
    chunks = await transaction.fetch("words_of_bare_documents", collection_id=collection_id)
    documents = await transaction.fetch("documents_with_words", collection_id=collection_id)
    return _Chosen(
        {(row["document_id"], row["chunk_id"]) for row in chunks}, {row["document_id"] for row in documents}
    )


async def _count_words(change: IndexChange, documents: Sequence[Row], chosen: _Chosen) -> None:
    ids = [row["id"] for row in documents]
    chunks = await change.transaction.fetch(
        "chunk_texts_of_documents", collection_id=change.collection_id, document_ids=ids
    )
    counts, wholes = await anyio.to_thread.run_sync(_counted, documents, chunks, chosen)
    await change.begin(ids)
    await change.put_words(counts)
    for document_id, count in wholes.items():
        await change.put_document_words(document_id, count)
    await change.settle()


def _counted(
    documents: Sequence[Row], chunks: Sequence[Row], chosen: _Chosen
) -> tuple[dict[str, tuple[str, WordCount]], dict[str, WordCount]]:
    """The words of the passages, and of the documents as wholes. Of bare documents, those that had words before."""
    by_id = {row["id"]: row for row in documents}
    counts: dict[str, tuple[str, WordCount]] = {}
    for chunk in chunks:
        document = by_id[chunk["document_id"]]
        is_passage = chunk["level"] == ChunkLevel.PARENT
        if (document["id"], chunk["id"]) in chosen.chunks if document["is_bare"] else is_passage:
            counts[chunk["id"]] = (
                document["id"],
                WordCount.of_passage(chunk["content"], document["title"], document["language"]),
            )
    findable = chosen.documents | {document_id for document_id, _ in counts.values()}
    wholes = {
        row["id"]: WordCount.of_document(row["content"], row["title"], row["language"])
        for row in documents
        if not row["is_bare"] and row["id"] in findable
    }
    return counts, wholes
