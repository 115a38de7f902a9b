"""From chunks to passages, for stores that only know chunks.

The score of a passage is the mean of its own and its best child's, or the one of the two that exists. A search for
chunks returns only the nearest, so one of the two may be unknown. It is at most the score of the last chunk returned:
that tells which passages must be read, and when to ask for more chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sourcebook.errors import CollectionNotFound
from sourcebook.model.documents import ChunkLevel, DistanceMetric
from sourcebook.model.search import Match, ScoreBreakdown, SearchResult
from sourcebook.retrieve.concurrency import together
from sourcebook.retrieve.explain.trace import key_of

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk, EmbeddedChunk, Vector
    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.storage import VectorStore
    from sourcebook.retrieve.explain.trace import Key

MATCHES_SHOWN = 3
CHUNKS_FOR_A_PASSAGE = 8
"""So many chunks are asked for at first for each wanted passage."""
FEWEST_CHUNKS = 64
"""At least so many are asked for. If none of them is a child, the store is taken to have passages alone."""

Nearness: TypeAlias = Callable[["Vector"], float]
"""How near a vector is to the question."""


@dataclass(frozen=True, slots=True)
class Family:
    """What is known of a passage: its chunk, its own score, and its children, best first.

    `like` is any result of its document, with the path and the title.
    """

    key: str
    like: SearchResult
    passage: Chunk | None = None
    own_score: float | None = None
    children: tuple[SearchResult, ...] = ()
    is_read: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether its score is exact. The first child found is the best one."""
        return self.is_read or (self.own_score is not None and bool(self.children))

    @property
    def score(self) -> float:
        """The mean of the passage and its best child, or what is known of it, which is no lower."""
        known = [child.score for child in self.children[:1]]
        known += [] if self.own_score is None else [self.own_score]
        return sum(known) / len(known)

    def as_result(self) -> SearchResult:
        shown = self.passage or self.children[0].chunk
        matched = [_match(child) for child in self.children[:MATCHES_SHOWN]]
        return replace(
            self.like,
            chunk=shown,
            score=self.score,
            score_breakdown=ScoreBreakdown(semantic_score=self.score),
            matched=tuple(matched),
        )


def passage_id_of(chunk: Chunk) -> str:
    """The passage that a chunk belongs to: its parent if it is a child that has one, else itself."""
    return chunk.parent_id if chunk.level is ChunkLevel.CHILD and chunk.parent_id else chunk.id


def families(found: Iterable[SearchResult]) -> dict[str, Family]:
    """The chunks that a search found, best first, by passage."""
    gathered: dict[str, Family] = {}
    for result in found:
        key = passage_id_of(result.chunk)
        family = gathered.get(key) or Family(key, result)
        if key == result.chunk.id:
            gathered[key] = replace(family, passage=result.chunk, own_score=result.score)
        else:
            gathered[key] = replace(family, children=(*family.children, result))
    return gathered


def without_more_children(gathered: Mapping[str, Family]) -> dict[str, Family]:
    """The same families, if there are no children but those found."""
    return {
        key: family if family.passage is None else replace(family, is_read=True)
        for key, family in gathered.items()
    }


def read_family(family: Family, chunks: Sequence[EmbeddedChunk], nearness: Nearness) -> list[Family]:
    """The family completed from its document. Children whose passage is not stored stand for themselves."""
    stored = {embedded.chunk.id: embedded for embedded in chunks}
    passage = stored.get(family.key)
    if passage is None:
        alone = [child for child in family.children if child.chunk.id in stored]
        return [Family(c.chunk.id, c, c.chunk, c.score, is_read=True) for c in alone]
    own = family.own_score
    if own is None and passage.embedding is not None:
        own = nearness(passage.embedding)
    children = family.children or _children(family.key, chunks, nearness)
    return [replace(family, passage=passage.chunk, own_score=own, children=children, is_read=True)]


def _children(key: str, chunks: Sequence[EmbeddedChunk], nearness: Nearness) -> tuple[SearchResult, ...]:
    found = [
        SearchResult(embedded.chunk, nearness(embedded.embedding))
        for embedded in chunks
        if embedded.embedding is not None
        and embedded.chunk.id != key
        and passage_id_of(embedded.chunk) == key
    ]
    return tuple(sorted(found, key=lambda child: (-child.score, child.chunk.id)))


def best_of(gathered: Mapping[str, Family], top_k: int) -> list[Family]:
    return sorted(gathered.values(), key=lambda family: (-family.score, family.key))[:top_k]


class PlainPassages:
    """A `PassageSearch` over a store that only has `search_semantic`, `get_collection` and `get_by_document`."""

    def __init__(
        self,
        store: VectorStore,
        *,
        chunks_for_a_passage: int = CHUNKS_FOR_A_PASSAGE,
        fewest_chunks: int = FEWEST_CHUNKS,
    ) -> None:
        self._store = store
        self._chunks_for_a_passage = chunks_for_a_passage
        self._fewest_chunks = fewest_chunks

    async def search_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None = None
    ) -> list[SearchResult]:
        nearness = await self._nearness(collection_id, query)
        wanted = max(self._chunks_for_a_passage * top_k, self._fewest_chunks)
        while True:
            found = await self._store.search_semantic(collection_id, query, wanted, filter)
            gathered = families(found)
            if len(found) < wanted or _is_flat(found):
                gathered = without_more_children(gathered)
            best = await self._best(collection_id, gathered, top_k, nearness)
            enough = len(best) == top_k and found and best[-1].score > found[-1].score
            if enough or len(found) < wanted:
                return [family.as_result() for family in best]
            wanted *= 4

    async def _best(
        self, collection_id: str, gathered: dict[str, Family], top_k: int, nearness: Nearness
    ) -> list[Family]:
        while True:
            best = best_of(gathered, top_k)
            unsure = [family for family in best if not family.is_sure]
            if not unsure:
                return best
            documents = await self._documents(collection_id, {f.like.chunk.document_id for f in unsure})
            for family in unsure:
                del gathered[family.key]
                read = read_family(family, documents[family.like.chunk.document_id], nearness)
                gathered.update({known.key: known for known in read})

    async def _documents(
        self, collection_id: str, document_ids: Iterable[str]
    ) -> dict[str, list[EmbeddedChunk]]:
        names = list(document_ids)
        read = self._store.get_by_document
        chunks = await together([partial(read, collection_id, name) for name in names])
        return dict(zip(names, chunks, strict=True))

    async def _nearness(self, collection_id: str, query: Vector) -> Nearness:
        collection = await self._store.get_collection(collection_id)
        if collection is None:
            raise CollectionNotFound.named(collection_id)
        return nearness_to(query, collection.distance_metric)


def _is_flat(found: Sequence[SearchResult]) -> bool:
    return len(found) >= FEWEST_CHUNKS and all(r.chunk.level is ChunkLevel.PARENT for r in found)


def nearness_to(query: Vector, metric: DistanceMetric) -> Nearness:
    """The score of a vector as `DistanceMetric` defines it."""
    wanted = np.asarray(query, dtype=np.float64)

    def nearness(vector: Vector) -> float:
        other = np.asarray(vector, dtype=np.float64)
        match metric:
            case DistanceMetric.DOT:
                return float(wanted @ other)
            case DistanceMetric.EUCLIDEAN:
                return float(1 / (1 + np.linalg.norm(wanted - other)))
            case DistanceMetric.COSINE:
                lengths = float(np.linalg.norm(wanted) * np.linalg.norm(other))
                return float(wanted @ other) / lengths if lengths else 0.0

    return nearness


def missing_passages(results: Iterable[SearchResult]) -> list[Key]:
    """The passages to look up, to replace their children."""
    children = (result for result in results if result.chunk.level is ChunkLevel.CHILD)
    return list(dict.fromkeys(_passage_key(child) for child in children))


def as_passages(results: Iterable[SearchResult], passages: Mapping[Key, SearchResult]) -> list[SearchResult]:
    """The results with each child replaced by its passage, if known. Each passage occurs once, at its best rank."""
    found: dict[Key, SearchResult] = {}
    for result in results:
        passage = passages.get(_passage_key(result))
        if passage is None or result.chunk.id == passage.chunk.id:
            found.setdefault(key_of(result), result)
        else:
            lifted = replace(result, chunk=passage.chunk, matched=(_match(result),))
            found.setdefault(key_of(lifted), lifted)
    return list(found.values())


def _passage_key(result: SearchResult) -> Key:
    return result.collection_id, passage_id_of(result.chunk)


def _match(child: SearchResult) -> Match:
    chunk = child.chunk
    return Match(chunk.id, chunk.start_index, chunk.end_index, child.score)
