"""Vector search over images that follow the base."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

import anyio
import numpy as np

from sourcebook.model.documents import Chunk, DistanceMetric
from sourcebook.model.search import Ranking, ScoreBreakdown, SearchResult
from sourcebook.retrieve.filters.filter_meaning import check
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.sqlite.engine.candidates import Allowed, answers_at_first_look
from sourcebook.storage.sqlite.engine.collection_state import chunks_of, stored_collection
from sourcebook.storage.sqlite.engine.derived_file import derived_folder
from sourcebook.storage.sqlite.engine.growing_vectors import GrowingVectors
from sourcebook.storage.sqlite.engine.held_rows import HeldRows
from sourcebook.storage.sqlite.engine.memory_image_cache import ROWS_WORTH_A_FILE, ImageCache
from sourcebook.storage.sqlite.engine.memory_images import Size
from sourcebook.storage.sqlite.engine.nearest import (
    RankedPassages,
    chunk_rows,
    nearest_chunks,
    nearest_passages,
    passage_rows,
    prepared_query,
)
from sourcebook.storage.sqlite.engine.result_rows import results_at, results_of
from sourcebook.storage.sqlite.engine.search_plans import vector_plan
from sourcebook.storage.sqlite.engine.segment import Segment
from sourcebook.storage.sqlite.engine.spooled_bytes import let_go
from sourcebook.storage.sqlite.engine.vector_codes import Codes, Quantiser
from sourcebook.storage.sqlite.engine.vector_part import VectorPart, join_parts, read_part

F = TypeVar("F", bound="Sequence[Scored]")
T = TypeVar("T")

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sourcebook.model.documents import Vector
    from sourcebook.model.explanation import SearchPlan
    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.index.engines import Scored
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.engine.memory_images import Image, LivePart, Loader
    from sourcebook.storage.sqlite.worker_session import SqliteSession

    VectorImage: TypeAlias = Image[VectorPart]
    Nearest = Callable[[Sequence[Allowed], NDArray[np.float32], int, Quantiser | None], F]
    Shown = Callable[[SqliteSession, str, F], T]


class _Limit(NamedTuple):
    """How many rows a search may look at, and how many results it may want."""

    rows: int
    results: int

    def allows(self, rows: int, results: int) -> bool:
        return rows <= self.rows and results <= self.results


# Looking at so many takes no longer than a change of thread.
_AT_ONCE = _Limit(rows=1_000, results=20)
# Looking at so many takes a few milliseconds, and in a thread half as long again.
_ALONE = _Limit(rows=200_000, results=250)
# Rows without codes have all of their numbers read, or their codes made first.
_TIMES_AS_LONG_WITHOUT_CODES = 10
# The vectors of so many rows, in bytes, are read in a few milliseconds.
_SOON_READ = Size(rows=1_000, content=2_000_000)
_QUICK_REMEMBERED = 256
_PLACES_REMEMBERED = 10_000


class VectorParts:
    """How vectors are read from the base and kept in a file."""

    name = "vectors"
    soon = _SOON_READ

    def __init__(self, folder: Path | None = None) -> None:
        """What is too large for memory while a file is made goes to this folder."""
        self._folder = folder

    def loader(self, stored: StoredCollection) -> Loader[VectorPart]:
        scope = {"collection_id": stored.collection.id, "model_id": stored.model_id}

        def load(session: SqliteSession, document_ids: Sequence[str] | None) -> VectorPart:
            if document_ids is None:
                every = session.stream("all_vector_rows", **scope)
                return read_part(every, stored.collection, self._folder)
            rows = session.stream("some_vector_rows", **scope, document_ids=list(document_ids))
            return read_part(rows, stored.collection)

        return load

    def size_of(self, session: SqliteSession, stored: StoredCollection, document_ids: Sequence[str]) -> Size:
        rows, collection = chunks_of(session, stored, document_ids), stored.collection
        kind = vector_encoding.stored_type(collection.distance_metric)
        return Size(rows, rows * collection.embedding_dimensions * kind.itemsize)

    def size(self, part: VectorPart) -> Size:
        return Size(len(part), part.matrix.nbytes)

    def join(self, old: Sequence[tuple[VectorPart, NDArray[np.bool_]]]) -> VectorPart:
        return join_parts(old)

    def growing(self, added: VectorPart, first: VectorPart) -> VectorPart:
        return GrowingVectors(added, first.quantiser).append(added)

    def appended(self, part: VectorPart, added: VectorPart) -> VectorPart | None:
        is_last = part.growth is not None and part.growth.rows == len(part)
        return part.growth.append(added) if part.growth is not None and is_last else None

    def has_room(self, part: VectorPart, rows: int) -> bool:
        return part.growth is None or part.growth.has_room(rows)

    def to_arrays(self, part: VectorPart) -> dict[str, NDArray[Any]]:
        arrays = {
            **part.segment.to_arrays(),
            "matrix": part.matrix,
            "has_vector": part.has_vector,
            "passage": part.passage,
            "spans": part.spans,
            "rowids": part.rowids,
        }
        if part.metric is DistanceMetric.COSINE:
            quantiser = Quantiser.of(part.matrix, int(part.has_vector.sum()))
            codes = quantiser.codes(part.matrix, self._folder)
            arrays |= {
                "centre": quantiser.centre,
                "step": np.array([quantiser.step]),
                "signs": codes.signs,
                "numbers": codes.numbers,
            }
            known = replace(part, known_codes=codes)
            if codes.leading is not None and answers_at_first_look(known, quantiser):
                arrays |= {"leading": np.asarray(quantiser.leading), "leading_signs": codes.leading}
            let_go(part.matrix)
            let_go(codes.numbers)
        return arrays

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]], stored: StoredCollection) -> VectorPart:
        quantiser = codes = None
        if "centre" in arrays:
            quantiser = Quantiser(arrays["centre"], float(arrays["step"][0]), arrays.get("leading"))
            codes = Codes(arrays["signs"], arrays["numbers"], quantiser, arrays.get("leading_signs"))
        return VectorPart(
            Segment.from_arrays(arrays),
            arrays["matrix"],
            arrays["has_vector"],
            arrays["passage"],
            arrays["spans"],
            arrays["rowids"],
            stored.collection.distance_metric,
            quantiser,
            codes,
        )


class _Sought(NamedTuple, Generic[F]):
    """What a search is for: the rows that it looks at, and how it ranks them."""

    name: str
    rows: Callable[[VectorPart, NDArray[np.bool_], HeldRows], Allowed]
    nearest: Nearest[F]


_CHUNKS = _Sought("chunks", chunk_rows, nearest_chunks)
_PASSAGES = _Sought("passages", passage_rows, nearest_passages)


def _key(sought: _Sought[Any], tree: MetadataFilter | None) -> object:
    # By its spelling: to Python, a filter for 1 and one for true are equal.
    return sought.name, repr(tree)


def _rows_worth(image: VectorImage, allowed: Sequence[Allowed]) -> int:
    """How many rows are looked at, or would be in the same time by their codes."""
    rows = sum(one.count for one in allowed)
    if rows <= _AT_ONCE.rows:
        return rows
    have_codes = (live.part.known_codes is not None for live in image.parts)
    return sum(
        one.count * (1 if has_codes else _TIMES_AS_LONG_WITHOUT_CODES)
        for one, has_codes in zip(allowed, have_codes, strict=True)
    )


class SqliteVectorEngine:
    """A `VectorEngine` that answers from memory what the base would answer from its tables."""

    def __init__(self, database: SqliteDatabase, rows_worth_a_file: int = ROWS_WORTH_A_FILE) -> None:
        self._database = database
        self._shelf = ImageCache(database, VectorParts(derived_folder(database.path)), rows_worth_a_file)
        # The searches that lately looked at few rows, and so may again.
        self._quick: dict[object, _Limit] = {}
        # Searches of one collection take turns; those of another do not wait while an image is made.
        self._turns: defaultdict[str, anyio.Lock] = defaultdict(partial(anyio.Lock, fast_acquire=True))
        self._held = HeldRows()
        # Where the base was last seen to keep what was shown lately.
        self._places: dict[str, int] = {}

    async def search_chunks(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]:
        return await self._search(_CHUNKS, collection_id, query, top_k, filter, results_of)

    async def search_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> list[SearchResult]:
        return await self._search(_PASSAGES, collection_id, query, top_k, filter, results_of)

    async def rank_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None
    ) -> Ranking:
        return await self._search(_PASSAGES, collection_id, query, top_k, filter, self._outlines)

    async def read_results(self, collection_id: str, chunk_ids: Sequence[str]) -> list[SearchResult]:
        places = {chunk_id: self._places.get(chunk_id) for chunk_id in chunk_ids}

        def results(session: SqliteSession) -> list[SearchResult]:
            return results_at(session, collection_id, places)

        found = await self._database.read_soon(results) if len(places) <= _AT_ONCE.results else None
        return await self._database.read(results) if found is None else found

    async def plan_passages(
        self, collection_id: str, top_k: int, filter: MetadataFilter | None
    ) -> SearchPlan:
        """What `rank_passages` would look at."""
        tree = None if filter is None else check(filter)

        def planned(session: SqliteSession) -> SearchPlan:
            image = self._shelf.image(session, stored_collection(session, collection_id))
            allowed = self._allowed(image, _PASSAGES, tree, session)
            return vector_plan(image.parts, allowed, top_k)

        return await self._database.read(planned)

    async def prepare(self, collection_id: str, on_share: Callable[[float], None] | None = None) -> None:
        """Do now what the first search after much writing would do."""
        await self._shelf.prepare(collection_id)

    async def forget(self, stored: StoredCollection) -> None:
        self._turns.pop(stored.collection.id, None)
        await self._shelf.forget(stored)

    async def _search(
        self,
        sought: _Sought[F],
        collection_id: str,
        query: Vector,
        top_k: int,
        filter: MetadataFilter | None,
        shown: Shown[F, T],
    ) -> T:
        tree = None if filter is None else check(filter)
        search = _Search(sought, collection_id, query, top_k, tree, shown)
        self._database.between_searches.asked((self, collection_id), partial(self._follow, collection_id))
        limit = self._quick.get(search.key)
        answer = partial(self._answer, search)
        if limit is None:
            return await self._database.read(answer)
        quick = partial(self._quick_answer, search, limit)
        if limit is _AT_ONCE and (found := await self._database.read_soon(quick)) is not None:
            return found
        turn = self._turns[collection_id]
        return await self._database.read_in_turn(turn, quick, answer, only_alone=limit is _ALONE)

    def _follow(self, collection_id: str, session: SqliteSession) -> None:
        self._shelf.ready_image(session, stored_collection(session, collection_id))

    def _quick_answer(self, search: _Search[Any, T], limit: _Limit, session: SqliteSession) -> T | None:
        """The answer, if everything is at hand for it and no more rows are looked at than the limit allows."""
        stored = stored_collection(session, search.collection_id)
        image = self._shelf.ready_image(session, stored)
        if image is None:
            return None
        if search.tree is None:
            # Nothing has to be read to tell the rows.
            allowed = self._allowed(image, search.sought, None, session)
        else:
            # Asked for once: another thread may forget all of it at any moment.
            recalled = [live.recalled(search.rows_key) for live in image.parts]
            allowed = [one for one in recalled if one is not None]
            if len(allowed) < len(recalled):
                return None
        if _rows_worth(image, allowed) > limit.rows:
            return None
        return search.answered(session, stored, image, allowed)

    def _answer(self, search: _Search[Any, T], session: SqliteSession) -> T:
        stored = stored_collection(session, search.collection_id)
        image = self._shelf.image(session, stored)
        allowed = self._allowed(image, search.sought, search.tree, session)
        found = search.answered(session, stored, image, allowed)
        self._remember(search, _rows_worth(image, allowed))
        return found

    def _allowed(
        self, image: VectorImage, sought: _Sought[Any], tree: MetadataFilter | None, session: SqliteSession
    ) -> list[Allowed]:
        """The rows of each part that a search with this filter looks at."""

        def made(live: LivePart[VectorPart]) -> Allowed:
            return sought.rows(live.part, live.rows(tree, session, image.seq), self._held)

        return [live.remembered(_key(sought, tree), partial(made, live)) for live in image.parts]

    def _remember(self, search: _Search[Any, T], rows: int) -> None:
        """Where the same search may be answered next time."""
        if len(self._quick) >= _QUICK_REMEMBERED:
            self._quick.clear()
        fitting = (limit for limit in (_AT_ONCE, _ALONE) if limit.allows(rows, search.top_k))
        if (limit := next(fitting, None)) is None:
            self._quick.pop(search.key, None)
        else:
            self._quick[search.key] = limit

    def _outlines(self, session: SqliteSession, collection_id: str, found: RankedPassages) -> Ranking:
        """What was found without its texts. What is looked at will be read next: its place is remembered."""

        def outline(place: int) -> SearchResult:
            one = found[place]
            if one.rowid is not None:
                self._remember_place(one.chunk_id, one.rowid)
            breakdown = ScoreBreakdown(semantic_score=one.score)
            return SearchResult(Chunk.outline(one.chunk_id), one.score, breakdown, matched=one.matched)

        return Ranking(found.ids, found.scores, outline)

    def _remember_place(self, chunk_id: str, rowid: int) -> None:
        """Another thread may forget all of them at any moment."""
        if len(self._places) >= _PLACES_REMEMBERED:
            self._places.clear()
        self._places[chunk_id] = rowid


@dataclass(frozen=True)
class _Search(Generic[F, T]):
    sought: _Sought[F]
    collection_id: str
    query: Vector
    top_k: int
    tree: MetadataFilter | None
    shown: Shown[F, T]

    @cached_property
    def rows_key(self) -> object:
        return _key(self.sought, self.tree)

    @property
    def key(self) -> object:
        return self.collection_id, self.top_k, self.rows_key

    def answered(
        self, session: SqliteSession, stored: StoredCollection, image: VectorImage, allowed: Sequence[Allowed]
    ) -> T:
        collection = stored.collection
        wanted = vector_encoding.checked(self.query, collection.embedding_dimensions, "the question")
        found = self.sought.nearest(
            allowed,
            prepared_query(wanted, collection.distance_metric),
            self.top_k,
            image.parts[0].part.quantiser if image.parts else None,
        )
        return self.shown(session, self.collection_id, found)
