"""The one way in which the rows of the index change.

A write happens inside one transaction of its caller: drop what goes, put what comes, then `settle` the counters, the
change log and what is no longer needed. Everything works on sets of documents, so that a thousand chunks cost little
more statements than one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.curation import stale_answers
from sourcebook.storage.index import bm25
from sourcebook.storage.index.bm25 import EncodedWords, Frequencies, TermIds, WordCount
from sourcebook.storage.rows import chunk_row

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.storage.curation.stale_answers import Quoted
    from sourcebook.storage.database import Executor, Row

_TERMS_AT_ONCE = 10_000
"""More than nearly every document has. What a database answers about terms takes a hundred times their letters."""


@dataclass(frozen=True, slots=True)
class ReadyChunk:
    """A chunk with its vector as stored, or what encodes that when it is written, and its words, if it is to be found
    by them.
    """

    chunk: Chunk
    vector: bytes | Callable[[], bytes] | None = None
    words: WordCount | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """What some documents weigh in the counters of their collection."""

    documents: int = 0
    chunks: int = 0
    word_rows: int = 0
    word_length: int = 0
    document_word_rows: int = 0
    document_word_length: int = 0

    def minus(self, other: Totals) -> dict[str, int]:
        return {name: getattr(self, name) - getattr(other, name) for name in Totals.__dataclass_fields__}


@dataclass(slots=True)
class IndexChange:
    """A change of some documents of one collection, inside one transaction."""

    transaction: Executor
    collection_id: str
    model_id: int
    now: int
    _documents: list[str] = field(default_factory=list[str])
    _before: Totals = field(default_factory=Totals)
    _touched_terms: set[int] = field(default_factory=set[int])
    _quoted: Quoted | None = None

    async def begin(self, document_ids: Iterable[str]) -> None:
        """Say which documents will change, before the first of them does."""
        self._documents = sorted(set(document_ids))
        self._before, _ = await self._totals()
        self._quoted = await stale_answers.quoted_by_answers(
            self.transaction, self.collection_id, self._documents
        )

    async def drop_chunks(self, placed: Mapping[str, str]) -> None:
        """Remove chunks (id → document) with their vectors and words."""
        await self._release_words(list(placed))
        await self.transaction.execute_many(
            "delete_chunk", (self._chunk_key(d, c) for c, d in placed.items())
        )
        await self.transaction.execute_many(
            "delete_chunk_id", ({"collection_id": self.collection_id, "chunk_id": c} for c in placed)
        )
        reached(CrashPoint.OLD_REMOVED)

    async def drop_words(self, placed: Mapping[str, str]) -> None:
        """Make chunks (id → document) no longer findable by words."""
        await self._release_words(list(placed))
        await self.transaction.execute_many(
            "delete_words", (self._chunk_key(d, c) for c, d in placed.items())
        )

    async def put_chunks(
        self, chunks: Sequence[ReadyChunk], words_of_documents: Mapping[str, WordCount] | None = None
    ) -> None:
        """Insert chunks whose ids are free, and with them the words of documents as a whole (id → words)."""
        await self.transaction.execute_many(
            "insert_chunk_id",
            (
                {
                    "collection_id": self.collection_id,
                    "chunk_id": c.chunk.id,
                    "document_id": c.chunk.document_id,
                }
                for c in chunks
            ),
        )
        await self.transaction.execute_many(
            "insert_chunk", (chunk_row(self.collection_id, c.chunk, self.now) for c in chunks)
        )
        reached(CrashPoint.CHUNKS_WRITTEN)
        await self.transaction.execute_many(
            "insert_vector",
            (
                {
                    **self._chunk_key(c.chunk.document_id, c.chunk.id),
                    "model_id": self.model_id,
                    "vector": c.vector() if callable(c.vector) else c.vector,
                }
                for c in chunks
                if c.vector is not None
            ),
        )
        reached(CrashPoint.VECTORS_WRITTEN)
        await self.put_words(
            {c.chunk.id: (c.chunk.document_id, c.words) for c in chunks if c.words is not None},
            words_of_documents or {},
        )

    async def put_words(
        self,
        counts: Mapping[str, tuple[str, WordCount]],
        of_documents: Mapping[str, WordCount] | None = None,
    ) -> None:
        """Make chunks (id → document and words) findable by words, and documents (id → words) as a whole.

        Both together claim their terms once, which is most of what they cost.
        """
        documents = of_documents or {}
        old = await self._document_words(documents)
        ids = await self._claim_terms(
            Counter(chain.from_iterable(count.frequencies for _, count in counts.values())),
            Counter(chain.from_iterable(c.frequencies for d, c in documents.items() if d not in old)),
            chain.from_iterable(documents[document_id].frequencies for document_id in old),
        )
        await self.transaction.execute_many(
            "insert_words",
            (
                {
                    **self._chunk_key(document_id, chunk_id),
                    **_words_row(count.length, EncodedWords.of(count, ids)),
                }
                for chunk_id, (document_id, count) in counts.items()
            ),
        )
        reached(CrashPoint.WORDS_WRITTEN)
        await self._replace_document_words(
            {d: (count.length, EncodedWords.of(count, ids)) for d, count in documents.items()}, old
        )

    async def put_document_words(self, document_id: str, count: WordCount) -> None:
        await self.put_words_of_documents({document_id: count})

    async def put_words_of_documents(self, counts: Mapping[str, WordCount]) -> None:
        """Make documents (id → words) findable by their words as a whole."""
        await self.put_words({}, counts)

    async def drop_document_words(self, document_id: str) -> None:
        old = await self._document_words([document_id])
        await self._replace_document_words({document_id: (0, EncodedWords.NONE)}, old)

    async def settle(self) -> None:
        """Make counters, change log and dictionary agree with what was done."""
        await self._sum_words_of_bare_documents()
        await self.transaction.execute(
            "delete_bare_documents_without_chunks",
            collection_id=self.collection_id,
            document_ids=self._documents,
        )
        after, chunk_counts = await self._totals()
        await self.transaction.execute_many(
            "set_chunk_count",
            (
                {"collection_id": self.collection_id, "document_id": d, "chunk_count": n}
                for d, n in chunk_counts.items()
            ),
        )
        await self.transaction.execute(
            "add_to_counters", collection_id=self.collection_id, now=self.now, **after.minus(self._before)
        )
        await self.transaction.execute("delete_unused_terms", term_ids=sorted(self._touched_terms))
        await self._turn_words_around()
        reached(CrashPoint.COUNTS_WRITTEN)
        await self.log()

    async def log(self) -> None:
        scope = {"collection_id": self.collection_id, "document_ids": self._documents}
        await self.transaction.execute("refresh_facts", **scope)
        await self.transaction.execute("forget_changes", **scope)
        await self.transaction.execute_many(
            "log_change", ({"collection_id": self.collection_id, "document_id": d} for d in self._documents)
        )
        await stale_answers.follow_sources(
            self.transaction, self.collection_id, self._documents, self._quoted, self.now
        )
        reached(CrashPoint.CHANGE_LOGGED)

    async def _turn_words_around(self) -> None:
        """Where the database itself finds texts by their terms, let it know the words of these documents."""
        if self._touched_terms:
            scope = {"collection_id": self.collection_id, "document_ids": self._documents}
            await self.transaction.execute("forget_postings", **scope)
            await self.transaction.execute("write_postings", **scope)

    async def _totals(self) -> tuple[Totals, dict[str, int]]:
        rows = await self.transaction.fetch(
            "document_totals", collection_id=self.collection_id, document_ids=self._documents
        )
        lengths = [r["document_word_length"] for r in rows if r["document_word_length"] is not None]
        totals = Totals(
            documents=sum(r["chunks"] > 0 for r in rows),
            chunks=sum(r["chunks"] for r in rows),
            word_rows=sum(r["word_rows"] for r in rows),
            word_length=sum(r["word_length"] for r in rows),
            document_word_rows=len(lengths),
            document_word_length=sum(lengths),
        )
        return totals, {r["id"]: r["chunks"] for r in rows}

    async def _claim_terms(
        self, in_chunks: Mapping[str, int], in_documents: Mapping[str, int], others: Iterable[str]
    ) -> dict[str, int]:
        """The ids of terms, after so many chunks and documents more hold them; others are held by as many as before."""
        wanted = sorted({*in_chunks, *in_documents, *others})
        terms = [(term, in_chunks.get(term, 0), in_documents.get(term, 0)) for term in wanted]
        ids: dict[str, int] = {}
        for start in range(0, len(terms), _TERMS_AT_ONCE):
            rows = await self.transaction.fetch(
                "claim_terms", collection_id=self.collection_id, terms=terms[start : start + _TERMS_AT_ONCE]
            )
            ids.update((row["term"], row["id"]) for row in rows)
        self._touched_terms.update(ids.values())
        return ids

    async def _release_words(self, chunk_ids: Sequence[str]) -> None:
        if not chunk_ids:
            return
        rows = await self.transaction.fetch(
            "words_of_chunks", collection_id=self.collection_id, chunk_ids=chunk_ids
        )
        held: Counter[int] = Counter()
        for row in rows:
            held.update(bm25.decode_ids(row["term_ids"]).tolist())
        await self._recount({term_id: (-n, 0) for term_id, n in held.items()})

    async def _sum_words_of_bare_documents(self) -> None:
        """The words of a document of which only chunks are known are those of its chunks together."""
        scope = {"collection_id": self.collection_id, "document_ids": self._documents}
        bare = [row["id"] for row in await self.transaction.fetch("bare_documents_with_words", **scope)]
        if not bare:
            return
        parts: dict[str, list[Row]] = {document_id: [] for document_id in bare}
        for row in await self.transaction.fetch(
            "words_of_documents", collection_id=self.collection_id, document_ids=bare
        ):
            parts[row["document_id"]].append(row)
        new = {d: (sum(r["length"] for r in rows), _merged(rows)) for d, rows in parts.items()}
        old = await self._document_words(new)
        await self._replace_document_words(new, {d: old.get(d, EncodedWords.NONE.term_ids) for d in new})

    async def _document_words(self, document_ids: Iterable[str]) -> dict[str, bytes]:
        """The terms of those of the documents that words find, by document."""
        wanted = sorted(document_ids)
        if not wanted:
            return {}
        rows = await self.transaction.fetch(
            "document_words", collection_id=self.collection_id, document_ids=wanted
        )
        return {row["document_id"]: row["term_ids"] for row in rows}

    async def _replace_document_words(
        self, new: Mapping[str, tuple[int, EncodedWords]], old: Mapping[str, bytes]
    ) -> None:
        """Put new words in the place of old ones. Where there are no old ones, the new were counted as claimed."""
        delta: Counter[int] = Counter()
        for document_id, term_ids in old.items():
            delta.update(bm25.decode_ids(new[document_id][1].term_ids).tolist())
            delta.subtract(bm25.decode_ids(term_ids).tolist())
        await self._recount({term_id: (0, n) for term_id, n in delta.items() if n})
        await self.transaction.execute_many("delete_document_words", (self._document_key(d) for d in new))
        await self.transaction.execute_many(
            "insert_document_words",
            (
                {**self._document_key(d), **_words_row(length, e)}
                for d, (length, e) in new.items()
                if e.term_ids
            ),
        )

    async def _recount(self, deltas: Mapping[int, tuple[int, int]]) -> None:
        """Add to the numbers of chunks and documents that hold terms (id → both deltas)."""
        self._touched_terms.update(deltas)
        await self.transaction.execute_many(
            "recount_term",
            (
                {"term_id": t, "chunks": chunks, "documents": documents}
                for t, (chunks, documents) in deltas.items()
            ),
        )

    def _document_key(self, document_id: str) -> dict[str, object]:
        return {"collection_id": self.collection_id, "document_id": document_id}

    def _chunk_key(self, document_id: str, chunk_id: str) -> dict[str, object]:
        return {**self._document_key(document_id), "chunk_id": chunk_id}


def _words_row(length: int, encoded: EncodedWords) -> dict[str, object]:
    return {"length": length, "term_ids": encoded.term_ids, "frequencies": encoded.frequencies}


def _merged(rows: Sequence[Row]) -> EncodedWords:
    if not rows:
        return EncodedWords.NONE
    ids = np.concatenate([bm25.decode_ids(r["term_ids"]) for r in rows])
    frequencies = np.concatenate([bm25.decode_frequencies(r["frequencies"]) for r in rows])
    unique, inverse = np.unique(ids, return_inverse=True)
    summed = np.bincount(inverse, weights=frequencies).clip(max=bm25.MOST_OFTEN)
    return EncodedWords(TermIds(unique.astype("<u4").tobytes()), Frequencies(summed.astype("<u2").tobytes()))
