"""Chunks found by their words: the contract of `ports.storage.FtsStore`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.model.search import FtsSearchResult, RankedWords
from sourcebook.retrieve.search_checks import require_top_k
from sourcebook.storage.argument_checks import require_sane_chunks
from sourcebook.storage.index import chunks as chunk_rows
from sourcebook.storage.index import collections
from sourcebook.storage.index.bm25 import WordCount
from sourcebook.storage.index.engines import WordPlanner
from sourcebook.storage.index.index_change import IndexChange, ReadyChunk
from sourcebook.text.highlights import Highlights
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.model.explanation import SearchPlan
    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row
    from sourcebook.storage.index.chunks import DocumentHeading
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.index.engines import FoundWords, WordEngine


class SqlFtsStore:
    """An `FtsStore` and `WordRanking` over a database and the engine that it brings."""

    def __init__(self, database: Database, engine: WordEngine, clock: Clock) -> None:
        self._database = database
        self._engine = engine
        self._clock = clock

    async def index(self, collection_id: str, chunks: Sequence[Chunk]) -> None:
        require_sane_chunks(chunks)
        known = await chunk_rows.headings(self._database, collection_id, {c.document_id for c in chunks})
        spoken, ready = await anyio.to_thread.run_sync(_analysed, chunks, known)
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            await self._index(transaction, stored, ready, spoken)

    async def delete(self, collection_id: str, chunk_ids: Sequence[str]) -> None:
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            rows = await chunk_rows.places(transaction, collection_id, chunk_ids)
            await self._forget(transaction, stored, rows)

    async def delete_by_document(self, collection_id: str, document_id: str) -> None:
        async with self._database.transaction() as transaction:
            stored = await collections.require(transaction, collection_id)
            ids = await transaction.fetch(
                "chunk_ids_of_document", collection_id=collection_id, document_id=document_id
            )
            rows = await chunk_rows.places(transaction, collection_id, [r["id"] for r in ids])
            await self._forget(transaction, stored, rows)

    async def search(
        self, collection_id: str, query: str, top_k: int, filter: MetadataFilter | None = None
    ) -> list[FtsSearchResult]:
        require_top_k(top_k)
        found = await self._engine.search(collection_id, query, top_k, filter, with_texts=True)
        return _results(found)

    async def plan_words(
        self, collection_id: str, query: str, filter: MetadataFilter | None = None
    ) -> SearchPlan | None:
        if not isinstance(self._engine, WordPlanner):
            return None
        return await self._engine.plan_words(collection_id, query, filter)

    async def rank_words(
        self,
        collection_id: str,
        query: str,
        top_k: int,
        filter: MetadataFilter | None = None,
        *,
        languages: Sequence[str] | None = None,
    ) -> RankedWords:
        require_top_k(top_k)
        found = await self._engine.search(
            collection_id, query, top_k, filter, with_texts=False, languages=languages
        )
        return RankedWords(found.ids, found.scores, found.counts)

    async def _index(
        self,
        transaction: Executor,
        stored: StoredCollection,
        ready: Sequence[ReadyChunk],
        spoken: dict[str, str | None],
    ) -> None:
        now = self._clock.now()
        old = {
            r["chunk_id"]: r for r in await chunk_rows.places(transaction, stored.collection.id, _ids(ready))
        }
        same = [c for c in ready if _is_same(c.chunk, old.get(c.chunk.id))]
        other = [c for c in ready if not _is_same(c.chunk, old.get(c.chunk.id))]
        await chunk_rows.add_bare_documents(transaction, stored.collection.id, spoken, now)
        if same:
            change = IndexChange(transaction, stored.collection.id, stored.model_id, now)
            await change.begin(c.chunk.document_id for c in same)
            await change.drop_words({c.chunk.id: c.chunk.document_id for c in same})
            await change.put_words({c.chunk.id: (c.chunk.document_id, c.words or WordCount()) for c in same})
            await change.settle()
        # A chunk whose text changed loses its vector, which is of another text.
        await chunk_rows.put(transaction, stored, other, [old[i] for i in _ids(other) if i in old], now)

    async def _forget(self, transaction: Executor, stored: StoredCollection, rows: Sequence[Row]) -> None:
        """Chunks that vectors still find keep their place; the others have no reason to stay."""
        now = self._clock.now()
        kept = {r["chunk_id"]: r["document_id"] for r in rows if r["has_vector"]}
        if kept:
            change = IndexChange(transaction, stored.collection.id, stored.model_id, now)
            await change.begin(kept.values())
            await change.drop_words(kept)
            await change.settle()
        gone = {r["chunk_id"]: r["document_id"] for r in rows if not r["has_vector"]}
        await chunk_rows.drop(transaction, stored, gone, now)


def _ids(ready: Sequence[ReadyChunk]) -> list[str]:
    return [c.chunk.id for c in ready]


def _is_same(chunk: Chunk, old: Row | None) -> bool:
    return old is not None and old["document_id"] == chunk.document_id and old["content"] == chunk.content


def _analysed(
    chunks: Sequence[Chunk], known: dict[str, DocumentHeading]
) -> tuple[dict[str, str | None], list[ReadyChunk]]:
    """The language of each document and the chunks with their words."""
    texts: dict[str, list[str]] = {}
    for chunk in chunks:
        texts.setdefault(chunk.document_id, []).append(chunk.content)
    none = chunk_rows.DocumentHeading()
    spoken = {
        d: known.get(d, none).language or detect_language("\n".join(parts)) for d, parts in texts.items()
    }
    ready = [
        ReadyChunk(
            c,
            words=WordCount.of_passage(
                c.content, known.get(c.document_id, none).title, spoken[c.document_id]
            ),
        )
        for c in chunks
    ]
    return spoken, ready


def _results(found: FoundWords) -> list[FtsSearchResult]:
    terms, prefixes = found.question.terms, found.question.prefixes
    return [
        FtsSearchResult(chunk_id, score, Highlights(text.content, terms, prefixes, text.language))
        for chunk_id, score in zip(found.ids, found.scores, strict=True)
        for text in [found.texts[chunk_id]]
    ]
