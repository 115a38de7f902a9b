"""Word search over images that follow the base."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np

from sourcebook.retrieve.filters.filter_meaning import check
from sourcebook.storage.index import bm25
from sourcebook.storage.index.engines import FoundText, FoundWords, word_counts
from sourcebook.storage.sqlite.engine.collection_state import (
    chunks_of,
    spoken_languages,
    stored_collection,
)
from sourcebook.storage.sqlite.engine.growing_words import GrowingWords
from sourcebook.storage.sqlite.engine.memory_image_cache import ROWS_WORTH_A_FILE, ImageCache
from sourcebook.storage.sqlite.engine.memory_images import Size
from sourcebook.storage.sqlite.engine.search_plans import word_plan
from sourcebook.storage.sqlite.engine.segment import Segment
from sourcebook.storage.sqlite.engine.word_part import Postings, WordPart, join_parts, read_part
from sourcebook.storage.sqlite.engine.word_ranking import Weights, best_rows, last_score
from sourcebook.text.analysis import analyse_question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.explanation import SearchPlan
    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.database import Row
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.engine.memory_images import Image, Loader
    from sourcebook.storage.sqlite.worker_session import SqliteSession
    from sourcebook.text.analysis import QuestionWords

_WORDS_OF_A_PREFIX = 64
# The words of so many passages are looked at in a few milliseconds, and in a thread in half as long again.
_FEW_PASSAGES = 50_000
# More results than these are read in a thread, as those of a search by meaning are.
_FEW_RESULTS = 250
# The words of so many rows are read and turned around in a few milliseconds.
_SOON_READ = Size(rows=1_000, content=50_000)


class WordParts:
    """How words are read from the base and kept in a file."""

    name = "words"
    soon = _SOON_READ

    def size_of(
        self, session: SqliteSession, stored: StoredCollection, document_ids: Sequence[str]
    ) -> Size | None:
        if chunks_of(session, stored, document_ids) > self.soon.rows:
            return None
        scope = {"collection_id": stored.collection.id, "document_ids": list(document_ids)}
        row = session.fetch_one("postings_of_documents", **scope)
        return Size(row["passages"], row["postings"]) if row else None

    def size(self, part: WordPart) -> Size:
        return Size(len(part.segment), len(part.chunks) + len(part.documents))

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

    def growing(self, added: WordPart, first: WordPart) -> WordPart:
        return GrowingWords().append(added)

    def appended(self, part: WordPart, added: WordPart) -> WordPart | None:
        is_last = part.growth is not None and part.growth.rows == len(part.segment)
        return part.growth.append(added) if part.growth is not None and is_last else None

    def has_room(self, part: WordPart, rows: int) -> bool:
        return True

    def to_arrays(self, part: WordPart) -> dict[str, NDArray[Any]]:
        chunks, documents = part.chunks, part.documents
        # What is put into a file was read whole or joined.
        assert isinstance(chunks, Postings)  # noqa: S101
        assert isinstance(documents, Postings)  # noqa: S101
        return part.segment.to_arrays() | chunks.to_arrays("of_chunks") | documents.to_arrays("of_documents")

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
        # The collections that lately had few passages.
        self._small: set[str] = set()
        # Searches of one collection take turns; those of another do not wait while an image is made.
        self._turns: defaultdict[str, anyio.Lock] = defaultdict(partial(anyio.Lock, fast_acquire=True))

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
        asked = _Asked(collection_id, query, top_k, tree, with_texts)
        answer = partial(self._answer, asked)
        self._database.between_searches.asked((self, collection_id), partial(self._follow, collection_id))
        if top_k > _FEW_RESULTS or collection_id not in self._small:
            return await self._database.read(answer)
        turn = self._turns[collection_id]
        return await self._database.read_in_turn(turn, partial(self._quick_answer, asked), answer)

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
        self._small.discard(stored.collection.id)
        self._turns.pop(stored.collection.id, None)
        await self._shelf.forget(stored)

    def _follow(self, collection_id: str, session: SqliteSession) -> None:
        self._shelf.ready_image(session, stored_collection(session, collection_id))
        spoken_languages(session, collection_id)

    def _quick_answer(self, asked: _Asked, session: SqliteSession) -> FoundWords | None:
        """The answer, if everything is at hand for it and few passages are looked at."""
        stored = stored_collection(session, asked.collection_id)
        image = self._shelf.ready_image(session, stored)
        if image is None or image.rows > _FEW_PASSAGES:
            return None
        if asked.tree is None:
            return asked.answered(session, stored, image, [live.alive for live in image.parts])
        rows = [live.recalled(asked.rows_key) for live in image.parts]
        known = [one for one in rows if one is not None]
        return asked.answered(session, stored, image, known) if len(known) == len(rows) else None

    def _answer(self, asked: _Asked, session: SqliteSession) -> FoundWords:
        stored = stored_collection(session, asked.collection_id)
        image = self._shelf.image(session, stored)
        if image.rows > _FEW_PASSAGES:
            self._small.discard(asked.collection_id)
        else:
            self._small.add(asked.collection_id)
        rows = [
            live.remembered(asked.rows_key, partial(live.rows, asked.tree, session, image.seq))
            for live in image.parts
        ]
        return asked.answered(session, stored, image, rows)


@dataclass(frozen=True)
class _Asked:
    collection_id: str
    query: str
    top_k: int
    tree: MetadataFilter | None
    with_texts: bool

    @cached_property
    def rows_key(self) -> object:
        # By its spelling: to Python, a filter for 1 and one for true are equal.
        return "words", repr(self.tree)

    def answered(
        self,
        session: SqliteSession,
        stored: StoredCollection,
        image: Image[WordPart],
        allowed: Sequence[NDArray[np.bool_]],
    ) -> FoundWords:
        """What is found among the allowed rows of each part."""
        question = analyse_question(self.query, spoken_languages(session, self.collection_id))
        terms = _known_terms(session, self.collection_id, question)
        counts = word_counts(question, terms, stored.word_rows)
        if not terms:
            return FoundWords(question, [], [], counts)
        chunks = _weights(question, terms, "chunk_count", stored.word_rows, stored.word_length)
        documents = _weights(
            question, terms, "document_count", stored.document_word_rows, stored.document_word_length
        )
        ranked = [
            best_rows(live.part, rows, chunks, documents, self.top_k)
            for live, rows in zip(image.parts, allowed, strict=True)
        ]
        # Ids are read of those alone that are among the best of all parts, or score like the last of them.
        last = last_score(np.concatenate([totals for _, totals in ranked]), self.top_k)
        found = [
            one
            for live, (hits, totals) in zip(image.parts, ranked, strict=True)
            for one in _named(live.part, hits[totals >= last], totals[totals >= last])
        ]
        best = sorted(found)[: self.top_k]
        ids = [chunk_id for _, chunk_id in best]
        texts = _texts(session, self.collection_id, ids) if self.with_texts else {}
        return FoundWords(question, ids, [-score for score, _ in best], counts, texts)


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


def _named(
    part: WordPart, hits: NDArray[np.int64], totals: NDArray[np.float64]
) -> Iterator[tuple[float, str]]:
    """The scores, less than zero, and ids of these rows."""
    return zip((-totals).tolist(), part.segment.chunk_ids.several(hits), strict=True)


def _texts(session: SqliteSession, collection_id: str, ids: Sequence[str]) -> dict[str, FoundText]:
    rows = session.fetch("results_by_ids", collection_id=collection_id, chunk_ids=list(ids))
    return {row["id"]: FoundText(row["content"], row["language"]) for row in rows}
