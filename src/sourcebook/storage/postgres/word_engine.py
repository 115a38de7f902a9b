"""Word search in the database itself, over the words turned around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio

from sourcebook.errors import CollectionNotFound
from sourcebook.model.explanation import ScanMethod, SearchPlan, TermCount
from sourcebook.retrieve.filters.filter_meaning import check
from sourcebook.storage.database import again_if_lost
from sourcebook.storage.index import bm25
from sourcebook.storage.index.engines import FoundText, FoundWords, word_counts
from sourcebook.storage.postgres.bm25_ranking import Bm25Ranking, TermWeights, ranked
from sourcebook.storage.postgres.citus import PAUSES
from sourcebook.storage.postgres.filter_paths import compiled
from sourcebook.text.analysis import analyse_question

if TYPE_CHECKING:
    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.database import Database, Executor, Row
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.text.analysis import QuestionWords

_WORDS_OF_A_PREFIX = 64
FEW_POSTINGS = 300_000
"""Up to so many postings of a question's terms are ranked in this process, beyond that by the server."""


class PostgresWordEngine:
    """A `WordEngine` over the words turned around: a term leads to the documents and chunks that hold it."""

    def __init__(self, database: Database, *, is_spread: bool = False) -> None:
        """`is_spread`: documents lie on several servers, each of which ranks its own in one statement.

        Places that were read before might be those of other chunks by the time these are looked up.
        """
        self._database = database
        self._is_spread = is_spread

    @again_if_lost
    async def search(
        self,
        collection_id: str,
        query: str,
        top_k: int,
        filter: MetadataFilter | None,
        *,
        with_texts: bool,
        languages: Sequence[str] | None = None,
    ) -> FoundWords:
        path = None if filter is None else compiled(check(filter)).path

        async def once() -> tuple[FoundWords, bool]:
            return await self._search(
                collection_id, query, top_k, path, with_texts=with_texts, languages=languages
            )

        found, is_whole = await once()
        for pause in PAUSES:
            if is_whole:
                break
            await anyio.sleep(pause)
            found, is_whole = await once()
        return found

    async def _search(
        self,
        collection_id: str,
        query: str,
        top_k: int,
        path: str | None,
        *,
        with_texts: bool,
        languages: Sequence[str] | None,
    ) -> tuple[FoundWords, bool]:
        """What was found, and whether all of it was still there when its texts were read."""
        async with self._database.snapshot() as reader:
            spoken = await _spoken(reader, collection_id) if languages is None else languages
            question = analyse_question(query, spoken)
            totals, terms = await _known_terms(reader, collection_id, question)
            counts = word_counts(question, terms, totals["word_rows"])
            if not terms:
                return FoundWords(question, [], [], counts), True
            weights = _weights(question, totals, terms)
            few = -1 if self._is_spread else FEW_POSTINGS
            found = await _ranked(reader, collection_id, weights, terms, path, top_k, few)
            texts = await _texts(reader, collection_id, found) if with_texts else {}
            shown = [one for one in found if one[0] in texts] if with_texts else found
            # Within one snapshot, what has no text now will have none later.
            is_whole = len(shown) == len(found) or not self._is_spread
            ids, scores = [chunk_id for chunk_id, _ in shown], [score for _, score in shown]
            return FoundWords(question, ids, scores, counts, texts), is_whole

    @again_if_lost
    async def plan_words(self, collection_id: str, query: str, filter: MetadataFilter | None) -> SearchPlan:
        """What `search` would look at; how many passages the filter lets through is not counted."""
        async with self._database.snapshot() as reader:
            question = analyse_question(query, await _spoken(reader, collection_id))
            totals, known = await _known_terms(reader, collection_id, question)
        rows = totals["word_rows"]
        counts = word_counts(question, known, rows)
        return SearchPlan(
            ScanMethod.INDEX,
            rows,
            rows if filter is None else None,
            None,
            [TermCount(term, count) for term, count in counts.passages.items()],
        )

    async def prepare(self, collection_id: str) -> None:
        """Nothing: the words are turned around in the transaction that writes them."""

    async def forget(self, stored: StoredCollection) -> None:
        """Nothing: what belongs to a collection is in its tables and goes with them."""


async def _spoken(reader: Executor, collection_id: str) -> list[str]:
    return [row["language"] for row in await reader.fetch("languages", collection_id=collection_id)]


async def _known_terms(
    reader: Executor, collection_id: str, question: QuestionWords
) -> tuple[Row, list[Row]]:
    """The totals of the collection, and those of the question's terms that it knows."""
    found = await reader.fetch("terms_to_rank", collection_id=collection_id, terms=list(question.terms))
    if not found:
        raise CollectionNotFound.named(collection_id)
    known = [row for row in found if row["id"] is not None]
    for prefix in question.prefixes:
        known += await reader.fetch(
            "terms_by_prefix",
            collection_id=collection_id,
            low=prefix,
            high=prefix + "\U0010ffff",
            limit=_WORDS_OF_A_PREFIX,
        )
    return found[0], sorted({row["id"]: row for row in known}.values(), key=lambda row: row["term"])


def _weights(question: QuestionWords, totals: Row, terms: Sequence[Row]) -> TermWeights:
    said = [question.emphasis(term["term"]) for term in terms]
    pairs = list(zip(said, terms, strict=True))
    return TermWeights(
        [times * bm25.idf(totals["word_rows"], term["chunk_count"]) for times, term in pairs],
        [times * bm25.idf(totals["document_word_rows"], term["document_count"]) for times, term in pairs],
        _average(totals["word_length"], totals["word_rows"]),
        _average(totals["document_word_length"], totals["document_word_rows"]),
    )


async def _ranked(
    reader: Executor,
    collection_id: str,
    weights: TermWeights,
    terms: Sequence[Row],
    path: str | None,
    top_k: int,
    few: int,
) -> list[tuple[str, float]]:
    """The best chunks with their scores. More postings than a `few` are better left where they are."""
    ids = [term["id"] for term in terms]
    if sum(term["document_count"] for term in terms) <= few:
        rows = await reader.fetch("held_words", collection_id=collection_id, term_ids=ids)
        return await _best(reader, collection_id, ranked(rows, weights), path, top_k)
    rows = await reader.fetch(
        "ranked_words",
        collection_id=collection_id,
        term_ids=ids,
        chunk_idf=weights.of_chunks,
        document_idf=weights.of_documents,
        chunk_length=weights.chunk_length,
        document_length=weights.document_length,
        k1=bm25.K1,
        b=bm25.B,
        filter=path,
        limit=top_k,
    )
    return [(row["chunk_id"], row["score"]) for row in rows]


async def _best(
    reader: Executor, collection_id: str, ranking: Bm25Ranking, path: str | None, top_k: int
) -> list[tuple[str, float]]:
    """The best that the filter lets through; of equal ones, those whose ids come first."""
    best: list[tuple[str, float]] = []
    start, size = 0, top_k if path is None else 4 * top_k
    while start < len(ranking.scores) and len(best) < top_k:
        end = ranking.batch_end(start, size)
        rows = await reader.fetch(
            "chunks_at_places",
            collection_id=collection_id,
            document_ids=[ranking.documents[owner] for owner in ranking.owners[start:end]],
            places=ranking.places[start:end].tolist(),
            filter=path,
        )
        best += [(row["chunk_id"], float(ranking.scores[start + row["number"] - 1])) for row in rows]
        start, size = end, 4 * size
    return sorted(best, key=lambda found: (-found[1], found[0]))[:top_k]


def _average(length: int, rows: int) -> float:
    return length / rows if rows and length else 1.0


async def _texts(
    reader: Executor, collection_id: str, found: Sequence[tuple[str, float]]
) -> dict[str, FoundText]:
    ids = [chunk_id for chunk_id, _ in found]
    rows = await reader.fetch("results_by_ids", collection_id=collection_id, chunk_ids=ids)
    return {row["id"]: FoundText(row["content"], row["language"]) for row in rows}
