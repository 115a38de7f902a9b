"""What a database brings to a search; how it finds is its own affair, what it finds is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from sourcebook.model.asked_collection import WordCounts

if TYPE_CHECKING:
    from sourcebook.model.documents import Vector
    from sourcebook.model.explanation import SearchPlan
    from sourcebook.model.search import Match, MetadataFilter, SearchResult
    from sourcebook.storage.database import Row
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.text.analysis import QuestionWords

MATCHES_SHOWN = 3
"""How many of the children that matched a result names."""
VECTORS_FOR_A_PASSAGE = 8
"""How many of the nearest vectors are looked at, at first, for each passage that is wanted."""
ROUNDING_MARGIN = 0.002
"""How far two rough scores may be out of order.

They are made with a question in half precision, which changes a product of vectors of length one by at most 1/2048.
"""


class Scored(NamedTuple):
    """A chunk that was found, and for a passage the children that matched in it, best first.

    `rowid` is where the base was last seen to keep it, if the engine knows.
    """

    chunk_id: str
    score: float
    matched: Sequence[Match] = ()
    rowid: int | None = None


class FoundText(NamedTuple):
    """The text of a chunk that words found, and its language."""

    content: str
    language: str | None


@dataclass(frozen=True, slots=True)
class FoundWords:
    """The chunks that words found, best first, the words that were looked for, and how common they are."""

    question: QuestionWords
    ids: Sequence[str]
    scores: Sequence[float]
    counts: WordCounts
    texts: Mapping[str, FoundText] = field(default_factory=dict[str, FoundText])
    """The texts of the chunks by their ids, if they were asked for."""


def word_counts(question: QuestionWords, terms: Iterable[Row], rows: int) -> WordCounts:
    """How common the terms are, those that the base does not know included."""
    counts: dict[str, int] = {row["term"]: row["chunk_count"] for row in terms}
    return WordCounts(dict.fromkeys((*question.terms, *counts), 0) | counts, rows)


class VectorEngine(Protocol):
    """Finds the nearest vectors of one state of the base: complete under every filter, best first, ties by id."""

    async def search_chunks(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]: ...

    async def search_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]: ...

    async def rank_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> Sequence[SearchResult]:
        """The same passages, with outlines for chunks."""
        ...

    async def prepare(self, collection_id: str, on_share: Callable[[float], None] | None = None) -> None:
        """Do now what the first search after much writing would do, or would go faster for.

        `on_share` is told how much of it is done, from 0 to 1, if it takes long.
        """
        ...

    async def forget(self, stored: StoredCollection) -> None:
        """Let go of what is held for a collection that is no more."""
        ...


class WordEngine(Protocol):
    """Finds chunks by words: the chunk's BM25 plus its document's, best first, ties by chunk id."""

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
        """`languages` are those of the collection, if somebody knows them already."""
        ...

    async def prepare(self, collection_id: str) -> None: ...

    async def forget(self, stored: StoredCollection) -> None: ...


@runtime_checkable
class ResultReader(Protocol):
    """An engine that reads what it found faster than by its ids alone."""

    async def read_results(self, collection_id: str, chunk_ids: Sequence[str]) -> list[SearchResult]:
        """Those of these chunks that exist, without a score."""
        ...


@runtime_checkable
class PassagePlanner(Protocol):
    """A vector engine that tells how it searches."""

    async def plan_passages(
        self, collection_id: str, top_k: int, filter: MetadataFilter | None
    ) -> SearchPlan: ...


@runtime_checkable
class WordPlanner(Protocol):
    """A word engine that tells how it searches."""

    async def plan_words(
        self, collection_id: str, query: str, filter: MetadataFilter | None
    ) -> SearchPlan: ...
