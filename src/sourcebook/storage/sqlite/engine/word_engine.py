"""Word search over images that follow the base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sourcebook.retrieve.filters.filter_meaning import check
from sourcebook.storage.index import bm25
from sourcebook.storage.index.engines import FoundWords, Scored, WordResult, word_counts
from sourcebook.storage.sqlite.engine.collection_state import spoken_languages, stored_collection
from sourcebook.storage.sqlite.engine.memory_image_cache import ROWS_WORTH_A_FILE, ImageCache
from sourcebook.storage.sqlite.engine.search_plans import word_plan
from sourcebook.storage.sqlite.engine.segment import Segment
from sourcebook.storage.sqlite.engine.word_part import Postings, WordPart, join_parts, read_part
from sourcebook.storage.sqlite.engine.word_ranking import Weights, best_rows
from sourcebook.text.analysis import analyse_question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.explanation import SearchPlan
    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.database import Row
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.engine.memory_images import LivePart, Loader
    from sourcebook.storage.sqlite.worker_session import SqliteSession
    from sourcebook.text.analysis import QuestionWords

_WORDS_OF_A_PREFIX = 64


class WordParts:
    """How words are read from the base and kept in a file."""

    name = "words"

    def loader(self, stored: StoredCollection) -> Loader[WordPart]:
        scope = {"collection_id": stored.collection.id}

        def load(session: SqliteSession, document_ids: Sequence[str] | None) -> WordPart:
            if document_ids is None:
                return read_part(
                    session.stream("all_word_rows", **scope),
                    session.stream("all_document_word_rows", **scope),
                )
            some = {**scope, "document_ids": list(document_ids)}
            return read_part(
                session.stream("some_word_rows", **some), session.stream("some_document_word_rows", **some)
            )

        return load

    def join(self, old: Sequence[tuple[WordPart, NDArray[np.bool_]]]) -> WordPart:
        return join_parts(old)

    def to_arrays(self, part: WordPart) -> dict[str, NDArray[Any]]:
        return (
            part.segment.to_arrays()
            | part.chunks.to_arrays("of_chunks")
            | part.documents.to_arrays("of_documents")
        )

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]], stored: StoredCollection) -> WordPart:
        return WordPart(
            Segment.from_arrays(arrays),
            Postings.from_arrays(arrays, "of_chunks"),
            Postings.from_arrays(arrays, "of_documents"),
        )


def _weights(question: QuestionWords, terms: Sequence[Row], count: str, rows: int, length: int) -> Weights:
    # In the order of the terms' texts, so that sums have the same bits whatever the ids are.
    idf = {term["id"]: question.emphasis(term["term"]) * bm25.idf(rows, term[count]) for term in terms}
    return Weights(idf, length / rows if rows and length else 1.0)


class SqliteWordEngine:
    """A `WordEngine` that answers from memory what the base would answer from its tables."""

    def __init__(self, database: SqliteDatabase, rows_worth_a_file: int = ROWS_WORTH_A_FILE) -> None:
        self._database = database
        self._shelf = ImageCache(database, WordParts(), rows_worth_a_file)

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
        # The languages that the caller knows are not needed: the same state of the base tells them for nothing.
        tree = None if filter is None else check(filter)
        work = partial(self._answer, collection_id, query, top_k, tree, with_texts)
        return await self._database.read(work)

    async def plan_words(self, collection_id: str, query: str, filter: MetadataFilter | None) -> SearchPlan:
        """What `search` would look at."""
        tree = None if filter is None else check(filter)

        def planned(session: SqliteSession) -> SearchPlan:
            image = self._shelf.image(session, stored_collection(session, collection_id))
            question = analyse_question(query, spoken_languages(session, collection_id))
            parts = [(live, live.rows(tree, session, image.seq)) for live in image.parts]
            return word_plan(parts, question, _known_terms(session, collection_id, question))

        return await self._database.read(planned)

    async def prepare(self, collection_id: str) -> None:
        """Do now what the first search after much writing would do."""
        await self._shelf.prepare(collection_id)

    async def forget(self, stored: StoredCollection) -> None:
        await self._shelf.forget(stored)

    def _answer(
        self,
        collection_id: str,
        query: str,
        top_k: int,
        tree: MetadataFilter | None,
        with_texts: bool,
        session: SqliteSession,
    ) -> FoundWords:
        stored = stored_collection(session, collection_id)
        question = analyse_question(query, spoken_languages(session, collection_id))
        terms = _known_terms(session, collection_id, question)
        counts = word_counts(question, terms, stored.word_rows)
        if not terms:
            return FoundWords(question, [], counts)
        chunks = _weights(question, terms, "chunk_count", stored.word_rows, stored.word_length)
        documents = _weights(
            question, terms, "document_count", stored.document_word_rows, stored.document_word_length
        )
        image = self._shelf.image(session, stored)
        found = [
            s
            for live in image.parts
            for s in _best(live, live.rows(tree, session, image.seq), chunks, documents, top_k)
        ]
        best = sorted(found, key=lambda s: (-s.score, s.chunk_id))[:top_k]
        return FoundWords(question, _results(session, collection_id, best, with_texts=with_texts), counts)


def _known_terms(session: SqliteSession, collection_id: str, question: QuestionWords) -> list[Row]:
    found = session.fetch("terms_by_text", collection_id=collection_id, terms=list(question.terms))
    for prefix in question.prefixes:
        found += session.fetch(
            "terms_by_prefix",
            collection_id=collection_id,
            low=prefix,
            high=prefix + "\U0010ffff",
            limit=_WORDS_OF_A_PREFIX,
        )
    return sorted({row["id"]: row for row in found}.values(), key=lambda row: row["term"])


def _best(
    live: LivePart[WordPart], rows: NDArray[np.bool_], chunks: Weights, documents: Weights, top_k: int
) -> list[Scored]:
    """The best rows of a part, with all that score like the last of them."""
    hits, totals = best_rows(live.part, rows, chunks, documents, top_k)
    return list(map(Scored, live.part.segment.chunk_ids.several(hits), totals.tolist()))


def _results(
    session: SqliteSession, collection_id: str, best: Sequence[Scored], *, with_texts: bool
) -> list[WordResult]:
    if not with_texts:
        return [WordResult(s.chunk_id, s.score) for s in best]
    ids = [s.chunk_id for s in best]
    rows = {
        row["id"]: row for row in session.fetch("results_by_ids", collection_id=collection_id, chunk_ids=ids)
    }
    return [
        WordResult(s.chunk_id, s.score, rows[s.chunk_id]["content"], rows[s.chunk_id]["language"])
        for s in best
    ]
