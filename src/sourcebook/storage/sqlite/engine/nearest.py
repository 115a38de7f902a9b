"""The nearest vectors of an image, for chunks and for passages.

Large sets are first narrowed to candidates. What is left is scored with the stored numbers, roughly first and then
exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import numpy as np

from sourcebook.model.documents import DistanceMetric
from sourcebook.model.search import Match
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.index.engines import MATCHES_SHOWN, ROUNDING_MARGIN, VECTORS_FOR_A_PASSAGE, Scored
from sourcebook.storage.sqlite.engine.candidates import Allowed, candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.sqlite.engine.held_rows import HeldRows
    from sourcebook.storage.sqlite.engine.vector_codes import Quantiser
    from sourcebook.storage.sqlite.engine.vector_part import VectorPart


@dataclass(frozen=True, slots=True)
class _Found:
    """Rows of a part in their order, never none, with their rough scores."""

    part: VectorPart
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]

    def above(self, limit: float) -> _Found:
        kept = self.scores >= limit
        return _Found(self.part, self.rows[kept], self.scores[kept])

    def scores_of(self, rows: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Rough scores of any rows of the part: those that are known, and the others made now."""
        places = np.searchsorted(self.rows, rows).clip(max=len(self.rows) - 1)
        scores = self.scores[places]
        others = np.flatnonzero(self.rows[places] != rows)
        scores[others] = self.part.rough_scores(rows[others], query)
        return scores


def chunk_rows(part: VectorPart, mask: NDArray[np.bool_], held: HeldRows) -> Allowed:
    """The rows that a search for chunks looks at, of those that a filter lets through."""
    return Allowed.of(part, mask & part.has_vector, held)


def passage_rows(part: VectorPart, mask: NDArray[np.bool_], held: HeldRows) -> Allowed:
    """The same for passages: the filter speaks of the passage, also for its children."""
    return Allowed.of(part, mask[part.passage] & part.has_vector, held)


def nearest_chunks(
    allowed: Sequence[Allowed], query: NDArray[np.float32], top_k: int, quantiser: Quantiser | None
) -> list[Scored]:
    found = _rough(allowed, query, quantiser, top_k)
    limit = _limit(np.concatenate([f.scores for f in found]) if found else np.empty(0), top_k)
    scored = [s for f in found for s in _exact(f.part, f.rows[f.scores >= limit], query)]
    return sorted(scored, key=lambda s: (-s.score, s.chunk_id))[:top_k]


def nearest_passages(
    allowed: Sequence[Allowed], query: NDArray[np.float32], top_k: int, quantiser: Quantiser | None
) -> RankedPassages:
    """A passage scores the mean of itself and its best child, or the one of the two that there is.

    One of its vectors is then at least as near as the mean, so it is enough to look at the passages of the nearest
    vectors, down to the mean of the last passage that is wanted.
    """
    total = sum(a.count for a in allowed)
    wanted = VECTORS_FOR_A_PASSAGE * top_k
    while True:
        found = _rough(allowed, query, quantiser, wanted)
        scored = _best_passages(found, query, top_k)
        if len(scored) == top_k or sum(len(f.rows) for f in found) == total:
            return scored
        # So many of the nearest vectors belong to so few passages that more of them are needed.
        wanted *= 8


def _best_passages(found: Sequence[_Found], query: NDArray[np.float32], top_k: int) -> RankedPassages:
    if not found:
        return RankedPassages([], [], [], [])
    scores = np.concatenate([f.scores for f in found])
    seen = VECTORS_FOR_A_PASSAGE * top_k
    while True:
        limit = _limit(scores, seen)
        families = [_families(f.above(limit), query) for f in found]
        means = np.concatenate([means for _, means in families])
        last = _limit(means, top_k)
        if seen >= len(scores) or (len(means) >= top_k and limit <= last):
            break
        seen *= 4
    wanted = vector_encoding.for_scores(query, found[0].part.metric)
    scored = [
        _passages(f, passages[means >= last], query, wanted)
        for f, (passages, means) in zip(found, families, strict=True)
    ]
    return RankedPassages.best(scored, top_k)


def _rough(
    allowed: Sequence[Allowed], query: NDArray[np.float32], quantiser: Quantiser | None, at_least: int
) -> list[_Found]:
    """The rows worth scoring with their rough scores."""
    chosen = candidates(allowed, query, quantiser, at_least)
    found = [_scored(one, rows, query) for one, rows in zip(allowed, chosen, strict=True)]
    return [one for one in found if len(one.rows)]


def _scored(allowed: Allowed, rows: NDArray[np.int64] | None, query: NDArray[np.float32]) -> _Found:
    """These rows of a part; None for all of them."""
    part = allowed.part
    if rows is None:
        return _Found(part, np.arange(len(part)), part.rough_scores_of(part.matrix, query))
    if rows is allowed.rows:
        return _Found(part, rows, part.rough_scores_of(allowed.own(part.matrix), query))
    return _Found(part, rows, part.rough_scores(rows, query))


def _limit(scores: NDArray[np.float64], count: int) -> float:
    """The score that a row must reach to be perhaps among the first `count`.

    Those that could not be measured reach any, and say nothing of where the others stand.
    """
    if not np.isfinite(scores).all():
        scores = scores[scores < np.inf]
    if len(scores) <= count:
        return -np.inf
    last = float(np.partition(scores, len(scores) - count)[len(scores) - count])
    return last - ROUNDING_MARGIN * max(1.0, abs(last))


def _families(found: _Found, query: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The passages of these rows, and roughly the mean score of each.

    The rows are the nearest ones, so the best child of a passage is among them if any of its children is. Only what a
    passage lacks to its mean is scored here: itself, or all of its children.
    """
    part = found.part
    passages, owner = np.unique(part.passage[found.rows], return_inverse=True)
    passages = passages.astype(np.int64)
    is_own = found.rows == passages[owner]
    own = np.full(len(passages), -np.inf)
    own[owner[is_own]] = found.scores[is_own]
    best = np.full(len(passages), -np.inf)
    np.maximum.at(best, owner[~is_own], found.scores[~is_own])
    alone = np.flatnonzero(np.isneginf(own))
    own[alone] = _rough_or_none(part, passages[alone], query)
    childless = np.flatnonzero(np.isneginf(best))
    members, parents, are_passages = part.families(passages[childless])
    children, parents = members[~are_passages], parents[~are_passages]
    np.maximum.at(best, childless[parents], _rough_or_none(part, children, query))
    return passages, _means(own, best)


def _means(itself: NDArray[np.float64], best_child: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of the two, or the one that there is; minus infinity stands for none."""
    own = np.where(np.isneginf(itself), best_child, itself)
    return (own + np.where(np.isneginf(best_child), itself, best_child)) / 2


def _rough_or_none(
    part: VectorPart, rows: NDArray[np.int64], query: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Rough scores, minus infinity for a chunk without a vector."""
    return np.where(part.has_vector[rows], part.rough_scores(rows, query), -np.inf)


def _passages(
    found: _Found, passages: NDArray[np.int64], query: NDArray[np.float32], wanted: NDArray[np.float64]
) -> _Passages:
    """These passages with their exact scores; `wanted` is the query as those compare it."""
    part = found.part
    members, owner, own = part.families(passages)
    having = part.has_vector[members]
    members, owner, own = members[having], owner[having], own[having]
    best_child, itself = np.full(len(passages), -np.inf), np.full(len(passages), -np.inf)
    kept = _may_be_best(owner, own, found.scores_of(members, query), len(passages))
    scores = part.exact_scores(members[kept], wanted)
    np.maximum.at(best_child, owner[kept & ~own], scores[~own[kept]])
    itself[owner[kept & own]] = scores[own[kept]]
    starts = np.searchsorted(owner[~own], np.arange(len(passages) + 1))
    return _Passages(part, passages, _means(itself, best_child), members[~own], starts, wanted)


def _may_be_best(
    owner: NDArray[np.int64], own: NDArray[np.bool_], rough: NDArray[np.float64], passages: int
) -> NDArray[np.bool_]:
    """The passages, and those of their children that may be the best, as far as rough scores tell."""
    if not np.isfinite(rough).all():
        return np.ones(len(rough), dtype=np.bool_)
    best = np.full(passages, -np.inf)
    np.maximum.at(best, owner[~own], rough[~own])
    limits = best - ROUNDING_MARGIN * np.maximum(1.0, np.abs(best))
    return own | (rough >= limits[owner])


@dataclass(frozen=True, slots=True)
class _Passages:
    """Passages of a part with their exact scores; the children of passage i stand between `starts[i]` and the next."""

    part: VectorPart
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    children: NDArray[np.int64]
    starts: NDArray[np.int64]
    wanted: NDArray[np.float64]
    _asked: list[Matches] = field(default_factory=list["Matches"])

    @property
    def ids(self) -> list[str]:
        return self.part.segment.chunk_ids.several(self.rows)

    def children_of(self, place: int) -> NDArray[np.int64]:
        return self.children[self.starts[place] : self.starts[place + 1]]

    def matches(self, place: int) -> Matches:
        """The children that matched best in a passage."""
        asked = Matches(self, place)
        self._asked.append(asked)
        return asked

    def look_at_matches(self) -> None:
        """Tell all that were asked for: those of several passages take hardly longer than those of one.

        A ranking belongs to one search, so one thread at a time looks at it.
        """
        asked, self._asked[:] = list(self._asked), []
        rows = np.concatenate([self.children_of(one.place) for one in asked])
        scores = (-self.part.exact_scores(rows, self.wanted)).tolist()
        ids = self.part.segment.chunk_ids.several(rows)
        children = list(zip(scores, ids, self.part.spans[rows].tolist(), strict=True))
        first = 0
        for one in asked:
            last = first + len(self.children_of(one.place))
            # Of equal ones those whose ids come first, in whatever order the rows lie.
            best = sorted(children[first:last])[:MATCHES_SHOWN]
            one.known = tuple(Match(chunk_id, start, end, -score) for score, chunk_id, (start, end) in best)
            first = last


class Matches(Sequence[Match]):
    """The children that matched best in a passage. Most rankings are cut before anybody looks."""

    __slots__ = ("_passages", "known", "place")

    def __init__(self, passages: _Passages, place: int) -> None:
        self._passages = passages
        self.place = place
        self.known: tuple[Match, ...] | None = None

    def _best(self) -> tuple[Match, ...]:
        if self.known is None:
            self._passages.look_at_matches()
        assert self.known is not None  # noqa: S101
        return self.known

    def __len__(self) -> int:
        return min(len(self._passages.children_of(self.place)), MATCHES_SHOWN)

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Match, ...]: ...
    def __getitem__(self, index: int | slice) -> Match | tuple[Match, ...]:
        return self._best()[index]

    def __iter__(self) -> Iterator[Match]:
        return iter(self._best())


class RankedPassages(Sequence[Scored]):
    """Passages of several parts, best first. Most of them are only counted and compared: each is made when read."""

    __slots__ = ("_parts", "_places", "ids", "scores")

    def __init__(
        self, ids: list[str], scores: list[float], places: Sequence[int], parts: Sequence[_Passages]
    ) -> None:
        """`places` tells where each stands among the passages of all parts."""
        self.ids = ids
        self.scores = scores
        self._places = places
        self._parts = parts

    @classmethod
    def best(cls, parts: Sequence[_Passages], top_k: int) -> RankedPassages:
        """The `top_k` best passages of these, equal ones by their ids."""
        ids = [chunk_id for part in parts for chunk_id in part.ids]
        scores = [score for part in parts for score in (-part.scores).tolist()]
        best = sorted(zip(scores, ids, range(len(ids)), strict=True))[:top_k]
        return cls([one[1] for one in best], [-one[0] for one in best], [one[2] for one in best], parts)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> Scored: ...
    @overload
    def __getitem__(self, index: slice) -> list[Scored]: ...
    def __getitem__(self, index: int | slice) -> Scored | list[Scored]:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        place = self._places[index]
        for part in self._parts:
            if place < len(part.rows):
                rowid = int(part.part.rowids[part.rows[place]])
                return Scored(self.ids[index], self.scores[index], part.matches(place), rowid)
            place -= len(part.rows)
        raise IndexError(index)


def _exact(part: VectorPart, rows: NDArray[np.int64], query: NDArray[np.float32]) -> Iterator[Scored]:
    ids, rowids = part.segment.chunk_ids.several(rows), part.rowids[rows].tolist()
    scores = part.exact_scores(rows, vector_encoding.for_scores(query, part.metric)).tolist()
    return (Scored(i, score, (), rowid) for i, score, rowid in zip(ids, scores, rowids, strict=True))


def prepared_query(query: NDArray[np.float32], metric: DistanceMetric) -> NDArray[np.float32]:
    return vector_encoding.normalised(query) if metric is DistanceMetric.COSINE else query
