"""Vector search over images that follow the base."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from sourcebook.model.documents import Chunk, DistanceMetric
from sourcebook.model.search import Ranking, ScoreBreakdown, SearchResult
from sourcebook.retrieve.filters import check
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.rows import chunk_from
from sourcebook.storage.sqlite.engine.collection_state import stored_collection
from sourcebook.storage.sqlite.engine.memory_image_cache import ROWS_WORTH_A_FILE, ImageCache
from sourcebook.storage.sqlite.engine.nearest import (
    Allowed,
    chunk_rows,
    nearest_chunks,
    nearest_passages,
    passage_rows,
    prepared_query,
)
from sourcebook.storage.sqlite.engine.search_plans import vector_plan
from sourcebook.storage.sqlite.engine.segment import Segment
from sourcebook.storage.sqlite.engine.vector_part import VectorPart, join_parts, read_part, signs_of

T = TypeVar("T")

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import Vector
    from sourcebook.model.explanation import SearchPlan
    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.index.engines import Scored
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.engine.memory_images import LivePart, Loader
    from sourcebook.storage.sqlite.worker_session import SqliteSession

    Nearest = Callable[
        [Sequence[Allowed], NDArray[np.float32], int, NDArray[np.float32] | None], list[Scored]
    ]
    Shown = Callable[[SqliteSession, str, Sequence[Scored]], T]


class VectorParts:
    """How vectors are read from the base and kept in a file."""

    name = "vectors"

    def loader(self, stored: StoredCollection) -> Loader[VectorPart]:
        scope = {"collection_id": stored.collection.id, "model_id": stored.model_id}

        def load(session: SqliteSession, document_ids: Sequence[str] | None) -> VectorPart:
            if document_ids is None:
                return read_part(session.stream("all_vector_rows", **scope), stored.collection)
            rows = session.stream("some_vector_rows", **scope, document_ids=list(document_ids))
            return read_part(rows, stored.collection)

        return load

    def join(self, old: Sequence[tuple[VectorPart, NDArray[np.bool_]]]) -> VectorPart:
        return join_parts(old)

    def to_arrays(self, part: VectorPart) -> dict[str, NDArray[Any]]:
        arrays = {
            **part.segment.to_arrays(),
            "matrix": part.matrix,
            "has_vector": part.has_vector,
            "passage": part.passage,
            "spans": part.spans,
        }
        if part.metric is DistanceMetric.COSINE:
            centre = _centre(part)
            arrays |= {"centre": centre, "signs": signs_of(part.matrix, centre)}
        return arrays

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]], stored: StoredCollection) -> VectorPart:
        return VectorPart(
            Segment.from_arrays(arrays),
            arrays["matrix"],
            arrays["has_vector"],
            arrays["passage"],
            arrays["spans"],
            stored.collection.distance_metric,
            arrays.get("centre"),
            arrays.get("signs"),
        )


def _centre(part: VectorPart) -> NDArray[np.float32]:
    """The mean vector: signs tell most when each number is above it half of the time."""
    total = np.zeros(part.matrix.shape[1])
    for start in range(0, len(part), 8192):
        total += part.matrix[start : start + 8192].sum(axis=0, dtype=np.float64)
    return (total / max(int(part.has_vector.sum()), 1)).astype(np.float32)


class _Sought(NamedTuple):
    """What a search is for: the rows that it looks at, and how it ranks them."""

    name: str
    rows: Callable[[VectorPart, NDArray[np.bool_]], Allowed]
    nearest: Nearest


_CHUNKS = _Sought("chunks", chunk_rows, nearest_chunks)
_PASSAGES = _Sought("passages", passage_rows, nearest_passages)


def _allowed(
    live: LivePart[VectorPart], sought: _Sought, tree: MetadataFilter | None, session: SqliteSession, seq: int
) -> Allowed:
    # By its spelling: to Python, a filter for 1 and one for true are equal.
    key = (sought.name, repr(tree))
    return live.remembered(key, lambda: sought.rows(live.part, live.rows(tree, session, seq)))


class SqliteVectorEngine:
    """A `VectorEngine` that answers from memory what the base would answer from its tables."""

    def __init__(self, database: SqliteDatabase, rows_worth_a_file: int = ROWS_WORTH_A_FILE) -> None:
        self._database = database
        self._shelf = ImageCache(database, VectorParts(), rows_worth_a_file)

    async def search_chunks(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]:
        return await self._search(_CHUNKS, collection_id, query, top_k, filter, _results)

    async def search_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]:
        return await self._search(_PASSAGES, collection_id, query, top_k, filter, _results)

    async def rank_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> Ranking:
        return await self._search(_PASSAGES, collection_id, query, top_k, filter, _outlines)

    async def plan_passages(
        self, collection_id: str, top_k: int, filter: MetadataFilter | None
    ) -> SearchPlan:
        """What `rank_passages` would look at."""
        tree = None if filter is None else check(filter)

        def planned(session: SqliteSession) -> SearchPlan:
            image = self._shelf.image(session, stored_collection(session, collection_id))
            allowed = [_allowed(live, _PASSAGES, tree, session, image.seq) for live in image.parts]
            return vector_plan(image.parts, allowed, top_k)

        return await self._database.read(planned)

    async def prepare(self, collection_id: str, on_share: Callable[[float], None] | None = None) -> None:
        """Do now what the first search after much writing would do."""
        await self._database.read(
            lambda session: self._shelf.prepare(session, stored_collection(session, collection_id))
        )

    async def forget(self, stored: StoredCollection) -> None:
        await self._shelf.forget(stored)

    async def _search(
        self,
        sought: _Sought,
        collection_id: str,
        query: Vector,
        top_k: int,
        filter: MetadataFilter | None,
        shown: Shown[T],
    ) -> T:
        tree = None if filter is None else check(filter)
        work = partial(self._answer, sought, collection_id, query, top_k, tree, shown)
        return await self._database.read(work)

    def _answer(
        self,
        sought: _Sought,
        collection_id: str,
        query: Vector,
        top_k: int,
        tree: MetadataFilter | None,
        shown: Shown[T],
        session: SqliteSession,
    ) -> T:
        stored = stored_collection(session, collection_id)
        collection = stored.collection
        wanted = vector_encoding.checked(query, collection.embedding_dimensions, "the question")
        image = self._shelf.image(session, stored)
        found = sought.nearest(
            [_allowed(live, sought, tree, session, image.seq) for live in image.parts],
            prepared_query(wanted, collection.distance_metric),
            top_k,
            image.parts[0].part.centre if image.parts else None,
        )
        return shown(session, collection_id, found)


def _outlines(session: SqliteSession, collection_id: str, found: Sequence[Scored]) -> Ranking:
    def outline(place: int) -> SearchResult:
        one = found[place]
        breakdown = ScoreBreakdown(semantic_score=one.score)
        return SearchResult(Chunk.outline(one.chunk_id), one.score, breakdown, matched=one.matched)

    return Ranking([f.chunk_id for f in found], [f.score for f in found], outline)


def _results(session: SqliteSession, collection_id: str, found: Sequence[Scored]) -> list[SearchResult]:
    ids = [f.chunk_id for f in found]
    rows = {
        row["id"]: row for row in session.fetch("results_by_ids", collection_id=collection_id, chunk_ids=ids)
    }
    return [
        SearchResult(
            chunk_from(rows[f.chunk_id]),
            f.score,
            ScoreBreakdown(semantic_score=f.score),
            rows[f.chunk_id]["file_path"],
            rows[f.chunk_id]["title"],
            tuple(f.matched),
        )
        for f in found
    ]
