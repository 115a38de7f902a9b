"""Putting right what follows from something else: counts, words, vectors, lists of ids, and copies of a text.

Each step is a transaction of its own that leaves the base better than it was, so a repair that is interrupted is gone
on with by the next. Nothing is guessed: what no other row proves is left alone, or taken out of sight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.errors import CollectionNotFound, ProviderError
from sourcebook.ingest.index.embedding import embed_chunks
from sourcebook.model.add_reports import Progress
from sourcebook.model.documents import ChunkLevel
from sourcebook.model.health import Finding, Repair
from sourcebook.storage.curation.stale_answers import follow_lost_sources
from sourcebook.storage.index import collections, vector_encoding
from sourcebook.storage.index.bm25 import WordCount
from sourcebook.storage.maintenance.document_repair import DocumentRepairer
from sourcebook.storage.maintenance.text_integrity import (
    TextFault,
    damaged_texts,
    read_documents,
    readable_words,
)
from sourcebook.storage.rows import chunk_from
from sourcebook.text.analysis import ANALYSER_VERSION

if TYPE_CHECKING:
    from sourcebook.model.documents import EmbeddedChunk, EmbeddingModel
    from sourcebook.ports.providers import Embedder
    from sourcebook.storage.database import Database, Executor, Row
    from sourcebook.storage.maintenance.doctor import StorageHealth
    from sourcebook.storage.maintenance.text_integrity import DocumentText
    from sourcebook.storage.progress import OnProgress

Key: TypeAlias = tuple[str, str]
"""A collection and a document in it."""
ChooseEmbedder: TypeAlias = "Callable[[EmbeddingModel], Awaitable[Embedder | None]]"
"""Says what makes vectors of a model, if anything here does."""

# Statements that bring lists back in order, and what they did. The order matters: first goes what belongs to nothing.
_TIDYING: tuple[tuple[str, str], ...] = (
    ("drop_chunks_without_collection", "chunks of no collection were removed"),
    ("drop_stray_words", "words of no chunk were removed"),
    ("drop_stray_chunk_ids", "unused chunk ids were released"),
    ("put_missing_chunk_ids", "chunks were put back on the list of ids"),
    ("drop_stray_vectors", "vectors of no chunk, or of an unused model, were removed"),
    ("drop_vectors_of_wrong_size", "vectors of a wrong size were removed"),
    ("drop_stray_hashes", "unused hashes were released"),
    ("put_missing_hashes", "documents were put back on the list of hashes"),
    ("drop_stray_paths", "paths that led to no document were removed"),
    ("drop_stray_document_words", "words of no document were removed"),
    ("correct_chunk_counts", "documents had their number of chunks corrected"),
    ("mark_removed_sources", "sources of curated answers were marked as removed"),
)


class OnNoVectors(StrEnum):
    """What to do with a document that has no vectors at all: somebody may have wanted it so."""

    LEAVE = "leave"
    EMBED = "embed"


class Repairer:
    """One repair of a base. Collections for whose model there is no embedder get no vectors."""

    def __init__(
        self,
        database: Database,
        now: int,
        choose: ChooseEmbedder,
        *,
        around: StorageHealth | None = None,
        on_no_vectors: OnNoVectors = OnNoVectors.LEAVE,
        on_progress: OnProgress | None = None,
    ) -> None:
        self._database = database
        self._now = now
        self._choose = choose
        self._around = around
        self._on_no_vectors = on_no_vectors
        self._on_progress = on_progress
        self._mender = DocumentRepairer(now)

    async def run(self) -> tuple[list[Repair], list[Finding]]:
        """Do what can be done. What was done, and what somebody else has to do now."""
        self._show(0, "lists")
        had_vectors = _keys(await self._database.fetch("embedded_documents"))
        beside = [] if self._around is None else await self._around.repair()
        async with self._database.transaction() as transaction:
            # What is counted here must not be changed by anybody between the counting and the writing.
            await transaction.execute("take_every_turn")
            in_pieces = _keys(await transaction.fetch("documents_in_pieces"))
            lost_before = _keys(await transaction.fetch("lost_documents"))
            await self._tidy(transaction)
            wordless = await self._recount(transaction)
            lost = _keys(await transaction.fetch("lost_documents")) - lost_before
        await self._mend_pieces(in_pieces, lost)
        await self._correct_facts()
        self._show(10, "texts")
        for key, chunk_ids in (await self._mend_texts()).items():
            wordless.setdefault(key, set()).update(chunk_ids)
        await self._count_words(wordless)
        await self._embed(had_vectors)
        await self._sweep()
        repairs = [Repair(code, message, count) for (code, message), count in self._mender.done.items()]
        return [*beside, *repairs], self._mender.findings()

    async def _sweep(self) -> None:
        swept = await self._database.execute("sweep_jobs", now=self._now)
        self._mender.note("sweep_jobs", "jobs were released", swept)
        accepted = await self._database.execute("forget_cut_log")
        self._mender.note("forget_cut_log", "the lost end of the log was accepted", accepted)
        if self._mender.done:
            # Whatever was made of the rows as they were is made again.
            await self._database.execute("forget_derived_files")

    async def _tidy(self, transaction: Executor) -> None:
        put = await transaction.execute("put_missing_collections", now=self._now)
        self._mender.note("put_missing_collections", "collections were rebuilt from their vectors", put)
        put = await transaction.execute("put_missing_models", now=self._now)
        self._mender.note(
            "put_missing_models",
            "models lost their name; make new vectors with `sourcebook reindex --model`",
            put,
        )
        put = await transaction.execute("put_missing_collection_models", now=self._now)
        self._mender.note("put_missing_collection_models", "collections got their model back", put)
        adopted = await transaction.execute("adopt_chunks", now=self._now)
        self._mender.note("adopt_chunks", "documents were lost except for their passages", adopted)
        for name, message in _TIDYING:
            self._mender.note(name, message, await _execute(transaction, name))
        await follow_lost_sources(transaction, self._now)
        put = await transaction.execute("put_missing_counters", now=self._now)
        self._mender.note("put_missing_counters", "collections got their counts back", put)

    async def _recount(self, transaction: Executor) -> dict[Key, set[str]]:
        """Make the dictionary and the counters agree with the words. The chunks whose words could not be read."""
        known = {row["id"]: row for row in await transaction.fetch("all_terms")}
        broken: dict[Key, set[str]] = {}
        in_chunks = await self._held(transaction, await transaction.fetch("all_words"), known, broken)
        of_documents = await transaction.fetch("all_document_words")
        in_documents = await self._held(transaction, of_documents, known, broken)
        wrong = [
            {"term_id": term, "chunks": in_chunks[term], "documents": in_documents[term]}
            for term, row in known.items()
            if (row["chunk_count"], row["document_count"]) != (in_chunks[term], in_documents[term])
        ]
        await transaction.execute_many("correct_term", wrong)
        unused = [term for term in known if not in_chunks[term] and not in_documents[term]]
        await transaction.execute_many("drop_term", ({"term_id": term} for term in unused))
        self._mender.note("correct_term", "terms had their counts corrected", len(wrong))
        self._mender.note("drop_term", "terms that no text holds were removed", len(unused))
        row = await transaction.fetch_one("check_counters")
        if row is not None and row["count"]:
            await transaction.execute("correct_counters", now=self._now)
            self._mender.note("correct_counters", "collections had their counts corrected", row["count"])
        return broken

    async def _held(
        self, transaction: Executor, rows: list[Row], known: dict[int, Row], broken: dict[Key, set[str]]
    ) -> Counter[int]:
        """How many of the rows hold each term. Rows that make no sense are removed, and named in `broken`."""
        held: Counter[int] = Counter()
        for row in rows:
            readable = readable_words(row)
            if readable is not None and readable.keys() <= known.keys():
                held.update(readable.keys())
                continue
            key = {"collection_id": row["collection_id"], "document_id": row["document_id"]}
            chunks = broken.setdefault((row["collection_id"], row["document_id"]), set())
            if "chunk_id" in row:
                chunks.add(row["chunk_id"])
                await transaction.execute("delete_words", **key, chunk_id=row["chunk_id"])
            else:
                await transaction.execute("delete_document_words", **key)
        return held

    async def _correct_facts(self) -> None:
        """What filters see of metadata, where the database keeps that by itself."""
        changed: set[Key] = set()
        for row in await self._database.fetch("documents_with_scope_names"):
            if await self._database.execute("correct_document_facts", **row):
                changed.add((row["collection_id"], row["document_id"]))
        for row in await self._database.fetch("chunks_with_scope_names"):
            if await self._database.execute("correct_chunk_facts", **row):
                changed.add((row["collection_id"], row["document_id"]))
        for collection_id, document_id in sorted(changed):
            await self._database.execute(
                "refresh_facts", collection_id=collection_id, document_ids=[document_id]
            )
        self._mender.note("correct_facts", "documents had what filters see of them corrected", len(changed))

    # Texts

    async def _mend_pieces(self, in_pieces: set[Key], lost: set[Key]) -> None:
        """Documents that were found to be incomplete before anything was counted again."""
        broken = _keys(await self._database.fetch("documents_with_broken_metadata"))
        for key in sorted(in_pieces | broken):
            with suppress(CollectionNotFound):
                async with self._database.transaction() as transaction:
                    if key in broken:
                        await self._mender.forget_labels(transaction, *key)
                    await self._mender.mend(transaction, *key, is_whole=False)
        for key in sorted(lost):
            async with self._database.transaction() as transaction:
                await self._mender.keep_what_is_proven(transaction, *key)

    async def _mend_texts(self) -> dict[Key, set[str]]:
        """Heal texts and passages, one by the other. The documents whose words are not those of their text."""
        async with self._database.snapshot() as reader:
            info = {row["key"]: row["value"] for row in await reader.fetch("base_info")}
            damaged = await damaged_texts(
                reader,
                with_words=info.get("analyser_version") == str(ANALYSER_VERSION),
                advance=lambda done, total: self._show(10 + 40 * done // max(total, 1), "texts"),
            )
        wordless: dict[Key, set[str]] = {}
        for document in damaged:
            key = document.collection_id, document.id
            wordless[key] = set(document.chunk_ids)
            if document.fault is TextFault.WORDS:
                continue
            with suppress(CollectionNotFound):
                async with self._database.transaction() as transaction:
                    if document.fault is TextFault.UNREADABLE:
                        await self._mender.remove(transaction, *key)
                    else:
                        await self._mender.mend(transaction, *key)
        return wordless

    # Words and vectors

    async def _count_words(self, wordless: dict[Key, set[str]]) -> None:
        for key in _keys(await self._database.fetch("documents_lacking_words")):
            wordless.setdefault(key, set())
        for number, (key, chunk_ids) in enumerate(sorted(wordless.items())):
            self._show(50 + 10 * number // len(wordless), "words")
            with suppress(CollectionNotFound):
                async with self._database.transaction() as transaction:
                    for document in await read_documents(transaction, key[0], [key[1]]):
                        await self._count_words_of(transaction, document, chunk_ids)

    async def _count_words_of(
        self, transaction: Executor, document: DocumentText, chunk_ids: set[str]
    ) -> None:
        text = document.text
        if text is None:
            return
        # A caller that brings its own chunks decides which of them are found by words.
        passages = [
            c
            for c in document.chunks
            if (c.id in chunk_ids if document.is_bare else c.level == ChunkLevel.PARENT)
        ]
        change = await self._mender.change(transaction, document.collection_id, document.id)
        await change.drop_words({c.id: document.id for c in passages})
        await change.put_words(
            {
                c.id: (document.id, WordCount.of_passage(c.text or "", document.title, document.language))
                for c in passages
            }
        )
        if not document.is_bare:
            whole = WordCount.of_document(text, document.title, document.language)
            await change.put_document_words(document.id, whole)
        await change.settle()
        self._mender.note("put_words", "documents had their words counted again", 1)

    async def _embed(self, had_vectors: set[Key]) -> None:
        waiting = await self._database.fetch("documents_lacking_vectors")
        for number, row in enumerate(waiting):
            self._show(60 + 40 * number // len(waiting), "vectors")
            key = row["collection_id"], row["id"]
            if row["has_vectors"] or key in had_vectors or self._on_no_vectors is OnNoVectors.EMBED:
                # What fails here is still missing afterwards, and found to be.
                with suppress(ProviderError, CollectionNotFound):
                    await self._embed_document(*key)

    async def _embed_document(self, collection_id: str, document_id: str) -> None:
        stored = await collections.require(self._database, collection_id)
        model = stored.collection.model
        embedder = None if model is None else await self._choose(model)
        if embedder is None:
            return
        key = {"collection_id": collection_id, "document_id": document_id, "model_id": stored.model_id}
        rows = await self._database.fetch("vectorless_chunks", **key)
        made = {
            (c.chunk.id, c.chunk.content): vector_encoding.encoded(
                c.embedding, stored.collection, f"chunk {c.chunk.id!r}"
            )
            for c in await _embedded(embedder, rows)
            if c.embedding is not None
        }
        async with self._database.transaction() as transaction:
            change = await self._mender.change(transaction, collection_id, document_id)
            # Somebody may have changed the document while it was embedded.
            still = await transaction.fetch("vectorless_chunks", **key)
            lacking = {(row["id"], row["content"]) for row in still} & made.keys()
            await transaction.execute_many(
                "insert_vector",
                ({**key, "chunk_id": chunk[0], "vector": made[chunk]} for chunk in sorted(lacking)),
            )
            await change.log()
        self._mender.note("insert_vector", "chunks were embedded again", len(lacking))

    def _show(self, percent: int, what: str) -> None:
        if self._on_progress is not None:
            self._on_progress(Progress(percent, 100, f"repairing {what}", stage="repairing"))


def _keys(rows: Sequence[Row]) -> set[Key]:
    return {(row["collection_id"], row["id"]) for row in rows}


async def _execute(transaction: Executor, name: str) -> int:
    return await transaction.execute(name)


async def _embedded(embedder: Embedder, rows: Sequence[Row]) -> list[EmbeddedChunk]:
    title = rows[0]["title"] if rows else None
    return await embed_chunks(embedder, [chunk_from(row) for row in rows], title)
