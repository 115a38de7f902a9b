"""Word search in the database itself, over the words turned around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.model.explanation import ScanMethod, SearchPlan, TermCount
from sourcebook.retrieve.filters import check
from sourcebook.storage import words
from sourcebook.storage.engines import WordResult
from sourcebook.storage.postgres.filters import compiled
from sourcebook.storage.repositories import collections
from sourcebook.text.analysis import analyse_question

if TYPE_CHECKING:
    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.postgres.database import PostgresDatabase
    from sourcebook.storage.repositories.collections import StoredCollection
    from sourcebook.text.analysis import QuestionWords

_WORDS_OF_A_PREFIX = 64


class PostgresWordEngine:
    """A `WordEngine` whose ranking is one statement."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def search(
        self, collection_id: str, query: str, top_k: int, filter: MetadataFilter | None, *, with_texts: bool
    ) -> tuple[QuestionWords, list[WordResult]]:
        path = None if filter is None else compiled(check(filter)).path
        async with self._database.snapshot() as reader:
            stored = await collections.require(reader, collection_id)
            spoken = [row["language"] for row in await reader.fetch("languages", collection_id=collection_id)]
            question = analyse_question(query, spoken)
            terms = await _known_terms(reader, collection_id, question)
            if not terms:
                return question, []
            found = await _ranked(reader, stored, terms, path, top_k)
            return question, await _results(reader, collection_id, found, with_texts=with_texts)

    async def plan_words(self, collection_id: str, query: str, filter: MetadataFilter | None) -> SearchPlan:
        """What `search` would look at; how many passages the filter lets through is not counted."""
        async with self._database.snapshot() as reader:
            stored = await collections.require(reader, collection_id)
            spoken = [row["language"] for row in await reader.fetch("languages", collection_id=collection_id)]
            question = analyse_question(query, spoken)
            known = await _known_terms(reader, collection_id, question)
        counts = {row["term"]: row["chunk_count"] for row in known}
        terms = dict.fromkeys((*question.terms, *counts), 0) | counts
        return SearchPlan(
            ScanMethod.INDEX,
            stored.word_rows,
            stored.word_rows if filter is None else None,
            None,
            [TermCount(term, count) for term, count in terms.items()],
        )

    async def prepare(self, collection_id: str) -> None:
        """Nothing: the words are turned around in the transaction that writes them."""

    async def forget(self, stored: StoredCollection) -> None:
        """Nothing: what belongs to a collection is in its tables and goes with them."""


async def _known_terms(reader: Executor, collection_id: str, question: QuestionWords) -> list[Row]:
    found = list(await reader.fetch("terms_by_text", collection_id=collection_id, terms=list(question.terms)))
    for prefix in question.prefixes:
        found += await reader.fetch(
            "terms_by_prefix",
            collection_id=collection_id,
            low=prefix,
            high=prefix + "\U0010ffff",
            limit=_WORDS_OF_A_PREFIX,
        )
    return sorted({row["id"]: row for row in found}.values(), key=lambda row: row["term"])


async def _ranked(
    reader: Executor, stored: StoredCollection, terms: Sequence[Row], path: str | None, top_k: int
) -> list[Row]:
    return await reader.fetch(
        "ranked_words",
        collection_id=stored.collection.id,
        term_ids=[term["id"] for term in terms],
        chunk_idf=[words.idf(stored.word_rows, term["chunk_count"]) for term in terms],
        document_idf=[words.idf(stored.document_word_rows, term["document_count"]) for term in terms],
        chunk_length=_average(stored.word_length, stored.word_rows),
        document_length=_average(stored.document_word_length, stored.document_word_rows),
        filter=path,
        limit=top_k,
    )


def _average(length: int, rows: int) -> float:
    return length / rows if rows and length else 1.0


async def _results(
    reader: Executor, collection_id: str, found: Sequence[Row], *, with_texts: bool
) -> list[WordResult]:
    if not with_texts:
        return [WordResult(f["chunk_id"], f["score"]) for f in found]
    ids = [f["chunk_id"] for f in found]
    texts = {
        row["id"]: row
        for row in await reader.fetch("results_by_ids", collection_id=collection_id, chunk_ids=ids)
    }
    return [
        WordResult(
            f["chunk_id"], f["score"], texts[f["chunk_id"]]["content"], texts[f["chunk_id"]]["language"]
        )
        for f in found
    ]
